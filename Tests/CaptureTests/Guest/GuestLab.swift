// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import CFFmpeg
import Media
import Synchronization
import Testing

@testable import Capture

/// An output that keeps what a reader writes.
@safe final class MemoryOutput: GuestOutput, @unchecked Sendable {
  struct Picture {
    var size: PictureSize
    var dueAt: MediaTime
    var writtenAt: MediaTime
    /// Y, Cb and Cr in the middle.
    var middle: (UInt8, UInt8, UInt8)
    var colour: Colour
  }
  struct Block {
    var startsAt: MediaTime
    var writtenAt: MediaTime
    var samples: [Float]
    var end: MediaTime { startsAt + PCM.nanos(frames: samples.count / 2) }
  }
  private struct State {
    var wants = GuestWants(pictures: .all)
    var isStopping = false
    var pictures: [Picture] = []
    var blocks: [Block] = []
    var states: [GuestState] = []
  }

  private let state = Mutex(State())
  private let clock: MediaClock
  private let room = UnsafeMutableRawBufferPointer.allocate(
    byteCount: 1280 * 720 * 3 / 2, alignment: 64)
  private var size = PictureSize(width: 0, height: 0)

  init(_ clock: MediaClock = .system) { self.clock = clock }
  deinit { unsafe room.deallocate() }

  var wants: GuestWants {
    get { state.withLock { $0.wants } }
    set { state.withLock { $0.wants = newValue } }
  }
  var isStopping: Bool { state.withLock { $0.isStopping } }
  func stop() { state.withLock { $0.isStopping = true } }
  var pictures: [Picture] { state.withLock { $0.pictures } }
  var blocks: [Block] { state.withLock { $0.blocks } }
  var states: [GuestState] { state.withLock { $0.states } }
  var tracks: GuestTracks? {
    states.compactMap { if case .open(let tracks) = $0 { tracks } else { nil } }.last
  }
  var fault: GuestFault? {
    states.compactMap { if case .failed(let fault, _) = $0 { fault } else { nil } }.last
  }

  @unsafe func beginPicture(_ size: PictureSize) -> UnsafeMutableRawBufferPointer? {
    #expect(size.width % 2 == 0 && size.height % 2 == 0 && size.width >= 2 && size.height >= 2)
    #expect(max(size.width, size.height) <= 1280 && size.width * size.height <= 1280 * 720)
    self.size = size
    return unsafe UnsafeMutableRawBufferPointer(
      rebasing: room[0..<size.width * size.height * 3 / 2])
  }

  func endPicture(dueAt: MediaTime, colour: Colour) {
    let (width, height) = (size.width, size.height)
    let chroma = width * height + width / 2 * (height / 4) + width / 4
    let middle = unsafe (
      room[width * (height / 2) + width / 2], room[chroma], room[chroma + width * height / 4]
    )
    let picture = Picture(
      size: size, dueAt: dueAt, writtenAt: clock.now, middle: middle, colour: colour)
    state.withLock { $0.pictures.append(picture) }
  }

  @unsafe func put(_ samples: UnsafePointer<Float>, frames: Int, startsAt: MediaTime) {
    #expect((1...480).contains(frames))
    let block = Block(
      startsAt: startsAt, writtenAt: clock.now,
      samples: unsafe Array(UnsafeBufferPointer(start: samples, count: frames * 2)))
    state.withLock { $0.blocks.append(block) }
  }

  /// Nobody sends.
  func publish(_ key: String) -> Int64? { nil }

  func tell(_ state: GuestState) { self.state.withLock { $0.states.append(state) } }

  // MARK: What was written

  /// Gaps between the blocks of more than 2 ms, in nanoseconds.
  var gaps: [Int64] {
    let blocks = blocks
    return zip(blocks, blocks.dropFirst()).map { $1.startsAt - $0.end }.filter { $0 > 2_000_000 }
  }

  /// When the picture turns bright.
  var flashes: [MediaTime] {
    let pictures = pictures
    return zip(pictures, pictures.dropFirst())
      .filter { $0.middle.0 < 100 && $1.middle.0 > 180 }.map(\.1.dueAt)
  }

  /// When audio begins after 0.3 s of silence.
  var beeps: [MediaTime] {
    var beeps: [MediaTime] = []
    var last = MediaTime.distantPast
    for block in blocks {
      for (index, sample) in block.samples.enumerated() where abs(sample) > 0.2 {
        let time = block.startsAt + PCM.nanos(frames: index / 2)
        if time - last > 300_000_000 { beeps.append(time) }
        last = time
      }
    }
    return beeps
  }

  /// For each flash, by how many milliseconds the beep comes later.
  var beepAfterFlash: [Double] {
    let beeps = beeps
    return flashes.compactMap { flash in
      beeps.map { Double($0 - flash) / 1e6 }.min { abs($0) < abs($1) }
    }.filter { abs($0) < 400 }
  }
}

/// The packets of a file.
@safe final class RecordedPackets {
  @safe struct Packet {
    var kind: GuestKind
    /// Decoding time in nanoseconds from the start, and how much later it is shown.
    var time: Int64
    var reorder: Int64
    let packet: UnsafeMutablePointer<AVPacket>
  }

  private(set) var packets: [Packet] = []
  private(set) var tracks: [GuestTrack] = []
  private let worker = Worker(name: "recorded")

  init(_ path: String) throws {
    let library = try #require(MediaFile.library)
    var format = unsafe try MediaFile.open(path, worker, library)
    guard let open = unsafe format else { throw FileTrouble.notMedia(path: path) }
    _ = unsafe MediaFile.findStreams(open, library, GuestDecoder.frameMemory)
    var kinds: [GuestKind?] = []
    for index in 0..<(unsafe Int(open.pointee.nb_streams)) {
      guard let stream = unsafe open.pointee.streams[index] else { continue }
      let type = unsafe stream.pointee.codecpar.pointee.codec_type
      let kind: GuestKind? =
        type == AVMEDIA_TYPE_VIDEO ? .video : type == AVMEDIA_TYPE_AUDIO ? .audio : nil
      kinds.append(kind)
      if let kind, let track = unsafe GuestTrack(kind, stream) { tracks.append(track) }
    }
    let nanos = AVRational(num: 1, den: 1_000_000_000)
    while let packet = unsafe av_packet_alloc() {
      guard unsafe library.read_frame(open, packet) >= 0 else { break }
      let index = unsafe Int(packet.pointee.stream_index)
      guard let kind = kinds[index], let stream = unsafe open.pointee.streams[index] else {
        continue
      }
      let base = unsafe stream.pointee.time_base
      let (dts, pts) = unsafe (packet.pointee.dts, packet.pointee.pts)
      let time = av_rescale_q(dts == onair_av_nopts ? pts : dts, base, nanos)
      unsafe packets.append(
        Packet(
          kind: kind, time: time,
          reorder: pts == onair_av_nopts ? 0 : av_rescale_q(pts, base, nanos) - time,
          packet: packet))
    }
    let start = packets.map(\.time).min() ?? 0
    for index in packets.indices { packets[index].time -= start }
    unsafe MediaFile.close(&format, library)
  }

  deinit {
    for packet in packets {
      var pointer: UnsafeMutablePointer<AVPacket>? = unsafe packet.packet
      unsafe av_packet_free(&pointer)
    }
  }
}

/// Plays recorded packets in virtual time, as the two threads of a reader do.
final class PlayerLab {
  private let time = VirtualClock()
  let output: MemoryOutput
  let buffer: GuestBuffer
  let sound: GuestSound
  let pictures: GuestPictures
  let start: MediaTime
  /// The sizes and audio formats that were noted.
  var sizes: [PictureSize] { sizesNoted.all }
  private let sizesNoted = Noted<PictureSize>()

  final class Noted<Value> { var all: [Value] = [] }

  init(isInPieces: Bool = false) {
    output = MemoryOutput(time.clock)
    buffer = GuestBuffer(isInPieces: isInPieces)
    sound = GuestSound(buffer, output: output, clock: time.clock) { _, _ in }
    pictures = GuestPictures(buffer, output: output, clock: time.clock) {
      [sizesNoted] in sizesNoted.all.append($0)
    }
    start = time.now
  }

  var now: MediaTime { time.now }
  /// The seconds since the start.
  func seconds(_ time: MediaTime) -> Double { Double(time - start) / 1e9 }

  /// - Parameters:
  ///   - line: when a packet arrives, in seconds after the start, by its own time in seconds.
  ///   - isStamped: whether a packet has timestamps.
  ///   - change: called at each step of time with the seconds since the start.
  func play(
    _ recorded: RecordedPackets, line: (Double) -> Double = { $0 + 0.03 }, for seconds: Double,
    shift: Int64 = 0, isStamped: (RecordedPackets.Packet) -> Bool = { _ in true },
    change: (Double) -> Void = { _ in }
  ) {
    let begin = time.now
    for track in recorded.tracks { buffer.begin(track) }
    var last = 0.0
    var waiting = recorded.packets.map { packet in
      last = max(last, line(Double(packet.time) / 1e9))
      return (arrives: begin + Int64(last * 1e9), packet)
    }[...]
    let end = begin + Int64(seconds * 1e9)
    while time.now < end {
      change(Double(time.now - start) / 1e9)
      while let next = waiting.first, next.arrives <= time.now {
        waiting.removeFirst()
        put(next.1, shift: shift, isStamped: isStamped(next.1), arrived: time.now)
      }
      step(until: min(waiting.first?.arrives ?? end, end, time.now + .milliseconds(100)))
    }
  }

  /// Puts a packet into the buffer.
  func put(
    _ recorded: RecordedPackets.Packet, shift: Int64 = 0, isStamped: Bool = true,
    arrived: MediaTime
  ) {
    guard let copy = unsafe av_packet_clone(recorded.packet) else { return }
    var freed: UnsafeMutablePointer<AVPacket>? = unsafe copy
    unsafe buffer.put(
      copy, recorded.kind, stamps: isStamped ? (recorded.time + shift, recorded.reorder) : nil,
      arrived: arrived)
    unsafe av_packet_free(&freed)
  }

  /// Plays what is in the buffer.
  func run(for nanos: Int64) {
    let end = time.now + nanos
    while time.now < end { step(until: end) }
  }

  /// Does the next piece of work, or moves the time on to it; to `end` at most.
  private func step(until end: MediaTime) {
    var next = sound.step()
    if next > time.now { next = min(next, pictures.step()) }
    guard next > time.now else { return }
    buffer.advance(to: time.now)
    time.advance(by: min(next, end) - time.now)
  }
}
