// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Publish

// Sentences for people: what a destination is doing, or what is wrong with it and which setting to change.
// `Publish` knows the cause and the server's own words; it does not know the settings.

extension DestinationReport {
  /// The state, or the cause and its remedy. Never contains the stream key.
  var sentence: String {
    if let cause { return target.sentence(cause, said: said, hasWorked: hasWorked) }
    return switch state {
    case .stopped where !wasPublished: "No longer trying to reach \(target.host)."
    case .stopped: "No longer publishing to \(target.host)."
    case .connecting: "Connecting to \(target)."
    case .connected: "\(target.host) has accepted the connection."
    case .publishing:
      "\(target.host) takes the stream; nothing has confirmed yet that it arrives."
    case .delivering: "The stream arrives at \(target.host)."
    case .waiting: "Waiting before the next attempt to reach \(target.host)."
    }
  }

  /// The sentence for a log: also how often it has failed, and when the next attempt is.
  var line: String {
    guard let retry else { return sentence }
    if retry.pauseNanos == 0 { return "\(sentence) Trying again at once." }
    let seconds = max(1, (retry.pauseNanos + 500_000_000) / 1_000_000_000)
    let failed = failures > 1 ? " It has failed \(failures) times now." : ""
    let growing = retry.isGrowing ? ", then less often" : ""
    return "\(sentence)\(failed) Next try in \(seconds) s\(growing)."
  }
}

extension DestinationTrouble {
  /// The cause and its remedy. Never contains the stream key.
  var sentence: String { target.sentence(cause, said: said, hasWorked: hasWorked) }

  /// The same for a relay.
  func sentence(ofRelay name: String) -> String {
    cause == .linkTooSlow ? DestinationCause.slowRelay : sentence.about(relay: name)
  }
}

extension DestinationReport {
  /// As `line`, for a relay.
  func line(ofRelay name: String) -> String {
    cause == .linkTooSlow ? DestinationCause.slowRelay : line.about(relay: name)
  }
}

extension DestinationCause {
  /// A smaller bit rate would help a relay, but give all viewers less.
  static let slowRelay =
    "The line does not carry this relay at present, so it gets less or nothing. It goes on by itself; if it often "
    + "happens, use a better network, or fewer relays."
}

extension String {
  /// A sentence about the main destination, said of a relay.
  fileprivate func about(relay name: String) -> String {
    replacing("the address in publish.url", with: "the address of the relay \(name)")
      .replacing("publish.url", with: "the address of the relay \(name)")
      .replacing("publish.ca_file", with: "the ca_file of the relay \(name)")
  }
}

extension RTMPTarget {
  /// A cause and its remedy.
  /// - Parameters:
  ///   - said: the server's words, as `DestinationReport.said` has them.
  ///   - hasWorked: whether the server has accepted a connection before.
  func sentence(
    _ cause: DestinationCause, said: String = "", hasWorked: Bool = false
  ) -> String {
    let quoted = said.isEmpty ? "" : " (it says: “\(said)”)"
    let reason = said.isEmpty ? "" : " (\(said))"
    return switch cause {
    case .nameNotFound:
      "There is no server named \(host): check the address in publish.url."
    case .nameServerUnreachable:
      "The name \(host) cannot be looked up because no name server answers: check the network cable "
        + "or the Wi-Fi, then the DNS settings."
    case .noRoute:
      "There is no way to \(self): check the network cable or the Wi-Fi, and the gateway."
    case .connectionRefused:
      "Nothing listens at \(self): start the server there, or check the port in publish.url."
    case .connectionForbidden:
      "A firewall forbids the connection to \(self): check the firewall of this machine and of the "
        + "network."
    case .timedOut(let step): timeout(step)
    case .handshakeFailed:
      "What answers at \(self) is not an RTMP server: check the port in publish.url."
    case .tlsExpected:
      "\(self) speaks TLS: write rtmps:// in place of rtmp:// in publish.url."
    case .notTLS:
      "What answers at \(self) does not speak TLS: check the port in publish.url, or write rtmp:// "
        + "there if the service has no TLS."
    case .tlsFailed:
      "This machine and \(self) cannot agree on TLS\(reason): check the port in publish.url, or ask "
        + "the operator of the server; TLS 1.2 or 1.3 is needed."
    case .rootsMissing: rootsMissing(reason)
    case .certificateExpired:
      "The certificate of \(self) has expired: the operator of the server must renew it; if it has "
        + "been renewed, check this machine's clock."
    case .certificateNotYetValid:
      "The certificate of \(self) is not valid yet by this machine's clock: check date and time here, "
        + "and that they are set from the network."
    case .certificateForeign:
      "The certificate of \(self) is for another server, not for \(host): check the name in "
        + "publish.url."
    case .certificateUntrusted:
      "Nobody known here vouches for the certificate of \(self): check the name in publish.url. "
        + "If it is right, something in the network pretends to be the server: ask the operator of the "
        + "network. If the server is your own, name its authority in publish.ca_file."
    case .certificateRevoked:
      "The certificate of \(self) has been revoked: the operator of the server must replace it."
    case .certificateUnfit:
      "The certificate of \(self) cannot be used\(reason): the operator of the server must replace it."
    case .refused(let refusal): "\(refused(refusal))\(quoted)."
    case .closedByServer(let step): "\(closed(step, hasWorked: hasWorked))\(quoted)."
    case .closedAfterStart:
      "\(host) takes the stream and closes the connection at once: check the stream key, or whether "
        + "another program sends with it."
    case .endedByServer:
      "\(host) ended the stream\(quoted): see the service's own page for the reason."
    case .serverMisbehaved:
      "\(self) violates the RTMP protocol: check that publish.url names the right server."
    case .unconfirmed:
      "\(host) does not confirm that the stream arrives: the network is slow, or the service has "
        + "stopped reading; check the network, and the service's own page."
    case .nothingToSend:
      "There is nothing to send to \(host) because the encoder gives nothing: restart OnAir."
    case .linkTooSlow:
      "The network to \(host) does not carry the bit rate, so video is dropped: lower "
        + "video.bitrate_kbps or use a better network."
    case .systemError(let code):
      "This machine cannot open a connection (error \(code)): restart OnAir; if that does not help, "
        + "restart the machine."
    }
  }

  private func timeout(_ step: RTMPStep) -> String {
    switch step {
    case .resolve:
      "The name \(host) cannot be looked up in time: check the network and the DNS settings."
    case .connect:
      "Nobody answers at \(self): check the address in publish.url, the network here, and whether a "
        + "firewall is in the way."
    case .tls:
      "\(self) accepts the connection and does not answer in TLS: check the port in publish.url, or "
        + "write rtmp:// there if the service has no TLS."
    case .handshake:
      "\(self) accepts the connection and then sends nothing: check that an RTMP server is at this "
        + "port."
    case .connectReply:
      "\(self) does not answer the request for the application “\(shown(plainApp))”: check "
        + "publish.url, or try later."
    case .publishReply:
      "\(self) does not answer the request to publish: check the stream key, or try later."
    case .send:
      "\(host) has stopped taking data: the network is broken or far too slow; check the network, or "
        + "lower video.bitrate_kbps."
    case .goodbye: "\(host) did not confirm the end of the stream in time."
    }
  }

  private func closed(_ step: RTMPStep, hasWorked: Bool) -> String {
    switch step {
    case .tls:
      "\(self) closes the connection when asked for TLS: check the port in publish.url, or write "
        + "rtmp:// there if the service has no TLS"
    case .resolve where hasWorked, .connect where hasWorked, .handshake where hasWorked:
      "\(self) closes the connection at once: the server may be restarting; if this lasts, check "
        + "that it still runs"
    case .resolve, .connect, .handshake:
      "\(self) closes the connection at once: check that an RTMP server is at this port"
        + (transport == .plain ? ", and write rtmps:// in publish.url if it wants TLS" : "")
    case .connectReply:
      "\(self) closes the connection when asked for the application “\(shown(plainApp))”: check that "
        + "publish.url names the right one"
    case .publishReply:
      "\(self) closes the connection when asked to publish: check the stream key"
    case .send, .goodbye:
      "The connection to \(host) was closed from outside: if it happens again, see the service's own "
        + "page for the reason"
    }
  }

  private func refused(_ refusal: RTMPRefusal) -> String {
    switch refusal {
    case .streamInUse:
      "\(host) says that somebody else publishes with this stream key: stop the other publisher, or "
        + "wait until the server has given up an earlier connection of this box"
    case .notAllowed:
      "\(host) does not allow publishing: check the stream key, and that the broadcast is open on the "
        + "service's own page"
    case .authentication:
      "\(host) wants a user name and a password: use an address of the service that needs a stream "
        + "key alone"
    case .unknownApplication:
      "\(host) knows no application “\(shown(plainApp))”: check the path in publish.url"
    case .other: "\(host) refuses the stream"
    }
  }

  private func rootsMissing(_ reason: String) -> String {
    transport == .tls(authorities: "")
      ? "This machine has no list of certificate authorities\(reason): install the package "
        + "ca-certificates, or name a list in publish.ca_file."
      : "The file that publish.ca_file names has no certificate\(reason): put the authority's "
        + "certificate there, as PEM."
  }
}
