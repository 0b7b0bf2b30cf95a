// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Posix
import Synchronization
import TestSupport
import Testing

@testable import Mux
@testable import Recording

/// A disk in memory that fails when it is told to.
final class FakeDisk: RecordingDisk, @unchecked Sendable {
  /// A call to the disk.
  enum Call: Equatable {
    case make, write, flush, truncate, reserve, rename
  }

  /// What was done to the file of a name.
  struct Step {
    var call: Call
    var name: String
    var offset = 0
    var bytes: [UInt8] = []
  }

  final class Content: @unchecked Sendable {
    let name: Mutex<String>
    let bytes = Mutex<[UInt8]>([])
    /// Up to where space is reserved.
    let reservedTo = Atomic(0)
    /// The bytes that the file takes of the disk.
    var taken: Int { max(bytes.withLock { $0.count }, reservedTo.load(ordering: .relaxed)) }
    init(_ name: String) { self.name = Mutex(name) }
  }

  let files = Mutex<[String: Content]>([:])
  /// All that was done.
  let steps = Mutex<[Step]>([])
  /// Asked before each call: its error, or none.
  let fault = Mutex<@Sendable (Call) -> Int32?>({ _ in nil })
  let capacity = Atomic(Int.max)
  let keepsSteps: Bool

  init(keepsSteps: Bool = false) { self.keepsSteps = keepsSteps }

  let isFAT = false
  var used: Int {
    files.withLock { $0.values.reduce(0) { $0 + $1.taken } }
  }

  func bytes(_ name: String) -> [UInt8] {
    files.withLock { $0[name] }?.bytes.withLock { $0 } ?? []
  }

  /// The names of the files, the oldest first.
  var names: [String] { files.withLock { $0.keys.sorted() } }

  func check(_ call: Call) throws(SystemError) {
    if let code = fault.withLock({ $0 })(call) { throw SystemError(code) }
  }

  func note(_ step: Step) { if keepsSteps { steps.withLock { $0.append(step) } } }

  func make(_ name: String) throws(SystemError) -> any RecordingFile {
    try check(.make)
    guard isAbsent(name) else { throw SystemError(17) }
    let content = Content(name)
    files.withLock { $0[name] = content }
    note(Step(call: .make, name: name))
    return FakeFile(self, content)
  }

  func isAbsent(_ name: String) -> Bool { files.withLock { $0[name] == nil } }

  func rename(_ name: String, to newName: String) throws(SystemError) {
    try check(.rename)
    guard isAbsent(newName) else { throw SystemError(17) }
    files.withLock { files in
      files[newName] = files[name]
      files[name] = nil
      files[newName]?.name.withLock { $0 = newName }
    }
  }

  func remove(_ name: String) throws(SystemError) { files.withLock { $0[name] = nil } }
  func flush() throws(SystemError) { try check(.flush) }

  func space() throws(SystemError) -> (free: Int, total: Int) {
    let total = capacity.load(ordering: .relaxed)
    return (max(0, total - used), total)
  }
}

final class FakeFile: RecordingFile {
  private let disk: FakeDisk
  private let content: FakeDisk.Content

  init(_ disk: FakeDisk, _ content: FakeDisk.Content) {
    (self.disk, self.content) = (disk, content)
  }

  func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
    try disk.check(.write)
    let more = max(0, offset + bytes.count - content.taken)
    guard disk.used + more <= disk.capacity.load(ordering: .relaxed) else { throw SystemError(28) }
    content.bytes.withLock { content in
      if content.count < offset + bytes.count {
        content += repeatElement(0, count: offset + bytes.count - content.count)
      }
      content.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }
    disk.note(.init(call: .write, name: content.name.withLock { $0 }, offset: offset, bytes: bytes))
  }

  func flush() throws(SystemError) {
    try disk.check(.flush)
    disk.note(.init(call: .flush, name: content.name.withLock { $0 }))
  }

  func truncate(to size: Int) throws(SystemError) {
    try disk.check(.truncate)
    content.bytes.withLock { content in
      if size < content.count { content.removeLast(content.count - size) }
    }
    content.reservedTo.store(0, ordering: .relaxed)
    disk.note(.init(call: .truncate, name: content.name.withLock { $0 }, offset: size))
  }

  func reserve(at offset: Int, count: Int) throws(SystemError) {
    try disk.check(.reserve)
    let more = max(0, offset + count - content.taken)
    guard disk.used + more <= disk.capacity.load(ordering: .relaxed) else { throw SystemError(28) }
    content.reservedTo.store(offset + count, ordering: .relaxed)
  }
}

/// A recorder on a virtual clock and a disk in memory.
final class RecorderBench {
  /// Audio of a time comes so much later than video of that time, in nanoseconds.
  static let audioDelay: Int64 = .milliseconds(60)

  let clock = VirtualClock(start: Film.start)
  let disk: FakeDisk
  let recorder: Recorder
  private let setting: Setting
  var now: MediaTime { clock.now }

  /// - Parameter other: the disk to record on instead of `disk`.
  init(
    _ options: RecorderOptions = RecorderOptions(keepFreeMB: 0), disk: FakeDisk = FakeDisk(),
    on other: (any RecordingDisk)? = nil,
    folder: RecordingFolder = RecordingFolder("/nonexistent", stateDirectory: "/nonexistent"),
    clockIsSet: Bool = true
  ) {
    self.disk = disk
    let isSet = Setting(clockIsSet)
    setting = isSet
    let start = Film.start
    recorder = Recorder(
      options, in: folder, zone: .utc, clockIsSet: { isSet.value.load(ordering: .relaxed) },
      wall: WallClock { [clock] in 1_764_097_289_000 + (clock.now - start) / 1_000_000 },
      clock: clock.clock, opening: { () throws(RecordingTrouble) in other ?? disk })
    #expect(recorder.start())
    recorder.setVideo(Film.video())
    recorder.setAudio(Film.audio)
    recorder.cut(video: 0, audio: 0)
  }

  /// Offers the packets when they are due, and waits for the recorder's thread each time.
  /// - Parameter tracks: packets of further audio tracks, each with its sink.
  func play(_ packets: [Film.Sample], and tracks: [(sink: any PacketSink, [Film.Sample])] = []) {
    let all = [(recorder as any PacketSink, packets)] + tracks.map { ($0.sink, $0.1) }
    let due = all.flatMap { sink, packets in
      packets.map { packet in
        (sink, packet, packet.kind == .audio ? packet.time + Self.audioDelay : packet.time)
      }
    }.sorted { $0.2 < $1.2 }
    for (sink, packet, time) in due {
      advance(to: time)
      packet.with { sink.offer($0) }
    }
  }

  /// Sets the system's clock.
  func setClock() { setting.value.store(true, ordering: .relaxed) }

  /// Whether the system's clock has been set.
  private final class Setting: Sendable {
    let value: Atomic<Bool>
    init(_ isSet: Bool) { value = Atomic(isSet) }
  }

  /// Moves the clock, stopping where the recorder has something to do.
  func advance(to time: MediaTime) {
    settle()
    while now < time {
      clock.advance(by: min(time, max(recorder.dueAt, now)) - now)
      settle()
    }
  }

  /// Waits until the recorder's thread has done all its work.
  func settle() {
    let isSettled = eventually {
      let due = recorder.dueAt
      let awaited = clock.awaitedDeadline
      // A cut that has removed the oldest packets does not wake the thread.
      return due > now && awaited > now && awaited <= due
    }
    #expect(isSettled)
  }

  func stop() { #expect(recorder.stop(by: .now() + .seconds(60))) }

  /// The finished files in their order.
  var movies: [ReadMovie] {
    disk.names.compactMap { name in
      let movie = ReadMovie(disk.bytes(name))
      #expect(movie != nil, "\(name)")
      return movie
    }
  }
}
