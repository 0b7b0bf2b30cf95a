// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Posix

/// Decides which requests are answered: none that a web page of another site has made.
///
/// Such a page, open in a browser on this machine or network, can send requests here, and with DNS rebinding it can
/// even appear to be this site. So a request must name the box by an IP address or by its own host name, and its
/// Origin, if there is one, must be this box (RFC 6454, RFC 9110 section 7.2).
struct RequestGuard {
  /// The host names by which a request may address the box, in lower case.
  private let names: Set<String>
  /// The host name under which a proxy with TLS passes requests on; empty for none.
  private let proxyName: String

  /// - Parameters:
  ///   - hostName: the host name of this machine.
  ///   - proxyName: the host name under which a proxy passes requests on; empty for none.
  ///   - isLocal: whether the server listens on the loopback interface only. Then the host name is not accepted: on a
  ///     strange network another machine may answer for it.
  init(hostName: String, proxyName: String = "", isLocal: Bool = false) {
    self.proxyName = proxyName.lowercased()
    let always: Set<String> = proxyName.isEmpty ? ["localhost"] : ["localhost", self.proxyName]
    guard !isLocal else {
      names = always
      return
    }
    let name = hostName.lowercased()
    let first = String(name.prefix { $0 != "." })
    names = always.union(Self.sharedNames)
      .union(first.isEmpty ? [] : [name, first] + Self.ownDomains.map { "\(first).\($0)" })
  }

  /// The domains under which routers and multicast DNS know this machine. Nobody can register a name in these domains,
  /// so DNS rebinding cannot fake one: RFC 6762 and RFC 8375; ICANN has reserved "internal" and delegates none of the
  /// others; "fritz.box" belongs to the router's maker.
  private static let ownDomains = [
    "local", "home.arpa", "internal", "lan", "home", "localdomain", "fritz.box",
  ]

  /// The names that Avahi gives on the local network to a box that runs the OnAir image, whatever its host name is. Of
  /// several boxes the later ones get a number. Names in `.local` are not looked up in DNS (RFC 6762), so DNS rebinding
  /// cannot fake them.
  private static let sharedNames: Set<String> =
    Set(["onair.local"] + (2...20).map { "onair-\($0).local" })

  /// A guard with the host name of this machine.
  static func here(proxyName: String, isLocal: Bool) -> RequestGuard {
    RequestGuard(hostName: Host.name, proxyName: proxyName, isLocal: isLocal)
  }

  /// The sentence that says why a request is refused; `nil` if the request is answered.
  /// - Parameters:
  ///   - authority: the value of the Host header.
  ///   - origin: the value of the Origin header.
  ///   - site: the value of the Sec-Fetch-Site header (Fetch Metadata). A browser sends it even with the request for an
  ///     image, which has no Origin header.
  func objection(authority: String?, origin: String?, site: String? = nil) -> String? {
    // An IP address needs no name server, so DNS rebinding cannot fake it.
    guard let authority, let host = Self.host(of: authority),
      names.contains(host) || IPAddress.bytes(host) != nil
    else { return "Use this box's IP address or its own host name." }
    // A browser leaves the standard port out of Host and Origin, so both can be compared as they are.
    if let origin {
      let schemes = host == proxyName ? ["http", "https"] : ["http"]
      guard schemes.contains(where: { origin.lowercased() == "\($0)://\(authority.lowercased())" })
      else { return "Pages of other sites may not use this box." }
    }
    if let site, !["same-origin", "none"].contains(site) {
      return "Pages of other sites may not use this box."
    }
    return nil
  }

  /// Whether a proxy on this machine passes a request on, so that X-Forwarded-For tells the client's address.
  func isFromProxy(authority: String?, peer: Address) -> Bool {
    peer.isLoopback && isProxy(authority)
  }

  /// Whether a Host header names the proxy.
  func isProxy(_ authority: String?) -> Bool {
    !proxyName.isEmpty && authority.flatMap(Self.host) == proxyName
  }

  /// The host of a Host header, without port and brackets; `nil` if the header is malformed.
  static func host(of authority: String) -> String? {
    var host = authority.lowercased()[...]
    if host.hasPrefix("[") {
      guard let end = host.firstIndex(of: "]") else { return nil }
      let rest = host[host.index(after: end)...]
      guard rest.isEmpty || isPort(rest) else { return nil }
      return String(host[host.index(after: host.startIndex)..<end])
    }
    if let colon = host.firstIndex(of: ":") {
      guard isPort(host[colon...]) else { return nil }
      host = host[..<colon]
    }
    // A fully qualified name may end in a dot.
    if host.hasSuffix(".") { host.removeLast() }
    return String(host)
  }

  /// Whether a text is a colon and a port number, of one to five digits.
  private static func isPort(_ text: Substring) -> Bool {
    text.first == ":" && (1...5).contains(text.dropFirst().utf8.count)
      && text.dropFirst().utf8.allSatisfy { (48...57).contains($0) }
  }
}
