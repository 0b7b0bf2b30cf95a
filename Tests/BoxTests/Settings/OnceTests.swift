// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Director
import FakeServer
import Foundation
import Settings
import Testing

@testable import Box

/// An address of its own is for one broadcast: no other one goes there, whatever happens in between.
@Suite struct OnceTests {
  private static let mainPort = 11_111
  private static let oncePort = 22_222

  private func box(in directory: String? = nil, autostart: String = "resume") throws -> LiveStation
  {
    try LiveStation(
      port: OnceTests.mainPort, in: directory, "publish.autostart=\(autostart)")
  }

  private static let once = OnceDestination(
    url: "rtmp://127.0.0.1:\(OnceTests.oncePort)/live", key: "o")

  private func start(_ box: LiveStation) {
    #expect(box.desk.answer(OnceTests.once, by: "by test").ok)
    #expect(box.port == OnceTests.oncePort && hasFile(box.directory))
  }

  private func hasFile(_ directory: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(directory)/once.json")
  }

  /// As the power leaves it: what was to be saved has been.
  private func cut(_ box: LiveStation) {
    #expect(box.store.stop(by: .now() + .seconds(60)))
    #expect(box.station.stop(goodbye: false, by: .now() + .seconds(60)))
  }

  @Test func aPowerCutGoesOnThere() throws {
    let box = try box()
    start(box)
    _ = box.station.supervise(.now())
    cut(box)
    let again = try self.box(in: box.directory, autostart: "always")
    #expect(again.port == OnceTests.oncePort && again.station.intent.broadcast == .live)
    // It ends there, and the address goes with it.
    _ = again.station.supervise(.now())
    try again.station.perform(.stop, by: "by test")
    #expect(again.run { again.port == OnceTests.mainPort })
    #expect(!hasFile(box.directory))
    again.end()
  }

  /// With autostart = "never" the box is off air after a power cut.
  @Test func aBoxThatStaysOffAirForgetsIt() throws {
    let box = try box()
    start(box)
    _ = box.station.supervise(.now())
    cut(box)
    let again = try self.box(in: box.directory, autostart: "never")
    #expect(again.port == OnceTests.mainPort)
    #expect(again.run { !hasFile(box.directory) })
    try again.station.perform(.start, by: "by test")
    #expect(again.port == OnceTests.mainPort)
    again.end()
  }

  /// The power is cut during the good-bye: the box was to be off air.
  @Test(arguments: ["resume", "always"])
  func aPowerCutAtTheEndForgetsIt(autostart: String) throws {
    let box = try box()
    start(box)
    _ = box.station.supervise(.now())
    try box.station.perform(.stop, by: "by test")
    cut(box)
    #expect(hasFile(box.directory))
    let again = try self.box(in: box.directory, autostart: autostart)
    #expect(!hasFile(box.directory) && again.port == OnceTests.mainPort)
    #expect(again.station.intent.broadcast == (autostart == "always" ? .live : .off))
    again.end()
  }

  @Test func aStopBeforeTheBeginForgetsIt() throws {
    let box = try box()
    start(box)
    try box.station.perform(.stop, by: "by test")
    #expect(box.run { box.port == OnceTests.mainPort })
    #expect(!hasFile(box.directory) && box.count(.started) == 0)
    box.end()
  }

  /// The supervisor has seen neither the stop nor the start.
  @Test(arguments: [false, true])
  func theNextStartGoesToTheServerOfTheSettings(hasBegun: Bool) throws {
    let box = try box()
    start(box)
    if hasBegun { _ = box.station.supervise(.now()) }
    try box.station.perform(.stop, by: "by test")
    #expect(try box.station.perform(.start, by: "by test"))
    #expect(box.port == OnceTests.mainPort && !hasFile(box.directory))
    let count = hasBegun ? 2 : 1
    #expect(box.run { box.count(.started) == count && box.station.isOnAir })
    #expect(box.station.status.destinations.first?.url.contains(":11111/") == true)
    cut(box)
    let again = try self.box(in: box.directory)
    #expect(again.port == OnceTests.mainPort && again.station.intent.broadcast == .live)
    again.end()
  }

  @Test func aStopDuringARestartForgetsIt() throws {
    let box = try box()
    start(box)
    _ = box.station.supervise(.now())
    try box.station.perform(.restart, by: "by test")
    _ = box.station.supervise(.now())
    #expect(box.port == OnceTests.oncePort)
    try box.station.perform(.stop, by: "by test")
    #expect(box.run { box.port == OnceTests.mainPort })
    #expect(!hasFile(box.directory) && !box.station.isOnAir)
    box.end()
  }

  /// It would be at another address.
  @Test func aBoxWhoseAddressCannotBeReadStaysOffAir() throws {
    let box = try box()
    start(box)
    _ = box.station.supervise(.now())
    cut(box)
    try Data("{".utf8).write(to: URL(filePath: "\(box.directory)/once.json"))
    let again = try self.box(in: box.directory, autostart: "always")
    #expect(again.station.intent.broadcast == .off)
    // Nor does a new server bring it back by itself.
    _ = again.desk.answer(
      SettingsPatch(["publish.key": .text("another")]), by: "by test")
    #expect(again.station.intent.broadcast == .off)
    #expect(again.run { again.station.lamp == .offAir && !hasFile(box.directory) })
    again.end()
  }

  /// What the command line says comes first: the broadcast would go to the usual audience.
  @Test func itIsRefusedWhereTheCommandLineComesFirst() throws {
    let box = try LiveStation(
      port: OnceTests.mainPort, "publish.url=rtmp://127.0.0.1:33333/live")
    let once = OnceDestination(url: "rtmp://127.0.0.1:\(OnceTests.oncePort)/live", key: "o")
    let reply = box.desk.answer(once, by: "by test")
    #expect(reply.problems?.map(\.key) == ["publish.url"])
    #expect(box.station.intent == Intent() && !hasFile(box.directory))
    box.end()
  }

  @Test func aBroadcastIsNotMovedThere() throws {
    let box = try box()
    try box.station.perform(.start, by: "by test")
    #expect(box.desk.answer(OnceTests.once, by: "by test").code == "on_air")
    #expect(!hasFile(box.directory) && box.port == OnceTests.mainPort)
    box.end()
  }

  private let other = OnceDestination(url: "rtmp://127.0.0.1:33333/live", key: "p")

  /// An address that expires is replaced without an end of the broadcast.
  @Test func aNewAddressIsHandedIn() throws {
    let box = try box()
    start(box)
    _ = box.station.supervise(.now())
    let reply = box.desk.answer(movingTo: other, by: "by test")
    #expect(reply.ok && reply.changed)
    #expect(box.port == 33_333)
    #expect(box.run { box.station.status.destinations.first?.url.contains(":33333/") == true })
    #expect(box.count(.started) == 1 && box.count(.ended) == 0)
    cut(box)
    let again = try self.box(in: box.directory)
    #expect(again.port == 33_333, "and after a power cut, too")
    _ = again.station.supervise(.now())
    try again.station.perform(.stop, by: "by test")
    #expect(again.run { again.port == OnceTests.mainPort })
    again.end()
  }

  @Test func onlyABroadcastWithItsOwnAddressIsMoved() throws {
    let box = try box()
    #expect(box.desk.answer(movingTo: other, by: "by test").code == "off_air")
    try box.station.perform(.start, by: "by test")
    #expect(box.desk.answer(movingTo: other, by: "by test").code == "no_own_address")
    #expect(!hasFile(box.directory) && box.port == OnceTests.mainPort)
    let unfit = OnceDestination(url: "http://h/live", key: "p")
    #expect(
      box.desk.answer(movingTo: unfit, by: "by test").problems?.map(\.key) == ["publish.url"])
    box.end()
  }

  /// It is told to hand in another address, not to change a setting.
  @Test func itsExpiryIsTold() throws {
    let box = try box()
    let past = OnceDestination(
      url: "rtmp://127.0.0.1:\(OnceTests.oncePort)/live?expires=1500000000", key: "o")
    #expect(box.desk.answer(past, by: "by test").ok)
    #expect(box.run { box.count(.urlExpired) == 1 })
    let event = box.events.first { $0.code == .urlExpired }
    #expect(
      event?.subject == "destination" && event?.sentence.contains("PUT /api/destination") == true)
    #expect(box.station.status.troubles.contains { $0.cause == "url_expired" })
    _ = box.desk.answer(movingTo: other, by: "by test")
    #expect(!box.station.status.troubles.contains { $0.cause == "url_expired" })
    box.end()
  }
}
