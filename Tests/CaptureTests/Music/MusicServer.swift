// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Glibc
import Media
import Synchronization
import Testing

@testable import Capture

/// An HTTP server on 127.0.0.2 whose answers a test writes. Each connection has a thread.
final class MusicServer: Sendable {
  /// The address that the rules of these tests allow; all others of loopback are refused, as in the program.
  static let host = "127.0.0.2"
  static let rules = AddressRules(own: { [] }, verdict: { $0 == [127, 0, 0, 2] ? .global : nil })

  /// A connection, with the request that came on it.
  final class Connection: Sendable {
    let socket: Int32
    let path: String
    let head: String
    /// The number of this connection for its path, from 1 on.
    let number: Int
    private let server: MusicServer

    init(socket: Int32, path: String, head: String, number: Int, server: MusicServer) {
      (self.socket, self.path, self.head) = (socket, path, head)
      (self.number, self.server) = (number, server)
    }

    /// - Returns: `false` if the client has gone.
    @discardableResult func send(_ bytes: [UInt8]) -> Bool {
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = unsafe rest.withUnsafeBytes {
          unsafe Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }

    @discardableResult func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    func answer(_ body: [UInt8], _ fields: String = "", status: String = "200 OK") {
      send("HTTP/1.1 \(status)\r\nContent-Length: \(body.count)\r\n\(fields)\r\n")
      send(body)
    }

    /// Waits until the client has gone, or the server ends.
    func hold() {
      var byte: UInt8 = 0
      while !server.isOver.load(ordering: .relaxed) {
        var poll = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        if unsafe Glibc.poll(&poll, 1, 10) > 0, unsafe recv(socket, &byte, 1, 0) <= 0 { return }
      }
    }
  }

  let port: UInt16
  fileprivate let isOver = Atomic(false)
  private let listener: Int32
  private let counts = Mutex<[String: Int]>([:])
  private let handle: @Sendable (Connection) -> Void

  init(_ handle: @escaping @Sendable (Connection) -> Void) throws {
    self.handle = handle
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = unsafe inet_addr(MusicServer.host)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = self.listener
    let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(listener, $0, length) == 0 && listen(listener, 64) == 0
          && getsockname(listener, $0, &length) == 0
      }
    }
    try #require(isBound)
    port = UInt16(bigEndian: address.sin_port)
    _ = MediaThread(name: "music-server", urgency: .ordinary) { [self] in accept() }
  }

  func stop() {
    isOver.store(true, ordering: .relaxed)
    shutdown(listener, Int32(SHUT_RDWR))
  }

  func url(_ path: String) -> String { "http://\(MusicServer.host):\(port)\(path)" }

  func address(_ path: String) throws -> MusicAddress { try #require(MusicAddress(url(path))) }

  /// How many connections have asked for a path.
  func connections(_ path: String) -> Int { counts.withLock { $0[path] ?? 0 } }

  private func accept() {
    while !isOver.load(ordering: .relaxed) {
      let socket = Glibc.accept(listener, nil, nil)
      guard socket >= 0 else { break }
      _ = MediaThread(name: "music-answer", urgency: .ordinary) { [self] in
        answer(socket)
        close(socket)
      }
    }
    close(listener)
  }

  private func answer(_ socket: Int32) {
    var head: [UInt8] = []
    var byte: UInt8 = 0
    while HTTPHead.end(in: head) == nil {
      guard unsafe recv(socket, &byte, 1, 0) == 1 else { return }
      head.append(byte)
    }
    let text = String(decoding: head, as: UTF8.self)
    let path = text.split(separator: " ").dropFirst().first.map(String.init) ?? ""
    let number = counts.withLock { counts in
      counts[path, default: 0] += 1
      return counts[path] ?? 0
    }
    handle(Connection(socket: socket, path: path, head: text, number: number, server: self))
    // A reset could overtake the last bytes.
    shutdown(socket, Int32(SHUT_WR))
  }
}

/// A WAV in mono at 8 kHz, in 32-bit float: 32,000 bytes for each second. Of one in 16 bits FFmpeg reads the first 64
/// kB before it says anything, since it could be S/PDIF.
enum TestSound {
  static let rate = 8_000

  private static func number(_ value: Int, _ bytes: Int) -> [UInt8] {
    (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// - Parameter bytes: of samples; `nil` for the head of a stream without end.
  static func head(bytes: Int?) -> [UInt8] {
    let size = bytes ?? 0x7FFF_FF00
    var head = Array("RIFF".utf8) + number(36 + size, 4) + Array("WAVEfmt ".utf8)
    head += number(16, 4) + number(3, 2) + number(1, 2) + number(rate, 4)
    head += number(rate * 4, 4) + number(4, 2) + number(32, 2)
    return head + Array("data".utf8) + number(size, 4)
  }

  /// A tone of 250 Hz, whose period is a whole number of samples. A second of the usual amplitude is made only once:
  /// it takes long in a debug build, while the virtual time goes on.
  static func samples(seconds: Double, amplitude: Double = 0.5) -> [UInt8] {
    let one = amplitude == 0.5 ? second : makeSecond(amplitude)
    var bytes: [UInt8] = []
    var left = Int(seconds * Double(rate)) * 4
    while left > 0 {
      bytes += one.prefix(left)
      left -= one.count
    }
    return bytes
  }

  private static let second = makeSecond(0.5)

  private static func makeSecond(_ amplitude: Double) -> [UInt8] {
    (0..<rate).flatMap {
      number(Int(Float(sin(Double($0) / 32 * 2 * .pi) * amplitude).bitPattern), 4)
    }
  }

  static func file(seconds: Double, amplitude: Double = 0.5) -> [UInt8] {
    let samples = samples(seconds: seconds, amplitude: amplitude)
    return head(bytes: samples.count) + samples
  }
}

/// A player on a virtual clock, and what is heard of it.
final class MusicBench {
  static let step: Int64 = .milliseconds(20)

  let time = VirtualClock()
  /// Real time in nanoseconds that each step takes at least.
  private let pause: Int64
  let player: MusicPlayer
  let queue: PCMQueue
  private(set) var feed: (any Source)?
  private let list: Reporting
  /// All samples so far, in order of time, and the time of the first.
  private(set) var heard: [Float] = []
  private(set) var begin: MediaTime?
  private(set) var next: MediaTime?
  /// Breaks in the sequence of chunks.
  private(set) var breaks = 0

  private final class Reporting: Sendable {
    let all = Mutex<[(report: MusicReport, at: MediaTime)]>([])
  }

  /// - Parameter isOnNetwork: whether sockets need real time.
  init(
    _ net: MusicNet = MusicNet(rules: MusicServer.rules), channels: Int = 1,
    isOnNetwork: Bool = false
  ) {
    _ = TestSound.samples(seconds: 1)
    pause = isOnNetwork ? .milliseconds(2) : .milliseconds(1) / 2
    let list = Reporting()
    self.list = list
    let clock = time.clock
    player = MusicPlayer(net: net, clock: clock) { report in
      list.all.withLock { $0.append((report, clock.now)) }
    }
    queue = PCMQueue(channels: channels, capacity: 400, clock: clock)
  }

  deinit {
    player.stop()
    feed?.stop(by: .now() + .seconds(30))
  }

  var reports: [MusicReport] { list.all.withLock { $0.map(\.report) } }
  var times: [(report: MusicReport, at: MediaTime)] { list.all.withLock { $0 } }

  func open() {
    let feed = player.makeSource(into: queue)
    self.feed = feed
    feed.start()
  }

  func close() {
    #expect(feed?.stop(by: .now() + .seconds(30)) ?? true)
    feed = nil
    next = nil
  }

  func play(_ source: MusicSource, loops: Bool = false, name: String = "it") {
    player.start(MusicRequest(source: source, loops: loops, name: name))
  }

  /// Moves the clock in steps, each when the feed has done its work, and gives sockets a moment of real time.
  func run(seconds: Double, step: Int64 = MusicBench.step, until isDone: () -> Bool = { false }) {
    let end = time.now + Int64(seconds * 1e9)
    while time.now < end, !isDone() {
      (MediaTime.now() + pause).sleepUntil()
      time.advance(by: step)
      let patience = MediaTime.now() + .seconds(60)
      while feed != nil, time.waitingThreads == 0, MediaTime.now() < patience {
        (MediaTime.now() + 50_000).sleepUntil()
      }
      // The thread that reads may be at work, or at its end.
      let soon = MediaTime.now() + .milliseconds(4)
      while feed != nil, time.waitingThreads < 2, MediaTime.now() < soon {
        (MediaTime.now() + 50_000).sleepUntil()
      }
      for chunk in queue.takeAll() { take(chunk) }
    }
  }

  private func take(_ chunk: AudioChunk) {
    if begin == nil { begin = chunk.startsAt }
    if let next, abs(chunk.startsAt - next) > 1_000 { breaks += 1 }
    next = chunk.startsAt + PCM.nanos(frames: chunk.samples.count / queue.channels)
    heard += chunk.samples
  }

  /// The largest amplitude in each 20 ms.
  var levels: [Float] {
    stride(from: 0, to: heard.count - 959, by: 960).map { start in
      heard[start..<start + 960].reduce(0) { max($0, abs($1)) }
    }
  }

  /// The seconds in which anything is heard.
  var soundSeconds: Double { Double(levels.count { $0 > 0.05 }) * 0.02 }
}
