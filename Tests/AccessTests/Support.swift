// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Glibc
import Posix
import Synchronization

@testable import Access

/// A box: its state directory, its clocks, and what it reports. `start` is a start of the program.
final class Box: Sendable {
  let directory: String
  let time = VirtualClock()
  /// The time of day: 2026-01-31T12:00:00Z at the beginning, then with `time`, until somebody sets it.
  let wallClock: WallClock
  private let setBy = Counter()
  private let reported = Mutex<[AccessReport]>([])

  private final class Counter: Sendable {
    let seconds = Atomic<Int64>(0)
  }

  init() {
    var template = Array("/tmp/onair-test-XXXXXX".utf8CString)
    unsafe mkdtemp(&template)
    directory = String(
      decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let (time, start, setBy) = (time, time.now, setBy)
    wallClock = WallClock {
      let passed = (time.now - start) / .milliseconds(1)
      return 1_769_860_800_000 + passed
        + setBy.seconds.load(ordering: .sequentiallyConsistent) * 1_000
    }
  }

  deinit { _ = unsafe system("rm -rf '\(directory)'") }

  var path: String { "\(directory)/\(AccessFile.name)" }
  var reports: [AccessReport] { reported.withLock { $0 } }
  /// The codes for the first password that were shown.
  var codes: [String] {
    reports.compactMap { if case .code(let code, _) = $0 { code } else { nil } }
  }

  /// - Parameter marks: the folder in which an image shows that there was a password.
  func start(marks: String? = nil) -> Access {
    let mark = PasswordMark(
      environment: marks.map { ["ONAIR_MARKS": $0] } ?? [:], directory: directory)
    return Access(
      directory: directory, mark: mark, clock: time.clock, wallClock: wallClock,
      hashing: .ordinary, networks: { [] }
    ) { report in
      self.reported.withLock { $0.append(report) }
    }
  }

  /// A box with the password `password`, and its first session.
  func startSetUp() async throws(AccessError) -> (Access, session: String) {
    let access = start()
    let logIn = try await access.setUp(password: password, from: neighbour)
    return (access, logIn.session.reveal())
  }

  func advance(seconds: Int64) { time.advance(by: .seconds(seconds)) }

  /// Sets the time of day forward, or back.
  func setWallClock(by seconds: Int64) {
    setBy.seconds.wrappingAdd(seconds, ordering: .sequentiallyConsistent)
  }

  /// Makes each attempt to write the file fail, as a full disk would: what is in the way of the new file is no file.
  func fillDisk() {
    unsafe mkdir("\(path).new", 0o700)
  }

  func freeDisk() {
    unsafe rmdir("\(path).new")
  }

  /// The file's bytes; empty if there is none.
  var bytes: [UInt8] {
    get { (try? File.read(path, limit: 100_000))?.bytes ?? [] }
    set(bytes) {
      do throws(SystemError) {
        try File.replace(AccessFile.name, in: directory, with: bytes)
      } catch {
        fatalError("cannot write \(path): \(error)")
      }
    }
  }

  /// Waits until what was asked of the disk before has been done.
  func settle(_ access: Access) async throws(AccessError) {
    try await access.runOnDiskThread {}
  }
}

let password = "correct horse"
/// On the local network.
let neighbour = Caller.remote(address("192.168.1.20"), isForwarded: false)
/// Somewhere on the Internet.
let stranger = Caller.remote(address("203.0.113.7"), isForwarded: false)

func address(_ text: String) -> Address {
  guard let address = Address(text) else { fatalError("\(text) is no address") }
  return address
}

/// The error of an operation; `nil` if it did not fail.
func failure<Value>(of operation: () async throws -> Value) async -> AccessError? {
  do {
    _ = try await operation()
    return nil
  } catch let error as AccessError {
    return error
  } catch {
    fatalError("not an error of access: \(error)")
  }
}
