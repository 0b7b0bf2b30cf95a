// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// The kinds of messages that carry the stream.
enum MessageKind: UInt8, Sendable {
  case metadata
  case videoHeader
  case audioHeader
  case keyframe
  case frame
  case audio
}

/// A message of the stream, without its body.
struct StreamMessage: Equatable {
  var kind = MessageKind.metadata
  var bodyBytes = 0
  /// RTMP timestamp: milliseconds since the start of the publish.
  var time: UInt32 = 0
  /// Capture time; `nil` for metadata and sequence headers.
  var capturedAt: MediaTime?
  /// Whether `DeliveryMeter` tracks it: frames, or audio packets if there is no video.
  var counts = false
  /// When its packet was queued.
  var offeredAt = MediaTime.distantPast
}
