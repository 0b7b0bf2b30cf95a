// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import Control

/// What browsers and other clients meet before they are in.
@Suite struct BrowserDoorsTests {
  @Test func eachBoxHasItsOwnCookies() async throws {
    try await ServedStation.run { box in
      let login = box.tcp(
        ServedStation.request("POST", "/api/login", #"{"password": "\#(ServedStation.password)"}"#))
      let session = cookie(login, "onair_session")
      let device = cookie(login, "onair_device")
      let name = session.prefix { $0 != "=" }
      #expect(name.hasSuffix("_\(box.port)") && name.utf8.count > "onair_session__80".utf8.count)
      #expect(login.contains("Path=/api/login; HttpOnly; SameSite=Strict"))
      let read = ServedStation.get("/api/status")
      // That of another box, or of another port.
      for other in ["onair_session_00000000_80", "\(name)1", "onair_device"] {
        #expect(
          box.tcp(read, "Cookie: \(other)=\(session.dropFirst(name.count + 1))").contains(" 401 "))
      }
      #expect(box.tcp(read, "Cookie: x=y; \(name)=wrong; \(session)").contains(" 200 "))
      // Of before boxes had names of their own for it.
      #expect(
        box.tcp(read, "Cookie: onair_session=\(session.dropFirst(name.count + 1))").contains(
          " 200 "))
      // A browser that is known keeps its device cookie, and gets no other.
      let again = box.tcp(
        ServedStation.request("POST", "/api/login", #"{"password": "\#(ServedStation.password)"}"#),
        "Cookie: \(device)")
      #expect(cookie(again, "onair_device") == device)
    }
  }

  @Test func everyAnswerIsForThisSiteAlone() async throws {
    try await ServedStation.run { box in
      for text in [
        ServedStation.get("/"), ServedStation.get("/api/status"), ServedStation.get("/healthz"),
        ServedStation.get("/nowhere"),
        ServedStation.request("PUT", "/api/status"), ServedStation.get("/api/session"),
        ServedStation.get("/api/snapshot.jpg"), ServedStation.get("/api/preview.mp4"),
        ServedStation.get("/api/stills/pause"),
      ] {
        for answer in [box.tcp(text), box.tcp(text, box.token("read"))] {
          #expect(answer.contains("Cross-Origin-Resource-Policy: same-origin"), "\(text)")
        }
      }
    }
  }

  /// A link of another site may open the page, and nothing of the API, however its path is written.
  @Test func anotherSiteLinksToThePageAlone() async throws {
    try await ServedStation.run { box in
      func status(_ path: String) -> Substring {
        box.tcp(ServedStation.get(path), "Sec-Fetch-Site: cross-site", "Sec-Fetch-Dest: document")
          .dropFirst("HTTP/1.1 ".count).prefix(3)
      }
      #expect(status("/") == "200")
      for path in ["/api/session", "//api/session", "/api//session", "///api/session"] {
        #expect(status(path) == "403", "\(path)")
      }
    }
  }

  /// Whoever has typed a name that does not count gets a page; a script gets JSON.
  @Test func aRefusedBrowserGetsAPage() async throws {
    try await ServedStation.run { box in
      func ask(_ path: String, host: String, _ fields: String...) -> String {
        let lines = fields.map { "\($0)\r\n" }.joined()
        return ServedStation.send(
          ServedStation.get(path).replacing(
            "Host: localhost\r\n", with: "Host: \(host)\r\n\(lines)"),
          port: box.port)
      }
      let page = ask("/", host: "streambox.example", "Accept: text/html,*/*;q=0.8")
      #expect(page.hasPrefix("HTTP/1.1 403"))
      #expect(page.contains("text/html") && page.contains("<p>This box does not answer"))
      #expect(page.contains("default-src 'none'"))
      #expect(!page.contains("streambox"), "nothing of the request")
      let script = ask("/api/status", host: "streambox.example", "Accept: */*")
      #expect(script.hasPrefix("HTTP/1.1 403") && script.contains(#""code":"forbidden""#))
    }
  }

  @Test func aPageLinksToTheBox() {
    #expect(Answer.refusal("http://192.168.1.5:8080/").head.status == .forbidden)
  }

  @Test func whoAsksBeforeABodyGetsAnAnswer() throws {
    let client = try EmbeddedClient()
    client.send(
      "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
    #expect(client.received == "HTTP/1.1 100 Continue\r\n\r\n")
    client.send("ab")
    #expect(client.received.hasPrefix("HTTP/1.1 200"))
    let other = try EmbeddedClient()
    other.send("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: tea\r\n\r\nab")
    #expect(other.received.hasPrefix("HTTP/1.1 417"))
    #expect(!other.isOpen)
    // HTTP/1.0 has no such answers.
    let old = try EmbeddedClient()
    old.send("POST /a HTTP/1.0\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
    #expect(old.received == "")
  }

  @Test(
    arguments: [
      ("GET http://h/a HTTP/1.1\r\nHost: h\r\n\r\n", "200"),
      ("GET http://H:80/a HTTP/1.1\r\nHost: h:80\r\n\r\n", "200"),
      ("GET http://evil/a HTTP/1.1\r\nHost: h\r\n\r\n", "400"),
      ("GET http://h@evil/a HTTP/1.1\r\nHost: h\r\n\r\n", "400"),
      ("GET http://h:81/a HTTP/1.1\r\nHost: h\r\n\r\n", "400"),
      ("GET /a?b=http://evil/ HTTP/1.1\r\nHost: h\r\n\r\n", "200"),
    ])
  func aWholeAddressNamesTheSameHost(_ text: String, _ status: String) throws {
    let client = try EmbeddedClient()
    client.send(text)
    #expect(client.received.hasPrefix("HTTP/1.1 \(status)"), "\(text)")
  }
}
