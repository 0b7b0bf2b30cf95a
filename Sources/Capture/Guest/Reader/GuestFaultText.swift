// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

extension GuestFault {
  /// The fault in one word, for programs.
  public var code: String {
    switch self {
    case .wrongAddress: "unfit_address"
    case .nameNotFound: "name_not_found"
    case .noConnection: "no_connection"
    case .timedOut: "timed_out"
    case .unauthorized: "forbidden"
    case .nothingThere: "not_found"
    case .badCertificate: "certificate_unfit"
    case .unsupported: "no_decoder"
    case .badData: "not_media"
    case .lost: "lost"
    case .noReader: "no_reader"
    case .readerFailed: "reader_failed"
    }
  }

  /// What a person can do, as a sentence.
  public var remedy: String {
    switch self {
    case .wrongAddress: "Check how the address is spelt."
    case .nameNotFound: "Check the name in the address, and whether this box reaches the Internet."
    case .noConnection: "Check the address and its port, and whether the guest's server runs."
    case .timedOut: "Check whether the guest sends, and how good the network is."
    case .unauthorized: "Check the user, the password or the key in the address."
    case .nothingThere: "Check the end of the address, and whether the guest sends."
    case .badCertificate: "Check the name in the address, and the clock of this box."
    case .unsupported: "Have the guest send H.264 and AAC, at 1920x1080 at most."
    case .badData:
      "Check whether the address is that of a stream, and have the guest send H.264 and AAC."
    case .lost: "OnAir tries again by itself; check the guest's network if that lasts."
    case .noReader:
      "Install FFmpeg's libraries (apt-get install ffmpeg), and check the free memory."
    case .readerFailed:
      "OnAir tries again by itself; have the guest send H.264 and AAC if that lasts."
    }
  }
}
