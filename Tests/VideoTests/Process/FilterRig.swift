// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Foundation
import Media
import Synchronization
import TestSupport

@testable import Video

/// A filter whose process is one of `Tests/Hostile/filter.c`, on a clock that stands still, or runs faster than the real one.
@safe final class FilterRig {
  static let size = PictureSize(width: 64, height: 36)
  /// The folder of the programs; `nil` if they cannot be compiled.
  static let folder = compile()

  let time = VirtualClock()
  let host: FilterHost
  let told = Told()
  /// What the box's owner was told of filters that run.
  let remarks = Told()
  private let frame = PlaneBuffer(size: size)

  /// What was told, sentence by sentence; "over" for the end of a trouble.
  final class Told: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    /// Waits for so many lines.
    func wait(for count: Int = 1) -> [String] {
      _ = eventually { all.count >= count }
      return all
    }
  }

  /// - Parameter hasLandlock: `false` for filters as on a kernel without Landlock.
  init(clock: MediaClock? = nil, hasLandlock: Bool = true) {
    let (told, remarks, folder) = (self.told, self.remarks, FilterRig.folder ?? "")
    host = FilterHost(
      tools: FilterTools(
        launcher: hasLandlock ? FilterTools().launcher : "\(folder)/old-kernel", own: folder,
        hasLandlock: hasLandlock),
      clock: clock ?? time.clock, warn: remarks.add
    ) { _, sentence in told.add(sentence ?? "over") }
  }

  func plan(_ program: String, text: String = "") -> ProcessFilterPlan {
    ProcessFilterPlan(
      "f", .outside(program), text: text, face: FaceParameters(thinFace: 40), framesPerSecond: 30,
      host: host)
  }

  func make(_ program: String, text: String = "") -> any PictureFilter {
    plan(program, text: text).makeFilter()
  }

  /// Gives a frame of this luma, in each pixel.
  /// - Returns: the luma of the first two pixels afterwards; and whether the third, which is lighter, is not as it was.
  func apply(
    _ filter: any PictureFilter, luma: UInt8 = 100, at nanos: Int64 = 0,
    size: PictureSize = size
  ) -> (isChanged: Bool, first: UInt8, second: UInt8) {
    let frame = size == FilterRig.size ? frame : PlaneBuffer(size: size)
    let planes = unsafe frame.planes()
    unsafe planes.y.update(repeating: luma, count: Int(planes.yStride) * size.height)
    unsafe planes.y[2] = luma &+ 1
    unsafe filter.apply(
      to: FilterFrame(
        planes: planes, size: size, colour: .bt709, capturedAt: MediaTime(nanos: nanos)))
    return unsafe (planes.y[2] != luma &+ 1, planes.y[0], planes.y[1])
  }

  /// Gives frames until one is changed.
  func applyUntilChanged(_ filter: any PictureFilter, luma: UInt8 = 100) -> UInt8 {
    var first: UInt8 = 0
    _ = eventually {
      let result = apply(filter, luma: luma)
      first = result.first
      return result.isChanged
    }
    return first
  }

  /// Gives frames until something is told, while the clock runs.
  func applyUntilTold(_ filter: any PictureFilter) -> [String] {
    let isDone = Atomic(false)
    return withExtendedLifetime(isDone) {
      let time = time
      let ticker = Ticker(time)
      defer { ticker.stop() }
      _ = eventually {
        _ = apply(filter)
        return !told.all.isEmpty
      }
      return told.all
    }
  }

  /// Moves a virtual clock by 5 ms in about each real one.
  private final class Ticker: Sendable {
    private let isStopped = Atomic(false)
    init(_ time: VirtualClock) {
      Thread.detachNewThread { [self] in
        while !isStopped.load(ordering: .relaxed) {
          time.advance(by: .milliseconds(5))
          Thread.sleep(forTimeInterval: 0.001)
        }
      }
    }
    func stop() { isStopped.store(true, ordering: .relaxed) }
  }

  /// The names of this process's children that are filters, those that nobody has waited for included.
  static var children: [String] {
    let manager = FileManager.default
    return ((try? manager.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { entry in
      guard Int(entry) != nil,
        let stat = try? String(contentsOfFile: "/proc/\(entry)/stat", encoding: .utf8),
        let end = stat.lastIndex(of: ")"), let start = stat.firstIndex(of: "(")
      else { return nil }
      let name = String(stat[stat.index(after: start)..<end])
      let parent = stat[end...].split(separator: " ")[2]
      return parent == "\(getpid())" && (names + ["onair-filter"]).contains(name) ? name : nil
    }
  }

  /// How many descriptors of shared memory this process has.
  static var memories: Int {
    let (manager, folder) = (FileManager.default, "/proc/self/fd")
    return ((try? manager.contentsOfDirectory(atPath: folder)) ?? []).count { number in
      let target = try? manager.destinationOfSymbolicLink(atPath: "\(folder)/\(number)")
      return target?.contains("onair-filter") ?? false
    }
  }

  private static let names = [
    "good", "exits", "never-ready", "talks", "floods", "escapes", "sleeps", "slow", "crashes",
    "ends", "beyond", "scribbles", "wrong", "leaks", "keeps", "finds", "counts",
  ]

  private static func compile() -> String? {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().path
    let folder = stateDirectory()
    func compile(_ file: String, _ program: String, _ options: String...) -> Bool {
      let compiler = Process()
      compiler.executableURL = URL(filePath: "/usr/bin/env")
      compiler.arguments =
        ["cc", "-O1"] + options + ["\(root)/Tests/Hostile/\(file)", "-o", "\(folder)/\(program)"]
      guard (try? compiler.run()) != nil else { return false }
      compiler.waitUntilExit()
      return compiler.terminationStatus == 0
    }
    guard compile("filter.c", "good", "-I", "\(root)/Sources/CFilter/include", "-pthread"),
      compile("old-kernel.c", "old-kernel", "-DPROGRAM=\"\(FilterTools().launcher)\"")
    else { return nil }
    for name in names.dropFirst() { unsafe link("\(folder)/good", "\(folder)/\(name)") }
    return folder
  }
}
