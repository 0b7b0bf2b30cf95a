// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import CProcess
import Foundation
import Glibc
import Posix
import Synchronization
import TestSupport
import Testing

@testable import Capture

/// Readers that the service manager starts, one for each connection (systemd/onair-guest.socket).
extension GuestProcessTests {
  @Suite struct GuestServiceTests {
    @Test func aReaderPlaysAndReturns() throws {
      let manager = try Manager("plays")
      defer { manager.stop() }
      let rig = GuestRig("never", service: manager.path)
      #expect(rig.tracks()?.video?.codec == "h264")
      #expect(eventually { rig.line.picture != nil && rig.line.level > 0.4 })
      #expect(rig.stop())
      #expect(manager.ends() == [0])
      #expect(GuestRig.memories == 0)
    }

    /// The process is not a child of OnAir, which may not even send it a signal.
    @Test(arguments: ["deaf", "hangs"])
    func aReaderThatDoesNotReturnIsKilled(_ what: String) throws {
      let manager = try Manager(what)
      defer { manager.stop() }
      let rig = GuestRig("never", service: manager.path)
      #expect(rig.tracks() != nil)
      #expect(rig.stop())
      #expect(manager.ends() == [-SIGKILL])
      #expect(GuestRig.memories == 0)
    }

    @Test func aReaderThatCrashesIsStartedAgain() throws {
      let manager = try Manager("crashes")
      defer { manager.stop() }
      let rig = GuestRig("never", service: manager.path)
      #expect(rig.offline() == GuestOffline("anna", .readerFailed))
      #expect(eventually { manager.started >= 2 })
      #expect(rig.stop())
      #expect(manager.ends().allSatisfy { $0 == -SIGSEGV || $0 == -SIGKILL })
    }

    @Test func itCanDoNoMoreThanAChild() throws {
      let manager = try Manager("tries")
      defer { manager.stop() }
      let rig = GuestRig("never", service: manager.path)
      defer { rig.stop() }
      #expect(rig.tracks()?.audio?.sampleRate ?? 0 > 70)
      #expect(rig.offline() == GuestOffline("anna", nil))
    }

    /// Without the service, a reader is a child of OnAir.
    @Test func withoutTheServiceItIsSpawned() {
      let rig = GuestRig("plays", service: "/nowhere/onair-guests")
      #expect(rig.tracks() != nil)
      #expect(GuestRig.children.count == 1)
      #expect(rig.stop())
      #expect(GuestRig.children.isEmpty)
    }

    /// Its unit may be broken, or have no room. That is told, and after three attempts OnAir starts readers itself.
    @Test func whatTheServiceCannotStartIsSpawned() throws {
      let manager = try Manager("exits-at-once")
      defer { manager.stop() }
      let rig = GuestRig("plays", service: manager.path)
      let offline = try #require(rig.offline())
      #expect(offline.fault == .readerFailed && offline.sentence.contains("systemd did not"))
      #expect(rig.tracks() != nil)
      #expect(manager.ends() == [70, 70, 70] && GuestRig.children.count == 1)
      #expect(rig.stop())
    }

    /// A child has OnAir's user, so that Landlock has to keep it away from OnAir's files. The service has another user.
    @Test func onlyTheServiceCanDoWithoutLandlock() throws {
      let child = GuestRig("plays", hasLandlock: false)
      let offline = try #require(child.offline())
      #expect(offline.fault == .noReader && offline.sentence.contains("no Landlock"))
      #expect(child.stop())
      let manager = try Manager("plays")
      defer { manager.stop() }
      let rig = GuestRig("never", service: manager.path, hasLandlock: false)
      #expect(rig.tracks() != nil)
      #expect(rig.stop())
    }

    /// Starts the probe for each connection, as the service manager does.
    private final class Manager: Sendable {
      let path: String
      private let listening: Int32
      private let what: String
      private let numbers = Mutex<[pid_t]>([])
      private let isStopped = Atomic(false)
      private let hasEnded = Atomic(false)

      init(_ what: String) throws {
        self.what = what
        let path = FileManager.default.temporaryDirectory
          .appending(path: "onair-guests-\(UUID().uuidString.prefix(8))").path
        self.path = path
        listening = socket(
          AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { place in
          unsafe place.copyBytes(from: path.utf8)
        }
        let status = unsafe withUnsafePointer(to: &address) { address in
          unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe bind(listening, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
          }
        }
        guard status == 0, listen(listening, 8) == 0 else { throw SystemError() }
        Thread.detachNewThread { [self] in serve() }
      }

      private func serve() {
        while !isStopped.load(ordering: .relaxed) {
          var waiting = pollfd(fd: listening, events: Int16(POLLIN), revents: 0)
          guard unsafe poll(&waiting, 1, 20) > 0 else { continue }
          let connection = accept(listening, nil, nil)
          _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
          var number: pid_t = 0
          let status = unsafe withArgumentList(["guest-probe", what, "service"]) {
            unsafe onair_process_spawn(GuestRig.probe, $0, [connection], 1, 0, &number)
          }
          close(connection)
          if status == 0 { numbers.withLock { $0.append(number) } }
        }
        hasEnded.store(true, ordering: .sequentiallyConsistent)
      }

      /// How many readers have been started.
      var started: Int { numbers.withLock { $0.count } }

      /// Waits for the end of all readers.
      /// - Returns: for each its exit code, or the number of the signal that has ended it, negated; `nil` for one that
      ///   does not end.
      func ends() -> [Int32?] {
        numbers.withLock { numbers in
          defer { numbers = [] }
          return numbers.map { number in
            var status: Int32 = 0
            guard eventually({ unsafe waitpid(number, &status, WNOHANG) == number }) else {
              return nil
            }
            return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
          }
        }
      }

      func stop() {
        isStopped.store(true, ordering: .relaxed)
        _ = eventually { hasEnded.load(ordering: .sequentiallyConsistent) }
        for number in numbers.withLock({ $0 }) { _ = onair_process_end(number, -1) }
        close(listening)
        unsafe unlink(path)
      }
    }
  }
}
