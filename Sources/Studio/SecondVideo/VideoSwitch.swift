// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media
internal import Synchronization

/// Whether the second rendition of the video may be passed on now, and how many switches pass it on.
final class SecondAvailability: Sendable {
  let isOpen = Atomic(false)
  let passing = Atomic(0)
}

/// Passes the second rendition of the video to a sink while that is encoded, and otherwise the video of the broadcast.
/// It changes at a keyframe, so that the sink's video goes on in a new format.
public final class VideoSwitch: Sendable {
  /// Nanoseconds without a packet of the second rendition, by the time of the broadcast's packets, after which the
  /// switch goes back to the broadcast's video.
  private static let silenceNanos = Int64.milliseconds(500)
  /// The least time from packet to packet, in nanoseconds. Both renditions give the frames of one moment the same time.
  private static let leastNanos = Int64.milliseconds(1)

  /// The two renditions that come in.
  private enum Input { case sent, second }

  /// The format and the scene of one rendition.
  private struct Incoming {
    var header: VideoHeader?
    /// Packets of earlier scenes are not passed on.
    var scene: UInt32 = 0
  }

  private struct State {
    var sent = Incoming()
    var second = Incoming()
    /// The time of the newest video packet that was passed on.
    var newest = MediaTime.distantPast

    subscript(_ input: Input) -> Incoming {
      get { input == .sent ? sent : second }
      set { if input == .sent { sent = newValue } else { second = newValue } }
    }
  }

  private let sink: any PacketSink
  private let availability: SecondAvailability
  /// Whether the second rendition is wanted.
  private let wanted = Atomic(false)
  /// Whether the second rendition is passed on. Changed with the lock.
  private let isSecondPassed = Atomic(false)
  /// The time of the newest video packet of each rendition, in nanoseconds.
  private let newestSent = Atomic(MediaTime.distantPast.nanos)
  private let newestSecond = Atomic(MediaTime.distantPast.nanos)
  /// Locked while the sink is called, so that the packets of the renditions do not mix. What is not passed on takes no
  /// lock: the thread of the second rendition may hold it while it has no processor.
  private let state = Mutex(State())

  init(_ sink: any PacketSink, _ availability: SecondAvailability) {
    (self.sink, self.availability) = (sink, availability)
  }

  /// Says whether the sink is to get the second rendition.
  public func want(_ isWanted: Bool) { wanted.store(isWanted, ordering: .relaxed) }

  /// Whether the sink gets the second rendition.
  public var passesSecond: Bool { isSecondPassed.load(ordering: .relaxed) }

  /// The sinks to be added to the renditions: the first gets video and audio of the broadcast, the second the second
  /// rendition of the video.
  var entrances: (sent: any PacketSink, second: any PacketSink) {
    (Entrance(.sent, of: self), Entrance(.second, of: self))
  }

  deinit {
    if passesSecond { availability.passing.subtract(1, ordering: .relaxed) }
  }

  /// One of the two sinks in front of the switch.
  private final class Entrance: PacketSink {
    private let input: Input
    private let owner: VideoSwitch
    init(_ input: Input, of owner: VideoSwitch) { (self.input, self.owner) = (input, owner) }

    var takesPackets: Bool { owner.takesPackets(of: input) }
    var needsKeyframe: Bool { owner.needsKeyframe(of: input) }
    func setVideo(_ header: VideoHeader) { owner.setVideo(header, of: input) }
    func setAudio(_ header: AudioHeader) { owner.sink.setAudio(header) }
    func cut(video: UInt32, audio: UInt32) { owner.cut(video: video, audio: audio, of: input) }
    func offer(_ packet: Packet) {
      if packet.isVideo { owner.offer(packet, of: input) } else { owner.sink.offer(packet) }
    }
  }

  private func takesPackets(of input: Input) -> Bool {
    sink.takesPackets && (input == .sent || wanted.load(ordering: .relaxed))
  }

  private func isPassed(_ input: Input) -> Bool { passesSecond == (input == .second) }

  /// Whether the other rendition is to be passed on from its next keyframe on.
  private var isChangeDue: Bool {
    let mayPassSecond =
      wanted.load(ordering: .relaxed) && availability.isOpen.load(ordering: .relaxed)
    guard passesSecond else { return mayPassSecond }
    let silence = newestSent.load(ordering: .relaxed) - newestSecond.load(ordering: .relaxed)
    return !mayPassSecond || silence > VideoSwitch.silenceNanos
  }

  private func needsKeyframe(of input: Input) -> Bool {
    isPassed(input) ? sink.needsKeyframe : isChangeDue
  }

  private func setVideo(_ header: VideoHeader, of input: Input) {
    state.withLock { state in
      state[input].header = header
      if isPassed(input) { sink.setVideo(header) }
    }
  }

  private func cut(video: UInt32, audio: UInt32, of input: Input) {
    state.withLock { state in
      state[input].scene = max(video, state[input].scene)
      sink.cut(video: isPassed(input) ? video : 0, audio: audio)
    }
  }

  private func offer(_ packet: Packet, of input: Input) {
    switch input {
    case .sent: newestSent.store(packet.time.nanos, ordering: .relaxed)
    case .second: newestSecond.store(packet.time.nanos, ordering: .relaxed)
    }
    guard isPassed(input) || packet.kind == .keyframe && isChangeDue else { return }
    state.withLock { state in
      guard packet.scene >= state[input].scene else { return }
      if !isPassed(input) {
        guard isChangeDue, packet.time > state.newest - VideoSwitch.silenceNanos,
          input == .sent || packet.scene >= state.sent.scene, let header = state[input].header
        else { return }
        isSecondPassed.store(input == .second, ordering: .relaxed)
        availability.passing.add(input == .second ? 1 : -1, ordering: .relaxed)
        sink.setVideo(header)
      }
      let isLater = packet.time > state.newest
      let time = isLater ? packet.time : state.newest + VideoSwitch.leastNanos
      state.newest = time
      sink.offer(isLater ? packet : packet.moved(to: time))
    }
  }
}
