// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Settings
import Testing

@Suite struct SecretTests {
  private let marker = "s3cr3tMARK"

  private func everyWayToShow(_ value: some Any) -> String {
    var dumped = ""
    dump(value, to: &dumped)
    return "\(value) \(String(describing: value)) \(String(reflecting: value)) \(dumped) "
      + Mirror(reflecting: value).children.map { "\($0.value)" }.joined()
  }

  @Test func noOutputContainsTheSecret() throws {
    let secret = Secret(marker)
    #expect(secret.description == "(set)" && Secret().description == "(not set)")
    #expect(secret.reveal() == marker)
    #expect(secret == Secret(marker) && secret != Secret())
    #expect(!everyWayToShow(secret).contains(marker))
    let configuration = try load(
      "publish.url = 'rtmp://h/live/\(marker)?k=\(marker)'\npublish.key = '\(marker)'")
    #expect(!everyWayToShow(configuration).contains(marker))
    #expect(everyWayToShow(configuration).contains("rtmp://h/live/***?***"))
    #expect(!everyWayToShow(try #require(configuration.destination)).contains(marker))
  }

  @Test(arguments: [
    "publish.key = ['MARK']", "publish.key = { MARK = 1 }", "publish.key = { a = 'MARK' }",
    "publish.key.MARK = 1", "publish.kye = 'MARK'", "publish.'MARK' = 1", "MARK = 1", "[MARK]",
    "[publish.MARK]", "publish.key = MARK", "publish.key = 'MARK", "publish.key = 'MARK' 'MARK'",
    "publish.key = 'MARK with space'", "publish.key = 'MARK'\npublish.key = 'MARK'",
    "publish.url = 'rtmp://h/a b?auth=MARK'", "publish.url = 'rtmp://MARK@h/a'",
    "publish.url = 'rtmps://h//MARK'", "publish.key_file = 'MARK'", "video.fit = 'MARK'",
    "video.fps = 'MARK'", "'MARK' = 1\n'MARK' = 2", "MARK.x = 1\n[MARK]", "\"\\uMARK\" = 1",
    "publish.key = 12345678901234567890123", "video = 'MARK'", "publish.key = \"\\MARK\"",
    "publish = 'MARK'", "[[publish]]\nkey = 'MARK'", "publish.key = 'MARK'\n[publish.key]",
  ])
  func noComplaintHoldsIt(_ toml: String) {
    let text = toml.replacing("MARK", with: marker)
    let lines = complaints(text).joined(separator: "\n")
    #expect(!lines.isEmpty)
    #expect(!lines.contains(marker) && !lines.contains("345678901"))
    for override in ["publish.key=\(marker) x", "\(marker)=1", marker, "publish.kye=\(marker)"] {
      let lines = complaints(text, set: [override]).joined(separator: "\n")
      #expect(lines.contains("--set") && !lines.contains(marker))
    }
  }
}
