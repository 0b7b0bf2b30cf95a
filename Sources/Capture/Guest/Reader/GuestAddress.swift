// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg

/// The scheme of a guest's address, and how libavformat opens it.
///
/// All options are for low delay: little is read ahead to find out the tracks, and nothing is thrown away.
struct GuestAddress: Equatable {
  enum Scheme: String, CaseIterable {
    case rtmp, rtmps, http, https, rtsp, rtsps, srt
  }

  /// The longest address, in bytes.
  private static let maxBytes = 2_048

  /// A guest who sends by RTMP: nothing is connected to.
  static let published = GuestAddress(scheme: .rtmp, text: "")

  let scheme: Scheme
  /// The address with the scheme in small letters, as libavformat needs it.
  let text: String

  private init(scheme: Scheme, text: String) { (self.scheme, self.text) = (scheme, text) }

  /// - Returns: `nil` if it is not an address that a guest may have.
  init?(_ text: String) {
    guard text.utf8.count <= GuestAddress.maxBytes, let colon = text.firstIndex(of: ":"),
      let scheme = Scheme(rawValue: text[..<colon].lowercased()),
      text[colon...].hasPrefix("://"),
      text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else { return nil }
    // The parameters of an SRT address overrule all options: one that listens would wait for callers.
    if scheme == .srt, let query = text.split(separator: "?", maxSplits: 1).dropFirst().first {
      for part in query.lowercased().split(separator: "&") where part.hasPrefix("mode=") {
        guard part == "mode=caller" else { return nil }
      }
    }
    self.scheme = scheme
    self.text = scheme.rawValue + text[colon...]
  }

  /// A text of FFmpeg without what may be a key: the parts of the address after its host, and its user and password.
  func hidingSecrets(in text: String) -> String {
    var rest = self.text.dropFirst(scheme.rawValue.utf8.count + 3)
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    let user = authority.lastIndex(of: "@").map { rest[..<$0] } ?? ""
    rest = rest[authority.endIndex...]
    var shown = text
    for part in rest.split(whereSeparator: { "/?&=#".contains($0) }) + user.split(separator: ":")
    where part.utf8.count >= 4 {
      shown = shown.split(separator: part, omittingEmptySubsequences: false).joined(
        separator: "***")
    }
    return shown
  }

  /// The demuxer, where it need not be guessed from the data.
  var format: String? {
    switch scheme {
    case .rtmp, .rtmps: "live_flv"
    case .rtsp, .rtsps: "rtsp"
    case .srt: "mpegts"
    case .http, .https: nil
    }
  }

  /// The protocols that may be used.
  private var protocols: String {
    switch scheme {
    case .rtmp: "rtmp,tcp"
    case .rtmps: "rtmps,tls,tcp"
    // A server may lead from http to https. Pieces of HLS may be encrypted.
    case .http, .https: "http,https,tls,tcp,crypto"
    case .rtsp: "rtsp,tcp"
    case .rtsps: "rtsps,tls,tcp"
    case .srt: "srt"
    }
  }

  /// The formats that may be opened. Those after "hls" are what its pieces have.
  private var formats: String { format ?? "flv,live_flv,mpjpeg,mpegts,hls,mov,aac,mp3,ac3" }

  /// libavformat's options.
  /// - Parameters:
  ///   - stepNanos: how long the network may be silent, in nanoseconds.
  ///   - receives: whether the guest connects, by SRT.
  func options(
    latencyNanos: Int64, stepNanos: Int64, verifiesTLS: Bool, receives: Bool = false
  ) -> [(name: String, value: String)] {
    let step = "\(stepNanos / 1_000)"
    var options = [
      ("protocol_whitelist", protocols), ("format_whitelist", formats),
      ("probesize", "65536"), ("analyzeduration", "300000"), ("fpsprobesize", "0"),
    ]
    switch scheme {
    // Not "timeout": with it, FFmpeg's RTMP waits for callers.
    case .rtmp, .rtmps:
      options += [("rw_timeout", step), ("rtmp_live", "live"), ("rtmp_buffer", "100")]
    case .http, .https:
      // If it were seekable, the end of a file would be looked at first.
      options += [("rw_timeout", step), ("seekable", "0"), ("live_start_index", "-2")]
    case .rtsp, .rtsps:
      options += [("timeout", step), ("rtsp_transport", "tcp")]
      // The demuxer opens its connection without the context's `io_open`.
      if verifiesTLS { options += [("tls_verify", "1"), ("ca_file", ONAIR_AUTHORITIES)] }
    case .srt:
      options += [
        ("timeout", step), ("connect_timeout", "\(stepNanos / 1_000_000)"),
        ("listen_timeout", step), ("mode", receives ? "listener" : "caller"),
        ("latency", "\(latencyNanos / 1_000)"),
      ]
    }
    return options
  }
}
