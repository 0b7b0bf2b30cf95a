// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// The kinds of RTMP messages of which the stream consists.
enum MessageKind: UInt8, Sendable {
  /// The message `onMetaData`, which describes the video, the audio and the encoder.
  case metadata
  /// The sequence header of the video: the decoder's configuration.
  case videoHeader
  /// The sequence header of the audio: the decoder's configuration.
  case audioHeader
  /// A video frame that is a keyframe.
  case keyframe
  /// A video frame that is no keyframe.
  case frame
  /// An audio packet.
  case audio
}

/// The properties of an RTMP message of the stream, without its body.
struct StreamMessage: Equatable {
  /// The kind of the message.
  var kind = MessageKind.metadata
  /// The size in bytes of the message's body, without chunk headers.
  var bodyBytes = 0
  /// The RTMP timestamp: milliseconds since the start of the stream on this connection.
  var time: UInt32 = 0
  /// The capture time of the message's packet; `nil` for metadata and sequence headers.
  var capturedAt: MediaTime?
  /// Whether `DeliveryMeter` tracks the delivery: it does for frames, and for audio packets while there are no frames.
  var isTracked = false
  /// When the message's packet was queued; for a header, when the packet that needs it was queued.
  var offeredAt = MediaTime.distantPast
}
