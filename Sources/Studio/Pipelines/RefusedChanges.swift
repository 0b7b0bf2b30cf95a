// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Encode

/// The changes of its settings that an encoder has refused. Each setting is reported only once, because the speed
/// governor changes settings many times a second.
struct RefusedChanges {
  /// The names of the encoder's settings that have been reported.
  private var reported: Set<String> = []
  /// The newest refusal that has not been reported; `nil` if there is none.
  private var unreported: EncoderError?

  /// Notes that the encoder has refused a change. Only the first refusal of each setting is reported.
  mutating func note(_ refusal: EncoderError) {
    let name = if case .settingNotApplied(let name, _) = refusal { name } else { "\(refusal)" }
    if reported.insert(name).inserted { unreported = refusal }
  }

  /// Takes the newest refusal that has not been reported.
  /// - Returns: `nil` if there is none.
  mutating func take() -> EncoderError? { unreported.take() }
}
