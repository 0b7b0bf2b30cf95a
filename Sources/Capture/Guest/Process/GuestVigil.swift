// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Decides when the reader of a guest has hung or sends too many messages, and when frames have stopped coming. Reads
/// no clock: the time is passed in.
struct GuestVigil {
  /// Nanoseconds without a sign of life after which a reader has hung.
  static let silenceNanos = Int64.seconds(10)
  /// The same, before the first sign of life: a slow machine loads libavformat for long.
  static let startNanos = Int64.seconds(30)
  /// The least nanoseconds without a frame until frames have stopped coming.
  static let stallNanos = Int64.seconds(1)
  /// The most messages of a reader within a second. A state counts as `stateCost` of them: it is reported further.
  static let mostMessages = 200
  static let stateCost = 10

  /// The last sign of life, and when it was first seen.
  private var beat: (value: Int64, seenAt: MediaTime)
  /// When the last frame came, or frames were first expected; `nil` while no frames are expected.
  private var lastFrameAt: MediaTime?
  private var isStalled = false
  /// The second in which messages are counted, and how many have come in it.
  private var messages: (since: MediaTime, count: Int)

  init(startedAt: MediaTime) {
    beat = (0, startedAt)
    messages = (startedAt, 0)
  }

  /// Whether the reader has hung.
  /// - Parameter value: a number that changes with each sign of life; 0 before the first one.
  mutating func hasHung(beat value: Int64, _ now: MediaTime) -> Bool {
    if value != beat.value { beat = (value, now) }
    return now - beat.seenAt > (beat.value == 0 ? GuestVigil.startNanos : GuestVigil.silenceNanos)
  }

  /// Counts a message.
  /// - Returns: `false` if there are too many.
  mutating func allows(_ message: GuestBroker.Message, _ now: MediaTime) -> Bool {
    if now - messages.since >= .seconds(1) { messages = (now, 0) }
    if case .state = message {
      messages.count += GuestVigil.stateCost
    } else {
      messages.count += 1
    }
    return messages.count <= GuestVigil.mostMessages
  }

  /// Notes that a frame has come.
  /// - Returns: whether frames come again after `hasStalled` was true.
  mutating func noteFrame(_ now: MediaTime) -> Bool {
    if lastFrameAt != nil { lastFrameAt = now }
    defer { isStalled = false }
    return isStalled
  }

  /// Whether frames have just stopped coming: `true` once for each time.
  /// - Parameters:
  ///   - isExpected: whether the guest has video and all of its frames are wanted.
  ///   - frameRate: the guest's frames per second; 0 if unknown.
  mutating func hasStalled(isExpected: Bool, frameRate: Double, _ now: MediaTime) -> Bool {
    guard isExpected else {
      (lastFrameAt, isStalled) = (nil, false)
      return false
    }
    let since = lastFrameAt ?? now
    lastFrameAt = since
    let intervals = Int64(3e9 / max(0.3, frameRate > 0 ? frameRate : 30))
    guard !isStalled, now - since > max(GuestVigil.stallNanos, intervals) else { return false }
    isStalled = true
    return true
  }
}
