// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc

/// Numbers of heap allocations while OnAir is on air, by caller.
struct Allocations {
  var frames = 0
  /// By OnAir's own code, including the Swift runtime.
  var own: UInt64 = 0
  /// By each library.
  var libraries: [(name: String, count: UInt64)] = []
  /// Call stacks of OnAir's own allocations: their number, and return addresses for addr2line(1).
  var traces: [(count: UInt64, addresses: [UInt64])] = []

  var byLibraries: UInt64 { libraries.reduce(0) { $0 + $1.count } }
}

/// Offsets in the shared file of Tools/allocations.c: its `struct counts`.
private enum Layout {
  static let objects = 510
  static let nameBytes = 120
  static let objectBytes = 128
  static let traces = 32
  static let traceWords = 16
  static let objectsAt = 16
  static let tracesAt = objectsAt + objects * objectBytes
  static let bytes = tracesAt + traces * traceWords * 8
}

extension Track {
  /// Runs OnAir and counts its allocations, without the first seconds.
  /// - Parameter settings: further settings of OnAir, as KEY=VALUE.
  func countAllocations(adding settings: [String] = []) throws -> Allocations {
    let path = "\(work)/allocations"
    let file = unsafe open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    defer { close(file) }
    guard file >= 0, ftruncate(file, Layout.bytes) == 0,
      let counts = unsafe mmap(nil, Layout.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
      unsafe counts != MAP_FAILED
    else { throw Child.FailedError(description: "cannot write to \(path)") }
    defer { unsafe munmap(counts, Layout.bytes) }

    let server = try Server(.rtmp)
    defer { server.end() }
    let child = try Child(
      Contender.onair.command(
        to: Servers(main: server.port), tools: tools, work: work, overlays: overlays)
        + settings.flatMap { ["--set", $0] },
      environment: ["LD_PRELOAD=\(tools.allocations)", "BENCH_ALLOCATIONS=\(path)"],
      log: "\(work)/allocations.log")
    let feeder = Feeder(scene: scene, descriptor: child.input)
    feeder.start()
    defer {
      child.end()
      _ = feeder.stop(by: .now() + .seconds(1))
    }
    let first = try waitForPicture(server, child, .onair)
    // After two keyframes all one-time allocations have been made.
    (first + .seconds(5)).sleepUntil()
    let fedBefore = feeder.count
    unsafe counts.storeBytes(of: 1, as: UInt64.self)
    (MediaTime.now() + .seconds(Int64(seconds))).sleepUntil()
    unsafe counts.storeBytes(of: 0, as: UInt64.self)
    return unsafe Allocations(counts, frames: feeder.count - fedBefore)
  }
}

extension Allocations {
  fileprivate init(_ counts: UnsafeMutableRawPointer, frames: Int) {
    self.frames = frames
    for index in 0..<Layout.objects {
      let object = unsafe counts + Layout.objectsAt + index * Layout.objectBytes
      let count = unsafe object.load(fromByteOffset: Layout.nameBytes, as: UInt64.self)
      guard count > 0 else { continue }
      if index == 0 {
        own = count
      } else {
        let name = unsafe String(cString: object.assumingMemoryBound(to: CChar.self))
        libraries.append((name, count))
      }
    }
    libraries.sort { $0.count > $1.count }
    for index in 0..<Layout.traces {
      let words = (0..<Layout.traceWords).map { word in
        unsafe counts.load(
          fromByteOffset: Layout.tracesAt + (index * Layout.traceWords + word) * 8, as: UInt64.self)
      }
      if words[0] > 0 { traces.append((words[0], words.dropFirst().filter { $0 > 0 })) }
    }
    traces.sort { $0.count > $1.count }
  }
}
