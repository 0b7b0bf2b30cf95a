// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import FakeNetwork
import Settings
import Testing

@testable import Networking

/// When the box makes its own Wi-Fi.
@Suite struct HotspotTests {
  private static let started =
    "The box makes its own Wi-Fi onair-setup: join it with a phone, and open http://10.42.0.1."

  @Test func itBeginsAfterAMinuteWithoutANetwork() {
    let rig = Rig { $0.addPoint("Home", password: "secret-password") }
    rig.wait(58)
    #expect(rig.state.hotspot?.up == false)
    rig.wait(5)
    #expect(rig.state.hotspot?.up == true)
    #expect(rig.state.ways.first { $0.interface == "wlan0" }?.state == "hotspot")
    #expect(
      rig.reports == [
        .down("No cable, and the box knows no Wi-Fi yet."), .hotspotStarted(Self.started),
      ])
    // The radio cannot look for Wi-Fis now; those that were in reach are still shown.
    #expect(rig.state.wifis.map(\.name) == ["Home"])
    #expect(rig.fault(.scan) == .noScan)
  }

  @Test func itEndsWhenAWiFiIsGivenAndComesBackIfThatFails() {
    let rig = Rig { $0.addPoint("Home", password: "secret-password") }
    rig.wait(63)
    _ = rig.join("Home", "another-password")
    rig.wait(6)
    #expect(rig.state.hotspot?.up == true)
    #expect(rig.state.change?.sentence == "The password of the Wi-Fi Home is wrong.")
    _ = rig.reports
    _ = rig.join("Home", "secret-password")
    rig.wait(4)
    #expect(rig.state.hotspot?.up == false)
    #expect(rig.state.change?.state == .done)
    #expect(
      rig.reports == [
        .hotspotEnded("The box's own Wi-Fi has ended."),
        .up("The box is in the network, through the Wi-Fi Home."),
      ])
  }

  @Test func theAnswerArrivesBeforeTheOwnWiFiEnds() {
    let rig = Rig { $0.addPoint("Home", password: "secret-password") }
    rig.wait(63)
    _ = rig.join("Home", "secret-password")
    #expect(!rig.methods.contains("ActivateConnection"))
    rig.wait(1)
    #expect(rig.methods.contains("ActivateConnection"))
  }

  @Test func itEndsWhenACableIsPluggedIn() {
    let rig = Rig()
    rig.wait(63)
    #expect(rig.state.hotspot?.up == true)
    rig.bus.setCable(true)
    rig.wait(2)
    #expect(rig.state.hotspot?.up == false)
  }

  @Test func aNetworkThatIsLostLaterDoesNotStartIt() {
    let rig = Rig { $0.addPoint("Home", password: "secret-password") }
    _ = rig.join("Home", "secret-password")
    rig.wait(3)
    rig.bus.setPoint("Home", isInReach: false)
    rig.wait(600)
    #expect(rig.state.hotspot?.up == false)
    #expect(!rig.methods.contains("AddAndActivateConnection2"))
  }

  /// After a power cut a box is up before its router.
  @Test func itPausesToLookForAKnownWiFi() {
    var rules = HotspotRules()
    let start = MediaTime(nanos: 0)
    var input = HotspotRules.Input(knowsWiFi: true)
    #expect(rules.decide(input, now: start) == .none)
    #expect(rules.decide(input, now: start + .seconds(60)) == .start)
    input.isUp = true
    #expect(rules.decide(input, now: start + .seconds(61)) == .none)
    #expect(rules.decide(input, now: start + .seconds(360)) == .none)
    #expect(rules.decide(input, now: start + .seconds(361)) == .pause)
    input.isUp = false
    #expect(rules.decide(input, now: start + .seconds(362)) == .none)
    #expect(rules.decide(input, now: start + .seconds(401)) == .start)
    // Somebody is at the page: they are not thrown out.
    input.isUp = true
    input.isWatched = true
    #expect(rules.decide(input, now: start + .seconds(402)) == .none)
    #expect(rules.decide(input, now: start + .seconds(900)) == .none)
    input.isWatched = false
    #expect(rules.decide(input, now: start + .seconds(1_199)) == .none)
    #expect(rules.decide(input, now: start + .seconds(1_200)) == .pause)
  }

  @Test func itIsNotTriedAgainAtOnce() {
    var rules = HotspotRules()
    let start = MediaTime(nanos: 0)
    let input = HotspotRules.Input()
    _ = rules.decide(input, now: start)
    #expect(rules.decide(input, now: start + .seconds(60)) == .start)
    #expect(rules.decide(input, now: start + .seconds(61)) == .none)
    #expect(rules.decide(input, now: start + .seconds(90)) == .start)
  }

  @Test func theSettingForbidsIt() {
    var rules = HotspotRules()
    let start = MediaTime(nanos: 0)
    var input = HotspotRules.Input(isAutomatic: false)
    _ = rules.decide(input, now: start)
    #expect(rules.decide(input, now: start + .seconds(600)) == .none)
    input.isUp = true
    #expect(rules.decide(input, now: start + .seconds(601)) == .stop)
  }

  @Test func byHandItStaysUntilNobodyUsesIt() {
    let rig = Rig { $0.setCable(true) }
    _ = rig.ask(.hotspot(true))
    rig.wait(3)
    #expect(rig.state.hotspot?.up == true)
    rig.wait(290)
    #expect(rig.state.hotspot?.up == true)
    rig.wait(15)
    #expect(rig.state.hotspot?.up == false)
    _ = rig.ask(.hotspot(true))
    rig.wait(3)
    _ = rig.ask(.hotspot(false))
    #expect(rig.state.hotspot?.up == false)
  }

  @Test func aWiFiThatIsGivenEndsTheOneMadeByHand() {
    let rig = Rig { $0.addPoint("Home", password: "secret-password") }
    _ = rig.ask(.hotspot(true))
    rig.wait(3)
    #expect(rig.state.hotspot?.up == true)
    _ = rig.join("Home", "secret-password")
    rig.wait(120)
    #expect(rig.state.sentence == "The box uses the Wi-Fi Home.")
    #expect(rig.state.hotspot?.up == false)
  }

  @Test func itBeginsAnewUnderAnotherName() throws {
    let rig = Rig()
    rig.wait(63)
    let settings = try Configuration.load(
      file: nil, runTime: .directory("/nowhere"),
      overrides: ["wifi.hotspot_name=box", "wifi.hotspot_password=another-secret"]
    ).settings
    rig.network.change(settings)
    rig.wait(3)
    #expect(rig.state.hotspot?.up == true)
    #expect(rig.state.hotspot?.secured == true)
    let made = try #require(rig.bus.calls.last { $0.method == "AddAndActivateConnection2" })
    #expect(made.arguments[0]["802-11-wireless"]?["ssid"] == .bytes(Array("box".utf8)))
    #expect(made.arguments[0]["802-11-wireless-security"]?["psk"] == .text("another-secret"))
  }

  @Test func aNetworkOfSomebodyElseCounts() {
    let foreign = Rig { $0.setForeignCable() }
    foreign.wait(90)
    #expect(foreign.state.sentence == "The box uses the cable.")
    #expect(foreign.state.hotspot?.up == false)
    #expect(foreign.fault(.address("eth0", .dhcp)) == .noConnection("eth0"))
    let bridge = Rig { $0.addBridge() }
    bridge.wait(90)
    #expect(bridge.state.sentence == "The box uses a network that is set up elsewhere.")
    #expect(bridge.state.problem == nil)
    #expect(bridge.state.hotspot?.up == false)
  }

  @Test func withoutARadioThereIsNone() {
    let rig = Rig { $0.removeRadio() }
    rig.wait(90)
    #expect(rig.state.hotspot == nil)
    #expect(rig.state.problem == "No cable is plugged in.")
  }
}
