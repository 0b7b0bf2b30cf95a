// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CRTMP

/// What librtmp needs once per process.
enum RTMPLibrary {
  /// Touch this before anything else of librtmp.
  ///
  /// The first RTMP_Init sets GnuTLS up in a global without any lock, so it is done here, where
  /// `static let` lets one thread do it.
  static let ready: Void = {
    onair_rtmp_silence()
    guard let rtmp = unsafe RTMP_Alloc() else { return }
    unsafe RTMP_Init(rtmp)
    unsafe RTMP_Free(rtmp)
  }()
}

/// The header of the next message on one chunk stream (RTMP specification 1.0, section 5.3.1.2).
///
/// librtmp shortens a header further by itself, down to none (type 3) for a message of the same
/// type, size and time as the last. By the specification such a message repeats the last time
/// *difference*, so a server would put it too late. Nor may time fall behind: the difference
/// would wrap. A full header is right in both cases.
struct HeaderPlan {
  private struct Last {
    var time: UInt32
    var bytes: Int
    var type: UInt8
  }

  private var last: Last?

  /// - Returns: whether the full header has to be used, with the time itself.
  mutating func needsFullHeader(time: UInt32, bytes: Int, type: UInt8) -> Bool {
    defer { last = Last(time: time, bytes: bytes, type: type) }
    guard let last else { return true }
    let difference = time &- last.time
    if difference > UInt32(Int32.max) { return true }
    return difference == 0 && last.bytes == bytes && last.type == type
  }
}
