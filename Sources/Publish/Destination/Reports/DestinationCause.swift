// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What is wrong with a destination. Each case is something that a person can act on. `Tests/documents.py --write`
/// makes a table of these comments.
public enum DestinationCause: Error, Sendable, Hashable {
  /// The host name does not exist.
  case nameNotFound
  /// No name server answers. A machine without any network sees this too.
  case nameServerUnreachable
  /// The kernel has no route to the address.
  case noRoute
  /// The host answers, but nothing listens on the port.
  case connectionRefused
  /// A firewall, on this machine or on the path, forbids the connection.
  case connectionForbidden
  /// No answer in this step: resolve, connect, tls, handshake, connect_reply, publish_reply, send or goodbye.
  case timedOut(RTMPStep)
  /// The reply is not an RTMP handshake.
  case handshakeFailed
  /// The server speaks TLS, but the connection was made without TLS.
  case tlsExpected
  /// The reply is not TLS.
  case notTLS
  /// Server and box have no TLS version or cipher in common, or a TLS record is damaged.
  case tlsFailed
  /// There is no certificate authority to verify servers with.
  case rootsMissing
  /// The server's certificate has expired.
  case certificateExpired
  /// The certificate is not valid yet; more likely this machine's clock is wrong.
  case certificateNotYetValid
  /// The certificate is for another host name.
  case certificateForeign
  /// No known authority has signed the certificate.
  case certificateUntrusted
  /// The issuer has revoked the certificate (OCSP stapling).
  case certificateRevoked
  /// The certificate is too weak, or not made for servers.
  case certificateUnfit
  /// The server refused the stream.
  case refused(RTMPRefusal)
  /// The server, or a device on the path, closed the connection during this step.
  case closedByServer(RTMPStep)
  /// Twice in a row the server accepted the stream and closed the connection soon after. Some servers refuse a stream
  /// in this way: SRS and lal do for a wrong key, a hook that refuses, and a busy stream.
  // "Soon after" means within `RTMPDeadlines.shortPublish`.
  case closedAfterStart
  /// The server ended the stream with an RTMP message.
  case endedByServer
  /// The server violated the RTMP protocol.
  case serverMisbehaved
  /// Sent data does not arrive in time, or the server does not read it. The connection stays up.
  case unconfirmed
  /// The encoders give no packets. The connection stays up.
  case nothingToSend
  /// The network does not carry the bit rate, so queued packets were dropped. The connection stays up.
  case linkTooSlow
  /// The box's own picture, which this destination gets, is not encoded. There is no connection.
  case noCameraPicture(CameraPictureObstacle)
  /// This machine cannot open a connection: a system call failed.
  case systemError(Int32)

  /// The name of the cause in the API. It does not change between versions.
  public var code: String {
    switch self {
    case .nameNotFound: "name_not_found"
    case .nameServerUnreachable: "name_server_unreachable"
    case .noRoute: "no_route"
    case .connectionRefused: "connection_refused"
    case .connectionForbidden: "connection_forbidden"
    case .timedOut(let step): "timed_out_\(step.rawValue)"
    case .handshakeFailed: "handshake_failed"
    case .tlsExpected: "tls_expected"
    case .notTLS: "not_tls"
    case .tlsFailed: "tls_failed"
    case .rootsMissing: "roots_missing"
    case .certificateExpired: "certificate_expired"
    case .certificateNotYetValid: "certificate_not_yet_valid"
    case .certificateForeign: "certificate_foreign"
    case .certificateUntrusted: "certificate_untrusted"
    case .certificateRevoked: "certificate_revoked"
    case .certificateUnfit: "certificate_unfit"
    case .refused(let refusal): "refused_\(refusal.rawValue)"
    case .closedByServer(let step): "closed_by_server_\(step.rawValue)"
    case .closedAfterStart: "closed_after_start"
    case .endedByServer: "ended_by_server"
    case .serverMisbehaved: "server_misbehaved"
    case .unconfirmed: "unconfirmed"
    case .nothingToSend: "nothing_to_send"
    case .linkTooSlow: "link_too_slow"
    case .noCameraPicture: "no_camera_picture"
    case .systemError: "system_error"
    }
  }
}

/// Why the box's own picture is not encoded.
public enum CameraPictureObstacle: Sendable, Hashable {
  /// The processor has no time for a second picture.
  case processor
  /// A filter is a program of its own, which cannot filter two pictures.
  case filter
  /// A guest has taken the camera's place.
  case guest
}

/// Why a server refused the stream.
public enum RTMPRefusal: String, Sendable, Hashable, CaseIterable {
  /// NetStream.Publish.BadName: another connection publishes with this key. For half a minute that may be this box's
  /// previous connection, whose end the server has not noticed; after that it is somebody else's, and the lamp shows a
  /// fault.
  case streamInUse = "stream_in_use"
  /// The key, or the account behind it, may not publish.
  case notAllowed = "not_allowed"
  /// The server wants a user name and a password, or does not accept those that were sent.
  case authentication
  /// The server redirects the stream to another server, and OnAir does not follow the redirect.
  case redirected
  /// The server has no such application.
  case unknownApplication = "unknown_application"
  /// The server refuses the stream, and gives no reason that OnAir knows.
  case other
}

extension RTMPRefusal {
  /// Derives the refusal from a status message of the server.
  /// - Parameters:
  ///   - code: `code` of the server's status, "" if it has none.
  ///   - description: `description` of the server's status, "" if it has none.
  init(code: String, description: String) {
    let text = description.lowercased()
    switch code {
    case "NetConnection.Connect.InvalidApp": self = .unknownApplication
    case _ where text.contains("authmod=") || text.contains("needauth"): self = .authentication
    case "NetStream.Publish.BadName":
      let isInUse = ["already", "in use", "busy", "exist"].contains { text.contains($0) }
      self = RTMPRefusal.isAboutPermission(text) && !isInUse ? .notAllowed : .streamInUse
    case "NetStream.Publish.Rejected", "NetConnection.Connect.Rejected": self = .notAllowed
    default:
      self =
        RTMPRefusal.isAboutPermission(code.lowercased()) || RTMPRefusal.isAboutPermission(text)
        ? .notAllowed : .other
    }
  }

  /// Whether a status code or a sentence says that the key or the account is at fault: "BadAuth", "Unauthorized",
  /// "invalid token", "wrong stream key", "Access denied".
  /// - Parameter text: in lower case.
  static func isAboutPermission(_ text: String) -> Bool {
    if ["auth", "token", "denied", "forbidden", "permission"].contains(where: { text.contains($0) })
    {
      return true
    }
    // "key" has to be a word or the end of one ("InvalidStreamKey"), so that "keyframe" does not match.
    return text.split { !$0.isLetter }.contains { $0.hasSuffix("key") || $0.hasSuffix("keys") }
  }
}

/// The reason why an attempt to publish, or a connection, ended.
enum PublishError: Error, Equatable {
  /// OnAir itself ended the attempt or the connection: the program stops, or makes a new connection.
  case stopped
  /// The attempt or the connection failed.
  /// - said: the error text of the server, without secrets (`RTMPTarget.shown`); "" if there is none.
  case failed(DestinationCause, said: String = "")
}
