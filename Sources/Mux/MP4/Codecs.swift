// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// Names codecs as in RFC 6381, section 3.3, for Media Source Extensions and HLS playlists.
public enum Codecs {
  /// The names of the codecs of a stream, separated by commas: "avc1.64001f,mp4a.40.2".
  public static func names(video: VideoHeader?, audio: AudioHeader?) -> String {
    [video.flatMap(name(of:)), audio.flatMap(name(of:))].compactMap(\.self).joined(separator: ",")
  }

  /// The name of a video codec, "avc1.64001f"; `nil` if the header is too short. Profile, constraints and level are
  /// bytes 1 to 3 of the AVCDecoderConfigurationRecord (ISO/IEC 14496-15, 5.3.3.1).
  static func name(of header: VideoHeader) -> String? {
    guard header.avcConfiguration.count > 3 else { return nil }
    return "avc1." + header.avcConfiguration[1...3].map(hexadecimal).joined()
  }

  /// The name of an audio codec, "mp4a.40.2"; `nil` if the header is too short. The object type is in the first five
  /// bits of the AudioSpecificConfig or, if these are all set, 32 plus the six bits after them (ISO/IEC 14496-3,
  /// 1.6.2.1).
  static func name(of header: AudioHeader) -> String? {
    let config = header.audioSpecificConfig
    guard config.count > 1 else { return nil }
    let short = config[0] >> 3
    let type = short < 31 ? short : 32 + (config[0] & 7) << 3 + config[1] >> 5
    return "mp4a.40.\(type)"
  }

  /// A byte as two hexadecimal digits.
  private static func hexadecimal(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }
}
