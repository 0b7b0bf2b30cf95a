// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// `[playout]`: the programme for players on the local network.
public struct PlayoutSettings: Sendable, Equatable {
  /// The name of the stream in addresses: "/live/programme.flv".
  public static let stream = "programme"

  /// The address and port to listen on; `nil` for no play-out.
  public let listen: ListenAddress?
  /// The most viewers at a time, 1 to 50.
  public let maxViewers: Int
  /// The secret with which addresses are signed; not set if they need no key.
  public let secret: Secret

  init(_ form: inout Form) {
    listen = form.value(
      "playout.listen", .listenAddress, default: nil, effect: .nextStart,
      help: """
        The address and port at which players near by get the programme while a broadcast runs: as \
        Low-Latency HLS at /live/programme.m3u8, as HTTP-FLV at /live/programme.flv. 0.0.0.0:8088 \
        is for everybody on the network. If it is empty, the box plays nothing out.
        """)
    maxViewers = form.value(
      "playout.max_viewers", .wholeNumber(1...50), default: 10, unit: "viewers",
      help: """
        How many may watch at playout.listen at a time. Each takes the whole bit rate from the \
        local network; for many there are relay servers.
        """)
    secret = form.value(
      "playout.secret", .playoutSecret, default: Secret(), isSecret: true,
      help: """
        The secret with which the addresses at playout.listen are signed: 16 to 128 characters. \
        Each then needs ?auth_key=EXPIRES-RAND-UID-HASH, where EXPIRES is in seconds since 1970, \
        and HASH is the MD5 of PATH-EXPIRES-RAND-UID-SECRET. If it is empty, no key is needed.
        """)
  }
}

extension Kind where Value == Secret {
  /// The kind of a setting whose value is the secret of signed addresses, or empty.
  static var playoutSecret: Kind {
    secret("16 to 128 characters of ASCII without spaces, or empty") { text in
      (16...128).contains(text.utf8.count) && text.utf8.allSatisfy { (33...126).contains($0) }
    }
  }
}
