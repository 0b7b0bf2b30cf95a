// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Why a destination is not, or no longer, fed; each something a person can act on.
public enum DestinationCause: Error, Sendable, Hashable {
  /// The name does not exist.
  case nameNotFound
  /// No name server answers, which is what a machine without a network sees too.
  case nameServerUnreachable
  /// The kernel knows no way to the address.
  case noRoute
  /// The machine answers and has no such port open.
  case connectionRefused
  /// Something on the way or on this machine forbids the connection.
  case connectionForbidden
  case timedOut(RTMPStep)
  /// What came back is not the handshake of an RTMP server.
  case handshakeFailed
  /// The server speaks TLS, and was spoken to without.
  case tlsExpected
  /// What came back is not TLS.
  case notTLS
  /// The server and this side do not agree on TLS, or what came is damaged.
  case tlsFailed
  /// There is no list of certificate authorities to judge a server by.
  case rootsMissing
  /// The server's certificate is of the past.
  case certificateExpired
  /// It is of the future, which says more of the clock here.
  case certificateNotYetValid
  /// It is for another name.
  case certificateForeign
  /// Nobody who is known vouches for it.
  case certificateUntrusted
  /// Its issuer has called it back, and the server says so itself.
  case certificateRevoked
  /// It is too weak, or not meant for servers.
  case certificateUnfit
  /// The server said no.
  case refused(RTMPRefusal)
  /// The server, or something on the way, closed the connection while in this step.
  case closedByServer(RTMPStep)
  /// The server ended the stream of its own accord and said so.
  case endedByServer
  /// The server sent what no RTMP server may send.
  case serverMisbehaved
  /// What is sent does not arrive in time, or the server does not read it; the connection stays.
  case unconfirmed
  /// Nothing comes from the encoders; the connection stays.
  case nothingToSend
  /// The link does not carry the bitrate: what was queued is given up, and the connection stays.
  case linkTooSlow
  /// The kernel refuses a socket; errno.
  case systemError(Int32)

  /// A name for programs, which stays the same over versions.
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
    case .endedByServer: "ended_by_server"
    case .serverMisbehaved: "server_misbehaved"
    case .unconfirmed: "unconfirmed"
    case .nothingToSend: "nothing_to_send"
    case .linkTooSlow: "link_too_slow"
    case .systemError: "system_error"
    }
  }
}

/// What a server refuses.
public enum RTMPRefusal: String, Sendable, Hashable, CaseIterable {
  /// NetStream.Publish.BadName: somebody publishes under this key, perhaps this box's own last
  /// connection, which the server has not yet given up.
  case streamInUse = "stream_in_use"
  /// The key, or the account behind it, may not publish.
  case notAllowed = "not_allowed"
  /// The server wants a user and a password that it has not got.
  case authentication
  /// No such application.
  case unknownApplication = "unknown_application"
  case other
}

extension RTMPRefusal {
  /// - Parameters:
  ///   - code: `code` of the server's status, "" if it has none.
  ///   - description: its `description`.
  init(code: String, description: String) {
    let words = description.lowercased()
    switch code {
    case "NetStream.Publish.BadName": self = .streamInUse
    case "NetConnection.Connect.InvalidApp": self = .unknownApplication
    case _ where words.contains("authmod=") || words.contains("needauth"):
      self = .authentication
    case "NetStream.Publish.Denied", "NetStream.Publish.Rejected",
      "NetStream.Publish.Unauthorized", "NetConnection.Connect.Rejected":
      self = .notAllowed
    case _ where code.hasPrefix("NetStream.Authenticate"): self = .notAllowed
    default: self = .other
    }
  }
}

/// How an attempt, or a connection, ends.
enum PublishEnd: Error, Equatable {
  /// Because the program wants it.
  case stopped
  /// - said: the server's own words, fit to be shown; "" if it said nothing.
  case failed(DestinationCause, said: String = "")
}
