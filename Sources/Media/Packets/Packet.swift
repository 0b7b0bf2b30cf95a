// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// The kind of an encoded packet.
public enum PacketKind: UInt8, Sendable {
  /// A video frame from which a decoder can start (IDR).
  case keyframe
  /// A video frame that can be decoded only after the frames before it.
  case frame
  /// A packet of audio.
  case audio
}

/// An encoded video or audio packet. Its bytes are valid only during the call that receives it.
@safe public struct Packet {
  /// Whether this is a keyframe, another video frame, or audio.
  public let kind: PacketKind
  /// The codec of the packet, which also determines the layout of `bytes`.
  public let codec: Codec
  public var isVideo: Bool { kind != .audio }
  /// The decoding time, which is also the presentation time unless the encoder reorders frames. It rises strictly from
  /// one video packet to the next, and from one audio packet to the next.
  public let time: MediaTime
  /// Nanoseconds from the decoding time to the presentation time; 0 unless the encoder reorders frames.
  public let presentationDelay: Int64
  /// The number of the scene that the packet belongs to. Another scene, with the next number, begins when what viewers
  /// see or hear has to change at once, as at a pause or a mute. Video and audio have separate numbers.
  public let scene: UInt32
  /// The encoded bytes, in the encoder's memory. Copy them to keep them after the call.
  @unsafe public let bytes: UnsafeRawBufferPointer

  /// - Parameter codec: `nil` for H.264 if `kind` is video, and for AAC if it is audio.
  @unsafe public init(
    kind: PacketKind, codec: Codec? = nil, time: MediaTime, presentationDelay: Int64 = 0,
    scene: UInt32 = 0,
    bytes: UnsafeRawBufferPointer
  ) {
    self.kind = kind
    self.codec = codec ?? (kind == .audio ? .aac : .h264)
    self.time = time
    self.presentationDelay = presentationDelay
    self.scene = scene
    unsafe self.bytes = unsafe bytes
  }

  /// The same packet with another time.
  public func moved(to time: MediaTime) -> Packet {
    unsafe Packet(
      kind: kind, codec: codec, time: time, presentationDelay: presentationDelay, scene: scene,
      bytes: bytes)
  }
}

/// The format of encoded video, with the decoder configuration. A decoder needs it before the first video packet.
public struct VideoHeader: Sendable, Equatable {
  /// The codec of the video.
  public var codec: Codec
  /// The AVCDecoderConfigurationRecord of ISO/IEC 14496-15, which contains the SPS and the PPS.
  public var avcConfiguration: [UInt8]
  /// The picture size in pixels.
  public var size: PictureSize
  /// The frame rate with which the encoder was opened.
  public var framesPerSecond: Int
  /// The bit rate with which the encoder was opened, in kbit/s.
  public var bitrateKbps: Int
  /// Whether only sound follows the first keyframe. A sink that has the keyframe needs no further one of this format.
  public var isSoundOnly = false

  public init(
    codec: Codec = .h264, avcConfiguration: [UInt8], size: PictureSize, framesPerSecond: Int,
    bitrateKbps: Int
  ) {
    self.codec = codec
    self.avcConfiguration = avcConfiguration
    self.size = size
    self.framesPerSecond = framesPerSecond
    self.bitrateKbps = bitrateKbps
  }
}

/// The format of encoded audio, with the decoder configuration. A decoder needs it before the first audio packet.
public struct AudioHeader: Sendable, Equatable {
  /// The codec of the audio.
  public var codec: Codec
  /// The AudioSpecificConfig of ISO/IEC 14496-3.
  public var audioSpecificConfig: [UInt8]
  /// The sample rate in Hz.
  public var sampleRate: Int
  /// The number of channels, 1 or 2.
  public var channels: Int
  /// The bit rate of all channels together with which the encoder was opened, in kbit/s.
  public var bitrateKbps: Int

  public init(
    codec: Codec = .aac, audioSpecificConfig: [UInt8], sampleRate: Int, channels: Int,
    bitrateKbps: Int
  ) {
    self.codec = codec
    self.audioSpecificConfig = audioSpecificConfig
    self.sampleRate = sampleRate
    self.channels = channels
    self.bitrateKbps = bitrateKbps
  }
}
