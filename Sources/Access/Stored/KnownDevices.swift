// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Browsers in which somebody has logged in: the digests of secrets that they keep beyond the session ("device cookies" of
/// OWASP's cheat sheets). A strange device that guesses passwords has none, and cannot make those that have one wait.
struct KnownDevices: Sendable {
  static let most = 32

  /// The one with the latest login comes last.
  private(set) var list: [Digest] = []

  init(_ list: [Digest] = []) { self.list = list.suffix(Self.most) }

  func contains(_ digest: Digest) -> Bool {
    // All are compared, so that the time does not tell which one it is.
    !list.filter { $0.matches(digest) }.isEmpty
  }

  /// Notes a login. If there are too many, the one whose login is longest ago is forgotten; but no operator's login makes
  /// the box forget the owner's browser.
  mutating func note(_ digest: Digest, _ scope: Scope) {
    if scope == .operate, list.count >= Self.most, !contains(digest) { return }
    list.removeAll { $0.matches(digest) }
    list.append(digest)
    if list.count > Self.most { list.removeFirst() }
  }
}
