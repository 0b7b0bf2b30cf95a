// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import HummingbirdCore
internal import Synchronization

/// How many answers that last a session or a token may have at a time: events, the preview, images. Each session has room
/// of its own. Tokens, and sessions that may only operate, leave some of the places of `EventStreams` and the preview to the
/// owner's sessions, so that neither a script nor an operator keeps the owner from the page.
final class LongAnswers: Sendable {
  /// Two for each page that is open; a browser makes six connections to a server.
  static let mostOfSession = 8
  static let mostOfToken = 6
  /// Of all tokens together, and of all sessions that may only operate.
  static let mostOfTokens = 16
  static let mostOfOperators = 16

  private struct Taken {
    var count = 0
    var scope: Scope
  }

  private let taken = Mutex<[Credential: Taken]>([:])

  /// The right to such an answer, returned when nobody holds it any more.
  final class Place: Sendable {
    private let answers: LongAnswers
    private let credential: Credential

    fileprivate init(_ answers: LongAnswers, _ credential: Credential) {
      self.answers = answers
      self.credential = credential
    }

    deinit {
      answers.taken.withLock { taken in
        taken[credential]?.count -= 1
        if taken[credential]?.count == 0 { taken[credential] = nil }
      }
    }
  }

  /// - Parameters:
  ///   - credential: of a session or a token that exists.
  ///   - scope: what it may do.
  /// - Returns: `nil` when it has all that it may have.
  func take(_ credential: Credential, _ scope: Scope) -> Place? {
    let isFree = taken.withLock { taken in
      let own = taken[credential]?.count ?? 0
      func all(_ isCounted: (Credential, Scope) -> Bool) -> Int {
        taken.reduce(0) { isCounted($1.key, $1.value.scope) ? $0 + $1.value.count : $0 }
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
      taken[credential, default: Taken(scope: scope)].count += 1
      return true
    }
    return isFree ? Place(self, credential) : nil
  }
}

extension ResponseBody {
  /// The same body, which holds a place until it is written.
  func keeping(_ place: LongAnswers.Place) -> ResponseBody {
    ResponseBody(contentLength: contentLength) { writer in
      defer { withExtendedLifetime(place) {} }
      try await write(writer)
    }
  }
}
