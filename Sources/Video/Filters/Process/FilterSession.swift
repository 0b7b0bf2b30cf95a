// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CFilter
internal import CProcess
internal import CYUV
internal import Glibc
internal import Media
internal import Posix

/// OnAir's side of the protocol in <onair/filter.h>, for one run of a program and one size of frames: the shared memory
/// and the descriptors.
///
/// Each value that the program writes into the shared memory is read once and checked, and none is used as an address
/// or as a count of bytes. The thread that starts the program uses the session until the program is ready, then only
/// the thread of the video pipeline does.
@safe final class FilterSession: @unchecked Sendable {
  /// The result of giving a frame to the program.
  enum Outcome: Equatable {
    /// The program has changed the frame.
    case changed
    /// The program has left the frame as it was.
    case unchanged
    /// The program has not answered in time.
    case late
    /// The program still works on an earlier frame, so the new frame was not given to the program.
    case busy
    /// The program has not answered an earlier frame for a second.
    case silent
    /// The program has answered a frame that it was not given.
    case wrong
    /// The program has ended.
    case ended
  }

  /// The most times that `wait` wakes up without an answer before the frame counts as late. A program that signals
  /// without an answer must not keep the waiting thread busy.
  private static let mostWakes = 16

  /// The size of the frames in pixels; both sides are even.
  let size: PictureSize
  /// The memory that the program shares with OnAir.
  private let memory: UnsafeMutableRawPointer
  /// The size of `memory` in bytes.
  private let byteCount: Int
  /// The descriptor of the shared memory.
  private let memoryFile: Int32
  /// The eventfd with which OnAir signals a frame to the program.
  private let frameEvent: Int32
  /// The eventfd with which the program signals its answer.
  private let doneEvent: Int32
  /// An epoll descriptor that is readable when the program has signalled or has ended.
  private let watch: Int32
  /// A descriptor that is readable when the program has ended; -1 before the program is started.
  private(set) var process: Int32 = -1
  /// The planes in shared memory from which the program reads a frame.
  private let input: MutablePlanes
  /// The planes in shared memory to which the program writes the filtered frame.
  private let output: MutablePlanes
  /// The number of the last frame that was given to the program; 0 before the first one.
  private var sequence: UInt64 = 0
  /// When the last frame was given to the program.
  private var askedAt = MediaTime.distantPast
  /// The number, as passed to `set`, of the parameters that the program has now; 0 if it has none yet.
  private var parametersNumber: UInt32 = 0
  /// The number of the last frame whose answer OnAir has read; 0 before the first one. Lower than `sequence` while the
  /// program works on a frame.
  private var answered: UInt64 = 0

  /// Makes the shared memory and the descriptors for frames of a size.
  /// - Parameter size: both sides are even.
  init(_ size: PictureSize) throws(SystemError) {
    self.size = size
    // Rows are padded as in `PlaneBuffer`, and each frame begins at a page of memory.
    let (yStride, chromaStride) = ((size.width + 63) & ~63, ((size.width + 1) / 2 + 63) & ~63)
    let chromaRows = (size.height + 1) / 2
    let frameBytes = (yStride * size.height + chromaStride * chromaRows * 2 + 4_095) & ~4_095
    let start = Int(ONAIR_FILTER_FRAMES_OFFSET)
    byteCount = start + frameBytes * 2
    memoryFile = unsafe onair_process_memory("onair-filter", byteCount)
    guard memoryFile >= 0 else { throw SystemError() }
    frameEvent = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
    doneEvent = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
    watch = doneEvent < 0 ? -1 : onair_watch(doneEvent)
    // MAP_POPULATE allocates all pages now, not while a frame waits.
    let mapped = unsafe mmap(
      nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED | Int32(MAP_POPULATE), memoryFile, 0)
    guard let mapped = unsafe mapped, unsafe mapped != MAP_FAILED, frameEvent >= 0, watch >= 0
    else {
      let error = SystemError()
      if let mapped = unsafe mapped, unsafe mapped != MAP_FAILED {
        unsafe munmap(mapped, byteCount)
      }
      for descriptor in [memoryFile, frameEvent, doneEvent, watch] where descriptor >= 0 {
        close(descriptor)
      }
      throw error
    }
    unsafe memory = mapped
    func planes(at offset: Int) -> MutablePlanes {
      let y = unsafe (mapped + offset).assumingMemoryBound(to: UInt8.self)
      let cb = unsafe y + yStride * size.height
      return unsafe MutablePlanes(
        y: y, cb: cb, cr: cb + chromaStride * chromaRows, yStride: Int32(yStride),
        chromaStride: Int32(chromaStride))
    }
    unsafe (input, output) = (planes(at: start), planes(at: start + frameBytes))
    func offsets(_ planes: MutablePlanes) -> onair_filter_frame {
      unsafe onair_filter_frame(
        y: UInt32(mapped.distance(to: UnsafeMutableRawPointer(planes.y))),
        cb: UInt32(mapped.distance(to: UnsafeMutableRawPointer(planes.cb))),
        cr: UInt32(mapped.distance(to: UnsafeMutableRawPointer(planes.cr))))
    }
    unsafe onair_filter_describe(
      memory, UInt32(byteCount), UInt32(size.width), UInt32(size.height), UInt32(yStride),
      UInt32(chromaStride), offsets(input), offsets(output))
  }

  deinit {
    unsafe munmap(memory, byteCount)
    for descriptor in [memoryFile, frameEvent, doneEvent, watch, process] where descriptor >= 0 {
      close(descriptor)
    }
  }

  /// The descriptors that the program is started with.
  var descriptors: [Int32] { [memoryFile, frameEvent, doneEvent] }

  /// A descriptor that becomes readable when the program signals.
  var signal: Int32 { watch }

  /// Lets a wait for the program's signals also end when the program has ended.
  /// - Parameter process: a descriptor that becomes readable when the program ends. The session closes it in `deinit`.
  func watchEnd(_ process: Int32) {
    self.process = process
    onair_watch_also(watch, process, ONAIR_WATCH_END)
  }

  /// Whether the program is ready. Consumes the pending signals, so that `signal` is not readable any more.
  func isReady() -> Bool {
    _ = onair_watch_wait(watch, 0)
    return unsafe onair_filter_is_ready(memory) != 0
  }

  /// The message that the program has left for a person, in one line of at most 250 characters; `nil` for none.
  var message: String? {
    var bytes = [CChar](repeating: 0, count: Int(ONAIR_FILTER_MESSAGE))
    unsafe onair_filter_copy_message(memory, &bytes)
    let text = String(
      decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self
    ).onOneLine
    let trimmed = text.prefix(250).drop { $0 == " " }
    return trimmed.isEmpty ? nil : String(trimmed)
  }

  /// Writes the parameters, unless the program already has them, or works on a frame.
  /// - Parameter number: identifies the parameters: each change gives them another number.
  func set(_ plan: ProcessFilterPlan, number: UInt32) {
    guard number != parametersNumber, answered == sequence else { return }
    parametersNumber = number
    let face = plan.face
    unsafe onair_filter_set(
      memory, number,
      onair_filter_face(
        white: UInt32(face.white), buffing: UInt32(face.buffing), ruddy: UInt32(face.ruddy),
        big_eye: UInt32(face.bigEye), thin_face: UInt32(face.thinFace),
        shorten_face: UInt32(face.shortenFace), cheek_pink: UInt32(face.cheekPink)), plan.text)
  }

  /// Checks whether the program has answered the last frame that it was given.
  /// - Returns: `nil` if the program works on no frame, so that it can get the next one; otherwise `.busy`, `.silent`
  ///   or `.wrong`.
  func checkAnswer(_ now: MediaTime) -> Outcome? {
    guard answered != sequence else { return nil }
    let number = unsafe onair_filter_answered(memory)
    if number == sequence {
      answered = number
      return nil
    }
    guard number == answered else { return .wrong }
    return now - askedAt > FilterLateness.silenceNanos ? .silent : .busy
  }

  /// Lets the program filter a frame in place. Waits for at most `patience` nanoseconds.
  @unsafe func exchange(
    _ frame: FilterFrame, patience: Int64, points: DetectedPoints, on clock: MediaClock
  ) -> Outcome {
    let now = clock.now
    if let outcome = checkAnswer(now) { return outcome }
    askedAt = now
    let deadline = now + patience
    unsafe FilterSession.copy(frame.planes, to: input, size)
    unsafe points.write(to: memory, at: frame.capturedAt)
    sequence += 1
    let colour = unsafe frame.colour
    let numbers = (colour.primaries, colour.transfer, colour.matrix)
    unsafe withUnsafeBytes(of: numbers) { numbers in
      unsafe onair_filter_ask(
        memory, sequence, numbers.bindMemory(to: Int32.self).baseAddress,
        colour.fullRange ? 1 : 0, frame.capturedAt.nanos, deadline.nanos)
    }
    _ = eventfd_write(frameEvent, 1)
    let outcome = wait(until: deadline, on: clock)
    guard outcome == .changed else { return outcome }
    unsafe points.read(from: memory, at: frame.capturedAt)
    if unsafe onair_filter_is_unchanged(memory) != 0 { return .unchanged }
    unsafe FilterSession.copy(output, to: frame.planes, size)
    return .changed
  }

  /// Waits for the answer to the frame that was just given.
  private func wait(until deadline: MediaTime, on clock: MediaClock) -> Outcome {
    var wakes = 0
    while true {
      let number = unsafe onair_filter_answered(memory)
      if number == sequence {
        answered = number
        return .changed
      }
      guard number == answered else { return .wrong }
      guard clock.now < deadline, wakes < FilterSession.mostWakes else { return .late }
      let signs = onair_watch_wait(watch, clock.pollTimeout(until: deadline))
      guard signs > 0 else { continue }
      if signs & ONAIR_WATCH_END != 0 { return .ended }
      wakes += 1
    }
  }

  /// Copies the planes of a frame of this size.
  @unsafe private static func copy(
    _ from: MutablePlanes, to: MutablePlanes, _ size: PictureSize
  ) {
    unsafe I420Copy(
      from.y, from.yStride, from.cb, from.chromaStride, from.cr, from.chromaStride, to.y,
      to.yStride, to.cb, to.chromaStride, to.cr, to.chromaStride, Int32(size.width),
      Int32(size.height))
  }
}
