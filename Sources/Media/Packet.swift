// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What one encoded packet is.
public enum PacketKind: UInt8, Sendable {
  /// H.264 NAL units, each after its length in 4 bytes (ISO/IEC 14496-15), from which a decoder can start.
  case keyframe
  /// H.264 NAL units likewise, which need the pictures before them.
  case frame
  /// One raw AAC frame, without ADTS.
  case audio
}

/// One encoded picture or piece of sound, lent for the length of a call.
@safe public struct Packet {
  public let kind: PacketKind
  /// When it is to be shown or heard. Rises strictly within pictures and within sound.
  public let time: MediaTime
  /// Counts the changes of what viewers are meant to see, or to hear; each kind has its own count.
  public var scene: UInt32
  /// The encoder's memory: copy what you keep.
  @unsafe public let bytes: UnsafeRawBufferPointer

  @unsafe public init(
    kind: PacketKind, time: MediaTime, scene: UInt32 = 0, bytes: UnsafeRawBufferPointer
  ) {
    self.kind = kind
    self.time = time
    self.scene = scene
    unsafe self.bytes = unsafe bytes
  }
}

/// What a decoder must know before the first picture.
public struct VideoHeader: Sendable, Equatable {
  /// AVCDecoderConfigurationRecord of ISO/IEC 14496-15, with SPS and PPS.
  public var avcConfiguration: [UInt8]
  public var size: PictureSize
  public var framesPerSecond: Int
  public var bitrateKbps: Int

  public init(
    avcConfiguration: [UInt8], size: PictureSize, framesPerSecond: Int, bitrateKbps: Int
  ) {
    self.avcConfiguration = avcConfiguration
    self.size = size
    self.framesPerSecond = framesPerSecond
    self.bitrateKbps = bitrateKbps
  }
}

/// What a decoder must know before the first sound.
public struct AudioHeader: Sendable, Equatable {
  /// AudioSpecificConfig of ISO/IEC 14496-3.
  public var audioSpecificConfig: [UInt8]
  public var sampleRate: Int
  public var channels: Int
  public var bitrateKbps: Int

  public init(
    audioSpecificConfig: [UInt8], sampleRate: Int, channels: Int, bitrateKbps: Int
  ) {
    self.audioSpecificConfig = audioSpecificConfig
    self.sampleRate = sampleRate
    self.channels = channels
    self.bitrateKbps = bitrateKbps
  }
}
