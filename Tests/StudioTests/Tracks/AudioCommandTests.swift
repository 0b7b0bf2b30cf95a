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
@testable import Capture
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

  /// Of the voices.
  private static let tones = [
    Tone(hertz: 440, amplitude: 0.2), Tone(hertz: 620, amplitude: 0.15),
  ]
  /// Of two pieces of music.
  private static let pieces = [
    Tone(hertz: 330, amplitude: 0.2), Tone(hertz: 550, amplitude: 0.15),
  ]

  /// Works gain, volume, mute, pan, delay and filters of three tracks, lets one of them join and leave, starts, pauses, resumes,
  /// replaces and stops music, changes how far it is lowered, and the loudness to which the sum is brought: 1,000 commands at
  /// random moments. The packets are decoded.
  @Test(arguments: 1...2 as ClosedRange<UInt64>) func aThousandCommandsDoNotClick(seed: UInt64)
    throws
  {
    var dice = SplitMix64(seed: seed)
    let desk = try Desk()
    for _ in 0..<often(AudioCommandTests.commands) {
      let count = Int.random(in: 1...5, using: &dice)
      try desk.run(chunks: count)
      try desk.command(&dice)
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

  /// Writes a piece of music of four seconds: 16 bits, one channel.
  private static func write(_ piece: Tone, to path: String) throws {
    let samples = (0..<4 * PCM.sampleRate).map { Int16(piece.sample($0) * 32_767) }
    func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
      (0..<value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
    let rate = Int32(PCM.sampleRate)
    let format =
      bytes(Int16(1)) + bytes(Int16(1)) + bytes(rate) + bytes(rate * 2) + bytes(Int16(2))
      + bytes(Int16(16))
    let data = samples.flatMap { bytes($0) }
    let size = Int32(data.count)
    let file =
      Array("RIFF".utf8) + bytes(size + 36) + Array("WAVEfmt ".utf8) + bytes(Int32(format.count))
      + format
      + Array("data".utf8) + bytes(size) + data
    let stream = try unsafe #require(fopen(path, "w"))
    defer { unsafe fclose(stream) }
    try #require(unsafe fwrite(file, 1, file.count, stream) == file.count)
  }

  /// A pipeline with two voices, music and the AAC encoder, on a virtual clock.
  private final class Desk: PacketSink {
    struct Entry: Sendable {
      var time: MediaTime
      var bytes: [UInt8]
    }

    private static let chunkFrames = 480
    /// How long the track of stopped music stays, in chunks, so that the music fades out.
    private static let fadeOutChunks = 16

    /// The tracks, and which of them are heard.
    private struct State {
      var tracks: [AudioPipeline.Track]
      var chunk = 0
      var hasGuest = true
      var hasMusic = true
      /// The chunk from which on stopped music has no track.
      var musicEnds = Int.max

      var present: [AudioPipeline.Track] {
        [tracks[0]] + (hasGuest ? [tracks[1]] : []) + (hasMusic ? [tracks[2]] : [])
      }
    }

    private let state = Mutex((entries: [Entry](), header: AudioHeader?.none))
    private let time = VirtualClock()
    private let pipeline: AudioPipeline
    private let arrival = Signal()
    private let start: MediaTime
    private let desk: Mutex<State>
    /// On the system's clock: only its reading thread waits, and it is far ahead.
    private let player = MusicPlayer { _ in }
    private let mix = Mutex(MusicMix(channels: 2))
    private let pieces: [String]
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
      desk = Mutex(State(tracks: tracks))
      start = time.now
      let folder = stateDirectory()
      pieces = AudioCommandTests.pieces.indices.map { "\(folder)/\($0).wav" }
      for (piece, path) in zip(AudioCommandTests.pieces, pieces) {
        try AudioCommandTests.write(piece, to: path)
      }
      player.attach()
      play(0)
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
        let (desk, musicHasEnded) = desk.withLock { desk in
          let musicHasEnded = desk.hasMusic && desk.chunk >= desk.musicEnds
          if musicHasEnded { desk.hasMusic = false }
          defer { desk.chunk += 1 }
          return (desk, musicHasEnded)
        }
        if musicHasEnded { pipeline.follow(desk.present) }
        let index = desk.chunk
        for (number, track) in desk.tracks.prefix(2).enumerated() where number != 1 || desk.hasGuest
        {
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
        // Music comes in chunks of 20 ms.
        if index.isMultiple(of: 2) {
          try putMusic(
            desk.hasMusic ? desk.tracks[2].queue : nil, at: start + Int64(index) * .milliseconds(10)
          )
        }
        let now = time.now
        try #require(eventually { time.awaitedDeadline >= now + .milliseconds(200) })
      }
    }

    /// Plays 20 ms of the music.
    /// - Parameter queue: receives them; `nil` while the music has no track.
    private func putMusic(_ queue: PCMQueue?, at time: MediaTime) throws {
      let wanted = player.wanted
      try #require(eventually { wanted.map { $0.buffer.frames > PCM.sampleRate } ?? true })
      mix.withLock { mix in
        if let outcome = mix.fill(wanted), let wanted { player.note(outcome, of: wanted) }
        unsafe queue?.put(mix.samples, frames: MusicFeed.chunkFrames, startsAt: time)
      }
    }

    private func play(_ piece: Int) {
      player.start(MusicRequest(source: .file(path: pieces[piece]), loops: true, name: "\(piece)"))
    }

    /// A track that joins, with a queue of its own.
    private func joining(_ name: String, _ role: AudioTrack.Role) -> AudioPipeline.Track {
      AudioPipeline.Track(
        name: name, queue: PCMQueue(channels: 2, arrival: arrival, clock: time.clock), role: role)
    }

    /// One command at random.
    func command(_ dice: inout SplitMix64) throws {
      let track = desk.withLock { $0.tracks[Int.random(in: 0..<3, using: &dice)] }
      var adjustment = track.present
      switch Int.random(in: 0..<14, using: &dice) {
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
      case 6: adjustment.delayNanos = Int64.random(in: -50...100, using: &dice) * .milliseconds(1)
      case 7: pipeline.follow(duckDB: Double.random(in: 0...24, using: &dice))
      case 8:
        pipeline.follow(
          targetLUFS: Bool.random(using: &dice) ? Int.random(in: -30 ... -10, using: &dice) : nil)
      case 9:
        pipeline.follow(
          desk.withLock { desk in
            desk.hasGuest.toggle()
            if desk.hasGuest { desk.tracks[1] = joining("guest", .voice) }
            return desk.present
          })
      case 10, 11:
        play(Int.random(in: 0..<pieces.count, using: &dice))
        pipeline.follow(
          desk.withLock { desk in
            if !desk.hasMusic { desk.tracks[2] = joining("music", .music) }
            (desk.hasMusic, desk.musicEnds) = (true, .max)
            return desk.present
          })
      case 12:
        switch player.status.state {
        case .paused: try player.resume()
        case .stopped: break
        default: try player.pause()
        }
      default:
        player.stop()
        desk.withLock { $0.musicEnds = min($0.musicEnds, $0.chunk + Desk.fadeOutChunks) }
      }
      track.adjust(adjustment)
    }

    /// Ends the pipeline.
    func end() -> [Entry] {
      player.detach()
      #expect(player.close(by: .now() + .seconds(10)))
      #expect(pipeline.stop(by: .now() + .seconds(60)))
      return state.withLock { $0.entries }
    }
  }
}
