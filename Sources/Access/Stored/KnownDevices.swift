// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The browsers in which somebody has logged in, by the digests of their device secrets. A browser keeps its secret
/// beyond the session ("device cookies" of OWASP's cheat sheets). A strange device that guesses passwords has no such
/// secret, and cannot make these browsers wait.
struct KnownDevices: Sendable {
  /// The most browsers in the list.
  static let maxCount = 32

  /// The digests of the device secrets. The browser with the latest login comes last.
  private(set) var list: [Digest] = []

  init(_ list: [Digest] = []) { self.list = list.suffix(Self.maxCount) }

  /// Whether somebody has logged in in the browser whose device secret has this digest.
  func contains(_ digest: Digest) -> Bool {
    // Compare with every entry, so that the time that this takes does not reveal which entry matches.
    !list.filter { $0.matches(digest) }.isEmpty
  }

  /// Notes a login in a browser. If the list is full, a new browser of the owner replaces the browser whose login is
  /// longest ago. A new browser of an operator is not added to a full list, so that it cannot displace the owner's.
  mutating func noteLogIn(_ digest: Digest, _ scope: Scope) {
    if scope == .operate, list.count >= Self.maxCount, !contains(digest) { return }
    list.removeAll { $0.matches(digest) }
    list.append(digest)
    if list.count > Self.maxCount { list.removeFirst() }
  }
}
