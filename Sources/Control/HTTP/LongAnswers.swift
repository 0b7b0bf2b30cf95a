// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import HummingbirdCore
internal import Synchronization

/// How many answers that last a session or a token may have at a time: events, the preview, images. Each session has room
/// of its own, and tokens leave some of the places of `EventStreams` and the preview to sessions, so that no script keeps a
/// person from the page.
final class LongAnswers: Sendable {
  /// Two for each page that is open; a browser makes six connections to a server.
  static let mostOfSession = 8
  static let mostOfToken = 6
  /// Of all tokens together.
  static let mostOfTokens = 16

  private let taken = Mutex<[Credential: Int]>([:])

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
        let left = taken[credential, default: 1] - 1
        taken[credential] = left > 0 ? left : nil
      }
    }
  }

  /// - Parameter credential: of a session or a token that exists.
  /// - Returns: `nil` when it has all that it may have.
  func take(_ credential: Credential) -> Place? {
    let isFree = taken.withLock { taken in
      let own = taken[credential, default: 0]
      switch credential {
      case .session: guard own < LongAnswers.mostOfSession else { return false }
      case .token:
        let all = taken.reduce(0) { if case .token = $1.key { $0 + $1.value } else { $0 } }
        guard own < LongAnswers.mostOfToken, all < LongAnswers.mostOfTokens else { return false }
      }
      taken[credential] = own + 1
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
