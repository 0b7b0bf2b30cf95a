// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A guest who sends to this machine.
public struct GuestSender: Equatable, Sendable {
  /// An IP address of this machine and a TCP port, at which guests send by RTMP.
  public struct Place: Equatable, Sendable {
    /// Without brackets.
    public var host: String
    public var port: UInt16

    public init(host: String, port: UInt16) { (self.host, self.port) = (host, port) }
  }

  /// The key with which the guest sends: the stream's name with RTMP, the passphrase with SRT.
  public var key: String
  public var place: Place
  /// The UDP port at which the guest sends by SRT; `nil` if only by RTMP.
  public var srtPort: UInt16?

  public init(key: String, at place: Place, srtPort: UInt16? = nil) {
    (self.key, self.place, self.srtPort) = (key, place, srtPort)
  }

  /// Whether a key is this guest's. Takes as long for any other key of the same length.
  func hasKey(_ other: String) -> Bool {
    let (own, other) = (Array(key.utf8), Array(other.utf8))
    guard own.count == other.count, !own.isEmpty else { return false }
    return zip(own, other).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
  }

  /// The address with which the reader waits for the guest by SRT; `nil` if he sends only by RTMP.
  var srtAddress: String? {
    guard let srtPort else { return nil }
    let any = place.host.contains(":") ? "[::]" : "0.0.0.0"
    return "srt://\(any):\(srtPort)?passphrase=\(key)"
  }
}
