// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// The kinds of RTMP messages of which the stream consists.
enum MessageKind: UInt8, Sendable {
  case metadata
  case videoHeader
  case audioHeader
  case keyframe
  case frame
  case audio
}

/// The properties of an RTMP message of the stream, without its body.
struct StreamMessage: Equatable {
  var kind = MessageKind.metadata
  var bodyBytes = 0
  /// The RTMP timestamp: milliseconds since the start of the stream on this connection.
  var time: UInt32 = 0
  /// The capture time of the message's packet; `nil` for metadata and sequence headers.
  var capturedAt: MediaTime?
  /// Whether `DeliveryMeter` tracks the delivery: it does for frames, or for audio packets if there is no video.
  var isTracked = false
  /// When the message's packet was queued; for a header, when the packet that needs it was queued.
  var offeredAt = MediaTime.distantPast
}
