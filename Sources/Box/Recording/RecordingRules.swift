// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Director

/// Decides whether a recording runs, and what has begun it. Reads no clock and does no I/O.
struct RecordingRules: Equatable {
  /// What has begun a recording. The raw values are those of `Status.Record.by`.
  enum Cause: String {
    case hand, broadcast, always
  }

  /// What a person asked for.
  struct Request: Codable, Equatable {
    /// The text after the time in the names of the files; empty for none.
    var title: String
    /// Whether there was no broadcast at that time.
    var isOffAir: Bool
  }

  /// The value of `record.start`.
  var start: RecordingStart
  /// The recording that a person has begun; `nil` for none.
  private(set) var request: Request?
  /// Whether a person has stopped the recordings that begin by themselves, until the next broadcast.
  private(set) var isStopped: Bool

  /// - Parameters:
  ///   - request: the recording of the last run of the program that is to go on.
  ///   - isStopped: whether nothing may be recorded before the next broadcast, since the room is private.
  init(start: RecordingStart, request: Request? = nil, isStopped: Bool = false) {
    (self.start, self.request, self.isStopped) = (start, request, isStopped)
  }

  /// What has begun the recording that is to run now; `nil` if there is to be none.
  func cause(isOnAir: Bool) -> Cause? {
    if request != nil { return .hand }
    if isStopped { return nil }
    return switch start {
    case .hand: nil
    case .broadcast: isOnAir ? .broadcast : nil
    case .always: .always
    }
  }

  /// A person begins a recording.
  mutating func begin(_ request: Request) {
    self.request = request
    isStopped = false
  }

  /// A person ends the recording, whatever has begun it.
  mutating func stop() {
    request = nil
    isStopped = true
  }

  /// A broadcast begins.
  mutating func beginBroadcast() { isStopped = false }

  /// The broadcast ends. A recording that a person has begun off air goes on, unless the broadcast has hidden the
  /// picture or the sound: what was hidden must not be recorded after it.
  /// - Parameter intent: what the person wanted until the end.
  mutating func endBroadcast(_ intent: Intent) {
    let isPrivate = RecordingRules.isPrivate(intent)
    if isPrivate { isStopped = true }
    if isPrivate || request?.isOffAir == false { request = nil }
  }

  /// Whether a broadcast hides the picture or the sound of the room.
  /// - Parameter intent: what the person wants of it.
  static func isPrivate(_ intent: Intent) -> Bool {
    intent.broadcast == .paused || intent.isVideoOff || intent.isSilent
  }
}
