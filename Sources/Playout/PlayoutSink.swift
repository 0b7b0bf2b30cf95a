// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media
internal import Mux
internal import Preview

/// A packet sink that makes FLV tags and the parts of HLS segments of the encoded packets.
///
/// The encoder threads only copy packets into a ring. A thread of the play-out takes them when the oldest one has
/// waited for 50 ms.
final class PlayoutSink: PacketSink {
  /// The time for which the oldest packet waits for further ones, in nanoseconds.
  private static let delayNanos: Int64 = .milliseconds(50)

  /// The store of the parts.
  private let fragments: Fragments
  private let tags: FLVTags
  private let clock: MediaClock
  /// Wakes the thread that calls `store`.
  private let wake: @Sendable () -> Void
  /// The packets that wait to be stored.
  private let pending = PendingPackets(delay: delayNanos)

  /// - Parameter wake: wakes the thread that calls `store`.
  init(
    _ fragments: Fragments, _ tags: FLVTags, clock: MediaClock, wake: @escaping @Sendable () -> Void
  ) {
    self.fragments = fragments
    self.tags = tags
    self.clock = clock
    self.wake = wake
  }

  // MARK: For the encoders' threads

  var takesPackets: Bool { pending.isOpen }
  var needsKeyframe: Bool { pending.needsKeyframe }

  func setVideo(_ header: VideoHeader) { pending.setVideo(header, now: clock.now) }

  func setAudio(_ header: AudioHeader) {
    pending.setAudio(header, now: clock.now)
    // The first packets may have waited for this header.
    wake()
  }

  func cut(video: UInt32, audio: UInt32) {
    // Cut the ring before the stores: these then refuse what was taken from it before.
    pending.cut(video: video, audio: audio)
    tags.cut(video: video, audio: audio)
    fragments.cut(video: video, audio: audio)
  }

  func offer(_ packet: Packet) {
    if pending.offer(packet, now: clock.now) { wake() }
  }

  // MARK: For the play-out's thread

  /// What the thread keeps between two calls of `store`.
  struct Work {
    /// Muxes the present part; `nil` until an epoch begins.
    fileprivate var muxer: FragmentMuxer?
    fileprivate var epoch = Epoch()
    fileprivate var length = PartLength(Epoch())
    fileprivate var packets: [QueuedPacket] = []
    fileprivate var epochs: [Epoch] = []
  }

  /// When `store` has something to do; `distantFuture` if no packet waits.
  var dueAt: MediaTime { pending.dueAt }

  /// Accepts no further packets.
  func close() { pending.close() }

  /// Stores the packets that are due.
  func store(_ work: inout Work) {
    guard clock.now >= dueAt else { return }
    pending.take(&work.packets, &work.epochs)
    do throws(MuxError) {
      try mux(&work)
    } catch {
      work.muxer = nil
      pending.discardAfterFailure()
      fragments.report(PreviewError(error))
    }
    pending.release()
  }

  private func mux(_ work: inout Work) throws(MuxError) {
    let now = clock.now
    var new: [FLVTag] = []
    for taken in work.packets {
      if taken.beginsEpoch {
        // It does not matter whether the last part of the epoch before is refused: nothing depends on it any more.
        _ = try finish(&work)
        work.muxer = nil
        guard let epoch = work.epochs.first(where: { $0.number == taken.epoch }) else { continue }
        work.epoch = epoch
        work.length = PartLength(epoch)
        work.muxer = try FragmentMuxer(epoch, origin: fragments.origin(orFrom: taken.time))
      } else if taken.kind == .keyframe, try !finish(&work) {
        return restart(&work)
      }
      // Skip the remaining packets of an epoch after a loss: they cannot be decoded.
      guard let muxer = work.muxer, work.epoch.number == taken.epoch else { continue }
      let packet = pending.packet(taken)
      try muxer.add(packet)
      new.append(FLVTag(packet, in: work.epoch, storedAt: now))
      if work.length.add(isVideo: packet.isVideo, at: packet.time), try !finish(&work) {
        return restart(&work)
      }
    }
    tags.append(new)
  }

  /// Completes the present part and stores it.
  /// - Returns: `false` if the store has refused it, because it has packets from before a cut, such as a pause.
  private func finish(_ work: inout Work) throws(MuxError) -> Bool {
    work.length.begin()
    guard let fragment = try work.muxer?.finish() else { return true }
    return fragments.append(fragment)
  }

  /// Goes on with a keyframe: the frames after a part that was refused cannot be decoded without it.
  private func restart(_ work: inout Work) {
    work.muxer = nil
    pending.discardAfterFailure()
  }
}
