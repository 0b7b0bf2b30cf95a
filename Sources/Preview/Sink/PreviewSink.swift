// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media
internal import Mux

/// Makes MP4 fragments of the packets that are encoded anyway, one about every 200 ms and at each keyframe.
///
/// The encoders' threads only copy packets into a ring. A thread of its own takes them when the oldest has waited for
/// 200 ms, so that a cut in the meantime leaves out exactly what it hides.
final class PreviewSink: PacketSink {
  /// How long the first packet of a fragment waits for others, in nanoseconds.
  static let delayNanos: Int64 = .milliseconds(200)

  private let fragments: Fragments
  private let clock: MediaClock
  private let pending = PendingPackets(delay: delayNanos)
  private let worker: Worker

  init(fragments: Fragments, clock: MediaClock = .system) {
    self.fragments = fragments
    self.clock = clock
    worker = Worker(name: "preview", clock: clock)
  }

  /// Starts the thread. It keeps the sink alive until `stop`.
  /// - Returns: `false` if the system has no thread left.
  func start() -> Bool { (try? worker.tryStart { [self] in run() }) != nil }

  /// When the packets that wait are muxed; the distant future if there are none.
  var dueAt: MediaTime { pending.dueAt }

  /// Takes no packets any more, and waits for the thread's end.
  /// - Parameter deadline: on the system clock.
  /// - Returns: `false` when the thread was still running at `deadline`.
  func stop(by deadline: MediaTime) -> Bool {
    pending.close()
    return worker.stop(by: deadline)
  }

  // MARK: For the encoders' threads

  var takesPackets: Bool { pending.isOpen }
  var needsKeyframe: Bool { pending.needsKeyframe }

  func setVideo(_ header: VideoHeader) { pending.setVideo(header, now: clock.now) }

  func setAudio(_ header: AudioHeader) {
    pending.setAudio(header, now: clock.now)
    // The first fragment may have waited for it.
    worker.wake()
  }

  func cut(video: UInt32, audio: UInt32) {
    // First the ring: a fragment that is made of it meanwhile is refused by the store.
    pending.cut(video: video, audio: audio)
    fragments.cut(video: video, audio: audio)
  }

  func offer(_ packet: Packet) {
    if pending.offer(packet, now: clock.now) { worker.wake() }
  }

  // MARK: The thread

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
        pending.lose()
        fragments.report(PreviewError(error))
      }
      pending.release()
    }
  }

  private func mux(
    _ packets: [QueuedPacket], _ epochs: [Epoch], _ muxer: inout FragmentMuxer?
  ) throws(MuxError) {
    for packet in packets {
      if packet.beginsEpoch || packet.kind == .keyframe { try finish(&muxer) }
      if packet.beginsEpoch, let epoch = epochs.first(where: { $0.number == packet.epoch }) {
        muxer = nil
        muxer = try FragmentMuxer(epoch, origin: fragments.origin(orFrom: packet.time))
      }
      // After a loss, what is left of an epoch is of no use.
      guard let muxer, muxer.initialization.epoch == packet.epoch else { continue }
      try muxer.add(pending.packet(packet))
    }
    try finish(&muxer)
  }

  private func finish(_ muxer: inout FragmentMuxer?) throws(MuxError) {
    guard let fragment = try muxer?.finish() else { return }
    if !fragments.append(fragment) {
      // A cut has hidden it meanwhile. Without its frames the following ones are of no use.
      muxer = nil
      pending.lose()
    }
  }
}
