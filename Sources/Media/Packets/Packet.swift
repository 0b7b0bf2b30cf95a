// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// What one encoded packet is.
public enum PacketKind: UInt8, Sendable {
  /// A frame from which a decoder can start.
  case keyframe
  /// A frame that needs those before it.
  case frame
  case audio
}

/// One encoded video or audio packet. Its bytes are valid only during the call that receives it.
@safe public struct Packet {
  public let kind: PacketKind
  public let codec: Codec
  public var isVideo: Bool { kind != .audio }
  /// When it is decoded: the presentation time, unless the encoder reorders frames. It rises strictly within video and
  /// within audio.
  public let time: MediaTime
  /// Nanoseconds from decoding to presentation; 0 unless the encoder reorders frames.
  public let presentationDelay: Int64
  /// The number of the scene that its frame is of. It is incremented whenever viewers have to see (or hear) something
  /// else; video and audio count separately.
  public let scene: UInt32
  /// The encoder's memory: copy it to keep it.
  @unsafe public let bytes: UnsafeRawBufferPointer

  /// - Parameter codec: `nil` for H.264 or AAC.
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
}

/// What a decoder needs before the first video packet.
public struct VideoHeader: Sendable, Equatable {
  public var codec: Codec
  /// AVCDecoderConfigurationRecord of ISO/IEC 14496-15, with SPS and PPS.
  public var avcConfiguration: [UInt8]
  public var size: PictureSize
  public var framesPerSecond: Int
  public var bitrateKbps: Int

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

/// What a decoder needs before the first audio packet.
public struct AudioHeader: Sendable, Equatable {
  public var codec: Codec
  /// AudioSpecificConfig of ISO/IEC 14496-3.
  public var audioSpecificConfig: [UInt8]
  public var sampleRate: Int
  public var channels: Int
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
