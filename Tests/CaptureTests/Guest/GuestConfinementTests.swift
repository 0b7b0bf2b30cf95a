// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Foundation
import Glibc
import Media
import Synchronization
import TestSupport
import Testing

@testable import Capture

/// What a reader may do, tried from inside it; and memory with nonsense in it.
extension GuestProcessTests {
  @Suite struct GuestConfinementTests {
    @Test func aReaderCanDoNothingButRead() throws {
      let rig = GuestRig("tries")
      defer { rig.stop() }
      let tried = try #require(rig.tracks()?.audio?.sampleRate)
      #expect(tried > 70)
      #expect(rig.offline() == GuestOffline("anna", nil))
    }

    @Test func aReaderWithOtherThreadsIsNotConfined() throws {
      let rig = GuestRig("threaded")
      defer { rig.stop() }
      let offline = try #require(rig.offline())
      #expect(offline.fault == .noReader && offline.sentence.contains("other threads"))
    }

    @Test func aReaderReachesItsOwnAddress() {
      let echo = Echo()
      defer { echo.stop() }
      let rig = GuestRig("reaches", address: "http://127.0.0.1:\(echo.port)/")
      defer { rig.stop() }
      #expect(rig.offline() == GuestOffline("anna", nil))
    }

    /// The box itself is an address of guests only where the settings say so.
    @Test func theBoxItselfIsReachedIfThatIsAllowed() {
      let echo = Echo()
      defer { echo.stop() }
      let address = "http://127.0.0.1:\(echo.port)/"
      let refused = GuestRig("reaches", address: address, rules: AddressRules())
      defer { refused.stop() }
      #expect(refused.offline()?.fault == .wrongAddress)
      let allowed = GuestRig("reaches", address: address, allowsOwn: true, rules: AddressRules())
      defer { allowed.stop() }
      #expect(allowed.offline() == GuestOffline("anna", nil))
    }

    /// Random bytes in all that a reader can write: what OnAir makes of them has possible values.
    @Test(arguments: ["scribbles", "scribbles-and-sends"])
    func nonsenseInTheMemoryDoesNoHarm(_ what: String) {
      let rig = GuestRig(what)
      rig.line.want(GuestWants(pictures: .all))
      let queue = PCMQueue(channels: 2, capacity: 400)
      let source = rig.line.makeSource(into: queue)
      source.start()
      var samples = [Float](repeating: 0, count: PCMQueue.chunkFrames * 2)
      var (frames, hasSound) = (0, false)
      let isDone = eventually {
        while let frame = rig.line.frames.takeNow() {
          frames += 1
          let size = frame.format.size
          #expect((2...1280).contains(size.width) && (2...1280).contains(size.height))
          #expect(size.width % 2 == 0 && size.height % 2 == 0)
          #expect(unsafe frame.bytes.count == size.width * size.height * 3 / 2)
          #expect((1...22).contains(frame.format.colour.matrix))
        }
        while unsafe queue.takeNow(into: &samples) != nil {
          #expect(samples.allSatisfy { abs($0) <= 4 })
          if samples.contains(where: { $0 != 0 }) { hasSound = true }
        }
        let level = rig.line.level
        #expect((0...4).contains(level))
        _ = rig.line.copyPicture()
        return what == "scribbles"
          ? frames >= often(1_000) && hasSound
          : rig.reports.contains { if case .offline = $0 { true } else { false } }
      }
      #expect(isDone)
      if what == "scribbles" { #expect(rig.reports == [.connecting]) }
      source.stop(by: .now() + .seconds(60))
      #expect(rig.stop())
      #expect(GuestRig.children.isEmpty && GuestRig.memories == 0)
    }

    /// A server that sends back what it gets, by TCP and UDP at the same port.
    private final class Echo: Sendable {
      let port: UInt16
      private let sockets: [Int32]
      private let isStopped = Atomic(false)
      private let left = Atomic(2)

      init() {
        var (tcp, udp, port): (Int32, Int32, UInt16) = (-1, -1, 0)
        // The port that TCP gets may be taken for UDP.
        while true {
          (tcp, port) = Echo.bound(SOCK_STREAM, 0)
          (udp, _) = Echo.bound(SOCK_DGRAM, port)
          if udp >= 0 { break }
          close(tcp)
        }
        listen(tcp, 4)
        (self.port, sockets) = (port, [tcp, udp])
        for socket in sockets {
          Thread.detachNewThread { [self] in
            serve(socket, isStream: socket == sockets[0])
            left.subtract(1, ordering: .sequentiallyConsistent)
          }
        }
      }

      func stop() {
        isStopped.store(true, ordering: .relaxed)
        _ = eventually { left.load(ordering: .sequentiallyConsistent) == 0 }
        sockets.forEach { _ = close($0) }
      }

      private func serve(_ socket: Int32, isStream: Bool) {
        while !isStopped.load(ordering: .relaxed) {
          var waiting = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
          guard unsafe poll(&waiting, 1, 20) > 0 else { continue }
          let peer = isStream ? accept(socket, nil, nil) : socket
          var bytes = [UInt8](repeating: 0, count: 64)
          var (from, length) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
          unsafe withUnsafeMutablePointer(to: &from) { from in
            let from = unsafe UnsafeMutableRawPointer(from).assumingMemoryBound(to: sockaddr.self)
            if isStream {
              let count = unsafe recv(peer, &bytes, bytes.count, 0)
              _ = unsafe send(peer, bytes, max(0, count), Int32(MSG_NOSIGNAL))
            } else {
              let count = unsafe recvfrom(peer, &bytes, bytes.count, 0, from, &length)
              _ = unsafe sendto(peer, bytes, max(0, count), 0, from, length)
            }
          }
          if isStream { close(peer) }
        }
      }

      private static func bound(_ type: __socket_type, _ port: UInt16) -> (Int32, UInt16) {
        let descriptor = socket(AF_INET, Int32(type.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return unsafe withUnsafeMutablePointer(to: &address) { pointer in
          let general = unsafe UnsafeMutableRawPointer(pointer).assumingMemoryBound(
            to: sockaddr.self)
          guard unsafe bind(descriptor, general, length) == 0,
            unsafe getsockname(descriptor, general, &length) == 0
          else {
            close(descriptor)
            return (-1, 0)
          }
          return (descriptor, unsafe UInt16(bigEndian: pointer.pointee.sin_port))
        }
      }
    }
  }
}
