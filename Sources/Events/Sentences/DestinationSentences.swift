// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Publish

// Sentences for people: what a destination is doing, or what is wrong with it and which setting to change.
// `Publish` knows the cause and the server's own words; it does not know the settings.

/// The words for a destination and its settings in sentences for people.
package struct DestinationWords {
  /// The address in words: "the address in publish.url".
  var address: String
  /// The setting or place that contains the address, to follow "check the port in".
  var url: String
  /// The stream key in words: "the stream key of the relay NAME".
  var key: String
  /// What sentences call the user name and the password, which are not told: "publish.user and publish.password".
  var login: String
  /// The name of the setting that allows redirects.
  var redirect: String
  /// The setting that names a file of certificate authorities, in words.
  var authorities: String
  /// The end of a sentence about a network that is too slow, to follow "The network to HOST".
  var slowNetwork: String

  /// The words for the main destination.
  static let main = DestinationWords(
    address: "the address in publish.url", url: "publish.url", key: "the stream key",
    login: "publish.user and publish.password", redirect: "publish.redirect",
    authorities: "publish.ca_file",
    slowNetwork:
      "does not carry the bit rate, so video is dropped: lower video.bitrate_kbps or use a "
      + "better network")

  /// The words for a server to which another server has redirected the stream. No setting names the address of that
  /// server.
  /// - Parameter sender: the host of the server that has redirected the stream.
  func redirected(by sender: String) -> DestinationWords {
    var words = self
    words.address = "where \(sender) sends the stream"
    words.url = "the address that \(sender) names"
    return words
  }

  /// The words for a relay. They do not advise a lower bit rate: it would help the relay, but lower the quality for all
  /// viewers.
  package static func relay(_ name: String) -> DestinationWords {
    DestinationWords(
      address: "the address of the relay \(name)", url: "the address of the relay \(name)",
      key: "the stream key of the relay \(name)",
      login: "the user and the password of the relay \(name)", redirect: "publish.redirect",
      authorities: "the ca_file of the relay \(name)",
      slowNetwork:
        "does not carry this relay at present, so it gets less or nothing. It goes on by itself; "
        + "if it often happens, use a better network, or fewer relays")
  }
}

extension DestinationReport {
  /// A sentence about the state or, after a failure, about its cause and remedy. It never contains the stream key.
  package func sentence(_ words: DestinationWords = .main) -> String {
    if let cause { return target.sentence(cause, said: said, hasWorked: hasWorked, words) }
    return switch state {
    case .stopped where !wasPublished: "No longer trying to reach \(target.host)."
    case .stopped: "No longer publishing to \(target.host)."
    case .connecting where !said.isEmpty: "\(said) sends the stream to \(target)."
    case .connecting: "Connecting to \(target)."
    case .connected: "\(target.host) has accepted the connection."
    case .publishing:
      "\(target.host) takes the stream; nothing has confirmed yet that it arrives."
    case .delivering: "The stream arrives at \(target.host)."
    case .waiting: "Waiting before the next attempt to reach \(target.host)."
    }
  }

  /// The sentence for the log, which also says how often the destination has failed, and when the next attempt is.
  package func line(_ words: DestinationWords = .main) -> String {
    let sentence = sentence(words)
    guard let retry else { return sentence }
    if retry.pauseNanos == 0 { return "\(sentence) Trying again at once." }
    let seconds = max(1, (retry.pauseNanos + 500_000_000) / 1_000_000_000)
    let failed = failures > 1 ? " It has failed \(failures) times now." : ""
    let growing = retry.isGrowing ? ", then less often" : ""
    return "\(sentence)\(failed) Next try in \(seconds) s\(growing)."
  }
}

extension DestinationTrouble {
  /// A sentence that names the cause and its remedy. It never contains the stream key.
  package func sentence(_ words: DestinationWords = .main) -> String {
    target.sentence(cause, said: said, hasWorked: hasWorked, words)
  }
}

extension PublishTarget {
  /// A sentence that names a cause and its remedy: see `RTMPTarget.sentence`.
  package func sentence(
    _ cause: DestinationCause, said: String = "", hasWorked: Bool = false,
    _ words: DestinationWords = .main
  ) -> String {
    switch self {
    case .rtmp(let target): target.sentence(cause, said: said, hasWorked: hasWorked, words)
    }
  }
}

extension RTMPTarget {
  /// A sentence that names a cause and its remedy.
  /// - Parameters:
  ///   - said: the server's words, as `DestinationReport.said` has them.
  ///   - hasWorked: whether the server has accepted this stream before.
  package func sentence(
    _ cause: DestinationCause, said: String = "", hasWorked: Bool = false,
    _ words: DestinationWords = .main
  ) -> String {
    guard let sender = redirectingHost else {
      return plainSentence(cause, said: said, hasWorked: hasWorked, words)
    }
    return "\(sender) sends the stream to another server. "
      + plainSentence(cause, said: said, hasWorked: hasWorked, words.redirected(by: sender))
  }

  /// A sentence that names a cause and its remedy, but not the server that has redirected the stream to this one.
  private func plainSentence(
    _ cause: DestinationCause, said: String, hasWorked: Bool, _ words: DestinationWords
  ) -> String {
    let quoted = said.isEmpty ? "" : " (it says: “\(said)”)"
    let reason = said.isEmpty ? "" : " (\(said))"
    return switch cause {
    case .nameNotFound:
      "There is no server named \(host): check \(words.address)."
    case .nameServerUnreachable:
      "The name \(host) cannot be looked up because no name server answers: check the network cable "
        + "or the Wi-Fi, then the DNS settings."
    case .noRoute:
      "There is no way to \(self): check the network cable or the Wi-Fi, and the gateway."
    case .connectionRefused where hasWorked:
      "Nothing listens at \(self) any more: the server has stopped or is restarting, or the network is "
        + "down; OnAir keeps trying. If this lasts, check that the server still runs."
    case .connectionRefused:
      "Nothing listens at \(self): start the server there, or check the port in \(words.url)."
    case .connectionForbidden:
      "A firewall forbids the connection to \(self): check the firewall of this machine and of the "
        + "network."
    case .timedOut(let step): timeout(step, hasWorked: hasWorked, words)
    case .handshakeFailed:
      "What answers at \(self) is not an RTMP server: check the port in \(words.url)."
    case .tlsExpected:
      "\(self) speaks TLS: write rtmps:// in place of rtmp:// in \(words.url)."
    case .notTLS:
      "What answers at \(self) does not speak TLS: check the port in \(words.url), or write rtmp:// "
        + "there if the service has no TLS."
    case .tlsFailed:
      "This machine and \(self) cannot agree on TLS\(reason): check the port in \(words.url), or ask "
        + "the operator of the server; TLS 1.2 or 1.3 is needed."
    case .rootsMissing: rootsMissing(reason, words)
    case .certificateExpired:
      "The certificate of \(self) has expired: the operator of the server must renew it; if it has "
        + "been renewed, check this machine's clock."
    case .certificateNotYetValid:
      "The certificate of \(self) is not valid yet by this machine's clock: check date and time here, "
        + "and that they are set from the network."
    case .certificateForeign:
      "The certificate of \(self) is for another server, not for \(host): check the name in "
        + "\(words.url)."
    case .certificateUntrusted:
      "Nobody known here vouches for the certificate of \(self): check the name in \(words.url). "
        + "If it is right, something in the network pretends to be the server: ask the operator of the "
        + "network. If the server is your own, name its authority in \(words.authorities)."
    case .certificateRevoked:
      "The certificate of \(self) has been revoked: the operator of the server must replace it."
    case .certificateUnfit:
      "The certificate of \(self) cannot be used\(reason): the operator of the server must replace it."
    case .refused(.redirected): redirected(to: said, words)
    case .refused(let refusal): "\(refused(refusal, words))\(quoted)."
    case .closedByServer(let step): "\(closed(step, hasWorked: hasWorked, words))\(quoted)."
    case .closedAfterStart:
      "\(host) takes the stream and closes the connection at once: check \(words.key), or whether "
        + "another program sends with it."
    case .endedByServer:
      "\(host) ended the stream\(quoted): see the service's own page for the reason."
    case .serverMisbehaved:
      "\(self) violates the RTMP protocol: check that \(words.url) names the right server."
    case .unconfirmed:
      "\(host) does not confirm that the stream arrives: the network is slow, or the service has "
        + "stopped reading; check the network, and the service's own page."
    case .nothingToSend:
      "There is nothing to send to \(host) because the encoder gives nothing: restart OnAir."
    case .noCameraPicture(.guest):
      "The camera's picture is not sent to \(host), because a guest has taken the camera's place: set "
        + "video.source to the camera, or this relay's program to \"programme\"."
    case .noCameraPicture(.filter):
      "The camera's picture is not sent to \(host), because a filter of the programme is a program of "
        + "its own: remove the filter, or set this relay's program to \"programme\"."
    case .noCameraPicture(.processor):
      "The camera's picture is not sent to \(host), because the processor has no time for a second "
        + "picture: choose a smaller video.size or a lower video.fps. OnAir keeps trying."
    case .linkTooSlow: "The network to \(host) \(words.slowNetwork)."
    case .systemError(let code):
      "This machine cannot open a connection (error \(code)): restart OnAir; if that does not help, "
        + "restart the machine."
    }
  }

  /// The sentence about a step that has taken too long.
  private func timeout(
    _ step: RTMPStep, hasWorked: Bool, _ words: DestinationWords
  ) -> String {
    switch step {
    case .connect where hasWorked, .tls where hasWorked, .handshake where hasWorked,
      .connectReply where hasWorked:
      "\(self) has worked before and does not answer any more: the network is too slow, or the server "
        + "has stopped; OnAir keeps trying. If this lasts, check both."
    case .resolve:
      "The name \(host) cannot be looked up in time: check the network and the DNS settings."
    case .connect:
      "Nobody answers at \(self): check \(words.address), the network here, and whether a "
        + "firewall is in the way."
    case .tls:
      "\(self) accepts the connection and takes long to answer in TLS. \(waitingAdvice) If it never does, "
        + "check the port in \(words.url), or write rtmp:// there if the service has no TLS."
    case .handshake:
      "\(self) accepts the connection and takes long to answer. \(waitingAdvice) If it never does, check "
        + "that an RTMP server is at this port."
    case .connectReply:
      "\(host) takes long to answer \(firstRequest). \(waitingAdvice) If it never does, check "
        + "\(words.address), or ask the operator of the server."
    case .publishReply:
      "\(host) takes long to answer whether it takes the stream. \(waitingAdvice) If it never does, see the "
        + "service's own page, or ask the operator of the server."
    case .send:
      "\(host) takes no data any more: the network is too slow, or the server has stopped; check the "
        + "network and the server."
    case .goodbye: "\(host) did not confirm the end of the stream in time."
    }
  }

  /// A sentence that says that OnAir waits longer for a slow server at each attempt.
  private var waitingAdvice: String { "OnAir waits longer each time, up to 30 s." }

  /// OnAir's first request to an RTMP server, in words for a sentence.
  private var firstRequest: String {
    plainApp.isEmpty
      ? "the request to connect" : "the request for the application “\(shown(plainApp))\(subPath)”"
  }

  /// "/***" if the application has a sub-path, which may be secret; otherwise empty.
  private var subPath: Substring { shownApp.dropFirst(plainApp.count) }

  /// The sentence, without its full stop, about a connection that the server closed during this step.
  private func closed(
    _ step: RTMPStep, hasWorked: Bool, _ words: DestinationWords
  ) -> String {
    switch step {
    case .tls:
      "\(self) closes the connection when asked for TLS: check the port in \(words.url), or write "
        + "rtmp:// there if the service has no TLS"
    case .resolve where hasWorked, .connect where hasWorked, .handshake where hasWorked:
      "\(self) closes the connection at once: the server may be restarting; if this lasts, check "
        + "that it still runs"
    case .resolve, .connect, .handshake:
      "\(self) closes the connection at once: check that an RTMP server is at this port"
        + (transport == .plain ? ", and write rtmps:// in \(words.url) if it wants TLS" : "")
    case .connectReply:
      "\(self) closes the connection after \(firstRequest): check that \(words.url) names the "
        + "right one"
    case .publishReply:
      "\(self) closes the connection when asked to publish: check \(words.key)"
    case .send, .goodbye:
      "The connection to \(host) was closed from outside: if it happens again, see the service's own "
        + "page for the reason"
    }
  }

  /// The sentence, without its full stop, about a server that refuses the stream.
  private func refused(_ refusal: RTMPRefusal, _ words: DestinationWords) -> String {
    switch refusal {
    case .streamInUse:
      "\(host) says that somebody else publishes with this stream key: stop the other publisher, or "
        + "wait until the server has given up an earlier connection of this box"
    case .notAllowed:
      "\(host) does not allow publishing: check \(words.key), and that the broadcast is open on the "
        + "service's own page"
    case .authentication:
      hasLogin
        ? "\(host) does not accept the user name or the password: check \(words.login)"
        : "\(host) wants a user name and a password: set \(words.login)"
    case .unknownApplication:
      plainApp.isEmpty
        ? "\(host) wants an application in the address, as in rtmp://HOST/APP: add it to \(words.url)"
        : "\(host) knows no application “\(shown(plainApp))\(subPath)”: check the path in \(words.url)"
    case .redirected, .other: "\(host) refuses the stream"
    }
  }

  /// A sentence about a server that redirects the stream to another address, and what to do.
  /// - Parameter other: the address that the server names, without secrets.
  private func redirected(to other: String, _ words: DestinationWords) -> String {
    guard isAddress(other) else {
      return
        "\(host) sends the stream to another server, but names no address that can be used: "
        + "ask its operator for the right one."
    }
    let begin = "\(host) sends the stream to another server, \(other)"
    if redirectingHost != nil {
      return
        "\(begin), and OnAir follows once: ask the operator for the address of the last server."
    }
    if transport != .plain, !other.hasPrefix("rtmps://") {
      return
        "\(begin), which is not encrypted, so OnAir does not follow: ask the operator of the server."
    }
    return
      "\(begin): if you trust it, write it as \(words.url), or set \(words.redirect) = \"any\"."
  }

  /// The sentence about missing certificate authorities. `reason` is a remark in brackets, or empty.
  private func rootsMissing(_ reason: String, _ words: DestinationWords) -> String {
    transport == .tls(authorities: "")
      ? "This machine has no list of certificate authorities\(reason): install the package "
        + "ca-certificates, or name a list in \(words.authorities)."
      : "The file that \(words.authorities) names has no certificate\(reason): put the authority's "
        + "certificate there, as PEM."
  }
}
