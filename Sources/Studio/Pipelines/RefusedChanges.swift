// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Encode

/// Tells that an encoder refuses what it is set to: once, until it has taken a change again. With the governor the encoder
/// is changed many times a second.
struct RefusedChanges {
  private var isChanging = false
  private var isReported = false
  /// Of the present change.
  private var refusal: EncoderError?

  /// Changes the encoder for the next frame.
  mutating func change(_ body: () throws(EncoderError) -> Void) {
    isChanging = true
    do throws(EncoderError) {
      try body()
      refusal = nil
    } catch {
      refusal = error
    }
  }

  /// To be called after each frame that was encoded: only then does the encoder show what it has taken.
  /// - Parameter shown: the encoder's `takeRefusal`.
  /// - Returns: the refusal, if it is to be reported.
  mutating func take(_ shown: EncoderError?) -> EncoderError? {
    let refused = refusal ?? shown
    let isAccepted = isChanging && refused == nil
    (isChanging, refusal) = (false, nil)
    defer { isReported = refused != nil || isReported && !isAccepted }
    return isReported ? nil : refused
  }
}
