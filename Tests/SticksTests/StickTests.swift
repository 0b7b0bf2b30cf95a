// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Glibc
import TestSupport
import Testing

@testable import Sticks

/// The folders of a box, in which a test writes what the root unit would.
struct FakeUnit {
  let places: StickPlaces

  /// - Parameter media: the folder in which sticks are mounted; `nil` for one of its own.
  init(media: String? = nil) throws {
    let folder = stateDirectory()
    let media = media ?? folder
    places = try #require(
      StickPlaces(environment: ["ONAIR_MEDIA": media, "RUNTIME_DIRECTORY": folder]))
    if media == folder { unsafe mkdir(places.list, 0o755) }
  }

  func write(_ device: String, _ lines: String...) {
    let text = lines.joined(separator: "\n") + "\n"
    let file = unsafe open("\(places.list)/.\(device)", O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    _ = unsafe Glibc.write(file, text, text.utf8.count)
    close(file)
    unsafe rename("\(places.list)/.\(device)", "\(places.list)/\(device)")
  }

  func writeReady(_ device: String, id: String, free: Int = 1_000, refused: Int = 0) {
    write(
      device, "id=\(id)", "label=", "type=exfat", "size=2000", "state=ready",
      "directory=\(places.media)/\(id)/OnAir", "free=\(free)", "refused=\(refused)")
  }

  func remove(_ device: String) { unsafe unlink("\(places.list)/\(device)") }

  var request: String? {
    let file = unsafe open("\(places.requests)/media-request", O_RDONLY)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 200)
    let count = unsafe read(file, &bytes, bytes.count)
    return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
  }
}

struct StickTests {
  @Test func theFileOfADeviceIsParsed() throws {
    let unit = try FakeUnit()
    unit.write(
      "sda1", "id=1A2B-3C4D", "label=HOLIDAY\\x20\\xc3\\xa4\\x1b[m", "type=exfat",
      "size=31914983424", "state=ready", "directory=\(unit.places.media)/1A2B-3C4D/OnAir",
      "free=31900000000", "refused=2")
    unit.write("sdb", "id=sdb", "type=ntfs", "size=7", "state=unusable", "problem=format")
    let sticks = unit.places.sticks
    #expect(sticks.map(\.device) == ["sda1", "sdb"])
    #expect(sticks[0].id == "1A2B-3C4D")
    #expect(sticks[0].label == "HOLIDAY ä [m")
    #expect(sticks[0].directory == "\(unit.places.media)/1A2B-3C4D/OnAir")
    #expect(sticks[0].sizeBytes == 31_914_983_424)
    #expect(sticks[0].freeBytes == 31_900_000_000)
    #expect(sticks[0].refusals == 2)
    #expect(sticks[0].sentence == nil)
    #expect(sticks[1].state == .unusable(.format))
    #expect(
      sticks[1].sentence
        == "The stick has a format that OnAir cannot write (ntfs): format it as exFAT.")
  }

  @Test func whatIsNotWholeIsNoStick() throws {
    let unit = try FakeUnit()
    unit.write("sda1", "")
    unit.write("sdb1", "id=", "state=removed")
    unit.write("sdc1", "id=A", "state=flying")
    // A folder elsewhere is not taken.
    unit.write("sdd1", "id=A", "state=ready", "directory=/etc")
    unit.write("sde1", "id=A", "state=ready")
    #expect(unit.places.sticks.isEmpty)
    for problem in Stick.Problem.allCases {
      unit.write("sda1", "id=A", "state=unusable", "problem=\(problem.rawValue)")
      #expect(unit.places.sticks.map(\.state) == [.unusable(problem)])
    }
    unit.write("sda1", "id=A", "state=unusable", "problem=new")
    #expect(unit.places.sticks.map(\.state) == [.unusable(.damaged)])
  }

  @Test func theStickThatWasUsedLastIsUsedAgain() throws {
    let unit = try FakeUnit()
    #expect(unit.places.sticks.chosen(lastUsed: nil) == nil)
    unit.writeReady("sda1", id: "A", free: 5)
    unit.writeReady("sdb1", id: "B", free: 9)
    unit.writeReady("sdc1", id: "C", free: 9)
    unit.write("sdd1", "id=D", "state=removed")
    #expect(unit.places.sticks.chosen(lastUsed: nil)?.id == "B")
    #expect(unit.places.sticks.chosen(lastUsed: "A")?.id == "A")
    #expect(unit.places.sticks.chosen(lastUsed: "D")?.id == "B")
    // It has another letter after it was pulled.
    unit.remove("sda1")
    unit.writeReady("sde1", id: "A", free: 1)
    #expect(unit.places.sticks.chosen(lastUsed: "A")?.device == "sde1")
  }

  @Test func aRemovalIsRequestedAndAnswered() throws {
    let unit = try FakeUnit()
    unit.writeReady("sda1", id: "A", refused: 1)
    let stick = try #require(unit.places.sticks.first)
    try unit.places.requestRemoval(of: stick)
    #expect(unit.request == "remove A\n")
    let now = MediaTime(nanos: 0)
    let removal = StickRemoval(of: stick, now: now)
    #expect(removal.outcome(unit.places.sticks, now: now) == .waiting)
    let late = now + StickRemoval.patienceNanos
    #expect(removal.outcome(unit.places.sticks, now: late) == .unanswered)
    unit.writeReady("sda1", id: "A", refused: 2)
    #expect(removal.outcome(unit.places.sticks, now: now) == .refused)
    unit.write("sda1", "id=A", "state=removed")
    #expect(removal.outcome(unit.places.sticks, now: late) == .done)
    // Another one in its place.
    unit.writeReady("sda1", id: "B")
    #expect(removal.outcome(unit.places.sticks, now: now) == .done)
    unit.remove("sda1")
    #expect(removal.outcome(unit.places.sticks, now: now) == .done)
  }

  @Test func withoutTheUnitsFolderThereAreNoSticks() {
    #expect(StickPlaces(environment: ["RUNTIME_DIRECTORY": "/run/onair"]) == nil)
    let places = StickPlaces(
      environment: ["ONAIR_MEDIA": "/nowhere", "RUNTIME_DIRECTORY": "/nowhere"])
    #expect(places?.sticks.isEmpty == true)
  }
}
