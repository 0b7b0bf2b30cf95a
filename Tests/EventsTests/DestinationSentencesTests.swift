// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import Events
@testable import Publish

@Suite struct DestinationSentencesTests {
  private func target(
    _ transport: RTMPTarget.Transport = .plain, app: String = "live", key: String = "key"
  ) throws -> RTMPTarget {
    try RTMPTarget(transport: transport, host: "example.org", port: 99, app: app, streamKey: key)
  }

  /// Every cause, and the part of its sentence that says what to do.
  private static let remedies: [(cause: DestinationCause, remedy: String)] = [
    (.nameNotFound, "check the address in publish.url"),
    (.nameServerUnreachable, "check the network cable or the Wi-Fi, then the DNS settings"),
    (.noRoute, "check the network cable or the Wi-Fi, and the gateway"),
    (.connectionRefused, "start the server there, or check the port in publish.url"),
    (.connectionForbidden, "check the firewall of this machine"),
    (.timedOut(.resolve), "check the network and the DNS settings"),
    (.timedOut(.connect), "whether a firewall is in the way"),
    (.timedOut(.tls), "write rtmp:// there if the service has no TLS"),
    (.timedOut(.handshake), "check that an RTMP server is at this port"),
    (.timedOut(.connectReply), "If it never does, check the address in publish.url"),
    (.timedOut(.publishReply), "If it never does, see the service's own page"),
    (.timedOut(.send), "check the network and the server"),
    (.timedOut(.goodbye), "did not confirm the end of the stream"),
    (.handshakeFailed, "check the port in publish.url"),
    (.tlsExpected, "write rtmps:// in place of rtmp:// in publish.url"),
    (.notTLS, "write rtmp:// there if the service has no TLS"),
    (.tlsFailed, "TLS 1.2 or 1.3 is needed"),
    (.certificateExpired, "the operator of the server must renew it"),
    (.certificateNotYetValid, "check date and time here"),
    (.certificateForeign, "check the name in publish.url"),
    (.certificateUntrusted, "name its authority in publish.ca_file"),
    (.certificateRevoked, "the operator of the server must replace it"),
    (.certificateUnfit, "the operator of the server must replace it"),
    (.refused(.streamInUse), "stop the other publisher"),
    (.refused(.notAllowed), "check the stream key"),
    (.refused(.authentication), "set publish.user and publish.password"),
    (.refused(.redirected), "ask its operator for the right one"),
    (.refused(.unknownApplication), "knows no application “live”: check the path in publish.url"),
    (.refused(.other), "refuses the stream"),
    (.closedByServer(.resolve), "check that an RTMP server is at this port"),
    (.closedByServer(.connect), "check that an RTMP server is at this port"),
    (.closedByServer(.tls), "write rtmp:// there if the service has no TLS"),
    (.closedByServer(.handshake), "write rtmps:// in publish.url if it wants TLS"),
    (.closedByServer(.connectReply), "“live”: check that publish.url names the right one"),
    (.closedByServer(.publishReply), "check the stream key"),
    (.closedByServer(.send), "see the service's own page"),
    (.closedByServer(.goodbye), "see the service's own page"),
    (.closedAfterStart, "check the stream key, or whether another program sends with it"),
    (.endedByServer, "see the service's own page"),
    (.serverMisbehaved, "check that publish.url names the right server"),
    (.unconfirmed, "check the network, and the service's own page"),
    (.nothingToSend, "restart OnAir"),
    (.linkTooSlow, "lower video.bitrate_kbps"),
    (.systemError(24), "(error 24): restart OnAir"),
    (.rootsMissing, "publish.ca_file"),
  ]

  @Test(arguments: remedies) func everyCauseNamesItsRemedy(
    _ cause: DestinationCause, _ remedy: String
  ) throws {
    let sentence = try target().sentence(cause)
    #expect(sentence.contains(remedy), "\(sentence)")
    #expect(sentence.hasSuffix("."))
    #expect(Self.remedies.filter { $0.cause.code == cause.code }.count == 1)
  }

  /// A relay has settings of its own, and must not be told to give all viewers less.
  @Test(arguments: remedies) func aRelaysSentencesNameItsSettings(
    _ cause: DestinationCause, _ remedy: String
  ) throws {
    for transport in [RTMPTarget.Transport.plain, .tls(authorities: ""), .tls(authorities: "/ca")] {
      for app in ["live", ""] {
        let target = try target(transport, app: app)
        let (main, relay) = (target.sentence(cause), target.sentence(cause, .relay("y")))
        // One setting is for all servers.
        for word in ["publish.", "video.", "bitrate", "relay"] where cause != .refused(.redirected)
        {
          let isOfRelay = word == "relay"
          #expect(isOfRelay ? !main.contains(word) : !relay.contains(word), "\(relay)")
        }
        // Whatever names a setting or a secret names the relay's.
        let isOwn = ["publish.", "video.", "check the stream key"].contains { main.contains($0) }
        if isOwn { #expect(relay.contains("relay"), "\(relay)") }
        #expect(relay.hasSuffix(".") && relay.hasPrefix(main.prefix(12)), "\(relay)")
      }
    }
  }

  @Test func relaysInTheirOwnWords() throws {
    let target = try target()
    #expect(
      target.sentence(.nameNotFound, .relay("y"))
        == "There is no server named example.org: check the address of the relay y.")
    #expect(
      target.sentence(.timedOut(.send), .relay("y"))
        == "example.org takes no data any more: the network is too slow, or the server has stopped; "
        + "check the network and the server.")
    let report = DestinationReport(
      state: .waiting, cause: .refused(.notAllowed), target: .rtmp(target))
    #expect(report.line(.relay("y")).contains("check the stream key of the relay y, and"))
  }

  /// A server that asks others first is right, however slow it is.
  @Test(arguments: [RTMPStep.tls, .handshake, .connectReply, .publishReply])
  func aSlowServerIsNotTakenForAWrongKey(_ step: RTMPStep) throws {
    let sentence = try target(.tls(authorities: "")).sentence(.timedOut(step))
    #expect(sentence.contains("takes long to answer"))
    #expect(sentence.contains("OnAir waits longer each time, up to 30 s"))
    #expect(!sentence.contains("key"))
  }

  @Test func missingRootsNameThePackageOrTheFile() throws {
    #expect(try target(.tls(authorities: "")).sentence(.rootsMissing).contains("ca-certificates"))
    #expect(
      try target(.tls(authorities: "/ca.pem")).sentence(.rootsMissing, said: "no file")
        == "The file that publish.ca_file names has no certificate (no file): put the authority's "
        + "certificate there, as PEM.")
  }

  @Test func aTLSServerThatClosesIsNotToldToUseTLS() throws {
    let sentence = try target(.tls(authorities: "")).sentence(.closedByServer(.handshake))
    #expect(!sentence.contains("rtmps://"))
  }

  @Test func aServerThatHasWorkedIsNotToldToUseTLS() throws {
    for step in [RTMPStep.resolve, .connect, .handshake] {
      let sentence = try target().sentence(.closedByServer(step), hasWorked: true)
      #expect(
        sentence.contains("may be restarting") && !sentence.contains("rtmps://"), "\(sentence)")
    }
    #expect(try !target().sentence(.closedByServer(.send), hasWorked: true).contains("restarting"))
    let refused = try target().sentence(.connectionRefused, hasWorked: true)
    #expect(
      refused.contains("any more: the server has stopped") && !refused.contains("publish.url"))
    for cause in [
      DestinationCause.timedOut(.connect), .timedOut(.tls),
      .timedOut(.handshake), .timedOut(.connectReply),
    ] {
      let sentence = try target().sentence(cause, hasWorked: true)
      #expect(
        sentence.contains("worked before") && !sentence.contains("publish.url"), "\(sentence)")
    }
    var report = DestinationReport(
      state: .waiting, cause: .closedByServer(.handshake), target: .rtmp(try target()))
    #expect(report.sentence().contains("rtmps://"))
    report.hasWorked = true
    #expect(!report.sentence().contains("rtmps://"))
  }

  /// The sub-path may be a secret, but it was asked for, too.
  @Test func aRefusalNamesTheWholeApplication() throws {
    let target = try RTMPTarget(host: "example.org", app: "live/old?sign=x", streamKey: "new")
    for cause in [DestinationCause.refused(.unknownApplication), .closedByServer(.connectReply)] {
      let sentence = target.sentence(cause)
      #expect(sentence.contains("“live/***”") && !sentence.contains("old"), "\(sentence)")
    }
  }

  @Test func aServerThatSendsElsewhere() throws {
    let other = "rtmp://edge.example/live/***"
    #expect(
      try target().sentence(.refused(.redirected), said: other)
        == "example.org sends the stream to another server, \(other): if you trust it, write it as "
        + "publish.url, or set publish.redirect = \"any\".")
    let sentence = try target(.tls(authorities: "")).sentence(.refused(.redirected), said: other)
    #expect(sentence.contains("not encrypted") && !sentence.contains("any"))
    let useless = try target().sentence(.refused(.redirected), said: "elsewhere")
    #expect(useless.contains("no address that can be used") && !useless.contains("publish."))
    var report = DestinationReport(state: .connecting, target: .rtmp(try target()))
    report.said = "first.example"
    #expect(report.sentence() == "first.example sends the stream to example.org port 99.")
  }

  /// Nobody here has written the address of a server that another one names.
  @Test func aServerToWhichTheStreamWasSent() throws {
    var sent = try target()
    sent.redirectingHost = "first.example"
    let causes: [DestinationCause] = [
      .nameNotFound, .connectionRefused, .handshakeFailed, .timedOut(.connect),
      .closedByServer(.connectReply), .refused(.redirected),
    ]
    for cause in causes {
      let sentence = sent.sentence(cause, said: "rtmp://third.example/live/***")
      #expect(sentence.hasPrefix("first.example sends the stream to another server. "), "\(cause)")
      #expect(
        !sentence.contains("publish.url") && !sentence.contains("publish.redirect"), "\(sentence)")
    }
  }

  @Test func aLoginThatIsRefused() throws {
    let target = try RTMPTarget(
      host: "h", app: "live", streamKey: "k", login: .init(user: "u", password: "p"))
    #expect(
      target.sentence(.refused(.authentication))
        == "h does not accept the user name or the password: check publish.user and "
        + "publish.password.")
    #expect(
      target.sentence(.refused(.authentication), .relay("y")).contains(
        "the password of the relay y"))
  }

  @Test func theServersOwnWordsAreQuoted() throws {
    #expect(
      try target().sentence(.refused(.other), said: "… is busy")
        == "example.org refuses the stream (it says: “… is busy”).")
  }

  @Test func noSentenceContainsASecret() throws {
    let target = try target(app: "live?token=sesame", key: "swordfish?auth=xyzzy")
    let said = target.shown(
      "live/swordfish is busy\r\nauth=xyzzy swordfish?auth=xyzzy token=sesame")
    for (cause, _) in Self.remedies {
      let sentence = target.sentence(cause, said: said)
      for secret in ["swordfish", "xyzzy", "sesame", "\n"] {
        #expect(!sentence.contains(secret), "\(sentence)")
      }
    }
  }

  @Test func statesWithoutACause() throws {
    var report = DestinationReport(state: .stopped, target: .rtmp(try target()))
    #expect(report.sentence() == "No longer trying to reach example.org.")
    report.wasPublished = true
    #expect(report.sentence() == "No longer publishing to example.org.")
    report.state = .connecting
    #expect(report.sentence() == "Connecting to example.org port 99.")
    report.state = .delivering
    #expect(report.line() == "The stream arrives at example.org.")
  }

  @Test func theLogLineTellsWhenTheNextAttemptIs() throws {
    var report = DestinationReport(
      state: .waiting, cause: .refused(.other), target: .rtmp(try target()))
    report.retry = DestinationRetry(pauseNanos: 0, isGrowing: false)
    #expect(report.line() == "example.org refuses the stream. Trying again at once.")
    report.retry = DestinationRetry(pauseNanos: .milliseconds(1_900), isGrowing: false)
    #expect(report.line() == "example.org refuses the stream. Next try in 2 s.")
    report.retry = DestinationRetry(pauseNanos: .seconds(60), isGrowing: true)
    report.failures = 61
    #expect(
      report.line()
        == "example.org refuses the stream. It has failed 61 times now. Next try in 60 s, "
        + "then less often.")
  }
}
