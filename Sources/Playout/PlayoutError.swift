// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Preview

/// Why the play-out cannot serve a request.
public enum PlayoutError: Error, Equatable, CustomStringConvertible {
  /// There is no broadcast, so that nothing is played out.
  case offAir
  /// There are as many viewers as the settings allow.
  case full
  /// Nothing came before the request timed out.
  case timedOut
  /// There is no such file, or no longer.
  case noSuchFile
  /// A reload of the playlist asks for what is too far ahead, or its numbers are none.
  case unfitReload
  /// The address has no key, or one that is not right, or it has expired.
  case unfitKey
  /// The fragments cannot be made, for this reason.
  case failed(PreviewError)

  public var description: String {
    switch self {
    case .offAir: "There is no broadcast now."
    case .full: "There are as many viewers as the box allows: try again later."
    case .timedOut: "There was nothing new in time."
    case .noSuchFile: "There is no such file, or no longer."
    case .unfitReload: "The playlist has nothing so far ahead."
    case .unfitKey: "This address has expired, or its key is not right."
    case .failed(let error): "\(error)"
    }
  }
}
