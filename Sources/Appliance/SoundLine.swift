// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Encode
internal import Media
internal import Sound
internal import Synchronization

/// The way of the sound, on one thread: source's queue → mixer → AAC → outlet.
///
/// The sound never stops because its source did: what has not come in time is silence.
final class SoundLine: Sendable {
  /// How far behind the present silence stays, so that a source that is merely late joins without a
  /// cut. It grows for a source that is later still (a sound server, Bluetooth), to a second.
  private static let margins: ClosedRange<Int64> = .milliseconds(150) ... .milliseconds(1_000)
  /// How much further behind the sound may lag before silence takes its place.
  private static let patience: Int64 = .milliseconds(50)

  /// What the sound is of.
  struct Scene: Sendable {
    /// Counts the changes; each packet tells its own (`Packet.scene`).
    var number: UInt32 = 0
    /// Whether the source is heard.
    var isHeard = true
    /// Nothing that the source caught before is heard.
    var since = MediaTime.distantPast
  }

  struct Counters: ~Copyable, Sendable {
    let blocks = Counter()
    let bytes = Counter()
    let failures = Counter()
    /// Sample frames that came too late to be heard.
    let late = Counter()
  }

  let counters = Counters()
  /// Pieces of sound lost since this line was too slow to take them.
  var piecesLost: Int { queue.dropped }
  let heartbeat = Heartbeat()
  /// Whether the source gives sound.
  let source = Pulse()

  private let queue: PCMQueue
  private let bitrateKbps: Atomic<Int>
  private let gainDB: Double
  private let delayNanos: Int64
  /// Whether what is wanted can be encoded.
  let failing = Failing()
  private let outlet: Outlet
  private let fatal: @Sendable (String) -> Void
  /// Where on the mixer's timeline the sound ends: nanoseconds, the far future while it goes on.
  private let endNanos = Atomic<Int64>(MediaTime.distantFuture.nanos)
  private let scene = Mutex(Scene())
  private let thread = Mutex<MediaThread?>(nil)

  /// - Parameter delayNanos: how much later than it was caught the sound is to be heard; may be negative.
  init(
    queue: PCMQueue, bitrateKbps: Int, gainDB: Double, delayNanos: Int64, outlet: Outlet,
    fatal: @escaping @Sendable (String) -> Void
  ) {
    self.queue = queue
    self.bitrateKbps = Atomic(bitrateKbps)
    self.gainDB = gainDB
    self.delayNanos = delayNanos
    self.outlet = outlet
    self.fatal = fatal
  }

  func start() {
    heartbeat.beat(.now())
    thread.withLock {
      $0 = MediaThread(name: "sound", urgency: .ordinary) { [self] in run() }
    }
  }

  /// Goes over to another scene: to silence at once, to the source with what it catches from then on.
  ///
  /// What the line has in hand of the old scene it still offers, with that one's number.
  func hear(_ scene: Scene) { self.scene.withLock { $0 = scene } }

  /// Goes on at another bit rate, from the next block on.
  func follow(bitrateKbps: Int) { self.bitrateKbps.store(bitrateKbps, ordering: .relaxed) }

  /// Ends the sound once it reaches `time`, as viewers hear it.
  /// - Returns: `false` when it had not by `deadline`.
  func finish(at time: MediaTime, by deadline: MediaTime) -> Bool {
    // The encoder holds one block back and has put one of silence before the first.
    let ahead = PCM.nanos(frames: 3 * AACEncoder.frameSamples)
    endNanos.store((time - delayNanos + ahead).nanos, ordering: .relaxed)
    return thread.withLock { $0 }?.join(until: deadline) ?? true
  }

  func stop(by deadline: MediaTime) -> Bool {
    endNanos.store(MediaTime.distantPast.nanos, ordering: .relaxed)
    return thread.withLock { $0 }?.join(until: deadline) ?? true
  }

  private func run() {
    var encoder: AACEncoder
    var kbps = bitrateKbps.load(ordering: .relaxed)
    do {
      encoder = try AACEncoder(channels: queue.channels, bitrateKbps: kbps)
    } catch {
      fatal("The sound cannot be encoded: \(error).")
      return
    }
    outlet.setAudio(encoder.header)
    let mixer = Mixer(
      channels: queue.channels, gainDB: gainDB, blockFrames: AACEncoder.frameSamples, origin: .now()
    )
    let room = UnsafeMutablePointer<Float>.allocate(
      capacity: PCMQueue.chunkFrames * queue.channels)
    defer { unsafe room.deallocate() }

    var margin = SoundLine.margins.lowerBound
    var present = Scene()
    while mixer.end.nanos < endNanos.load(ordering: .relaxed) {
      let piece = unsafe queue.take(into: room, until: mixer.end + margin + SoundLine.patience)
      let now = MediaTime.now()
      heartbeat.beat(now)
      // After the piece was taken: it is never offered as of a newer scene than it was meant for.
      let wanted = scene.withLock { $0 }
      if wanted.number != present.number {
        // Both have sound in them that nobody is to hear any more.
        if present.isHeard, !wanted.isHeard {
          mixer.silence()
          if let fresh = try? AACEncoder(channels: queue.channels, bitrateKbps: kbps) {
            encoder = fresh
          } else {
            // Nothing is said of what comes now; it is tried again.
            counters.failures.add()
            failing.fail(now)
            (now + .milliseconds(10)).sleepUntil()
            continue
          }
        }
        present = wanted
      }
      let wantedKbps = bitrateKbps.load(ordering: .relaxed)
      if wantedKbps != kbps {
        kbps = wantedKbps
        encoder.change(bitrateKbps: kbps)
      }
      let number = present.number
      if let piece {
        source.beat(now)
        let isHeard = present.isHeard && piece.startsAt >= present.since
        let late = unsafe mixer.add(
          isHeard ? room : nil, frames: piece.frames, startsAt: piece.startsAt
        ) {
          unsafe encode($0, $1, encoder, number)
        }
        if late > 0 {
          counters.late.add(late)
          margin = min(margin + PCM.nanos(frames: late), SoundLine.margins.upperBound)
        }
      } else {
        unsafe mixer.addSilence(until: now - margin) { block, time in
          unsafe encode(block, time, encoder, number)
        }
      }
    }
  }

  private func encode(
    _ block: UnsafePointer<Float>, _ time: MediaTime, _ encoder: AACEncoder, _ scene: UInt32
  ) {
    do {
      try unsafe encoder.encode(block, startsAt: time + delayNanos) { packet in
        var packet = packet
        packet.scene = scene
        outlet.offer(packet)
        counters.blocks.add()
        counters.bytes.add(unsafe packet.bytes.count)
      }
      failing.succeed()
    } catch {
      counters.failures.add()
      failing.fail(.now())
    }
  }
}
