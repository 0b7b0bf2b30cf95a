// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Access
import Base
import Capture
import FakeNetwork
import FoundationEssentials
import Glibc
import Logging
import Networking
import Posix
import Settings
import Studio
import Synchronization
import TestSupport
import Testing

@testable import Box
@testable import Control
@testable import Events

/// A station with its API, and requests to it over real sockets.
final class ServedStation: Sendable {
  /// Runs `body` on a thread of its own: it blocks, which a thread of Swift concurrency must not.
  static func run(_ body: @escaping @Sendable (ServedStation) throws -> Void) async throws {
    let worker = Worker(name: "api test")
    try await withCheckedThrowingContinuation { continuation in
      worker.start {
        continuation.resume(
          with: Result {
            let box = try ServedStation()
            defer { box.end() }
            try body(box)
          })
      }
    }
  }

  let directory = stateDirectory()
  let desk: SettingsDesk
  var station: Station { desk.station }
  let server: ControlServer
  let manager: FakeBus
  let network: Network
  private let store: IntentStore
  /// The bus on which a restart of the machine would be asked for.
  let machine = SilentBus()
  /// In which an image says how updates went, and in which OnAir asks for them.
  var updates: (results: String, requests: String) {
    ("\(directory)/../results", "\(directory)/../requests")
  }
  private let reserved: ReservedPort
  var port: Int { reserved.number }
  /// A token for each scope.
  let tokens: [String: String]
  static let password = "correct horse"

  private init() throws {
    reserved = try #require(ReservedPort())
    let port = reserved.number
    let file = "\(directory)/../box.toml"
    // On a machine that runs many tests, a box without a network would soon make its own Wi-Fi, in which it sees no other.
    let settings = "page.listen = \"127.0.0.1:\(port)\"\nvideo.fps = 25\nwifi.hotspot = false\n"
    try Data(settings.utf8).write(to: URL(filePath: file))
    let directory = directory
    let load: SettingsReader = { source throws(ConfigurationError) in
      try Configuration.load(
        file: file, runTime: source, overrides: ["state.directory=\(directory)"], environment: [:])
    }
    store = IntentStore(directory: directory) { _ in }
    store.start()
    let configuration = try load(.directory(directory))
    let station = Station(
      configuration: configuration, reload: load, store: store,
      events: EventLog(log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }),
      guestStage: EmptyStage())
    desk = SettingsDesk(station, configuration: configuration, reload: load)
    let access = Access(directory: directory, hashing: .ordinary) { _ in }
    let manager = FakeBus()
    self.manager = manager
    network = Network(settings: station.settings.wifi, clock: .system, bus: { manager }) { _ in }
    let updates = (results: "\(directory)/../results", requests: "\(directory)/../requests")
    for folder in [updates.results, updates.requests] { File.makePrivateFolder(folder) }
    server = ControlServer(
      desk: desk, access: access, network: network,
      update: SystemUpdate(
        environment: ["ONAIR_UPDATES": updates.results, "RUNTIME_DIRECTORY": updates.requests],
        directory: directory),
      power: MachinePower { [machine] in machine }, log: LogTail(), directory: directory)
    network.start()
    server.start()
    let path = ControlClient.socket(in: directory)
    #expect(
      eventually {
        !ServedStation.send(ServedStation.get("/api/status"), to: path).isEmpty
          && !ServedStation.send(ServedStation.get("/api/status"), port: port).isEmpty
      })
    let isSet = try ServedStation.insist { _ in
      let reply = try ControlClient.setPassword(ServedStation.password, directory: directory)
      guard reply.ok else { throw RefusedError(sentence: reply.sentence ?? "") }
      return true
    }
    #expect(isSet)
    var tokens: [String: String] = [:]
    for scope in ["read", "operate", "control", "admin"] {
      tokens[scope] = try ServedStation.insist { attempt in
        let name = attempt == 1 ? scope : "\(scope)-\(attempt)"
        return try ControlClient.makeToken(name, scope: scope, directory: directory)
      }.token
    }
    self.tokens = tokens
  }

  private func end() {
    let deadline = MediaTime.now() + .seconds(60)
    #expect(server.stop(by: deadline) && network.stop(by: deadline) && store.stop(by: deadline))
  }

  private struct RefusedError: Error { let sentence: String }

  /// Asks again: on a machine that runs many tests, an answer may take longer than the command line waits for it.
  private static func insist<Answer>(_ request: (Int) throws -> Answer) throws -> Answer {
    for attempt in 1..<60 {
      if let answer = try? request(attempt) { return answer }
      usleep(1_000_000)
    }
    return try request(60)
  }

  static func get(_ path: String) -> String { request("GET", path) }

  static func request(_ method: String, _ path: String, _ body: String = "") -> String {
    "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
      + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  /// Sends bytes to a Unix socket and returns what comes back until the other side closes.
  static func send(_ text: String, to path: String) -> String {
    let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard (try? UnixSocketAddress(path)?.connect(descriptor)) != nil else {
      close(descriptor)
      return ""
    }
    return exchange(text, descriptor)
  }

  static func send(_ text: String, port: Int) -> String {
    connect(port: port).map { exchange(text, $0) } ?? ""
  }

  /// A connection over TCP; `nil` if there is none.
  static func connect(port: Int) -> Int32? {
    let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let isOpen = unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isOpen else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  private static func exchange(_ text: String, _ descriptor: Int32) -> String {
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    guard unsafe Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    else { return "" }
    var answer: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe read(descriptor, &piece, piece.count)
      guard count > 0 else { return String(decoding: answer, as: UTF8.self) }
      answer += piece.prefix(count)
    }
  }

  /// Sends a request over TCP.
  /// - Parameter fields: header fields, as lines.
  func tcp(_ text: String, _ fields: String...) -> String {
    let lines = fields.map { "\($0)\r\n" }.joined()
    return ServedStation.send(
      text.replacing("Connection: close\r\n", with: "Connection: close\r\n\(lines)"), port: port)
  }

  func token(_ scope: String) -> String { "Authorization: Bearer \(tokens[scope] ?? "")" }

  /// Sends a request to both listeners, over TCP with a token.
  func both(_ text: String) -> [String] {
    [ServedStation.send(text, to: ControlClient.socket(in: directory)), tcp(text, token("admin"))]
  }
}

/// A studio that reads no guests: a test is their reader.
private struct EmptyStage: GuestStage {
  func read(guests: [GuestRequest]) {}
  func show(guests: GuestScene) {}
}

/// A bus that notes what it is asked for, and does nothing.
final class SilentBus: Bus, Sendable {
  private let asked = Mutex<[String]>([])

  /// The methods that were called.
  var methods: [String] { asked.withLock { $0 } }

  func call(_ call: BusCall) throws(BusError) -> [BusValue] {
    asked.withLock { $0.append(call.method) }
    return []
  }

  func signals() -> [BusSignal] { [] }
  func wait(until deadline: MediaTime, _ worker: Worker) {}
}

/// A port of 127.0.0.1 that no other test gets meanwhile: a socket is bound to it, and does not listen. A server with
/// SO_REUSEADDR can (socket(7)).
private final class ReservedPort: Sendable {
  let number: Int
  private let descriptor: Int32

  init?() {
    let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var isReusable: Int32 = 1
    unsafe setsockopt(
      descriptor, SOL_SOCKET, SO_REUSEADDR, &isReusable, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = unsafe withUnsafeMutablePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    self.descriptor = descriptor
    number = Int(in_port_t(bigEndian: address.sin_port))
    guard isBound else { return nil }
  }

  deinit { close(descriptor) }
}
