// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Encode

/// The changes of settings that an encoder has refused. Each of the encoder's settings is reported only once, because
/// the speed governor changes them many times a second.
struct RefusedChanges {
  private var told: Set<String> = []
  private var next: EncoderError?

  mutating func note(_ refusal: EncoderError) {
    let name = if case .settingNotApplied(let name, _) = refusal { name } else { "\(refusal)" }
    if told.insert(name).inserted { next = refusal }
  }

  /// Takes the newest refusal that has not been reported.
  /// - Returns: `nil` if there is none.
  mutating func take() -> EncoderError? { next.take() }
}
