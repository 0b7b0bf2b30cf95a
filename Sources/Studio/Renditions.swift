// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media
internal import Synchronization

/// Passes the packets of each rendition to the sinks that want it. They join and leave while packets flow, and none of
/// them can hold up another.
///
/// The list of sinks is replaced as a whole, and no sink is called while its lock is held. An encoder's thread that has
/// read the list may offer one more packet to a sink that has just left.
final class Renditions: Sendable {
  private struct Entry {
    let sink: any PacketSink
    let isMain: Bool
    let choice: RenditionChoice
    /// Video from this time on is not offered.
    var videoEnd = MediaTime.distantFuture
    /// It gets no packet any more, but has to discard what a later scene hides.
    var isLeaving = false
  }

  private struct State {
    var entries: [Entry] = []
    /// Rises with each change.
    var version = 0
    /// By the number of the rendition; `nil` while it is not encoded.
    var videos = [VideoHeader?](repeating: nil, count: Rendition.allCases.count)
    var audios = [AudioHeader?](repeating: nil, count: Rendition.allCases.count)
    var videoScene: UInt32 = 0
    var audioScene: UInt32 = 0
  }

  private let state = Mutex(State())
  private let requests = Mutex(
    [KeyframeRequests](repeating: KeyframeRequests(), count: Rendition.allCases.count))
  /// What is told when another rendition is wanted, or no more.
  private let observers = Mutex<[@Sendable () -> Void]>([])
  private let newestVideo = Atomic(MediaTime.distantPast.nanos)
  private let newestAudio = Atomic(MediaTime.distantPast.nanos)

  // MARK: Joining and leaving

  /// Adds a sink. Before its first packet it gets the present headers and scenes.
  /// - Parameters:
  ///   - isMain: its requests for keyframes count at once.
  ///   - choice: what it gets.
  func add(_ sink: any PacketSink, isMain: Bool = false, choice: RenditionChoice = .programme) {
    let entry = Entry(sink: sink, isMain: isMain, choice: choice)
    var seen: State
    repeat {
      seen = state.withLock { $0 }
      if let video = choice.video.flatMap({ seen.videos[$0.rawValue] }) { sink.setVideo(video) }
      if let audio = choice.audio.flatMap({ seen.audios[$0.rawValue] }) { sink.setAudio(audio) }
      sink.cut(video: seen.videoScene, audio: seen.audioScene)
    } while !replace(seen.entries + [entry], ifStill: seen.version)
  }

  func remove(_ sink: any PacketSink) {
    change { $0.filter { $0.sink !== sink } }
  }

  /// Offers a sink nothing any more. Until it is removed it is told of new scenes, since it may still hold packets that
  /// they hide.
  func silence(_ sink: any PacketSink) { changeEntry(of: sink) { $0.isLeaving = true } }

  /// Offers no video from `time` on to a sink.
  func endVideo(of sink: any PacketSink, at time: MediaTime) {
    changeEntry(of: sink) { $0.videoEnd = time }
  }

  private func changeEntry(of sink: any PacketSink, _ body: (inout Entry) -> Void) {
    change { entries in
      entries.map { entry in
        var entry = entry
        if entry.sink === sink { body(&entry) }
        return entry
      }
    }
  }

  private func change(_ body: ([Entry]) -> [Entry]) {
    var seen: (entries: [Entry], version: Int)
    repeat {
      seen = state.withLock { ($0.entries, $0.version) }
    } while !replace(body(seen.entries), ifStill: seen.version)
  }

  /// - Returns: `false` if something has changed since `version`.
  private func replace(_ entries: [Entry], ifStill version: Int) -> Bool {
    // The old list is released outside the lock.
    var entries = entries
    let new = entries
    let isReplaced = state.withLock { state in
      guard state.version == version else { return false }
      swap(&state.entries, &entries)
      state.version += 1
      return true
    }
    if isReplaced, Renditions.wanted(by: entries) != Renditions.wanted(by: new) {
      for observer in observers.withLock({ $0 }) { observer() }
    }
    return isReplaced
  }

  private static func wanted(by entries: [Entry]) -> [Rendition] {
    Rendition.allCases.filter { isWanted($0, by: entries) }
  }

  private static func isWanted(_ rendition: Rendition, by entries: [Entry]) -> Bool {
    entries.contains { !$0.isLeaving && $0.choice.includes(rendition) }
  }

  private func update(_ body: (inout State) -> Void) -> [Entry] {
    state.withLock { state in
      body(&state)
      state.version += 1
      return state.entries
    }
  }

  // MARK: For the studio

  /// Begins new scenes: packets of earlier ones are not for sinks that join from now on.
  /// - Parameters:
  ///   - hidesVideo: all sinks discard the video of earlier scenes, those already queued included.
  ///   - hidesAudio: likewise.
  func begin(video: UInt32, audio: UInt32, hidesVideo: Bool, hidesAudio: Bool) {
    let entries = update { state in
      state.videoScene = video
      state.audioScene = audio
    }
    guard hidesVideo || hidesAudio else { return }
    for entry in entries {
      entry.sink.cut(video: hidesVideo ? video : 0, audio: hidesAudio ? audio : 0)
    }
  }

  /// The pipeline of a rendition has ended: its header is of no use to others.
  func forget(_ rendition: Rendition) {
    _ = update { state in
      state.videos[rendition.rawValue] = nil
      state.audios[rendition.rawValue] = nil
    }
  }

  /// Whether any sink wants a rendition. If not, it need not be encoded.
  func isWanted(_ rendition: Rendition) -> Bool {
    Renditions.isWanted(rendition, by: state.withLock { $0.entries })
  }

  /// Calls `observer` after each change of what `isWanted` says, on the thread of the sink that came or went. It must not
  /// block.
  func observe(_ observer: @escaping @Sendable () -> Void) {
    observers.withLock { $0.append(observer) }
  }

  /// The times of the newest packets of the first video and the first audio that were offered.
  var newest: (video: MediaTime, audio: MediaTime) {
    (
      MediaTime(nanos: newestVideo.load(ordering: .acquiring)),
      MediaTime(nanos: newestAudio.load(ordering: .acquiring))
    )
  }

  // MARK: For the encoders' threads

  /// Whether any sink uses the packets of a rendition now. If not, nothing needs to be encoded.
  func takesPackets(of rendition: Rendition = .video) -> Bool {
    for entry in state.withLock({ $0.entries })
    where !entry.isLeaving && entry.choice.includes(rendition) && entry.sink.takesPackets {
      return true
    }
    return false
  }

  /// Whether the next frame has to be a keyframe.
  func needsKeyframe(of rendition: Rendition = .video, now: MediaTime) -> Bool {
    let (main, others) = requesting(rendition)
    return (main || others)
      && requests.withLock {
        $0[rendition.rawValue].isDue(main: main, others: others, now: now)
      }
  }

  /// Whether the frame that is about to be encoded has to be a keyframe.
  func takeKeyframeRequest(of rendition: Rendition = .video, now: MediaTime) -> Bool {
    let (main, others) = requesting(rendition)
    return (main || others)
      && requests.withLock {
        $0[rendition.rawValue].take(main: main, others: others, now: now)
      }
  }

  private func requesting(_ rendition: Rendition) -> (main: Bool, others: Bool) {
    var (main, others) = (false, false)
    for entry in state.withLock({ $0.entries })
    where !entry.isLeaving && entry.choice.includes(rendition) && entry.sink.needsKeyframe {
      if entry.isMain { main = true } else { others = true }
    }
    return (main, others)
  }

  func setVideo(_ header: VideoHeader, of rendition: Rendition = .video) {
    for entry in update({ $0.videos[rendition.rawValue] = header })
    where entry.choice.includes(rendition) {
      entry.sink.setVideo(header)
    }
  }

  func setAudio(_ header: AudioHeader, of rendition: Rendition = .audio) {
    for entry in update({ $0.audios[rendition.rawValue] = header })
    where entry.choice.includes(rendition) {
      entry.sink.setAudio(header)
    }
  }

  /// Offers a packet of the first video or the first audio.
  func offer(_ packet: Packet) { offer(packet, of: packet.isVideo ? .video : .audio) }

  func offer(_ packet: Packet, of rendition: Rendition) {
    let isVideo = rendition.isVideo
    for entry in state.withLock({ $0.entries })
    where !entry.isLeaving && entry.choice.includes(rendition)
      && (!isVideo || packet.time < entry.videoEnd)
    {
      entry.sink.offer(packet)
    }
    guard rendition == .video || rendition == .audio else { return }
    if isVideo {
      newestVideo.store(packet.time.nanos, ordering: .releasing)
    } else {
      newestAudio.store(packet.time.nanos, ordering: .releasing)
    }
  }
}
