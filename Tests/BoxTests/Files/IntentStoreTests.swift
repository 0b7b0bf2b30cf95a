// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Director
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Box

/// The state that survives a power cut.
struct IntentStoreTests {
  private final class Reports: Sendable {
    let list = Mutex<[IntentStore.Report]>([])
    var all: [IntentStore.Report] { list.withLock { $0 } }
  }

  private let directory: String
  private let reports = Reports()

  init() throws {
    directory = stateDirectory()
  }

  private func store(_ clock: MediaClock = .system) -> IntentStore {
    let reports = reports
    return IntentStore(directory: directory, clock: clock) { report in
      reports.list.withLock { $0.append(report) }
    }
  }

  private func write(_ text: String, to path: String? = nil) {
    let file = unsafe open(path ?? "\(directory)/intent", O_CREAT | O_WRONLY | O_TRUNC, 0o600)
    _ = unsafe Glibc.write(file, text, text.utf8.count)
    close(file)
  }

  private func read(_ path: String) -> String {
    let file = unsafe open(path, O_RDONLY)
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 100)
    let count = unsafe Glibc.read(file, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  private func save(_ intents: Intent..., in store: IntentStore) {
    store.start()
    for intent in intents {
      store.save(intent)
      #expect(eventually { store.isSettled(intent) })
    }
  }

  /// - Parameter marks: bits: 1 for muted, 2 for video off, 4 for audio off.
  @Test(arguments: Intent.Broadcast.allCases, 0..<8)
  func theLastIntentIsFoundAgain(_ broadcast: Intent.Broadcast, marks: Int) {
    #expect(store().lastRunIntent == Intent())
    let marks = broadcast == .off ? 0 : marks
    let intent = Intent(
      broadcast: broadcast, isMuted: marks & 1 != 0, isVideoOff: marks & 2 != 0,
      isAudioOff: marks & 4 != 0)
    let first = store()
    first.save(Intent(broadcast: .live))
    save(intent, in: first)
    #expect(first.isSaved(intent))
    #expect(store().lastRunIntent == intent)
    #expect(first.stop(by: .now() + .seconds(60)))
    #expect(reports.all == [])
  }

  /// The last intent is not settled while an older one may still be written.
  @Test func anIntentThatIsBeingWrittenIsNotSettled() {
    let store = store()
    #expect(store.isSettled(Intent()))
    store.save(Intent(broadcast: .live))
    #expect(!store.isSettled(Intent(broadcast: .live)))
    store.save(Intent())
    #expect(!store.isSettled(Intent()), "the disk may have either")
    save(Intent(), in: store)
    #expect(store.stop(by: .now() + .seconds(60)))
  }

  @Test func aStopWritesTheLastIntent() {
    let store = store()
    store.start()
    store.save(Intent(broadcast: .live, isMuted: true))
    #expect(store.stop(by: .now() + .seconds(60)))
    #expect(self.store().lastRunIntent == Intent(broadcast: .live, isMuted: true))
  }

  @Test(arguments: ["", "\0\0\0\0\0\0\0\0", "paus", "LIVE"])
  func anUnknownStateIsPrivate(_ text: String) {
    write(text)
    let store = store()
    #expect(store.lastRunIntent == Intent(broadcast: .paused))
    #expect(!store.isSettled(store.lastRunIntent), "it is not on the disk")
    #expect(reports.all.count == 1)
    // The start replaces a damaged file.
    store.start()
    #expect(eventually { store.isSaved(store.lastRunIntent) })
    #expect(store.stop(by: .now() + .seconds(60)))
    #expect(reports.all.last == .saved)
    #expect(self.store().lastRunIntent == Intent(broadcast: .paused))
    #expect(reports.all.count == 2)
  }

  // MARK: Special files in the directory

  private static let treasure = "a file of somebody else, far away\n"

  private func expectUnusable(_ reason: String) {
    guard case .unusable(let sentence) = reports.all.first, sentence.contains(reason) else {
      Issue.record("not reported as unusable: \(reports.all)")
      return
    }
  }

  @Test func aSymbolicLinkIsNotFollowed() {
    let victim = "\(directory)/victim"
    write("live           \n", to: victim)
    #expect(unsafe symlink(victim, "\(directory)/intent") == 0)
    #expect(unsafe symlink(victim, "\(directory)/intent.new") == 0)
    let store = store()
    #expect(
      store.lastRunIntent == Intent(broadcast: .paused), "although the link leads to \"live\"")
    expectUnusable("is a symbolic link")
    save(Intent(), in: store)
    #expect(store.stop(by: .now() + .seconds(60)))
    #expect(read(victim) == "live           \n")
    #expect(self.store().lastRunIntent == Intent())
  }

  @Test func aHardLinkIsNotWrittenTo() {
    let victim = "\(directory)/victim"
    write("live           \n", to: victim)
    #expect(unsafe link(victim, "\(directory)/intent") == 0)
    #expect(unsafe link(victim, "\(directory)/intent.new") == 0)
    let store = store()
    #expect(store.lastRunIntent == Intent(broadcast: .paused))
    expectUnusable("has a second name")
    save(Intent(), in: store)
    #expect(store.stop(by: .now() + .seconds(60)))
    #expect(read(victim) == "live           \n")
    #expect(self.store().lastRunIntent == Intent())
  }

  /// If no new file can be created, the old file is overwritten, but not through a link.
  @Test(arguments: [true, false])
  func theFallbackFollowsNoLink(isSymbolic: Bool) {
    let victim = "\(directory)/victim"
    write(IntentStoreTests.treasure, to: victim)
    let path = "\(directory)/intent"
    #expect(unsafe (isSymbolic ? symlink(victim, path) : link(victim, path)) == 0)
    #expect(unsafe mkdir("\(directory)/intent.new", 0o700) == 0)
    let store = store()
    save(Intent(broadcast: .live), in: store)
    #expect(!store.isSaved(Intent(broadcast: .live)))
    #expect(store.stop(by: .now() + .seconds(60)))
    #expect(read(victim) == IntentStoreTests.treasure)
  }

  @Test(.enabled(if: isRoot, "only root can give a file to another user"))
  func aFileOfAnotherUserIsNotBelieved() {
    write("live           \n")
    #expect(unsafe chown("\(directory)/intent", stranger, 0) == 0)
    let store = store()
    #expect(store.lastRunIntent == Intent(broadcast: .paused))
    expectUnusable("belongs to another user (number 54321)")
    save(Intent(broadcast: .live), in: store)
    #expect(store.stop(by: .now() + .seconds(60)))
    #expect(
      self.store().lastRunIntent == Intent(broadcast: .live), "it was replaced by a file of its own"
    )
  }

  @Test func aPipeDoesNotBlock() {
    #expect(unsafe mkfifo("\(directory)/intent", 0o600) == 0)
    #expect(store().lastRunIntent == Intent(broadcast: .paused))
    expectUnusable("is not a regular file")
  }

  // MARK: A disk that fails

  /// A folder with the name of the new file prevents its creation, as a full disk would.
  @Test func withoutRoomForANewFileTheOldOneIsOverwritten() {
    write("live muted     \n")
    #expect(unsafe mkdir("\(directory)/intent.new", 0o700) == 0)
    let first = store()
    #expect(first.lastRunIntent == Intent(broadcast: .live, isMuted: true))
    save(Intent(broadcast: .paused), in: first)
    #expect(store().lastRunIntent == Intent(broadcast: .paused))
    #expect(reports.all == [])
    #expect(first.stop(by: .now() + .seconds(60)))
  }

  /// On a virtual clock: a failed write is reported once and retried every five seconds.
  @Test func aFailureIsReportedOnceAndRetried() {
    #expect(unsafe mkdir("\(directory)/intent.new", 0o700) == 0)
    let time = VirtualClock()
    let store = store(time.clock)
    save(Intent(broadcast: .live), Intent(broadcast: .paused), in: store)
    #expect(reports.all.count == 1)
    #expect(!store.isSaved(Intent(broadcast: .paused)))
    #expect(unsafe rmdir("\(directory)/intent.new") == 0)
    #expect(
      eventually {
        time.advance(by: .seconds(5))
        return store.isSaved(Intent(broadcast: .paused))
      })
    #expect(store.stop(by: .now() + .seconds(60)))
    #expect(reports.all.last == .saved)
    #expect(self.store().lastRunIntent == Intent(broadcast: .paused))
  }
}
