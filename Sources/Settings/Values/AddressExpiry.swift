// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

extension RTMPAddress {
  /// The time at which the address expires, in seconds since 1970; `nil` if the address contains no such time. After
  /// this time, the platform rejects a new publish at this address.
  ///
  /// Platforms that sign addresses put the expiry time into the query: `auth_key=SECONDS-…` (Alibaba Cloud),
  /// `txTime=HEX` (Tencent), `wsTime` or `hwTime` (HEX or SECONDS), `expires` or `expire` (SECONDS).
  public var expiresAt: Int64? {
    AddressExpiry.unixSeconds(in: app.reveal()) ?? AddressExpiry.unixSeconds(in: playpath.reveal())
  }
}

/// Finds the time at which a signed address expires.
enum AddressExpiry {
  /// The times that count as expiry times, in seconds since 1970: from 2001 to 2106. A number outside of this range
  /// means something else.
  private static let plausible: ClosedRange<Int64> = 1_000_000_000...4_294_967_295

  /// The expiry time in the query of `text`, in seconds since 1970; `nil` if there is none.
  static func unixSeconds(in text: String) -> Int64? {
    guard let mark = text.firstIndex(of: "?") else { return nil }
    for pair in text[text.index(after: mark)...].split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else { continue }
      let unixSeconds: Int64? =
        switch parts[0].lowercased() {
        case "auth_key": parts[1].split(separator: "-").first.flatMap { Int64($0) }
        case "txtime": Int64(parts[1], radix: 16)
        // A value of ten characters is decimal; any other is hexadecimal (eight digits).
        case "wstime", "hwtime": Int64(parts[1], radix: parts[1].count == 10 ? 10 : 16)
        case "expires", "expire": Int64(parts[1])
        default: nil
        }
      if let unixSeconds, plausible.contains(unixSeconds) { return unixSeconds }
    }
    return nil
  }
}
