// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Posix
internal import Settings

extension Status.Playout {
  /// - Parameter listen: the value of `playout.listen`.
  init(_ settings: PlayoutSettings, at listen: ListenAddress, viewers: Int) {
    let base = "\(listen.url(Host.addresses))live/\(PlayoutSettings.stream)"
    hls = "\(base).m3u8"
    flv = "\(base).flv"
    self.viewers = viewers
    maxViewers = settings.maxViewers
    needsKey = settings.secret.isSet
  }
}

extension ListenAddress {
  /// The URL under which others reach the listener.
  /// - Parameter addresses: the IP addresses of this machine on its networks. If it listens at all of them, the first one
  ///   counts, or that of this machine alone if there is none.
  package func url(_ addresses: [String]) -> String {
    let isAny = host == "0.0.0.0" || host == "::"
    return url(host: isAny ? addresses.first ?? "127.0.0.1" : host)
  }

  /// The URL with this IP address: "http://192.168.1.20:8080/".
  package func url(host: String) -> String {
    let shown = host.contains(":") ? "[\(host)]" : host
    return "http://\(shown)\(port == 80 ? "" : ":\(port)")/"
  }
}
