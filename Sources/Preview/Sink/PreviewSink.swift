// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media
internal import Mux

/// A packet sink that muxes the encoded packets into MP4 fragments for the preview. A fragment ends at each keyframe
/// and about every 200 ms.
///
/// The encoder threads only copy packets into a ring. The sink's own thread takes and muxes them when the oldest one
/// has waited for 200 ms. `cut` discards waiting packets, too.
final class PreviewSink: PacketSink {
  /// The time for which the first packet of a fragment waits for further ones, in nanoseconds.
  static let delayNanos: Int64 = .milliseconds(200)

  /// The store that receives the finished fragments.
  private let fragments: Fragments
  /// The clock from which the present time is read.
  private let clock: MediaClock
  /// The packets that wait to be muxed.
  private let pending = PendingPackets(delay: delayNanos)
  /// The sink's thread.
  private let worker: Worker

  init(fragments: Fragments, clock: MediaClock = .system) {
    self.fragments = fragments
    self.clock = clock
    worker = Worker(name: "preview", clock: clock)
  }

  /// Starts the sink's thread, which keeps the sink alive until `stop`.
  /// - Returns: `false` if the system cannot create a thread.
  func start() -> Bool { (try? worker.tryStart { [self] in run() }) != nil }

  /// When the waiting packets are due to be muxed; `distantFuture` if there are none.
  var dueAt: MediaTime { pending.dueAt }

  /// Closes the sink for further packets, and waits until its thread has ended or `deadline` has passed.
  /// - Parameter deadline: on the system clock.
  /// - Returns: `false` if the thread was still running at `deadline`.
  func stop(by deadline: MediaTime) -> Bool {
    pending.close()
    return worker.stop(by: deadline)
  }

  // MARK: For the encoders' threads

  /// Whether the sink accepts packets: `false` after `stop`.
  var takesPackets: Bool { pending.isOpen }
  /// Whether the next video packet has to be a keyframe.
  var needsKeyframe: Bool { pending.needsKeyframe }

  /// Sets the format of the video packets that follow.
  func setVideo(_ header: VideoHeader) { pending.setVideo(header, now: clock.now) }

  /// Sets the format of the audio packets that follow.
  func setAudio(_ header: AudioHeader) {
    pending.setAudio(header, now: clock.now)
    // Wake the thread: the first fragment may have waited for the audio header.
    worker.wake()
  }

  /// Begins new scenes at a cut, such as a pause or a mute: discards all packets and fragments of earlier scenes.
  func cut(video: UInt32, audio: UInt32) {
    // Cut the ring before the store: the store then refuses a fragment of earlier scenes that was muxed in between.
    pending.cut(video: video, audio: audio)
    fragments.cut(video: video, audio: audio)
  }

  /// Queues a packet to be muxed, or drops it if `EpochRules` ignores it or the sink is closed.
  func offer(_ packet: Packet) {
    if pending.offer(packet, now: clock.now) { worker.wake() }
  }

  // MARK: The thread

  /// The body of the sink's thread: muxes the waiting packets each time that they are due, until `stop`.
  private func run() {
    var muxer: FragmentMuxer?
    var packets: [QueuedPacket] = []
    var epochs: [Epoch] = []
    while !worker.isStopping {
      let due = dueAt
      guard clock.now >= due else {
        worker.wait(until: due)
        continue
      }
      pending.take(&packets, &epochs)
      do throws(MuxError) {
        try mux(packets, epochs, &muxer)
      } catch {
        muxer = nil
        pending.discardAfterFailure()
        fragments.report(PreviewError(error))
      }
      pending.release()
    }
  }

  /// Adds packets to fragments, and stores each fragment that is complete.
  private func mux(
    _ packets: [QueuedPacket], _ epochs: [Epoch], _ muxer: inout FragmentMuxer?
  ) throws(MuxError) {
    for packet in packets {
      if packet.beginsEpoch || packet.kind == .keyframe { try finish(&muxer) }
      if packet.beginsEpoch, let epoch = epochs.first(where: { $0.number == packet.epoch }) {
        muxer = nil
        muxer = try FragmentMuxer(epoch, origin: fragments.origin(orFrom: packet.time))
      }
      // Skip the remaining packets of an epoch after a loss: they cannot be decoded.
      guard let muxer, muxer.initialization.epoch == packet.epoch else { continue }
      try muxer.add(pending.packet(packet))
    }
    try finish(&muxer)
  }

  /// Completes the present fragment and stores it. Does nothing if no packet was added.
  private func finish(_ muxer: inout FragmentMuxer?) throws(MuxError) {
    guard let fragment = try muxer?.finish() else { return }
    if !fragments.append(fragment) {
      // The store has refused the fragment, because it is from before a cut, such as a pause. The frames after it
      // cannot be decoded without it.
      muxer = nil
      pending.discardAfterFailure()
    }
  }
}
