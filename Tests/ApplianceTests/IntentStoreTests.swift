// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Director
import Glibc
import Media
import Synchronization
import Testing

@testable import Appliance

/// What a box knows of itself after a power cut.
struct IntentStoreTests {
  private final class Told: Sendable {
    let list = Mutex<[String]>([])
  }

  private let directory: String
  private let told = Told()

  init() throws {
    directory = StateDirectoryTests.fresh()
    _ = try StateDirectory(path: directory)
  }

  private func store() -> IntentStore {
    let told = told
    return IntentStore(directory: directory) { line in told.list.withLock { $0.append(line) } }
  }

  private func write(_ text: String) {
    let file = unsafe open("\(directory)/intent", O_CREAT | O_WRONLY | O_TRUNC, 0o600)
    _ = unsafe Glibc.write(file, text, text.utf8.count)
    close(file)
  }

  private func settled(_ store: IntentStore, _ intent: Intent) -> Bool {
    let deadline = MediaTime.now() + .seconds(5)
    while !store.isSettled(intent) {
      guard MediaTime.now() < deadline else { return false }
      (MediaTime.now() + .milliseconds(2)).sleepUntil()
    }
    return true
  }

  @Test(arguments: Intent.Broadcast.allCases, [false, true])
  func whatIsWantedIsFoundAgain(_ broadcast: Intent.Broadcast, isMuted: Bool) {
    #expect(store().found == Intent())
    let intent = Intent(broadcast: broadcast, isMuted: isMuted && broadcast != .off)
    let first = store()
    first.start()
    first.save(Intent(broadcast: .live))
    first.save(intent)
    #expect(settled(first, intent))
    #expect(store().found == intent)
    #expect(first.stop(by: .now() + .seconds(2)))
    #expect(told.list.withLock { $0 } == [])
  }

  /// What was saved last is not settled while an older one is written.
  @Test func whatIsUnderWayIsNotSettled() {
    let store = store()
    #expect(store.isSettled(Intent()))
    store.save(Intent(broadcast: .live))
    #expect(!store.isSettled(Intent(broadcast: .live)))
    store.save(Intent())
    #expect(!store.isSettled(Intent()), "the disk may have either")
    store.start()
    #expect(settled(store, Intent()))
    #expect(store.stop(by: .now() + .seconds(2)))
  }

  @Test(arguments: ["", "\0\0\0\0\0\0\0\0", "paus", "LIVE"])
  func whatCannotBeReadIsPrivate(_ text: String) {
    write(text)
    #expect(store().found == Intent(broadcast: .paused))
    #expect(told.list.withLock { $0.count } == 1)
  }

  /// A disk that has no room for a new file: a folder in its place does as well.
  @Test func withoutRoomForANewFileTheOldOneIsWrittenOver() {
    write("live muted     \n")
    let folder = unsafe mkdir("\(directory)/intent.new", 0o700)
    #expect(folder == 0)
    let first = store()
    #expect(first.found == Intent(broadcast: .live, isMuted: true))
    first.start()
    first.save(Intent(broadcast: .paused))
    #expect(settled(first, Intent(broadcast: .paused)))
    #expect(store().found == Intent(broadcast: .paused))
    #expect(told.list.withLock { $0 } == [])
    #expect(first.stop(by: .now() + .seconds(2)))
  }

  @Test func whatCannotBeWrittenIsToldOnceAndHoldsNothingUp() {
    let folder = unsafe mkdir("\(directory)/intent.new", 0o700)
    #expect(folder == 0)
    let store = store()
    store.start()
    for intent in [Intent(broadcast: .live), Intent(broadcast: .paused)] {
      store.save(intent)
      #expect(settled(store, intent))
    }
    #expect(told.list.withLock { $0.count } == 1)
    // It is tried again until it is there.
    let gone = unsafe rmdir("\(directory)/intent.new")
    #expect(gone == 0)
    #expect(store.stop(by: .now() + .seconds(2)))
    #expect(self.store().found == Intent(broadcast: .paused))
  }
}
