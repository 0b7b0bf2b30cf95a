// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import FakeNetwork
import Settings
import Testing

@testable import Networking

/// Joining and leaving Wi-Fis, and what is undone.
@Suite struct JoinTests {
  @Test func aWiFiIsJoinedWithItsPassword() {
    let rig = Rig { $0.addPoint("Home", password: "secret-password") }
    #expect(rig.state.problem == "No cable, and the box knows no Wi-Fi yet.")
    #expect(rig.state.wifis.map(\.name) == ["Home"])
    #expect((try? rig.join("Home", "secret-password").get()) != nil)
    #expect(rig.state.change?.state == .trying)
    rig.wait(3)
    #expect(rig.state.change?.state == .done)
    #expect(rig.state.sentence == "The box uses the Wi-Fi Home.")
    #expect(rig.state.problem == nil)
    #expect(rig.state.known == ["Home"])
    #expect(rig.reports == [.up("The box is in the network, through the Wi-Fi Home.")])
    // Nothing was there to go back to.
    #expect(!rig.methods.contains("CheckpointCreate"))
  }

  @Test func aWiFiBesideACableIsToldAsWell() {
    let rig = Rig {
      $0.addPoint("Home", password: "secret-password")
      $0.setCable(true)
    }
    rig.wait(3)
    _ = rig.reports
    _ = rig.join("Home", "secret-password")
    rig.wait(3)
    #expect(
      rig.reports == [.joined("The box has joined the Wi-Fi Home, and goes on using the cable.")])
  }

  @Test func aWrongPasswordIsSaidAndForgotten() {
    let rig = Rig { $0.addPoint("Home", password: "secret-password") }
    _ = rig.join("Home", "another-password")
    _ = rig.loop.step()
    // It is saved already, and has not worked.
    #expect(rig.bus.savedWiFis == ["Home"])
    #expect(rig.state.known == [])
    #expect(rig.state.wifis.map(\.known) == [false])
    rig.wait(3)
    #expect(rig.state.change?.state == .failed)
    #expect(rig.state.change?.sentence == "The password of the Wi-Fi Home is wrong.")
    #expect(rig.state.problem == "The password of the Wi-Fi Home is wrong.")
    #expect(
      rig.reports.contains(
        .failed(cause: "wrong_password", "The password of the Wi-Fi Home is wrong.")))
    #expect(rig.bus.savedWiFis == [])
    _ = rig.join("Home", "secret-password")
    rig.wait(3)
    #expect(rig.state.change?.state == .done)
    #expect(rig.state.problem == nil)
  }

  /// Somebody imitates the Wi-Fi without its password: nothing of what a person types may go there.
  @Test func aPasswordIsNotDroppedForAnOpenWiFi() {
    let rig = Rig { $0.addPoint("Home") }
    #expect(
      rig.fault(.join(WiFiRequest(name: "Home", password: "secret-password"))) == .isOpen("Home"))
    #expect(rig.bus.savedWiFis == [])
    _ = rig.join("Home")
    rig.wait(3)
    #expect(rig.state.known == ["Home"])
  }

  @Test func aNewPasswordReplacesTheOldEntry() {
    let rig = Rig { $0.addPoint("Home", password: "secret-password") }
    _ = rig.join("Home", "secret-password")
    rig.wait(3)
    _ = rig.join("Home", "secret-password")
    rig.wait(3)
    #expect(rig.ask(.confirm(nil)) == .success("The box is in the Wi-Fi Home."))
    #expect(rig.bus.savedWiFis == ["Home"])
  }

  @Test func aChangeThatCutsSomebodyOffGoesBackUnlessConfirmed() {
    let rig = Rig { bus in
      bus.addPoint("Home", password: "secret-password")
      bus.addPoint("Cafe")
    }
    _ = rig.join("Home", "secret-password")
    rig.wait(3)
    _ = rig.reports
    _ = rig.join("Cafe")
    #expect(rig.state.change?.sentence.hasSuffix("within 60 s, it goes back.") ?? false)
    rig.wait(4)
    #expect(rig.state.sentence == "The box uses the Wi-Fi Cafe.")
    #expect(rig.state.change?.state == .unconfirmed)
    #expect((50...59).contains(rig.state.change?.secondsLeft ?? 0))
    rig.wait(61)
    #expect(rig.state.change?.state == .undone)
    #expect(rig.state.sentence == "The box uses the Wi-Fi Home.")
    #expect(rig.reports.contains { if case .undone = $0 { true } else { false } })

    _ = rig.join("Cafe")
    rig.wait(4)
    #expect(rig.fault(.confirm(1)) == .nothingToConfirm)
    #expect((try? rig.ask(.confirm(rig.state.change?.number)).get()) != nil)
    rig.wait(90)
    #expect(rig.state.change?.state == .done)
    #expect(rig.state.sentence == "The box uses the Wi-Fi Cafe.")
    #expect(rig.fault(.confirm(nil)) == .nothingToConfirm)
  }

  @Test func aFailedChangeGoesBackAtOnce() {
    let rig = Rig { bus in
      bus.addPoint("Home", password: "secret-password")
      bus.addPoint("Work", password: "another-password")
    }
    _ = rig.join("Home", "secret-password")
    rig.wait(3)
    _ = rig.join("Work", "not-the-password")
    rig.wait(4)
    #expect(rig.state.change?.sentence == "The password of the Wi-Fi Work is wrong.")
    #expect(rig.state.sentence == "The box uses the Wi-Fi Home.")
    #expect(rig.bus.savedWiFis == ["Home"])
  }

  @Test func whatCannotBeJoinedIsRefusedWithAReason() {
    let rig = Rig { bus in
      bus.addPoint("Home", password: "secret-password")
      bus.addPoint("Office", security: 0x200)
    }
    #expect(rig.fault(.join(WiFiRequest(name: "Home"))) == .passwordNeeded("Home"))
    #expect(rig.fault(.join(WiFiRequest(name: "Home", password: "short"))) == .unfitPassword)
    #expect(rig.fault(.join(WiFiRequest(name: "Office"))) == .enterprise("Office"))
    #expect(rig.fault(.join(WiFiRequest(name: ""))) == .unfitName)
    #expect(
      rig.fault(.join(WiFiRequest(name: String(repeating: "ä", count: 17)))) == .unfitName)
    #expect(rig.fault(.forget("Nowhere")) == .unknownWiFi("Nowhere"))
    rig.bus.removeRadio()
    rig.wait(2)
    #expect(rig.fault(.join(WiFiRequest(name: "Home", password: "secret-password"))) == .noRadio)
  }

  @Test func twoChangesAtATimeAreRefused() {
    let rig = Rig { $0.addPoint("Home", password: "secret-password") }
    _ = rig.loop.carryOut(.join(WiFiRequest(name: "Home", password: "secret-password")))
    #expect(rig.fault(.join(WiFiRequest(name: "Home", password: "secret-password"))) == .busy)
    #expect(rig.fault(.forget("Home")) == .busy)
  }

  @Test func aForgottenWiFiIsLeft() {
    let rig = Rig { $0.addPoint("Home", password: "secret-password") }
    _ = rig.join("Home", "secret-password")
    rig.wait(3)
    #expect(rig.ask(.forget("Home")) == .success("The Wi-Fi Home is forgotten."))
    #expect(rig.bus.savedWiFis == [])
    #expect(rig.state.ways.allSatisfy { !$0.inUse })
  }

  @Test func withoutTheRightTheSentenceSaysWhatIsMissing() {
    let rig = Rig { $0.addPoint("Home", password: "secret-password") }
    rig.bus.setAllowed(false)
    _ = rig.join("Home", "secret-password")
    rig.wait(1)
    #expect(rig.state.change?.sentence == NetworkError.forbidden.sentence)
    #expect(rig.fault(.scan) == .forbidden)
  }

  @Test func theRadioIsToldItsCountry() throws {
    let rig = Rig()
    let settings = try Configuration.load(
      file: nil, runTime: .directory("/nowhere"), overrides: ["wifi.country=DE"]
    ).settings
    rig.network.change(settings)
    rig.wait(2)
    let told = rig.bus.calls.filter { $0.destination == "fi.w1.wpa_supplicant1" }
    #expect(told.map(\.method) == ["GetInterface", "Set"])
    #expect(told.first?.arguments == [.text("wlan0")])
    #expect(told.last?.path == "/fi/w1/wpa_supplicant1/Interfaces/0")
    #expect(
      told.last?.arguments == [
        .text("fi.w1.wpa_supplicant1.Interface"), .text("Country"), .variant(.text("DE")),
      ])
  }

  @Test func noPasswordIsInWhatIsShown() {
    let rig = Rig { $0.addPoint("Home", password: "secret-password") }
    _ = rig.join("Home", "secret-password")
    rig.wait(3)
    #expect(!"\(rig.state)".contains("secret-password"))
    #expect(!"\(rig.reports)".contains("secret-password"))
    #expect(
      !"\(WiFiRequest(name: "Home", password: "secret-password"))".contains("secret-password"))
  }
}
