// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Audio
internal import Base
internal import Encode
internal import Media
internal import Synchronization

/// The audio pipeline, on one thread: tracks → filters, gain → sum → encoder → renditions.
///
/// Audio never stops, even when its source does: silence takes the place of samples that are missing.
final class AudioPipeline: Sendable {
  /// Silence is written up to this far behind the present, so that a source that is merely late still fits in
  /// without a gap. The margin grows, up to a second, for sources with more latency (a sound server, Bluetooth).
  private static let margins: ClosedRange<Int64> = .milliseconds(150) ... .milliseconds(1_000)
  /// How much longer than the margin to wait before silence is written.
  private static let patience: Int64 = .milliseconds(50)

  /// The audio that is sent after a cut.
  struct Scene: Sendable {
    /// Rises by one with each cut. Every packet carries the number of its scene (`Packet.scene`).
    var number: UInt32 = 0
    /// `false` for silence.
    var isHeard = true
    /// Samples captured before this time are not heard.
    var since = MediaTime.distantPast
  }

  /// The scenes of the blocks that are mixed after a cut.
  private struct BlockScenes {
    let scene: Scene
    let former: UInt32
    /// When the scene begins on the stream's timeline.
    let since: MediaTime

    init(_ scene: Scene, after former: UInt32, delayNanos: Int64) {
      self.scene = scene
      self.former = former
      since = scene.since + delayNanos
    }

    /// A block that begins before a scene that is heard may hold samples of the one before. Before silence, the mixer
    /// has forgotten them.
    func number(at time: MediaTime) -> UInt32 {
      scene.isHeard && time < since ? former : scene.number
    }
  }

  /// The audio of one source.
  struct Track: Sendable {
    /// Has the pipeline's `arrival` and channels.
    var queue: PCMQueue
  }

  /// What can be changed while audio runs. The thread takes it as a whole.
  struct Adjustment: Sendable, Equatable {
    /// Of the first track.
    var gainDB = 0.0
    /// Added to the time of every sample; may be negative.
    var delayNanos: Int64 = 0
  }

  /// Totals since the start.
  struct Counters: ~Copyable, Sendable {
    let packets = Counter()
    let bytes = Counter()
    /// Bytes of the largest packet.
    let largest = Largest()
    let failures = Counter()
    /// Sample frames that came too late to be heard.
    let late = Counter()
  }

  let counters = Counters()
  /// Chunks dropped because this thread was too slow to take them.
  var chunksDropped: Int { tracks.reduce(0) { $0 + $1.queue.dropped } }
  let heartbeat = Heartbeat()
  /// Whether the source of the first track delivers audio.
  let source = Pulse()
  /// Whether the encoder fails.
  let failing = Failing()

  private let tracks: [Track]
  private let channels: Int
  private let arrival: Signal
  private let bitrateKbps: Atomic<Int>
  private let adjustment: Mutex<Adjustment>
  private let renditions: Renditions
  private let encoders: EncoderFactory
  private let levels: LevelMeter
  private let fatal: @Sendable (String) -> Void
  /// The thread ends once the mixer has reached this time.
  private let endNanos = Atomic<Int64>(MediaTime.distantFuture.nanos)
  private let scene = Mutex(Scene())
  private let worker: Worker
  var clock: MediaClock { worker.clock }

  /// - Parameters:
  ///   - arrival: of the tracks' queues.
  ///   - levels: measures each block that is encoded.
  init(
    tracks: [Track], channels: Int, arrival: Signal, bitrateKbps: Int,
    adjustment: Adjustment = Adjustment(), renditions: Renditions,
    encoders: EncoderFactory = .libraries,
    levels: LevelMeter = LevelMeter(),
    clock: MediaClock = .system,
    fatal: @escaping @Sendable (String) -> Void
  ) {
    self.tracks = tracks
    self.channels = channels
    self.arrival = arrival
    self.bitrateKbps = Atomic(bitrateKbps)
    self.adjustment = Mutex(adjustment)
    self.renditions = renditions
    self.encoders = encoders
    self.levels = levels
    self.fatal = fatal
    worker = Worker(name: "audio", clock: clock)
  }

  func start() {
    heartbeat.beat(worker.clock.now)
    worker.start { [self] in run() }
  }

  /// Cuts to another scene: to silence at once, to the source with the samples that it captures from then on.
  ///
  /// A chunk that is being encoded at this moment is still offered, and samples that the encoder holds are, if they were
  /// heard and what follows is heard, too: each packet with the number of its own scene.
  func hear(_ scene: Scene) { self.scene.withLock { $0 = scene } }

  /// Sets the bit rate from the next packet on.
  func follow(bitrateKbps: Int) { self.bitrateKbps.store(bitrateKbps, ordering: .relaxed) }

  /// Changes gain and delay from the next chunk on. A longer delay begins with silence; for a shorter one, samples are
  /// left out.
  func adjust(_ adjustment: Adjustment) { self.adjustment.withLock { $0 = adjustment } }

  /// Ends audio once it reaches `time` on the stream's timeline.
  /// - Parameter deadline: on the system clock.
  /// - Returns: `false` if audio had not ended by `deadline`.
  func finish(at time: MediaTime, by deadline: MediaTime) -> Bool {
    endNanos.store(time.nanos, ordering: .relaxed)
    return worker.join(by: deadline)
  }

  /// Asks the thread to end; does not wait for it.
  func requestStop() {
    endNanos.store(MediaTime.distantPast.nanos, ordering: .relaxed)
    worker.requestStop()
    arrival.signal()
  }

  /// - Parameter deadline: on the system clock.
  func stop(by deadline: MediaTime) -> Bool {
    requestStop()
    return worker.join(by: deadline)
  }

  private func run() {
    let clock = worker.clock
    var encoder: any AudioEncoder
    var kbps = bitrateKbps.load(ordering: .relaxed)
    do {
      encoder = try encoders.audio(AudioFormat(channels: channels, bitrateKbps: kbps))
    } catch {
      fatal("The audio encoder cannot be opened: \(error).")
      return
    }
    renditions.setAudio(encoder.header)
    var adjusted = adjustment.withLock { $0 }
    // The mixer's time is that of the stream: capture time plus delay.
    let mixer = Mixer(
      channels: channels,
      tracks: tracks.indices.map { AudioTrack(gainDB: $0 == 0 ? adjusted.gainDB : 0) },
      blockFrames: encoder.blockFrames, origin: clock.now + adjusted.delayNanos)
    /// Samples before this time were left out for a shorter delay, and are not late.
    var shortenedUntil = MediaTime.distantPast
    let samples = UnsafeMutablePointer<Float>.allocate(
      capacity: PCMQueue.chunkFrames * channels)
    defer { unsafe samples.deallocate() }

    var margin = AudioPipeline.margins.lowerBound
    /// The scene on air, and the number of the one before it.
    var current = scene.withLock { $0 }
    var former = current.number
    // What the encoder holds has to come out, too.
    let held = PCM.nanos(frames: encoder.heldBlocks * encoder.blockFrames)
    while mixer.end.nanos < endNanos.load(ordering: .relaxed) + held {
      let delay = adjusted.delayNanos
      let taken = unsafe take(
        into: samples, until: mixer.end - delay + margin + AudioPipeline.patience)
      let now = clock.now
      heartbeat.beat(now)
      // Read after the chunk was taken, so that a chunk of an old scene never gets a newer scene's number.
      let wanted = scene.withLock { $0 }
      if wanted.number != current.number {
        // Mixer and encoder still hold samples that must not be heard after a cut to silence.
        if current.isHeard, !wanted.isHeard {
          mixer.silence()
          if let fresh = try? encoders.audio(AudioFormat(channels: channels, bitrateKbps: kbps)) {
            encoder = fresh
          } else {
            // Discard this chunk and try again.
            counters.failures.add()
            failing.fail(now)
            _ = worker.sleep(until: now + .milliseconds(10))
            continue
          }
        }
        (former, current) = (current.number, wanted)
      }
      let wantedKbps = bitrateKbps.load(ordering: .relaxed)
      if wantedKbps != kbps {
        kbps = wantedKbps
        encoder.change(bitrateKbps: kbps)
      }
      let wantedAdjustment = adjustment.withLock { $0 }
      if wantedAdjustment != adjusted {
        if wantedAdjustment.delayNanos < delay { shortenedUntil = mixer.end }
        mixer.setGain(wantedAdjustment.gainDB, track: 0)
        adjusted = wantedAdjustment
      }
      let scenes = BlockScenes(current, after: former, delayNanos: adjusted.delayNanos)
      if let (track, chunk) = taken {
        let startsAt = chunk.startsAt + adjusted.delayNanos
        if track == 0 { source.beat(now) }
        let isHeard = current.isHeard && chunk.startsAt >= current.since
        let late = unsafe mixer.add(
          isHeard ? samples : nil, frames: chunk.frames, startsAt: startsAt, track: track
        ) {
          unsafe encode(
            $0, $1, encoder, scenes.number(at: $1), hasClipped: mixer.hasLimited, now: now)
        }
        if late > 0, startsAt >= shortenedUntil {
          counters.late.add(late)
          margin = min(margin + PCM.nanos(frames: late), AudioPipeline.margins.upperBound)
        }
      } else {
        unsafe mixer.addSilence(until: now - margin + adjusted.delayNanos) { block, time in
          unsafe encode(
            block, time, encoder, scenes.number(at: time), hasClipped: mixer.hasLimited,
            now: now)
        }
      }
    }
  }

  /// Takes the oldest chunk of a track that has one, waiting for one until `deadline`.
  private func take(
    into samples: UnsafeMutablePointer<Float>, until deadline: MediaTime
  ) -> (track: Int, chunk: PCMQueue.Chunk)? {
    while true {
      for index in tracks.indices {
        if let chunk = unsafe tracks[index].queue.takeNow(into: samples) { return (index, chunk) }
      }
      guard !worker.isStopping, arrival.wait(until: deadline, on: worker.clock) else { return nil }
    }
  }

  private func encode(
    _ block: UnsafePointer<Float>, _ time: MediaTime, _ encoder: any AudioEncoder, _ scene: UInt32,
    hasClipped: Bool, now: MediaTime
  ) {
    unsafe levels.note(
      block, frames: encoder.blockFrames, channels: channels, hasClipped: hasClipped)
    do {
      try unsafe encoder.encode(block, startsAt: time, scene: scene) { packet in
        guard !worker.isAbandoned else { return }
        renditions.offer(packet)
        counters.packets.add()
        counters.bytes.add(unsafe packet.bytes.count)
        counters.largest.note(unsafe packet.bytes.count)
      }
      failing.succeed()
    } catch {
      counters.failures.add()
      failing.fail(now)
    }
  }
}
