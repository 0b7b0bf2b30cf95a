// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

extension GuestOffline {
  /// The report that a guest has a fault, or has ended by himself.
  /// - Parameters:
  ///   - fault: `nil` if the guest has ended by himself.
  ///   - detail: a text of the reader, which is not to be trusted.
  init(_ name: String, _ fault: GuestFault?, detail: String = "") {
    let cause = fault?.words ?? "it has ended its stream"
    self.init(
      fault: fault,
      sentence: "The guest \"\(name)\" is offline: \(cause)\(GuestOffline.suffix(detail)).")
  }

  /// The detail in brackets; empty for a text with an address, which may contain a password or a key.
  private static func suffix(_ detail: String) -> String {
    let text = detail.onOneLine
    let isEmpty = text.allSatisfy { $0 == " " }
    return isEmpty || text.contains("://") ? "" : " (\(text))"
  }
}

extension GuestFault {
  /// The fault in words that follow "The guest … is offline:".
  fileprivate var words: String {
    switch self {
    case .wrongAddress:
      "its address cannot be used: it begins with rtmp://, rtmps://, http://, https://, rtsp:// or srt://, "
        + "followed by a host, and for srt by a port. The box itself is allowed only where the settings file "
        + "names it"
    case .nameNotFound: "no server has the name in its address"
    case .noConnection: "its server does not answer or refuses connections"
    case .timedOut: "its server is too slow"
    case .unauthorized: "its server refuses the user, the password or the key"
    case .nothingThere: "its server has nothing at this address now"
    case .badCertificate: "the certificate of its server is not valid"
    case .unsupported: "it sends no track that OnAir can decode"
    case .badData: "what it sends cannot be understood"
    case .lost: "its connection broke"
    case .noReader: "this machine cannot read it"
    case .readerFailed: "its reader has failed"
    }
  }
}
