// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// `[page]`: the HTTP server on the local network.
public struct PageSettings: Sendable, Equatable {
  /// The address and port to listen on; `nil` disables the HTTP server.
  public let listen: ListenAddress?
  /// The host name under which a TLS proxy publishes the page; empty if there is no proxy.
  public let proxyName: String

  init(_ form: inout Form) {
    listen = form.value(
      "page.listen", .listenAddress, default: .standard, effect: .nextStart,
      help: """
        The address and port of the page and of the API. The default can be reached from this \
        machine only; 0.0.0.0:80 is for everybody on the network, who needs the password. If it \
        is empty, OnAir does not listen.
        """)
    proxyName = form.value(
      "page.proxy_name", .hostName, default: "", effect: .nextStart,
      help: """
        The name under which a proxy with TLS makes the page known, as in box.example.org. \
        Requests under a name that is not the box's own are refused otherwise.
        """)
  }
}

/// `[preview]`: how the page shows the picture.
public struct PreviewSettings: Sendable, Equatable {
  /// Whether the page swaps left and right in the picture, as a mirror does. The stream does not change.
  public let mirror: Bool

  init(_ form: inout Form) {
    mirror = form.value(
      "preview.mirror", .flag, default: false,
      help: """
        Swaps left and right in the picture on the page, as in a mirror, for those who see themselves there. What viewers \
        get stays as it is.
        """)
  }
}

/// An IP address of this machine and a TCP port to listen on (`page.listen`).
public struct ListenAddress: Sendable, Equatable, CustomStringConvertible {
  /// The IPv4 or IPv6 address, without brackets.
  public let host: String
  /// The TCP port, 1 to 65535.
  public let port: Int

  /// The default of `page.listen`, which only this machine can reach.
  static let standard = ListenAddress(unchecked: "127.0.0.1", 8080)

  private init(unchecked host: String, _ port: Int) {
    self.host = host
    self.port = port
  }

  /// Parses "127.0.0.1:8080" or "[::1]:8080".
  init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":") else { return nil }
    let digits = text[text.index(after: colon)...]
    guard isNumber(digits, digits: 5), let port = Int(digits), (1...65_535).contains(port) else {
      return nil
    }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
      guard isIPv6(host) else { return nil }
    } else {
      guard isIPv4(host) else { return nil }
    }
    self.init(unchecked: String(host), port)
  }

  /// Whether `host` is a loopback address, which other machines cannot reach.
  public var isLocal: Bool { host.hasPrefix("127.") || host == "::1" }

  public var description: String {
    host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}

extension Kind where Value == ListenAddress? {
  /// The kind of a setting whose value is an IP address of this machine and a port; an empty text is `nil`.
  static var listenAddress: Kind {
    .text(
      "an IP address of this machine and a port (127.0.0.1:8080, [::1]:8080), or empty",
      read: { text throws(ValueError) in
        if text.isEmpty { return .some(nil) }
        guard let address = ListenAddress(text) else { return nil }
        return address
      },
      show: { $0.map(\.description) ?? "" })
  }
}

extension Kind where Value == String {
  /// The kind of a setting whose value is a host name, or empty.
  static var hostName: Kind {
    .text(
      "a host name (box.example.org), or empty",
      read: { text throws(ValueError) in
        text.isEmpty || isHostName(text[...]) ? text : nil
      }, show: { $0 })
  }
}
