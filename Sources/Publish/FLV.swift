// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// The bodies of RTMP's media messages, which are those of FLV tags
/// (Adobe's "Video File Format Specification" version 10.1, annex E.4).
public enum FLV {
  /// Bytes before an H.264 picture: VIDEODATA's first byte and AVCVIDEOPACKET's head.
  static let pictureHeadBytes = 5
  /// Bytes before an AAC frame: AUDIODATA's first byte and AACAUDIODATA's head.
  static let soundHeadBytes = 2

  /// AAC's SoundFormat, rate, size and type: always 44 kHz, 16 bit, stereo, whatever the sound is
  /// (E.4.2.1); the AudioSpecificConfig has the truth.
  private static let aac: UInt8 = 0xAF

  /// The sequence header of H.264: what must come before the first picture.
  /// - Parameter configuration: AVCDecoderConfigurationRecord.
  public static func videoHeader(_ configuration: [UInt8]) -> [UInt8] {
    [0x17, 0, 0, 0, 0] + configuration
  }

  /// The sequence header of AAC.
  /// - Parameter configuration: AudioSpecificConfig.
  public static func audioHeader(_ configuration: [UInt8]) -> [UInt8] {
    [aac, 0] + configuration
  }

  /// Bytes of the body that carries `packet`.
  static func bodyBytes(_ packet: Packet) -> Int {
    unsafe (packet.kind == .audio ? soundHeadBytes : pictureHeadBytes) + packet.bytes.count
  }

  /// Writes the body that carries `packet`: its head, then its bytes. Pictures are shown in the
  /// order in which they come, so CompositionTime is 0.
  /// - Parameter body: room for `bodyBytes(packet)`.
  @unsafe static func write(_ packet: Packet, to body: UnsafeMutableRawBufferPointer) {
    let headBytes: Int
    switch packet.kind {
    case .keyframe, .frame:
      headBytes = pictureHeadBytes
      unsafe body[0] = packet.kind == .keyframe ? 0x17 : 0x27
      unsafe body[1] = 1
      for place in 2..<5 { unsafe body[place] = 0 }
    case .audio:
      headBytes = soundHeadBytes
      unsafe body[0] = aac
      unsafe body[1] = 1
    }
    unsafe UnsafeMutableRawBufferPointer(rebasing: body[headBytes...]).copyMemory(
      from: packet.bytes)
  }

  /// The data message that tells a server what the stream is: `@setDataFrame`, which asks the
  /// server to keep it for those who join later, around `onMetaData` (E.5).
  ///
  /// The duration of a live stream is not known; 0 says so, as other publishers do, and some
  /// players want the field to be there.
  /// - Parameter encoder: the program's name and version.
  public static func metadata(
    video: VideoHeader?, audio: AudioHeader?, encoder: String
  ) -> [UInt8] {
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
    return AMF0.encode([
      .string("@setDataFrame"), .string("onMetaData"), .ecmaArray(properties),
    ])
  }
}
