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
/// Audio never stops, even when its source does: silence takes the place of samples that are missing.
final class AudioPipeline: Sendable {
  /// Missing samples are replaced by silence only up to this many nanoseconds before the present, so that samples that
  /// are merely late still fit in without a gap. The margin grows from the lower to the upper bound for sources with
  /// more latency (a sound server, Bluetooth).
  private static let margins: ClosedRange<Int64> = .milliseconds(150) ... .milliseconds(1_000)
  /// How many nanoseconds longer than the margin the thread waits for samples before it adds silence.
  private static let patience: Int64 = .milliseconds(50)

  /// Totals since the pipeline was started.
  struct Counters: ~Copyable, Sendable {
    let packets = Counter()
    let bytes = Counter()
    /// Bytes of the largest packet since the last reading.
    let largest = Largest()
    let failures = Counter()
    /// Sample frames of all tracks that came too late to be heard.
    let late = Counter()
  }

  let counters = Counters()
  /// Chunks of all tracks that were dropped because the thread was too slow to take them.
  var chunksDropped: Int { tracks.withLock { $0.chunksDropped } }
  let heartbeat = Heartbeat()
  /// Whether the audio encoder fails.
  let failing = Failing()

  private struct Tracks {
    var present: [Track]
    /// Chunks that were dropped from the queues of tracks that have left since.
    var droppedBefore = 0
    var chunksDropped: Int { present.reduce(droppedBefore) { $0 + $1.queue.dropped } }
  }

  private let tracks: Mutex<Tracks>
  /// Rises by one with each change of the tracks.
  private let version = Atomic<Int>(0)
  private let channels: Int
  private let arrival: Signal
  private let bitrateKbps: Atomic<Int>
  private let renditions: Renditions
  private let encoders: EncoderFactory
  private let levels: LevelMeter
  private let fatal: @Sendable (String) -> Void
  /// When audio ends, on the stream's timeline: the thread returns once the encoder has emitted all audio before this.
  private let endNanos = Atomic<Int64>(MediaTime.distantFuture.nanos)
  private let scene = Mutex(AudioScene())
  private let worker: Worker
  var clock: MediaClock { worker.clock }

  /// - Parameters:
  ///   - tracks: at most `Mixer.maxTracks`.
  ///   - arrival: the signal that the queues of all tracks share.
  ///   - levels: measures each block that is encoded.
  init(
    tracks: [Track], channels: Int, arrival: Signal, bitrateKbps: Int,
    renditions: Renditions,
    encoders: EncoderFactory = .libraries,
    levels: LevelMeter = LevelMeter(),
    clock: MediaClock = .system,
    fatal: @escaping @Sendable (String) -> Void
  ) {
    self.tracks = Mutex(Tracks(present: tracks))
    self.channels = channels
    self.arrival = arrival
    self.bitrateKbps = Atomic(bitrateKbps)
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

  /// Cuts to another audio scene. Tracks that it silences end at once; tracks that it brings back are heard with
  /// samples that are captured after the cut.
  ///
  /// Packets of an earlier scene that are being encoded, or that the encoder holds, are still offered with the number
  /// of their own scene, unless the new scene hides them.
  func hear(_ scene: AudioScene) { self.scene.withLock { $0 = scene } }

  /// Sets the bit rate from the next packet on.
  func follow(bitrateKbps: Int) { self.bitrateKbps.store(bitrateKbps, ordering: .relaxed) }

  /// Sets the tracks. A track that joins is heard from its next chunk on, unless the scene silences it; a track that
  /// leaves fades out after the samples that it has delivered.
  /// - Parameter present: all tracks that there are to be, at most `Mixer.maxTracks`.
  func follow(_ present: [Track]) {
    tracks.withLock { tracks in
      for old in tracks.present where !present.contains(where: { $0 === old }) {
        tracks.droppedBefore += old.queue.dropped
      }
      tracks.present = present
    }
    version.wrappingAdd(1, ordering: .releasing)
    arrival.signal()
  }

  /// Ends the pipeline once its audio has reached `time` on the stream's timeline, and waits for that.
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

  /// Ends the thread, and waits for that.
  /// - Parameter deadline: on the system clock.
  /// - Returns: `false` if the thread was still running at `deadline`. It is then abandoned.
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
    var followed = version.load(ordering: .acquiring)
    // The blocks that the encoder holds, with a little more for blocks that are encoded during a cut.
    let mixing = AudioMixing(
      tracks.withLock { $0.present }, channels: channels, blockFrames: encoder.blockFrames,
      keptBlocks: encoder.heldBlocks + 2, scene: scene.withLock { $0 }, now: clock.now)
    let samples = UnsafeMutablePointer<Float>.allocate(
      capacity: PCMQueue.chunkFrames * channels)
    defer { unsafe samples.deallocate() }

    var margin = AudioPipeline.margins.lowerBound
    var renewal: AudioMixing.Renewal?
    // The samples that the encoder holds have to come out, too.
    let held = PCM.nanos(frames: encoder.heldBlocks * encoder.blockFrames)
    while mixing.mixer.end.nanos < endNanos.load(ordering: .relaxed) + held {
      let taken = unsafe take(
        into: samples, from: mixing, &followed, patience: margin + AudioPipeline.patience)
      let now = clock.now
      heartbeat.beat(now)
      // Read after the chunk was taken, so that a chunk of an old scene never gets a newer scene's number.
      if let wanted = scene.withLock({ $0.number == mixing.scene.number ? nil : $0 }) {
        renewal = mixing.cut(to: wanted) ?? renewal
      }
      if let needed = renewal {
        guard let fresh = try? encoders.audio(AudioFormat(channels: channels, bitrateKbps: kbps))
        else {
          // Discard this chunk and try again.
          counters.failures.add()
          failing.fail(now)
          _ = worker.sleep(until: now + .milliseconds(10))
          continue
        }
        encoder = fresh
        renewal = nil
        if needed == .repeating {
          // The new encoder gets what the old one held, without the tracks that are silenced. Packets that sinks
          // already have are not offered again.
          unsafe mixing.mixer.repeatBlocks {
            unsafe encode($0, $1, encoder, mixing, now: now)
          }
        }
      }
      let wantedKbps = bitrateKbps.load(ordering: .relaxed)
      if wantedKbps != kbps {
        kbps = wantedKbps
        encoder.change(bitrateKbps: kbps)
      }
      mixing.adjust()
      if let (track, chunk) = taken {
        let late = unsafe mixing.add(samples, chunk, track: track, now: now) {
          unsafe take($0, $1, encoder, mixing, now: now)
        }
        counters.late.add(late)
        margin = min(margin + PCM.nanos(frames: late), AudioPipeline.margins.upperBound)
      } else {
        unsafe mixing.mixer.addSilence(until: now - margin) {
          unsafe take($0, $1, encoder, mixing, now: now)
        }
      }
    }
  }

  /// Takes the oldest chunk of any track, and waits for one if there is none.
  /// - Returns: `nil` if no track delivers within `patience` nanoseconds after the time up to which the mixer has
  ///   samples, or if the thread is to end.
  private func take(
    into samples: UnsafeMutablePointer<Float>, from mixing: AudioMixing, _ followed: inout Int,
    patience: Int64
  ) -> (track: Int, chunk: PCMQueue.Chunk)? {
    while true {
      let newest = version.load(ordering: .acquiring)
      if newest != followed, mixing.follow(tracks.withLock { $0.present }) { followed = newest }
      if let taken = unsafe mixing.take(into: samples) { return taken }
      guard !worker.isStopping,
        arrival.wait(until: mixing.mixer.due + patience, on: worker.clock)
      else { return nil }
    }
  }

  private func take(
    _ block: UnsafePointer<Float>, _ time: MediaTime, _ encoder: any AudioEncoder,
    _ mixing: AudioMixing, now: MediaTime
  ) {
    unsafe levels.note(
      block, frames: encoder.blockFrames, channels: channels, hasClipped: mixing.mixer.hasLimited)
    unsafe encode(block, time, encoder, mixing, now: now)
  }

  /// Encodes a block, and offers the packets that have not been offered before.
  private func encode(
    _ block: UnsafePointer<Float>, _ time: MediaTime, _ encoder: any AudioEncoder,
    _ mixing: AudioMixing, now: MediaTime
  ) {
    do {
      try unsafe encoder.encode(block, startsAt: time, scene: mixing.number(at: time)) { packet in
        guard !worker.isAbandoned, packet.time > mixing.offeredAt else { return }
        // Not during a cut: whether sinks take a packet has to be known.
        let isTaken = scene.withLock { scene in
          guard packet.scene >= scene.hiddenBefore else { return false }
          renditions.offer(packet)
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
