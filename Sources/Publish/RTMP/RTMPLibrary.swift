// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CRTMP

/// Initialises librtmp once per process.
enum RTMPLibrary {
  /// Initialises librtmp when it is first read. Read it before any other call of librtmp.
  ///
  /// The first RTMP_Init sets up GnuTLS in a global variable without a lock. `static let` makes sure that only
  /// one thread does it.
  static let ready: Void = {
    onair_rtmp_silence()
    guard let rtmp = unsafe RTMP_Alloc() else { return }
    unsafe RTMP_Init(rtmp)
    unsafe RTMP_Free(rtmp)
  }()
}

/// Decides whether the next message on one chunk stream needs a full chunk header (RTMP specification 1.0, section
/// 5.3.1.2).
///
/// librtmp shortens headers by itself, down to none (type 3) for a message with the same type, size and timestamp as
/// the last one. But by the specification such a message repeats the last timestamp *difference*, so the server would
/// assign a timestamp that is too late. If the timestamp is lower than the last one, the difference would wrap. In both
/// cases a full header is needed.
struct HeaderRule {
  /// The timestamp, body size and type of the last message.
  private struct LastMessage {
    var time: UInt32
    var bytes: Int
    var type: UInt8
  }

  /// The last message on the chunk stream; `nil` before the first.
  private var last: LastMessage?

  /// - Returns: whether the message needs a full header, with the absolute timestamp.
  mutating func needsFullHeader(time: UInt32, bytes: Int, type: UInt8) -> Bool {
    defer { last = LastMessage(time: time, bytes: bytes, type: type) }
    guard let last else { return true }
    let difference = time &- last.time
    if difference > UInt32(Int32.max) { return true }
    return difference == 0 && last.bytes == bytes && last.type == type
  }
}
