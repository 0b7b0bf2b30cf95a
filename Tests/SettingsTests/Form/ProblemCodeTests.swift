// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import Settings

/// What is wrong with a change, for programs: the page says it in its own words.
@Suite struct ProblemCodeTests {
  private let folder = StateFolder(
    """
    [publish]
    url = "rtmp://host/app"
    key = "K"
    [[relay]]
    name = "second"
    url = "rtmp://two/app"
    key = "L"
    """)

  private func codes(_ values: [String: SettingsPatch.Value?]) -> [String] {
    do {
      try folder.change(values)
      return []
    } catch {
      let problems = (error as? ConfigurationError)?.problems ?? []
      return problems.map { problem in
        "\(problem.key ?? "") \(problem.code.rawValue)" + (problem.other.map { " \($0)" } ?? "")
      }
    }
  }

  @Test(arguments: [
    ("http://host/app", "address_scheme"), ("host/app", "address_scheme"),
    ("rtmp://ho st/app", "address_characters"), ("rtmp://host/ä", "address_characters"),
    ("rtmp://host/<key>", "address_characters"), ("rtmp://u:p@host/app", "address_password"),
    ("rtmp://-host-/app", "address_host"), ("rtmp://host:0/app", "address_port"),
    ("rtmp://host:99999/app", "address_port"), ("rtmp://host/a//b", "address_path"),
    ("rtmp://host/" + String(repeating: "a", count: 5_000), "address_too_long"),
  ])
  func addresses(_ url: String, _ code: String) {
    #expect(codes(["publish.url": .text(url)]) == ["publish.url \(code)"])
  }

  @Test func keys() {
    #expect(codes(["publish.key": .text("a b")]) == ["publish.key key_characters"])
    #expect(
      codes(["publish.key": .text(String(repeating: "a", count: 5_000))])
        == ["publish.key key_too_long"])
    #expect(
      codes(["publish.password": .text(String(repeating: "a", count: 300))])
        == ["publish.password password_too_long"])
  }

  @Test func values() {
    #expect(codes(["video.fps": .integer(200)]) == ["video.fps not_allowed"])
    #expect(codes(["video.fps": .text("many")]) == ["video.fps not_allowed"])
    #expect(codes(["video.size": .text("big")]) == ["video.size not_allowed"])
    #expect(codes(["video.sise": .text("1x1")]) == ["video.sise unknown_setting"])
    #expect(codes(["state.directory": .text("/x")]) == ["state.directory box_only"])
  }

  /// A sentence alone could not be said in another language.
  @Test(
    arguments: Settings.declarations + RelaySettings.list.declarations
      + GuestSettings.list.declarations + LayoutSettings.list.declarations)
  func everySettingSaysByACodeWhatIsWrong(_ declaration: Declaration) {
    let key = declaration.key.replacing("NAME", with: "second")
    let found = codes([key: .text("\u{1}")])
    #expect(!found.isEmpty, "\(key)")
    #expect(!found.contains { $0.hasSuffix(" other") }, "\(found)")
  }

  @Test func whatDoesNotGoTogether() {
    #expect(
      codes(["video.source": .text("none"), "audio.source": .text("none")])
        == ["video.source conflict audio.source"])
    #expect(
      codes(["network.mode": .text("custom"), "network.dynamic_resolution": .flag(true)])
        == ["network.dynamic_resolution conflict network.mode"])
    #expect(
      codes(["panel.button": .text("GPIO17"), "panel.lamp": .text("GPIO17")])
        == ["panel.lamp same_line panel.button"])
    #expect(codes(["panel.button": .text("17")]) == ["panel.button chip_missing"])
    #expect(
      codes(["relay.second.url": .text("rtmp://HOST/app"), "relay.second.key": .text("K")])
        == ["relay.second.url same_stream publish.url"])
  }

  @Test func relays() {
    #expect(codes(["relay.third.enabled": .flag(true)]) == ["relay.third.url address_missing"])
    #expect(codes(["relay.main.url": .text("rtmp://h/a")]) == ["relay.name relay_name"])
    let many = (1...4).map {
      ("relay.n\($0).url", SettingsPatch.Value?.some(.text("rtmp://h/\($0)")))
    }
    #expect(codes(Dictionary(uniqueKeysWithValues: many)) == ["relay too_many_relays"])
  }

  @Test func guests() {
    #expect(codes(["guest.a.url": .text("pipe:0")]).first == "guest.a.url guest_address_scheme")
    #expect(codes(["guest.a.mute": .flag(true)]) == ["guest.a.url guest_way_missing"])
    #expect(
      codes(["guest.a.url": .text("http://h"), "guest.a.key": .text("12345678")])
        == ["guest.a.key guest_two_ways guest.a.url"])
    #expect(
      codes(["guest.a.key": .text("12345678"), "guest.b.key": .text("12345678")])
        == ["guest.b.key guest_key_taken guest.a"])
    #expect(
      codes(["guest.a.key": .text("12345678"), "guest.a.srt_port": .integer(9000)])
        == ["guest.a.key guest_key_short guest.a.srt_port"])
    #expect(
      codes([
        "guest.a.key": .text("1234567890"), "guest.a.srt_port": .integer(9000),
        "guest.b.key": .text("0123456789"), "guest.b.srt_port": .integer(9000),
      ]) == ["guest.b.srt_port guest_port_taken guest.a"])
    #expect(codes(["guest.a.url": .text("http://localhost/")]) == ["guest.a.url box_only"])
    #expect(codes(["video.source": .text("guest:a")]) == ["video.source no_such_guest"])
    #expect(codes(["guests.layout": .text("a")]) == ["guests.layout no_such_layout"])
    let guests = (1...9).map {
      ("guest.g\($0).url", SettingsPatch.Value?.some(.text("http://h/\($0)")))
    }
    #expect(codes(Dictionary(uniqueKeysWithValues: guests)) == ["guest too_many_guests"])
    let layouts = (1...17).map {
      ("layout.l\($0).panes", SettingsPatch.Value?.some(.text("host 0 0 1 1")))
    }
    #expect(codes(Dictionary(uniqueKeysWithValues: layouts)) == ["layout too_many_layouts"])
  }

  @Test func changesFromElsewhere() throws {
    let configuration = try folder.load()
    func codes(_ values: [String: SettingsPatch.Value?]) -> [String] {
      do throws(ConfigurationError) {
        _ = try configuration.previewRemote(SettingsPatch(values)) {
          layer throws(ConfigurationError) in try folder.load(.given(layer))
        }
        return []
      } catch {
        return error.problems.map(\.code.rawValue)
      }
    }
    #expect(codes(["publish.url": .text("rtmp://evil/app")]) == ["key_of_other_server"])
    #expect(codes(["relay.second.url": .text("rtmp://evil/app")]) == ["key_of_other_server"])
    #expect(codes(["publish.key_file": .text("/etc/shadow")]) == ["box_only"])
  }
}
