// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// Who may speak to the page: a browser only on the box's own behalf.
///
/// A page from elsewhere that is open in a browser on the same machine or network can send requests here, and by a
/// name server of its own (DNS rebinding) even seem to be this one. So a request must name the box by an address or
/// by its own name, and one that a page has made must come from a page of this very box (RFC 6454, RFC 9110 7.2).
struct Visitor {
  private let names: Set<String>

  /// - Parameters:
  ///   - hostName: the machine's own.
  ///   - isLocal: only this machine can ask. Then its name is of no use but to who answers for it on a strange
  ///     network.
  init(hostName: String, isLocal: Bool = false) {
    guard !isLocal else {
      names = ["localhost"]
      return
    }
    let name = hostName.lowercased()
    let first = String(name.prefix { $0 != "." })
    names = ["localhost", name, first, "\(first).local"].filter { !$0.isEmpty && $0 != ".local" }
      .reduce(into: []) { $0.insert($1) }
  }

  /// This machine's.
  static func here(isLocal: Bool) -> Visitor {
    let name = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let start = buffer.baseAddress, unsafe gethostname(start, 255) == 0 else { return "" }
      unsafe buffer[255] = 0
      return unsafe String(cString: start)
    }
    return Visitor(hostName: name, isLocal: isLocal)
  }

  /// Why a request is refused; `nil` when it is not.
  /// - Parameters:
  ///   - authority: the request's Host.
  ///   - origin: the page that made it, if it says so.
  ///   - site: what the browser says of that page (Fetch Metadata), which for an image's request is all it says.
  func objection(authority: String?, origin: String?, site: String? = nil) -> String? {
    guard let authority, let host = Visitor.host(of: authority),
      names.contains(host) || Visitor.isAddress(host)
    else { return "Ask for this box by its address or its own name." }
    // Where the port is HTTP's own, a browser leaves it out of both.
    if let origin, origin.lowercased() != "http://\(authority.lowercased())" {
      return "A page from elsewhere may not speak to this box."
    }
    if let site, !["same-origin", "none"].contains(site) {
      return "A page from elsewhere may not speak to this box."
    }
    return nil
  }

  /// The host without its port and brackets.
  private static func host(of authority: String) -> String? {
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
    // A name may end in a dot.
    if host.hasSuffix(".") { host.removeLast() }
    return String(host)
  }

  private static func isPort(_ text: Substring) -> Bool {
    text.first == ":" && (1...5).contains(text.dropFirst().utf8.count)
      && text.dropFirst().utf8.allSatisfy { (48...57).contains($0) }
  }

  /// An address needs no name server.
  private static func isAddress(_ host: String) -> Bool {
    var room = (UInt64(0), UInt64(0))
    return unsafe inet_pton(AF_INET, host, &room) == 1 || inet_pton(AF_INET6, host, &room) == 1
  }
}
