// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Audio
internal import Base
internal import Encode
internal import Media
internal import Synchronization

/// The audio pipeline, on one thread: tracks → filters, gain → sum → encoder → renditions. Tracks join and leave while
/// it runs.
///
/// The stream's audio never stops, even when a source does: missing samples are replaced by silence.
final class AudioPipeline: Sendable {
  /// The margin: how many nanoseconds samples may be late before silence replaces them. At first, the margin is the
  /// lower bound. It grows, up to the upper bound, when samples come later than the margin, as from a sound server or
  /// Bluetooth.
  private static let marginNanos: ClosedRange<Int64> = .milliseconds(150) ... .milliseconds(1_000)
  /// How many nanoseconds longer than the present margin (see `marginNanos`) the pipeline's thread waits for samples
  /// before it adds silence.
  private static let extraWaitNanos: Int64 = .milliseconds(50)

  /// Totals since the pipeline was started.
  struct Counters: ~Copyable, Sendable {
    let packets = Counter()
    /// Bytes of the encoded packets.
    let bytes = Counter()
    /// Bytes of the largest packet since this value was last read.
    let largest = Largest()
    /// Failed attempts to encode a block or to open an encoder.
    let failures = Counter()
    /// Sample frames of all tracks that came too late to be heard.
    let late = Counter()
  }

  /// Counts packets, bytes, failures and late samples since the start.
  let counters = Counters()
  /// Chunks of all tracks that were dropped because the pipeline's thread was too slow to process them.
  var chunksDropped: Int { tracks.withLock { $0.chunksDropped } }
  /// Shows whether the pipeline's thread still responds: the thread beats in each round.
  let heartbeat = Heartbeat()
  /// Copies what viewers hear.
  let programme = AudioTap()
  /// Tracks whether encoding audio fails.
  let failing = FailureTracker()

  /// The tracks to mix, and the number of dropped chunks.
  private struct Tracks {
    /// The tracks that are to be mixed.
    var present: [Track]
    /// Chunks that were dropped from the queues of tracks that have left since.
    var droppedBefore = 0
    /// Chunks that were dropped from the queues of all tracks since the start.
    var chunksDropped: Int { present.reduce(droppedBefore) { $0 + $1.queue.dropped } }
  }

  /// The tracks that were last set. The pipeline's thread adopts them when `tracksVersion` has changed.
  private let tracks: Mutex<Tracks>
  /// Rises by one with each change of the tracks.
  private let tracksVersion = Atomic<Int>(0)
  /// The number of channels, 1 or 2, of all tracks and of the encoder.
  private let channels: Int
  /// The sample rate of the encoded audio.
  private let sampleRate: Int
  /// Signals that a track has delivered samples.
  private let arrival: Signal
  /// The audio bit rate from the next packet on, in kbit/s.
  private let bitrateKbps: Atomic<Int>
  /// What is asked of the sum of the tracks.
  private let sumAdjustment = Mutex(SumAdjustment())
  /// Passes the encoded packets to the sinks.
  private let renditions: Renditions
  /// The rendition of the audio that is encoded.
  private let rendition: Rendition
  /// Opens the audio encoder.
  private let encoders: EncoderFactory
  /// Measures each block that is encoded.
  private let levels: LevelMeter
  /// Receives the reason when audio cannot be encoded at all.
  private let fatal: @Sendable (String) -> Void
  /// When audio ends, on the stream's timeline, in nanoseconds. The pipeline's thread ends once the encoder has emitted
  /// all audio before this time.
  private let endNanos = Atomic<Int64>(MediaTime.distantFuture.nanos)
  /// The scene that was last set with `cut`.
  private let scene = Mutex(AudioScene())
  private let lastSum = Mutex(SumReading())
  private let restartsLoudness = Atomic(false)
  /// The pipeline's thread.
  private let worker: Worker
  /// The clock of capture times, of the stream's timeline and of all waits.
  var clock: MediaClock { worker.clock }

  /// - Parameters:
  ///   - tracks: at most `Mixer.maxTracks`.
  ///   - arrival: the signal that the queues of all tracks share.
  ///   - levels: measures each block that is encoded.
  ///   - name: that of the thread. Its urgency is that of all audio: a cut to a pause waits for its lock.
  init(
    tracks: [Track], channels: Int, sampleRate: Int = PCM.sampleRate, arrival: Signal,
    bitrateKbps: Int,
    renditions: Renditions, rendition: Rendition = .audio,
    encoders: EncoderFactory = .libraries,
    levels: LevelMeter = LevelMeter(), name: String = "audio", clock: MediaClock = .system,
    fatal: @escaping @Sendable (String) -> Void
  ) {
    self.tracks = Mutex(Tracks(present: tracks))
    self.channels = channels
    self.sampleRate = sampleRate
    self.arrival = arrival
    self.bitrateKbps = Atomic(bitrateKbps)
    (self.renditions, self.rendition) = (renditions, rendition)
    self.encoders = encoders
    self.levels = levels
    self.fatal = fatal
    worker = Worker(name: name, clock: clock)
  }

  /// Starts the pipeline's thread.
  func start() {
    heartbeat.beat(worker.clock.now)
    worker.start { [self] in run() }
  }

  /// Cuts to another audio scene. A track that the scene silences ends at once. A track that is heard again begins with
  /// samples that are captured after the cut.
  ///
  /// Packets of an earlier scene that are being encoded, or that the encoder holds, are still offered to sinks with the
  /// number of that scene, unless the new scene hides them.
  func cut(to scene: AudioScene) { self.scene.withLock { $0 = scene } }

  /// What is measured of the sum of the tracks, every 100 ms.
  var sum: SumReading { lastSum.withLock { $0 } }

  /// Begins the integrated loudness, the range and the true peak anew, because a broadcast begins.
  func restartLoudness() { restartsLoudness.store(true, ordering: .relaxed) }

  /// Sets the bit rate from the next packet on.
  func follow(bitrateKbps: Int) { self.bitrateKbps.store(bitrateKbps, ordering: .relaxed) }

  /// Sets by how many decibels music is lowered while somebody speaks.
  func follow(duckDB: Double) { sumAdjustment.withLock { $0.duckDB = duckDB } }

  /// Sets the loudness to which the sum is slowly brought; `nil` for none.
  func follow(targetLUFS: Int?) { sumAdjustment.withLock { $0.targetLUFS = targetLUFS } }

  /// Asks of the sum of these tracks what is asked of that of another pipeline.
  func follow(sumOf other: AudioPipeline) {
    let wanted = other.sumAdjustment.withLock { $0 }
    sumAdjustment.withLock { $0 = wanted }
  }

  /// Sets the tracks. A track that joins is heard from its next chunk on, unless the scene silences it; a track that
  /// leaves fades out after the samples that it has delivered.
  /// - Parameter present: the complete list of tracks, at most `Mixer.maxTracks`.
  func follow(_ present: [Track]) {
    tracks.withLock { tracks in
      for old in tracks.present where !present.contains(where: { $0 === old }) {
        tracks.droppedBefore += old.queue.dropped
      }
      tracks.present = present
    }
    tracksVersion.wrappingAdd(1, ordering: .releasing)
    arrival.signal()
  }

  /// Ends the pipeline once its audio has reached `time` on the stream's timeline, and waits for this end.
  /// - Parameter deadline: on the system clock.
  /// - Returns: `false` if audio had not ended by `deadline`.
  func finish(at time: MediaTime, by deadline: MediaTime) -> Bool {
    endNanos.store(time.nanos, ordering: .relaxed)
    return worker.join(by: deadline)
  }

  /// Asks the pipeline's thread to end; does not wait for its end.
  func requestStop() {
    endNanos.store(MediaTime.distantPast.nanos, ordering: .relaxed)
    worker.requestStop()
    arrival.signal()
  }

  /// Ends the pipeline's thread, and waits for its end.
  /// - Parameter deadline: on the system clock.
  /// - Returns: `false` if the thread was still running at `deadline`. The thread is then abandoned.
  func stop(by deadline: MediaTime) -> Bool {
    requestStop()
    return worker.join(by: deadline)
  }

  /// The body of the pipeline's thread: mixes and encodes until the pipeline ends.
  private func run() {
    let clock = worker.clock
    var encoder: any AudioEncoder
    var kbps = bitrateKbps.load(ordering: .relaxed)
    do {
      encoder = try encoders.audio(format(kbps))
    } catch {
      fatal("The audio encoder cannot be opened: \(error).")
      return
    }
    renditions.setAudio(encoder.header, of: rendition)
    var appliedVersion = tracksVersion.load(ordering: .acquiring)
    // The mixer keeps as many blocks as the encoder holds, and two more for blocks that are encoded during a cut.
    let mixing = AudioMixing(
      tracks.withLock { $0.present }, channels: channels, blockFrames: encoder.blockFrames,
      keptBlocks: encoder.heldBlocks + 2, scene: scene.withLock { $0 }, now: clock.now)
    mixing.mixer.ceilingDB = AudioPipeline.ceilingDB(kbps: kbps)
    let samples = UnsafeMutablePointer<Float>.allocate(
      capacity: PCMQueue.chunkFrames * channels)
    defer { unsafe samples.deallocate() }

    var margin = AudioPipeline.marginNanos.lowerBound
    var renewal: AudioMixing.Renewal?
    // Blocks are mixed beyond the end of audio, so that the encoder emits all samples that it holds.
    let held = PCM.nanos(frames: encoder.heldBlocks * encoder.blockFrames)
    while mixing.mixer.end.nanos < endNanos.load(ordering: .relaxed) + held {
      let taken = unsafe take(
        into: samples, from: mixing, &appliedVersion,
        patience: margin + AudioPipeline.extraWaitNanos)
      let now = clock.now
      heartbeat.beat(now)
      // The scene is read after the chunk was taken, so that a chunk of an old scene never gets a newer scene's number.
      if let wanted = scene.withLock({ $0.number == mixing.scene.number ? nil : $0 }) {
        renewal = mixing.cut(to: wanted) ?? renewal
      }
      if let needed = renewal {
        guard let fresh = try? encoders.audio(format(kbps)) else {
          // No encoder could be opened: discard this chunk and try again with the next one.
          counters.failures.add()
          failing.fail(now)
          _ = worker.sleep(until: now + .milliseconds(10))
          continue
        }
        encoder = fresh
        renewal = nil
        if needed == .repeating {
          // The new encoder gets the blocks that the old encoder held, without the tracks that are now silenced.
          // Packets that were already offered to sinks are not offered again.
          unsafe mixing.mixer.repeatBlocks {
            unsafe encode($0, $1, encoder, mixing, now: now)
          }
        }
      }
      let wantedKbps = bitrateKbps.load(ordering: .relaxed)
      if wantedKbps != kbps {
        kbps = wantedKbps
        encoder.change(bitrateKbps: kbps)
        mixing.mixer.ceilingDB = AudioPipeline.ceilingDB(kbps: kbps)
      }
      mixing.adjust(sumAdjustment.withLock { $0 })
      if let (track, chunk) = taken {
        let late = unsafe mixing.add(samples, chunk, track: track, now: now) {
          unsafe measureAndEncode($0, $1, encoder, mixing, now: now)
        }
        counters.late.add(late)
        margin = min(margin + PCM.nanos(frames: late), AudioPipeline.marginNanos.upperBound)
      } else {
        unsafe mixing.mixer.addSilence(until: now - margin) {
          unsafe measureAndEncode($0, $1, encoder, mixing, now: now)
        }
      }
    }
  }

  /// The highest true peaks before the encoder, in dBTP. AAC adds more to the peaks the less it may spend (AES TD1008).
  private static func ceilingDB(kbps: Int) -> Double { kbps < 96 ? -2 : -1 }

  private func format(_ kbps: Int) -> AudioFormat {
    AudioFormat(channels: channels, bitrateKbps: kbps, sampleRate: sampleRate)
  }

  /// Takes the oldest chunk of any track, and waits for one if there is none.
  /// - Returns: `nil` if the thread has to end, or if no track has delivered until `patience` nanoseconds after the end
  ///   of the samples that the mixer has.
  private func take(
    into samples: UnsafeMutablePointer<Float>, from mixing: AudioMixing,
    _ appliedVersion: inout Int, patience: Int64
  ) -> (track: Int, chunk: PCMQueue.Chunk)? {
    while true {
      let newest = tracksVersion.load(ordering: .acquiring)
      if newest != appliedVersion, mixing.follow(tracks.withLock { $0.present }) {
        appliedVersion = newest
      }
      if let taken = unsafe mixing.take(into: samples) { return taken }
      guard !worker.isStopping,
        arrival.wait(until: mixing.mixer.earliestCaptureEnd + patience, on: worker.clock)
      else { return nil }
    }
  }

  /// Measures the level of a mixed block, and encodes the block.
  private func measureAndEncode(
    _ block: UnsafePointer<Float>, _ time: MediaTime, _ encoder: any AudioEncoder,
    _ mixing: AudioMixing, now: MediaTime
  ) {
    unsafe levels.note(
      block, frames: encoder.blockFrames, channels: channels, hasClipped: mixing.mixer.hasClipped)
    mixing.measure()
    unsafe measureLoudness(block, mixing)
    unsafe programme.put(block, frames: encoder.blockFrames, startsAt: time)
    unsafe encode(block, time, encoder, mixing, now: now)
  }

  private func measureLoudness(_ block: UnsafePointer<Float>, _ mixing: AudioMixing) {
    if restartsLoudness.exchange(false, ordering: .relaxed) { mixing.loudness.restart() }
    unsafe mixing.measureLoudness(block) { reading in lastSum.withLock { $0 = reading } }
  }

  /// Encodes a block, and offers the packets that have not been offered before.
  private func encode(
    _ block: UnsafePointer<Float>, _ time: MediaTime, _ encoder: any AudioEncoder,
    _ mixing: AudioMixing, now: MediaTime
  ) {
    do {
      try unsafe encoder.encode(block, startsAt: time, scene: mixing.number(at: time)) { packet in
        guard !worker.isAbandoned, packet.time > mixing.offeredAt else { return }
        // The lock is held so that no cut can happen between the check of the packet's scene and the offer of the
        // packet.
        let isTaken = scene.withLock { scene in
          guard packet.scene >= scene.hiddenBefore else { return false }
          renditions.offer(packet, of: rendition)
          return true
        }
        guard isTaken else { return }
        mixing.offeredAt = packet.time
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
