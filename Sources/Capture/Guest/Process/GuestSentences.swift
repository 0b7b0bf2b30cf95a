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
    let remedy = fault.map { " \($0.remedy)" } ?? ""
    self.init(
      fault: fault,
      sentence: "The guest \"\(name)\" is offline: \(cause)\(GuestOffline.suffix(detail)).\(remedy)"
    )
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
        + "followed by a host, and for srt by a port"
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
    case .replaced: "it has connected a second time"
    case .notListening: "this box cannot listen at the address and port where guests send"
    }
  }

  /// What a person can do, as a sentence.
  fileprivate var remedy: String {
    switch self {
    case .wrongAddress:
      "Check how the address is spelt. Only the settings file can name an address of the box itself."
    case .nameNotFound: "Check the name in the address, and whether this box reaches the Internet."
    case .noConnection: "Check the address and its port, and whether the guest's server runs."
    case .timedOut: "Check whether the guest sends, and how good the network is."
    case .unauthorized: "Check the user, the password or the key in the address."
    case .nothingThere: "Check the end of the address, and whether the guest sends."
    case .badCertificate: "Check the name in the address, and the clock of this box."
    case .unsupported: "Have the guest send H.264 and AAC, at 1920x1080 at most."
    case .badData:
      "Check whether that is the address of a stream, and have the guest send H.264 and AAC."
    case .lost: "OnAir goes on by itself; check the guest's network if that lasts."
    case .noReader:
      "Install FFmpeg's libraries (apt-get install ffmpeg), and check the free memory."
    case .readerFailed:
      "OnAir tries again by itself; have the guest send H.264 and AAC if that lasts."
    case .replaced: "Have the guest send from one place only."
    case .notListening: "Choose a port that no other program uses."
    }
  }
}
