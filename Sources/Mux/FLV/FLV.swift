// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// Makes the bodies of RTMP's media messages, which have the format of FLV tags' bodies (Adobe's "Video File Format
/// Specification" version 10.1, annex E.4).
public enum FLV {
  /// Bytes before an H.264 frame: VIDEODATA's first byte and AVCVIDEOPACKET's header.
  public static let videoHeaderBytes = 5
  /// Bytes before an AAC frame: AUDIODATA's first byte and AACAUDIODATA's header.
  public static let audioHeaderBytes = 2

  /// Whether packets of a codec can be sent in the FLV that RTMP servers understand.
  public static func carries(_ codec: Codec) -> Bool {
    switch codec {
    case .h264, .aac: true
    }
  }

  /// The first byte of AUDIODATA: SoundFormat AAC with rate, size and type, which for AAC are always 44 kHz, 16 bit and
  /// stereo (E.4.2.1). The real values are in the AudioSpecificConfig.
  private static let aac: UInt8 = 0xAF

  /// The body of the H.264 sequence header, which has to precede the first frame.
  /// - Parameter configuration: the AVCDecoderConfigurationRecord.
  public static func videoHeader(_ configuration: [UInt8]) -> [UInt8] {
    [0x17, 0, 0, 0, 0] + configuration
  }

  /// The body of the AAC sequence header, which has to precede the first audio packet.
  /// - Parameter configuration: the AudioSpecificConfig.
  public static func audioHeader(_ configuration: [UInt8]) -> [UInt8] {
    [aac, 0] + configuration
  }

  /// Bytes of the FLV header before the payload of a packet of this kind.
  public static func headerBytes(_ kind: PacketKind) -> Int {
    kind == .audio ? audioHeaderBytes : videoHeaderBytes
  }

  /// Writes a packet's FLV header to the start of a message body.
  /// - Parameters:
  ///   - presentationDelay: nanoseconds from decoding to presentation (`Packet.presentationDelay`).
  ///   - body: the message body, which begins with room for `headerBytes(kind)` bytes.
  @unsafe public static func writeHeader(
    _ kind: PacketKind, presentationDelay: Int64, to body: UnsafeMutableRawBufferPointer
  ) {
    switch kind {
    case .keyframe, .frame:
      unsafe body[0] = kind == .keyframe ? 0x17 : 0x27
      unsafe body[1] = 1
      // CompositionTime: milliseconds, in 24 bits with a sign.
      let delay = Int32(clamping: (presentationDelay + 500_000) / 1_000_000)
      for index in 0..<3 {
        unsafe body[2 + index] = UInt8(truncatingIfNeeded: delay >> Int32(16 - 8 * index))
      }
    case .audio:
      unsafe body[0] = aac
      unsafe body[1] = 1
    }
  }

  /// The body of the data message that describes the stream: `onMetaData` (E.5), wrapped in `@setDataFrame`, which asks
  /// the server to keep the metadata for viewers who join later.
  ///
  /// - Parameter encoder: the program's name and version.
  public static func metadata(
    video: VideoHeader?, audio: AudioHeader?, encoder: String
  ) -> [UInt8] {
    AMF0.encode([.string("@setDataFrame")] + description(video, audio, encoder))
  }

  /// The body of the script tag that describes the stream to a player: `onMetaData` (E.5).
  /// - Parameter encoder: the program's name and version.
  public static func scriptData(
    video: VideoHeader?, audio: AudioHeader?, encoder: String
  ) -> [UInt8] {
    AMF0.encode(description(video, audio, encoder))
  }

  /// The name `onMetaData` and its values.
  ///
  /// Some players require a duration. The duration of a live stream is unknown, so 0 is written, as by other
  /// publishers.
  private static func description(
    _ video: VideoHeader?, _ audio: AudioHeader?, _ encoder: String
  ) -> [AMF0] {
    var properties = [AMF0.Property("duration", .number(0))]
    if let video {
      properties += [
        AMF0.Property("width", .number(Double(video.size.width))),
        AMF0.Property("height", .number(Double(video.size.height))),
        AMF0.Property("videodatarate", .number(Double(video.bitrateKbps))),
        AMF0.Property("framerate", .number(Double(video.framesPerSecond))),
        AMF0.Property("videocodecid", .number(7)),
      ]
    }
    if let audio {
      properties += [
        AMF0.Property("audiodatarate", .number(Double(audio.bitrateKbps))),
        AMF0.Property("audiosamplerate", .number(Double(audio.sampleRate))),
        AMF0.Property("audiosamplesize", .number(16)),
        AMF0.Property("stereo", .boolean(audio.channels == 2)),
        AMF0.Property("audiocodecid", .number(10)),
      ]
    }
    properties.append(AMF0.Property("encoder", .string(encoder)))
    return [.string("onMetaData"), .ecmaArray(properties)]
  }
}
