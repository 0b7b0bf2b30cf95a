// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Sticks

struct StickWatchTests {
  @Test func sticksAreToldWhenTheyComeAndGo() throws {
    let unit = try FakeUnit()
    let told = Mutex<[[String]]>([])
    let watch = StickWatch(unit.places) { sticks in
      told.withLock { $0.append(sticks.map { "\($0.device) \($0.id)" }) }
    }
    unit.writeReady("sda1", id: "A")
    watch.start()
    #expect(eventually { watch.sticks.map(\.id) == ["A"] })
    unit.writeReady("sdb1", id: "B")
    #expect(eventually { watch.sticks.map(\.id) == ["A", "B"] })
    unit.remove("sda1")
    #expect(eventually { watch.sticks.map(\.id) == ["B"] })
    // Written anew without a change.
    unit.writeReady("sdb1", id: "B")
    unit.writeReady("sdc1", id: "C")
    #expect(eventually { watch.sticks.map(\.id) == ["B", "C"] })
    #expect(watch.stop(by: .now() + .seconds(600)))
    #expect(
      told.withLock { $0 } == [
        ["sda1 A"], ["sda1 A", "sdb1 B"], ["sdb1 B"], ["sdb1 B", "sdc1 C"],
      ])
  }

  @Test func aFolderThatComesLaterIsFound() throws {
    let unit = try FakeUnit()
    unsafe rmdir(unit.places.list)
    let clock = VirtualClock()
    let watch = StickWatch(unit.places, clock: clock.clock) { _ in }
    watch.start()
    #expect(eventually { clock.awaitedDeadline > clock.now })
    unsafe mkdir(unit.places.list, 0o755)
    unit.writeReady("sda1", id: "A")
    clock.advance(by: .seconds(30))
    #expect(eventually { watch.sticks.map(\.id) == ["A"] })
    // It is removed and comes again.
    unit.remove("sda1")
    unsafe rmdir(unit.places.list)
    #expect(eventually { watch.sticks.isEmpty })
    unsafe mkdir(unit.places.list, 0o755)
    unit.writeReady("sdb1", id: "B")
    #expect(
      eventually {
        clock.advance(by: .seconds(30))
        return watch.sticks.map(\.id) == ["B"]
      })
    #expect(watch.stop(by: .now() + .seconds(600)))
  }
}
