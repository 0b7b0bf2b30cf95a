// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Settings

/// What a guest has to know to send to the box, as `GET /api/guests/NAME/invitation` writes it.
public struct GuestInvitation: Codable, Sendable, Equatable {
  /// The address for programs that ask for a server and a key, such as "rtmp://192.0.2.1:1935/live".
  public var server: String
  public var key: String
  /// Address and key in one text.
  public var rtmp: String
  /// The address for SRT, with the key as the passphrase; `nil` if the guest has no port for SRT.
  public var srt: String?

  /// - Parameter host: the box's name or IP address, as the guest reaches it; an IPv6 address in brackets.
  init(_ guest: GuestSettings, at listen: ListenAddress, host: String) {
    key = guest.key.reveal()
    server = "rtmp://\(host):\(listen.port)/live"
    rtmp = "\(server)/\(key)"
    srt = guest.srtPort.map { [key] in "srt://\(host):\($0)?passphrase=\(key)" }
  }
}

/// The answer to the question how a guest sends to the box.
package enum InvitationReply {
  case invitation(GuestInvitation)
  case refusal(ControlReply)
}

extension Station {
  /// What a guest has to know to send to the box.
  /// - Parameter host: the box's name or IP address, as the guest reaches it; an IPv6 address in brackets.
  package func invitation(
    ofGuest name: String, host: String
  ) -> InvitationReply {
    let settings = guestDesk.table.settings
    guard let guest = settings.guests.first(where: { $0.name == name }) else {
      return .refusal(ControlReply(fault: "unknown_guest", "There is no guest \(name)."))
    }
    guard guest.key.isSet, let listen = settings.allGuests.listen else {
      return .refusal(
        ControlReply(
          fault: "no_invitation",
          guest.key.isSet
            ? "Nobody can send to this box: set guests.listen."
            : "The guest \(name) is fetched from an address, and has no key."))
    }
    return .invitation(GuestInvitation(guest, at: listen, host: host))
  }
}
