// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Director
import Encode
import Media
import Synchronization

@testable import Studio

/// Holds back two blocks, and emits packets of the samples of two blocks, as an AAC encoder does. Its bytes are the
/// samples.
final class PlainEncoder: AudioEncoder {
  static let frames = 1_024
  let header = AudioHeader(
    audioSpecificConfig: [], sampleRate: 48_000, channels: 2, bitrateKbps: 64)
  let blockFrames = PlainEncoder.frames
  let heldBlocks = 2
  private var held: [(samples: [Float], time: MediaTime, scene: UInt32)] = []

  func change(bitrateKbps: Int) {}

  func encode(
    _ interleaved: UnsafePointer<Float>, startsAt: MediaTime, scene: UInt32, emit: (Packet) -> Void
  ) throws(AudioEncoderError) {
    let samples = unsafe Array(UnsafeBufferPointer(start: interleaved, count: 2 * blockFrames))
    held.append((samples, startsAt, scene))
    guard held.count > 2 else { return }
    let first = held.removeFirst()
    unsafe (first.samples + held[0].samples).withUnsafeBytes {
      unsafe emit(Packet(kind: .audio, time: first.time, scene: first.scene, bytes: $0))
    }
  }
}

/// Keeps the samples of the packets that a sink takes.
final class SampleSink: PacketSink {
  struct Entry {
    var time: MediaTime
    var scene: UInt32
    var samples: [Float]
  }

  private let state = Mutex((entries: [Entry](), scenes: PresentScenes()))
  var packets: [Entry] { state.withLock { $0.entries } }
  var takesPackets: Bool { true }
  var needsKeyframe: Bool { false }
  func setVideo(_ header: VideoHeader) {}
  func setAudio(_ header: AudioHeader) {}
  func cut(video: UInt32, audio: UInt32) {
    state.withLock { _ = $0.scenes.begin(video: video, audio: audio) }
  }
  func offer(_ packet: Packet) {
    let samples = unsafe Array(packet.bytes.bindMemory(to: Float.self))
    let entry = Entry(time: packet.time, scene: packet.scene, samples: samples)
    state.withLock { state in
      guard !state.scenes.hides(.audio, of: entry.scene) else { return }
      state.entries.append(entry)
    }
  }
}

/// The program of a test: what is silenced from which moment on.
struct TestScenes {
  var all: [UInt32: AudioScene] = [:]
  var current = AudioScene()

  init() { all[0] = current }

  mutating func cut(to silenced: SilencedTracks, now: MediaTime) -> Bool {
    defer { all[current.number] = current }
    return current.cut(to: silenced, now: now)
  }

  /// From when on a track is heard in a packet of this scene, whose samples may be of a later one.
  func heardSince(_ name: String, in packet: UInt32) -> MediaTime? {
    all.filter { $0.key >= packet }.compactMap { $1.heardSince(name) }.min()
  }
}
