// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import HTTPTypes

/// The names of HTTP header fields that HTTPTypes does not define.
enum FieldName {
  /// Whether a page of the same origin, of the same site or of another site made a request (Fetch Metadata).
  static let secFetchSite = name("Sec-Fetch-Site")
  /// Marks a request of the box's own page. A page of another site cannot send this field: the browser would first ask
  /// the box for permission (Fetch, CORS preflight).
  static let ownPage = name("X-OnAir")
  /// The time at which the sender of a command last got an answer or an event of the box, in milliseconds since 1970 by
  /// the clock of the box.
  static let lastHeard = name("X-OnAir-Seen")
  /// What the browser wants to use the response for, such as "document" (Fetch Metadata).
  static let secFetchDest = name("Sec-Fetch-Dest")
  static let forwarded = name("Forwarded")
  static let forwardedFor = name("X-Forwarded-For")
  static let forwardedProto = name("X-Forwarded-Proto")
  static let via = name("Via")
  /// Fields that show that a proxy has passed a request on.
  static let ofProxies = [
    forwarded, forwardedFor, forwardedProto, via, name("X-Forwarded-Host"), name("X-Real-IP"),
  ]
  /// The number of the last event that a client had before it lost its stream of events.
  static let lastEventID = name("Last-Event-ID")
  static let referrerPolicy = name("Referrer-Policy")
  /// Tells which pages may embed a response.
  static let resourcePolicy = name("Cross-Origin-Resource-Policy")
  /// Tells whether pages may show a response in a frame.
  static let frameOptions = name("X-Frame-Options")
  /// The codecs of a preview stream (RFC 6381), which a browser's Media Source needs.
  static let codecs = name("X-Codecs")

  /// The name of a header field. Ends the program if the text cannot be one.
  private static func name(_ text: String) -> HTTPField.Name {
    guard let name = HTTPField.Name(text) else { preconditionFailure("\(text) is no field name") }
    return name
  }
}
