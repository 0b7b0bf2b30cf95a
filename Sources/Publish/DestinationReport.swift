// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// What a destination is at.
public enum DestinationState: String, Sendable, CaseIterable {
  /// Not started, or ended for good.
  case stopped
  /// On the way to the server for the first time, or for the first time since a loss.
  case connecting
  /// The server has taken the connection, and not yet the stream.
  case connected
  /// The server takes the stream; what it has of it is not known, or too long ago.
  case publishing
  /// What was captured a moment ago is known to have arrived, at the machine that answers for the server at
  /// least (`Delivery.Witness`).
  case delivering
  /// An attempt failed; others follow for ever.
  case waiting

  /// Whether the stream is being sent.
  public var isOnAir: Bool { self == .publishing || self == .delivering }
}

/// News of a destination: told when the state or the cause changes, not at each attempt, and
/// rarely again (`ReportFilter`).
public struct DestinationReport: Sendable, Equatable {
  /// What it is at now.
  public var state: DestinationState
  /// `nil` when all is well.
  public var cause: DestinationCause?
  /// One sentence for a person: the cause and the remedy. Never has the stream key in it.
  public var sentence: String
  /// When it is tried again; `nil` unless it waits.
  public var retry: DestinationRetry?
  /// Failures since the server last took the stream for a while, this one among them.
  public var failures = 0
  /// The server that it is about.
  public var target: RTMPTarget?
}

/// Figures of a destination since its start. They only grow, except the ages of things.
public struct DestinationCounters: Sendable, Equatable {
  /// What it is at now; during attempts after the first it is `connecting` in turn.
  public var state = DestinationState.stopped
  /// What has been in the way since the stream was last taken; `nil` while it is.
  public var obstacle: DestinationCause?
  /// The link does not carry the bitrate, or did not a moment ago.
  public var isSlow = false
  /// Bytes of messages handed to the kernel, without RTMP's own headers.
  public var bytesSent: UInt64 = 0
  /// Pictures handed to the kernel.
  public var picturesSent: UInt64 = 0
  /// Pictures and sounds thrown away while connected, because the link was too slow.
  public var dropped: UInt64 = 0
  /// Times that the queue was given up.
  public var overflows: UInt64 = 0
  /// Connections made after the first.
  public var reconnects: UInt64 = 0
  /// Attempts that failed, and connections lost.
  public var failures: UInt64 = 0
  /// Bytes that wait in the queue now.
  public var queuedBytes = 0
  /// What the server last was known to have; `nil` before the first picture or sound came there.
  public var delivery: Delivery?
  /// When the thread last did anything. It never sleeps for longer than 2 s; within a step it may
  /// be silent for as long as `RTMPDeadlines` allows the step.
  public var aliveAt = MediaTime.distantPast
}

extension RTMPTarget {
  /// The report's sentence for a state without a cause.
  /// - Parameter published: whether the server ever took the stream.
  func sentence(_ state: DestinationState, published: Bool) -> String {
    switch state {
    case .stopped where !published: "\(host) is no longer tried."
    case .stopped: "No longer publishing to \(host)."
    case .connecting: "Connecting to \(self)."
    case .connected: "\(host) has taken the connection."
    case .publishing: "\(host) takes the stream; what arrives is not yet confirmed."
    case .delivering: "The stream arrives at \(host)."
    case .waiting: "Waiting to try \(host) again."
    }
  }

  /// The report's sentence for a cause.
  /// - Parameter said: the server's words, already fit to be shown.
  func sentence(_ cause: DestinationCause, said: String = "") -> String {
    let quoted = said.isEmpty ? "" : " (it says: “\(said)”)"
    switch cause {
    case .nameNotFound:
      return "There is no server named \(host): check the address in publish.url."
    case .nameServerUnreachable:
      return "The name \(host) cannot be looked up: no name server answers; "
        + "check the network cable or the Wi-Fi, then the DNS settings."
    case .noRoute:
      return "There is no way to \(self): check the network cable or the Wi-Fi, and the gateway."
    case .connectionRefused:
      return "Nothing listens at \(self): start the server there, or check the port in publish.url."
    case .connectionForbidden:
      return "The connection to \(self) is forbidden: check the firewall here and on the way."
    case .timedOut(let step): return timeout(step)
    case .handshakeFailed:
      return "What answers at \(self) does not speak RTMP as expected: "
        + "check the port in publish.url."
    case .tlsExpected:
      return "\(self) speaks TLS: write rtmps:// in place of rtmp:// in publish.url."
    case .notTLS:
      return "What answers at \(self) does not speak TLS: check the port in publish.url, "
        + "or write rtmp:// there if the service has no TLS."
    case .tlsFailed:
      return "\(self) and this machine cannot talk by TLS" + (said.isEmpty ? "" : " (\(said))")
        + ": check the port in publish.url, or ask whoever runs the server; "
        + "TLS 1.2 or 1.3 is needed."
    case .rootsMissing:
      let reason = said.isEmpty ? "" : " (\(said))"
      return transport == .tls(authorities: "")
        ? "This machine has no list of certificate authorities\(reason): install the package "
          + "ca-certificates, or name a list in publish.ca_file."
        : "There is no certificate in the file that publish.ca_file names\(reason): put the "
          + "authority's certificate there, as PEM."
    case .certificateExpired:
      return "The certificate of \(self) has expired: whoever runs the server must renew it; "
        + "if it has been renewed, check this machine's clock."
    case .certificateNotYetValid:
      return "The certificate of \(self) is not valid yet by this machine's clock: "
        + "check date and time here, and that they are set from the network."
    case .certificateForeign:
      return "The certificate of \(self) is for another server, not for \(host): check the name "
        + "in publish.url."
    case .certificateUntrusted:
      return
        "Nobody known here vouches for the certificate of \(self): check the name in publish.url; "
        + "if it is right, something on the way stands in for the server, and whoever runs this network "
        + "may know what; for a server of your own, name its authority in publish.ca_file."
    case .certificateRevoked:
      return "The certificate of \(self) has been revoked: whoever runs the server must replace it."
    case .certificateUnfit:
      return "The certificate of \(self) cannot be used" + (said.isEmpty ? "" : " (\(said))")
        + ": whoever runs the server must replace it."
    case .refused(let refusal): return sentence(refusal) + quoted + "."
    case .closedByServer(let step): return closed(step) + quoted + "."
    case .endedByServer:
      return "\(host) ended the stream\(quoted): see the service's own page for the reason."
    case .serverMisbehaved:
      return "\(self) sends what an RTMP server may not send: "
        + "check that publish.url names the right server."
    case .unconfirmed:
      return
        "\(host) does not confirm what is sent: the network between is slow, or the service has "
        + "stopped reading; check the link, and the service's own page."
    case .nothingToSend:
      return
        "There is nothing to send to \(host): no picture comes from the encoder; restart OnAir."
    case .linkTooSlow:
      return "The link to \(host) does not carry the bitrate, so pictures are left out: "
        + "lower video.bitrate_kbps or use a better network."
    case .systemError(let code):
      return "This machine cannot open a connection (error \(code)): restart OnAir; "
        + "if that does not help, the machine."
    }
  }

  private func timeout(_ step: RTMPStep) -> String {
    switch step {
    case .resolve:
      "The name \(host) cannot be looked up in time: check the network and the DNS settings."
    case .connect:
      "Nobody answers at \(self): check the address in publish.url, the network here, "
        + "and whether a firewall is in the way."
    case .tls:
      "\(self) takes the connection and does not answer in TLS: check the port in publish.url, "
        + "or write rtmp:// there if the service has no TLS."
    case .handshake:
      "\(self) takes the connection and then stays mute: check that an RTMP server is at this port."
    case .connectReply:
      "\(self) does not answer the request for the application “\(shown(plainApp))”: "
        + "check publish.url, or try later."
    case .publishReply:
      "\(self) does not answer the request to publish: check the stream key, or try later."
    case .send:
      "\(host) has stopped taking data: the network between is broken or far too slow; "
        + "check the link, or lower video.bitrate_kbps."
    case .goodbye: "\(host) did not take the good-bye."
    }
  }

  private func closed(_ step: RTMPStep) -> String {
    switch step {
    case .tls:
      "\(self) closes the connection when asked for TLS: check the port in publish.url, "
        + "or write rtmp:// there if the service has no TLS"
    case .resolve, .connect, .handshake:
      "\(self) closes the connection at once: check that an RTMP server is at this port"
        + (transport == .plain ? ", and write rtmps:// in publish.url if it wants TLS" : "")
    case .connectReply:
      "\(self) closes the connection when asked for the application “\(shown(plainApp))”: "
        + "check that publish.url names the right one"
    case .publishReply:
      "\(self) closes the connection when asked to publish: check the stream key"
    case .send, .goodbye:
      "The connection to \(host) was closed from outside: if it happens again, "
        + "see the service's own page for the reason"
    }
  }

  private func sentence(_ refusal: RTMPRefusal) -> String {
    switch refusal {
    case .streamInUse:
      "\(host) says that somebody else publishes under this stream key: stop the other one, "
        + "or wait until the server has given up an earlier connection"
    case .notAllowed:
      "\(host) does not allow publishing: check the stream key, and that the broadcast is open "
        + "on the service's own page"
    case .authentication:
      "\(host) wants a user and a password: use an address of the service that goes with a "
        + "stream key alone"
    case .unknownApplication:
      "\(host) knows no application “\(shown(plainApp))”: check the path in publish.url"
    case .other: "\(host) refuses the stream"
    }
  }
}
