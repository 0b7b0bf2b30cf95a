// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import HTTPTypes

/// The names of HTTP header fields that HTTPTypes does not define.
enum FieldName {
  static let secFetchSite = name("Sec-Fetch-Site")
  /// Marks a request of the box's own page. A page of another site cannot send this field: the browser would first ask
  /// the box for permission (Fetch, CORS preflight).
  static let ownPage = name("X-OnAir")
  /// The time at which the sender of a command last got an answer or an event of the box, in milliseconds since 1970 by
  /// the clock of the box.
  static let seen = name("X-OnAir-Seen")
  static let secFetchDest = name("Sec-Fetch-Dest")
  static let forwarded = name("Forwarded")
  static let forwardedFor = name("X-Forwarded-For")
  static let forwardedProto = name("X-Forwarded-Proto")
  static let via = name("Via")
  /// Fields that show that a proxy has passed a request on.
  static let ofProxies = [
    forwarded, forwardedFor, forwardedProto, via, name("X-Forwarded-Host"), name("X-Real-IP"),
  ]
  static let lastEventID = name("Last-Event-ID")
  static let referrerPolicy = name("Referrer-Policy")
  static let resourcePolicy = name("Cross-Origin-Resource-Policy")
  static let frameOptions = name("X-Frame-Options")
  /// The codecs of a preview stream (RFC 6381), which a browser's Media Source needs.
  static let codecs = name("X-Codecs")

  private static func name(_ text: String) -> HTTPField.Name {
    guard let name = HTTPField.Name(text) else { preconditionFailure("\(text) is no field name") }
    return name
  }
}
