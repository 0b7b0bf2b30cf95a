// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import Publish

/// What answers a server that wants a user name and a password. The digests were computed with md5sum and base64.
@Suite struct ChallengeTests {
  private static let start = "[ AccessManager.Reject ] : "

  private func answer(_ description: String, app: String = "live", password: String = "secret")
    -> String?
  {
    RTMPChallenge(description)?.answer(
      user: "user", password: password, app: app, nonce: "0123abcd")
  }

  @Test func whoAsksIsTheUser() {
    #expect(
      answer(Self.start + "[ code=403 need auth; authmod=adobe ] : ") == "authmod=adobe&user=user")
    #expect(answer("authmod=llnw") == "authmod=llnw&user=user")
    #expect(answer("Not today") == nil)
    #expect(answer("authmod=basic") == nil)
    #expect(answer("") == nil)
  }

  @Test func adobesChallenge() {
    let begin = Self.start + "[ authmod=adobe ] : ?reason=needauth&user=user&salt=c2FsdA=="
    #expect(
      answer(begin + "&challenge=Y2hhbA==&opaque=b3BhcQ==")
        == "authmod=adobe&user=user&challenge=0123abcd&response=RVT/xdRmjgitY0gcAHfLXg==&opaque=b3BhcQ=="
    )
    // Some servers have no opaque value, and then the challenge counts.
    #expect(
      answer(begin + "&challenge=Y2hhbA==")
        == "authmod=adobe&user=user&challenge=0123abcd&response=Aal/Dc09y4daJXQzQ6ZPKQ==")
  }

  @Test func limelightsChallenge() {
    let text = "[ authmod=llnw ] : ?reason=needauth&user=user&nonce=4711"
    #expect(
      answer(text)
        == "authmod=llnw&user=user&nonce=4711&cnonce=0123abcd&nc=00000001&response=218c825386dd3a26d0d60eccacd3ab46"
    )
    #expect(
      answer(text, app: "live/room")
        == "authmod=llnw&user=user&nonce=4711&cnonce=0123abcd&nc=00000001&response=c0879ed2d2f41e7581b4c33e22aef889"
    )
  }

  @Test(arguments: ["authfailed", "nosuchuser", "expired", "needauthx"])
  func aRefusalIsNotAnswered(_ reason: String) {
    #expect(answer("authmod=adobe ] : ?reason=\(reason)&opaque=b3BhcQ==") == nil)
  }

  /// The password itself is in no answer, whatever a server asks.
  @Test func thePasswordIsNeverSent() {
    for text in [
      "authmod=adobe", "authmod=adobe ?reason=needauth", "authmod=llnw ?reason=needauth",
      "authmod=adobe ?reason=needauth&salt=swordfish&challenge=&opaque==&&=",
      "authmod=llnw ?reason=needauth&nonce=",
    ] {
      for password in ["swordfish", ""] {
        let answer = answer(text, password: password)
        #expect(answer?.contains("swordfish") != true || text.contains("nonce=swordfish"))
        #expect(answer?.hasPrefix("authmod=") == true)
      }
    }
  }
}

/// How an attempt follows what servers say.
@Suite struct IntroductionTests {
  private func target(
    _ transport: RTMPTarget.Transport = .plain, host: String = "good.example", app: String = "live",
    login: Bool = false, redirects: RTMPTarget.Redirects = .sameHost
  ) throws -> RTMPTarget {
    try RTMPTarget(
      transport: transport, host: host, app: app, streamKey: "key",
      login: login ? .init(user: "user", password: "secret") : nil, redirects: redirects)
  }

  private func asks(_ reason: String = "") -> ServerMessage.Status {
    .init(
      code: "NetConnection.Connect.Rejected",
      description: reason.isEmpty
        ? "authmod=adobe" : "authmod=adobe ?reason=\(reason)&salt=a&challenge=b&opaque=c")
  }

  private func sends(_ url: String) -> ServerMessage.Status {
    .init(code: "NetConnection.Connect.Rejected", description: "Moved", redirect: url)
  }

  @Test func aChallengeTakesTwoAnswers() throws {
    var introduction = ConnectionTarget(try target(app: "live/room?x=y", login: true))
    #expect(introduction.target.sentApp == "live/room?x=y")
    #expect(introduction.follow(asks(), nonce: "01234567") == true)
    #expect(introduction.target.sentApp == "live/room?x=y&authmod=adobe&user=user")
    #expect(
      introduction.target.sentURL == "rtmp://good.example/live/room?x=y&authmod=adobe&user=user")
    #expect(introduction.follow(asks("needauth"), nonce: "01234567") == true)
    #expect(introduction.target.sentApp.contains("&response="))
    #expect(introduction.follow(asks("needauth"), nonce: "01234567") == false, "and no more")
    var bare = ConnectionTarget(try target(login: true))
    #expect(bare.follow(asks(), nonce: "01234567") == true)
    #expect(bare.target.sentApp == "live?authmod=adobe&user=user")
    #expect(bare.follow(asks("authfailed"), nonce: "01234567") == false)
    var nobody = ConnectionTarget(try target())
    #expect(nobody.follow(asks(), nonce: "01234567") == false)
    var other = ConnectionTarget(try target(login: true))
    #expect(other.follow(.init(code: "NetConnection.Connect.Rejected"), nonce: "01234567") == false)
  }

  @Test(
    arguments: [
      // The redirect, whether it is followed with "same_host" and with "any" from rtmp:// and from rtmps://.
      ("rtmp://good.example:99/live", true, true, false, false),
      ("rtmp://GOOD.example/other?x=y", true, true, false, false),
      ("rtmps://good.example/live/", true, true, true, true),
      ("rtmp://edge.example/live", false, true, false, false),
      ("rtmps://edge.example/live", false, true, false, true),
      ("rtmps://good.example.evil/live", false, true, false, true),
      ("rtmp://[::1]:99/live", false, true, false, false),
      ("http://good.example/live", false, false, false, false),
      ("rtmp://user@good.example/live", false, false, false, false),
      ("rtmp://good.example:0/live", false, false, false, false),
      ("rtmp://good.example:x/live", false, false, false, false),
      ("rtmp://", false, false, false, false), ("", false, false, false, false),
      ("rtmp://good.example/a\nb", false, false, false, false),
    ] as [(String, Bool, Bool, Bool, Bool)])
  func aRedirectIsFollowedWhereItMayBe(
    _ url: String, _ sameHost: Bool, _ any: Bool, _ secureSameHost: Bool, _ secureAny: Bool
  ) throws {
    let cases: [(RTMPTarget.Transport, RTMPTarget.Redirects, Bool)] = [
      (.plain, .sameHost, sameHost), (.plain, .any, any),
      (.tls(authorities: "/ca"), .sameHost, secureSameHost),
      (.tls(authorities: "/ca"), .any, secureAny),
    ]
    for (transport, redirects, isFollowed) in cases {
      var introduction = ConnectionTarget(try target(transport, login: true, redirects: redirects))
      #expect(introduction.follow(sends(url), nonce: "") == isFollowed, "\(transport) \(redirects)")
      #expect(introduction.isRedirected == isFollowed)
      guard isFollowed else { continue }
      #expect(introduction.target.streamKey == "key" && introduction.target.hasLogin)
      if case .tls = transport { #expect(introduction.target.transport == transport) }
      #expect(introduction.follow(sends("rtmps://good.example/live"), nonce: "") == false, "once")
      #expect(introduction.follow(asks(), nonce: "") == true, "there it may have to log in")
    }
  }

  @Test func whereItLeads() throws {
    var introduction = ConnectionTarget(try target(redirects: .any))
    #expect(introduction.follow(sends("rtmp://edge.example:99/app/sub?t=1"), nonce: "") == true)
    #expect(introduction.target.host == "edge.example" && introduction.target.port == 99)
    #expect(introduction.target.sentApp == "app/sub?t=1")
    #expect(introduction.target.sentURL == "rtmp://edge.example:99/app/sub?t=1")
    var bare = ConnectionTarget(try target(redirects: .any))
    #expect(bare.follow(sends("rtmp://edge.example"), nonce: "") == true)
    #expect(bare.target.sentApp == "live", "the same application")
  }

  @Test func theAddressIsShownWithoutSecrets() throws {
    let target = try target(app: "live")
    #expect(
      target.shownRedirect("rtmp://e.example/app/t0ken?sign=x") == "rtmp://e.example/app/***/***")
    #expect(!target.shownRedirect("gopher://e.example/key\n").contains("key"))
  }
}
