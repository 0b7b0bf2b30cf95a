// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import CFFmpeg
import Encode
import Glibc
import Media
import Synchronization
import TestSupport
import Testing

@testable import Audio
@testable import Studio

/// What viewers hear while somebody works the sound desk: one unbroken run of samples, without a click.
struct AudioCommandTests {
  private static let commands = 1_000
  private static let kbps = 256
  /// Windows in which clicks are looked for: 5 ms.
  private static let windowFrames = 240
  /// Above this frequency the tones, their ramps and their cross-fades have nothing, and a click has a lot.
  private static let clickHertz = 6_000.0

  /// A sine for each track: below `clickHertz` with all its harmonics that count.
  private struct Tone {
    var hertz: Double
    var amplitude: Double
    func sample(_ frame: Int) -> Float {
      Float(amplitude * sin(2 * Double.pi * hertz * Double(frame) / Double(PCM.sampleRate)))
    }
  }

  private static let tones = [
    Tone(hertz: 440, amplitude: 0.2), Tone(hertz: 620, amplitude: 0.15),
    Tone(hertz: 330, amplitude: 0.2),
  ]

  /// Works gain, volume, mute, pan and filters of three tracks, lets one of them join and leave, and changes how far music is
  /// lowered: 1,000 commands at random moments. The packets are decoded.
  @Test(arguments: 1...2 as ClosedRange<UInt64>) func aThousandCommandsDoNotClick(seed: UInt64)
    throws
  {
    var dice = SplitMix64(seed: seed)
    let desk = try Desk()
    for _ in 0..<often(AudioCommandTests.commands) {
      let count = Int.random(in: 1...5, using: &dice)
      try desk.run(chunks: count)
      desk.command(&dice)
    }
    try desk.run(chunks: 10)
    let packets = desk.end()
    let starts = packets.map { PCM.frames(nanos: $0.time - packets[0].time) }
    #expect(starts == starts.indices.map { $0 * 1_024 }, "no gap")
    let (loudest, at) = try AudioCommandTests.loudestClick(packets, desk.header)
    #expect(loudest < -52, "\(loudest) dBFS at \(at) s")
  }

  /// The measure finds a click: one that a source delivers, of a tenth of full scale.
  @Test func aClickIsFound() throws {
    let desk = try Desk()
    try desk.run(chunks: 50)
    try desk.run(chunks: 50, adding: 0.1)
    let packets = desk.end()
    let (loudest, at) = try AudioCommandTests.loudestClick(packets, desk.header)
    #expect(loudest > -50, "\(loudest) dBFS at \(at) s")
  }

  /// The loudest moment above `clickHertz`, in dBFS, and when it is, in seconds from the first packet.
  private static func loudestClick(
    _ packets: [Desk.Entry], _ header: AudioHeader?
  ) throws -> (level: Double, seconds: Double) {
    let channels = try decode(packets.map(\.bytes), header: try #require(header))
    var loudest = (level: -200.0, seconds: 0.0)
    for samples in channels {
      var filters = [
        Biquad.highPass(hertz: clickHertz, q: 0.54), .highPass(hertz: clickHertz, q: 1.31),
      ]
      var high = samples
      unsafe high.withUnsafeMutableBufferPointer { buffer in
        guard let start = buffer.baseAddress else { return }
        for index in filters.indices {
          unsafe filters[index].process(start, frames: samples.count, channels: 1)
        }
      }
      // The encoder begins with its priming, and the sources with a step.
      for first in stride(from: 9_600, to: high.count - windowFrames, by: windowFrames) {
        let power = high[first..<first + windowFrames].reduce(0) { $0 + Double($1 * $1) }
        let level = 10 * log10(power / Double(windowFrames) + 1e-20)
        if level > loudest.level { loudest = (level, Double(first) / Double(PCM.sampleRate)) }
      }
    }
    return loudest
  }

  /// Decodes with libavcodec.
  private static func decode(_ packets: [[UInt8]], header: AudioHeader) throws -> [[Float]] {
    let codec = try unsafe #require(avcodec_find_decoder_by_name("aac"))
    var context = unsafe avcodec_alloc_context3(codec)
    defer { unsafe avcodec_free_context(&context) }
    var frame = unsafe av_frame_alloc()
    defer { unsafe av_frame_free(&frame) }
    var packet = unsafe av_packet_alloc()
    defer { unsafe av_packet_free(&packet) }
    let open = try unsafe #require(context)
    let config = header.audioSpecificConfig
    let extra = try unsafe #require(av_mallocz(config.count + 64))
    unsafe extra.copyMemory(from: config, byteCount: config.count)
    unsafe open.pointee.extradata = extra.assumingMemoryBound(to: UInt8.self)
    unsafe open.pointee.extradata_size = Int32(config.count)
    try #require(unsafe avcodec_open2(open, codec, nil) == 0)
    var output = [[Float]](repeating: [], count: header.channels)
    for bytes in packets {
      unsafe av_new_packet(packet, Int32(bytes.count))
      unsafe packet?.pointee.data.update(from: bytes, count: bytes.count)
      #expect(unsafe avcodec_send_packet(open, packet) == 0)
      unsafe av_packet_unref(packet)
      while unsafe avcodec_receive_frame(open, frame) == 0 {
        for channel in 0..<header.channels {
          guard let plane = unsafe frame?.pointee.extended_data[channel] else { continue }
          let samples = unsafe UnsafeRawPointer(plane).assumingMemoryBound(to: Float.self)
          unsafe output[channel].append(
            contentsOf: UnsafeBufferPointer(
              start: samples, count: Int(frame?.pointee.nb_samples ?? 0)))
        }
      }
    }
    return output
  }

  /// A pipeline with three tracks and the AAC encoder, on a virtual clock.
  private final class Desk: PacketSink {
    struct Entry: Sendable {
      var time: MediaTime
      var bytes: [UInt8]
    }

    private static let chunkFrames = 480

    private let state = Mutex((entries: [Entry](), header: AudioHeader?.none))
    private let time = VirtualClock()
    private let pipeline: AudioPipeline
    private let arrival = Signal()
    private let start: MediaTime
    private let desk: Mutex<(tracks: [AudioPipeline.Track], chunk: Int, hasGuest: Bool)>
    var header: AudioHeader? { state.withLock { $0.header } }
    var takesPackets: Bool { true }
    var needsKeyframe: Bool { false }

    init() throws {
      let (time, arrival) = (time, arrival)
      let tracks = [("main", AudioTrack.Role.voice), ("guest", .voice), ("music", .music)].map {
        AudioPipeline.Track(
          name: $0, queue: PCMQueue(channels: 2, arrival: arrival, clock: time.clock), role: $1)
      }
      let renditions = Renditions()
      pipeline = AudioPipeline(
        tracks: tracks, channels: 2, arrival: arrival, bitrateKbps: AudioCommandTests.kbps,
        renditions: renditions, clock: time.clock, fatal: { _ in })
      desk = Mutex((tracks, 0, true))
      start = time.now
      renditions.add(self)
      let start = start
      pipeline.start()
      try #require(eventually { time.awaitedDeadline > start })
    }

    func setVideo(_ header: VideoHeader) {}
    func setAudio(_ header: AudioHeader) { state.withLock { $0.header = header } }
    func cut(video: UInt32, audio: UInt32) {}
    func offer(_ packet: Packet) {
      let entry = unsafe Entry(time: packet.time, bytes: Array(packet.bytes))
      state.withLock { $0.entries.append(entry) }
    }

    /// Lets 10 ms of each track pass, and waits until they are mixed.
    /// - Parameter offset: added to each sample of the first track.
    func run(chunks: Int, adding offset: Float = 0) throws {
      for _ in 0..<chunks {
        time.advance(by: .milliseconds(10))
        let (tracks, index, hasGuest) = desk.withLock { desk in
          defer { desk.chunk += 1 }
          return desk
        }
        for (number, track) in tracks.enumerated() where number != 1 || hasGuest {
          var chunk = [Float](repeating: 0, count: Desk.chunkFrames * 2)
          for frame in 0..<Desk.chunkFrames {
            let value =
              AudioCommandTests.tones[number].sample(index * Desk.chunkFrames + frame)
              + (number == 0 ? offset : 0)
            (chunk[2 * frame], chunk[2 * frame + 1]) = (value, value)
          }
          unsafe track.queue.put(
            chunk, frames: Desk.chunkFrames, startsAt: start + Int64(index) * .milliseconds(10))
        }
        let now = time.now
        try #require(eventually { time.awaitedDeadline >= now + .milliseconds(200) })
      }
    }

    /// One command at random.
    func command(_ dice: inout SplitMix64) {
      var (tracks, hasGuest) = desk.withLock { ($0.tracks, $0.hasGuest) }
      let track = tracks[Int.random(in: 0..<3, using: &dice)]
      var adjustment = track.present
      switch Int.random(in: 0..<8, using: &dice) {
      case 0: adjustment.gain.gainDB = Double.random(in: -20...3, using: &dice)
      case 1: adjustment.gain.volume = Double.random(in: 0...60, using: &dice)
      case 2, 3: adjustment.gain.isMuted.toggle()
      case 4: adjustment.gain.pan = Double.random(in: -1...1, using: &dice)
      case 5:
        let plans: [AudioFilterPlan] = [
          .highPass(hertz: 80), .noiseReduction(depthDB: 15), .gate, .deEsser, .compressor,
          .autoLevel,
        ]
        adjustment.filters = plans.filter { _ in Bool.random(using: &dice) }
      case 6:
        hasGuest.toggle()
        if hasGuest {
          tracks[1] = AudioPipeline.Track(
            name: "guest", queue: PCMQueue(channels: 2, arrival: arrival, clock: time.clock),
            role: .voice)
        }
        desk.withLock { ($0.tracks, $0.hasGuest) = (tracks, hasGuest) }
        pipeline.follow(hasGuest ? tracks : [tracks[0], tracks[2]])
        return
      default:
        return
      }
      track.adjust(adjustment)
    }

    /// Ends the pipeline.
    func end() -> [Entry] {
      #expect(pipeline.stop(by: .now() + .seconds(60)))
      return state.withLock { $0.entries }
    }
  }
}
