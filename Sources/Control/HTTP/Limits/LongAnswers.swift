// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import HummingbirdCore
internal import Synchronization

/// Limits how many long-lived responses (events, the preview, snapshots) may be open at a time: for each session, for
/// each token, for all tokens as a group, and for all operators' sessions as a group. The two groups together are
/// smaller than the limits of `EventStreams` and of the preview, so that neither scripts nor operators can keep the
/// owner from the page.
final class LongAnswers: Sendable {
  /// The most long-lived responses of one session: two for each open page. A browser makes at most six connections to a
  /// server.
  static let mostOfSession = 8
  /// The most long-lived responses of one token.
  static let mostOfToken = 6
  /// The most long-lived responses of all tokens together.
  static let mostOfTokens = 16
  /// The most long-lived responses of all operators' sessions together.
  static let mostOfOperators = 16

  /// The number of open responses of a session or token, and its scope.
  private struct OpenCount {
    var count = 0
    var scope: Scope
  }

  /// How many responses are open for each session and token; no entry for none.
  private let openCounts = Mutex<[Credential: OpenCount]>([:])

  /// Permission to have one long-lived response open. The permission ends when the object is released.
  final class Place: Sendable {
    private let answers: LongAnswers
    private let credential: Credential

    fileprivate init(_ answers: LongAnswers, _ credential: Credential) {
      self.answers = answers
      self.credential = credential
    }

    deinit {
      answers.openCounts.withLock { openCounts in
        openCounts[credential]?.count -= 1
        if openCounts[credential]?.count == 0 { openCounts[credential] = nil }
      }
    }
  }

  /// Asks for permission to send a long-lived response.
  /// - Parameters:
  ///   - credential: a valid session or token.
  ///   - scope: what the session or token may do.
  /// - Returns: `nil` if a limit is reached.
  func reservePlace(_ credential: Credential, _ scope: Scope) -> Place? {
    let isFree = openCounts.withLock { openCounts in
      let own = openCounts[credential]?.count ?? 0
      func all(_ isCounted: (Credential, Scope) -> Bool) -> Int {
        openCounts.reduce(0) { isCounted($1.key, $1.value.scope) ? $0 + $1.value.count : $0 }
      }
      switch credential {
      case .session:
        guard own < LongAnswers.mostOfSession else { return false }
        if scope == .operate {
          let operators = all { $0.isSession && $1 == .operate }
          guard operators < LongAnswers.mostOfOperators else { return false }
        }
      case .token:
        let tokens = all { credential, _ in !credential.isSession }
        guard own < LongAnswers.mostOfToken, tokens < LongAnswers.mostOfTokens else { return false }
      }
      openCounts[credential, default: OpenCount(scope: scope)].count += 1
      return true
    }
    return isFree ? Place(self, credential) : nil
  }
}

extension ResponseBody {
  /// A copy of the body that keeps the permission `place` until the body is written.
  func keeping(_ place: LongAnswers.Place) -> ResponseBody {
    ResponseBody(contentLength: contentLength) { writer in
      defer { withExtendedLifetime(place) {} }
      try await write(writer)
    }
  }
}
