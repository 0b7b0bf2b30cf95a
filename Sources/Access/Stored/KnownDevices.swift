// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The browsers in which somebody has logged in, by the digests of their device secrets. A browser keeps its secret
/// beyond the session ("device cookies" of OWASP's cheat sheets). A strange device that guesses passwords has no such
/// secret, and cannot make these browsers wait.
struct KnownDevices: Sendable {
  static let most = 32

  /// The digests of the device secrets. The browser with the latest login comes last.
  private(set) var list: [Digest] = []

  init(_ list: [Digest] = []) { self.list = list.suffix(Self.most) }

  func contains(_ digest: Digest) -> Bool {
    // All are compared, so that the time does not tell which one it is.
    !list.filter { $0.matches(digest) }.isEmpty
  }

  /// Notes a login in a browser. If the list is full, an owner's login replaces the browser whose login is longest ago.
  /// An operator's login is not noted then: it could push the owner's browser out.
  mutating func note(_ digest: Digest, _ scope: Scope) {
    if scope == .operate, list.count >= Self.most, !contains(digest) { return }
    list.removeAll { $0.matches(digest) }
    list.append(digest)
    if list.count > Self.most { list.removeFirst() }
  }
}
