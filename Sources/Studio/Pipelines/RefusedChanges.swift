// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Encode

/// What an encoder has refused to be set to. Each of its settings is told once: the governor changes the encoder many
/// times a second.
struct RefusedChanges {
  private var told: Set<String> = []
  private var next: EncoderError?

  mutating func note(_ refusal: EncoderError) {
    let name = if case .settingNotApplied(let name, _) = refusal { name } else { "\(refusal)" }
    if told.insert(name).inserted { next = refusal }
  }

  /// - Returns: the newest refusal that was not told.
  mutating func take() -> EncoderError? { next.take() }
}
