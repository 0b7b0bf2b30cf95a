// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Synchronization

/// A sink with a bounded queue and a thread of its own, which takes the queued packets or hangs.
final class QueueSink: PacketSink {
  struct Entry: Equatable {
    var kind: PacketKind
    var time: MediaTime
    var scene: UInt32
  }

  private struct State {
    var queue: [Entry] = []
    var taken: [Entry] = []
    var videoScene: UInt32 = 0
    var audioScene: UInt32 = 0
    var headers = 0
    /// Cuts before the first packet.
    var cutsBefore = 0
    var offered = 0
    /// Packets that came before a header or a cut.
    var early = 0
    var dropped = 0
    var isAwaitingKey = true
  }

  private let capacity: Int
  private let hangs: Bool
  private let state = Mutex(State())
  private let worker = Worker(name: "test sink")

  /// - Parameters:
  ///   - capacity: packets. When there are more, all are dropped, and a keyframe is requested.
  ///   - hangs: the thread never takes a packet.
  init(capacity: Int, hangs: Bool = false) {
    self.capacity = capacity
    self.hangs = hangs
  }

  func start() { worker.start { [self] in run() } }

  func stop() -> Bool { worker.stop(by: .now() + .seconds(60)) }

  private func run() {
    while true {
      let isLast = worker.isStopping
      if !hangs {
        state.withLock { state in
          state.taken += state.queue
          state.queue.removeAll(keepingCapacity: true)
        }
      }
      if isLast { return }
      worker.wait(until: .distantFuture)
    }
  }

  /// What the thread has taken, in order.
  var taken: [Entry] { state.withLock { $0.taken } }
  /// What waits for the thread.
  var queued: [Entry] { state.withLock { $0.queue } }
  var count: Int { state.withLock { $0.taken.count } }
  var dropped: Int { state.withLock { $0.dropped } }
  var early: Int { state.withLock { $0.early } }
  var headers: Int { state.withLock { $0.headers } }

  var takesPackets: Bool { true }
  var needsKeyframe: Bool { state.withLock { $0.isAwaitingKey } }
  func setVideo(_ header: VideoHeader) { state.withLock { $0.headers += 1 } }
  func setAudio(_ header: AudioHeader) { state.withLock { $0.headers += 1 } }

  func cut(video: UInt32, audio: UInt32) {
    state.withLock { state in
      if state.offered == 0 { state.cutsBefore += 1 }
      if video > state.videoScene {
        state.videoScene = video
        state.queue.removeAll { $0.kind != .audio }
        state.isAwaitingKey = true
      }
      if audio > state.audioScene {
        state.audioScene = audio
        state.queue.removeAll { $0.kind == .audio }
      }
    }
  }

  func offer(_ packet: Packet) {
    let isVideo = packet.kind != .audio
    let wakes = state.withLock { state in
      state.offered += 1
      if state.cutsBefore == 0 || isVideo && state.headers == 0 { state.early += 1 }
      guard packet.scene >= (isVideo ? state.videoScene : state.audioScene) else { return false }
      if isVideo, state.isAwaitingKey, packet.kind != .keyframe { return false }
      if packet.kind == .keyframe { state.isAwaitingKey = false }
      if state.queue.count == capacity {
        state.dropped += capacity
        state.queue.removeAll(keepingCapacity: true)
        state.isAwaitingKey = true
      }
      state.queue.append(Entry(kind: packet.kind, time: packet.time, scene: packet.scene))
      return true
    }
    if wakes { worker.wake() }
  }
}
