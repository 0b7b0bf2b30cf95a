// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media
internal import Synchronization

/// Passes the packets of each rendition to the sinks that have chosen it. Sinks join and leave while packets flow, and
/// no sink can delay another.
///
/// Each change replaces the whole list of sinks, and no sink is called while the lock is held. An encoder's thread that
/// has read the old list may still offer one packet to a sink that has just left.
final class Renditions: Sendable {
  /// A sink, and which packets it gets.
  private struct Entry {
    let sink: any PacketSink
    /// Whether the sink's requests for keyframes are met at once.
    let isMain: Bool
    /// The renditions that the sink gets.
    let choice: RenditionChoice
    /// Video packets from this time on are not offered to the sink.
    var videoEnd = MediaTime.distantFuture
    /// Whether the sink will soon be removed and gets no more packets. It is still told which of its queued packets a
    /// new scene hides, so that it discards them.
    var isLeaving = false
  }

  /// The sinks, the headers and the numbers of the present scenes.
  private struct State {
    var entries: [Entry] = []
    /// The version of the state: rises by one with each change.
    var version = 0
    /// The video header of each rendition, indexed by `Rendition.rawValue`; `nil` while the rendition is not encoded.
    var videos = [VideoHeader?](repeating: nil, count: Rendition.allCases.count)
    /// The audio header of each rendition, indexed by `Rendition.rawValue`; `nil` while the rendition is not encoded.
    var audios = [AudioHeader?](repeating: nil, count: Rendition.allCases.count)
    /// The number of the present video scene.
    var videoScene: UInt32 = 0
    /// The number of the present audio scene.
    var audioScene: UInt32 = 0
  }

  /// The sinks, the headers and the scene numbers. Not locked while sinks are called.
  private let state = Mutex(State())
  /// Decides when requests for keyframes are met, indexed by `Rendition.rawValue`.
  private let requests = Mutex(
    [KeyframeRequests](repeating: KeyframeRequests(), count: Rendition.allCases.count))
  /// The observers: closures that are called when the first sink for a rendition joins, or the last sink for a
  /// rendition leaves.
  private let observers = Mutex<[@Sendable () -> Void]>([])
  /// The time of the newest packet of `Rendition.video`, in nanoseconds.
  private let newestVideo = Atomic(MediaTime.distantPast.nanos)
  /// The time of the newest packet of `Rendition.audio`, in nanoseconds.
  private let newestAudio = Atomic(MediaTime.distantPast.nanos)

  // MARK: Joining and leaving

  /// Adds a sink. Before its first packet, it gets the present headers and the numbers of the present scenes.
  /// - Parameters:
  ///   - isMain: whether the sink's requests for keyframes are met at once (`KeyframeRequests`).
  ///   - choice: the renditions that the sink gets.
  func add(_ sink: any PacketSink, isMain: Bool = false, choice: RenditionChoice = .programme) {
    let entry = Entry(sink: sink, isMain: isMain, choice: choice)
    var snapshot: State
    repeat {
      snapshot = state.withLock { $0 }
      if let video = choice.video.flatMap({ snapshot.videos[$0.rawValue] }) { sink.setVideo(video) }
      if let audio = choice.audio.flatMap({ snapshot.audios[$0.rawValue] }) { sink.setAudio(audio) }
      sink.cut(video: snapshot.videoScene, audio: snapshot.audioScene)
    } while !replace(snapshot.entries + [entry], ifStill: snapshot.version)
  }

  /// Removes a sink. A packet that is being offered at this moment may still reach the sink.
  func remove(_ sink: any PacketSink) {
    change { $0.filter { $0.sink !== sink } }
  }

  /// Offers no more packets to a sink. Until the sink is removed, it is still told of new scenes, since its queue may
  /// hold packets that a new scene hides.
  func silence(_ sink: any PacketSink) { changeEntry(of: sink) { $0.isLeaving = true } }

  /// Stops offering a sink video packets from `time` on.
  func endVideo(of sink: any PacketSink, at time: MediaTime) {
    changeEntry(of: sink) { $0.videoEnd = time }
  }

  /// Changes the entry of one sink.
  private func changeEntry(of sink: any PacketSink, _ body: (inout Entry) -> Void) {
    change { entries in
      entries.map { entry in
        var entry = entry
        if entry.sink === sink { body(&entry) }
        return entry
      }
    }
  }

  /// Replaces the list of sinks with the result of `body`, which may be called several times.
  private func change(_ body: ([Entry]) -> [Entry]) {
    var snapshot: (entries: [Entry], version: Int)
    repeat {
      snapshot = state.withLock { ($0.entries, $0.version) }
    } while !replace(body(snapshot.entries), ifStill: snapshot.version)
  }

  /// Replaces the list of sinks, unless the state has changed since `version`.
  /// - Returns: whether the list was replaced.
  private func replace(_ entries: [Entry], ifStill version: Int) -> Bool {
    // The swap keeps the old list, so that it is released outside the lock.
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

  /// The renditions that any of these sinks gets.
  private static func wanted(by entries: [Entry]) -> [Rendition] {
    Rendition.allCases.filter { isWanted($0, by: entries) }
  }

  /// Whether any of these sinks gets the rendition. A sink that is leaving does not count.
  private static func isWanted(_ rendition: Rendition, by entries: [Entry]) -> Bool {
    entries.contains { !$0.isLeaving && $0.choice.includes(rendition) }
  }

  /// Changes the state under the lock.
  /// - Returns: the present sinks, to be called without the lock.
  private func update(_ body: (inout State) -> Void) -> [Entry] {
    state.withLock { state in
      body(&state)
      state.version += 1
      return state.entries
    }
  }

  // MARK: For the studio

  /// Sets the numbers of the present video scene and audio scene. Sinks that join from now on get no packets of earlier
  /// scenes.
  /// - Parameters:
  ///   - video: the number of the video scene.
  ///   - audio: the number of the audio scene.
  ///   - hidesVideo: whether all sinks discard the video packets of earlier scenes, including those in their queues.
  ///   - hidesSecondVideo: as `hidesVideo`, for the sinks of another rendition than `video`; `nil` for the same as
  ///     `hidesVideo`.
  ///   - hidesAudio: whether all sinks discard the audio packets of earlier scenes, including those in their queues.
  func begin(
    video: UInt32, audio: UInt32, hidesVideo: Bool, hidesSecondVideo: Bool? = nil, hidesAudio: Bool
  ) {
    let entries = update { state in
      state.videoScene = video
      state.audioScene = audio
    }
    for entry in entries {
      let hides = entry.choice.video == .video ? hidesVideo : hidesSecondVideo ?? hidesVideo
      guard hides || hidesAudio else { continue }
      entry.sink.cut(video: hides ? video : 0, audio: hidesAudio ? audio : 0)
    }
  }

  /// Forgets the headers of a rendition whose pipeline has ended.
  func forget(_ rendition: Rendition) {
    _ = update { state in
      state.videos[rendition.rawValue] = nil
      state.audios[rendition.rawValue] = nil
    }
  }

  /// Whether any sink has chosen this rendition. If none has, the rendition need not be encoded.
  func isWanted(_ rendition: Rendition) -> Bool {
    Renditions.isWanted(rendition, by: state.withLock { $0.entries })
  }

  /// Adds an observer that is called whenever the result of `isWanted` changes for a rendition, on the thread that
  /// adds, silences or removes the sink. The observer must not block.
  func observe(_ observer: @escaping @Sendable () -> Void) {
    observers.withLock { $0.append(observer) }
  }

  /// The times of the newest packets of `Rendition.video` and of `Rendition.audio`; `distantPast` before the first.
  var newest: (video: MediaTime, audio: MediaTime) {
    (
      MediaTime(nanos: newestVideo.load(ordering: .acquiring)),
      MediaTime(nanos: newestAudio.load(ordering: .acquiring))
    )
  }

  // MARK: For the encoders' threads

  /// Whether any sink takes packets of this rendition now. While none does, the rendition need not be encoded.
  func takesPackets(of rendition: Rendition = .video) -> Bool {
    for entry in state.withLock({ $0.entries })
    where !entry.isLeaving && entry.choice.includes(rendition) && entry.sink.takesPackets {
      return true
    }
    return false
  }

  /// Whether the next frame has to be a keyframe because a sink has requested one. Does not mark the request as met, as
  /// `takeKeyframeRequest` does.
  func needsKeyframe(of rendition: Rendition = .video, now: MediaTime) -> Bool {
    let (main, others) = requesting(rendition)
    return (main || others)
      && requests.withLock {
        $0[rendition.rawValue].isDue(main: main, others: others, now: now)
      }
  }

  /// Whether the frame that is about to be encoded has to be a keyframe because a sink has requested one. If so, the
  /// request counts as met, and `KeyframeRequests` limits how soon the next keyframe is forced.
  func takeKeyframeRequest(of rendition: Rendition = .video, now: MediaTime) -> Bool {
    let (main, others) = requesting(rendition)
    return (main || others)
      && requests.withLock {
        $0[rendition.rawValue].take(main: main, others: others, now: now)
      }
  }

  /// Whether the main destination, and whether any other sink, requests a keyframe of a rendition.
  private func requesting(_ rendition: Rendition) -> (main: Bool, others: Bool) {
    var (main, others) = (false, false)
    for entry in state.withLock({ $0.entries })
    where !entry.isLeaving && entry.choice.includes(rendition) && entry.sink.needsKeyframe {
      if entry.isMain { main = true } else { others = true }
    }
    return (main, others)
  }

  /// Sets the header of the video packets that follow, and passes it to the sinks.
  func setVideo(_ header: VideoHeader, of rendition: Rendition = .video) {
    for entry in update({ $0.videos[rendition.rawValue] = header })
    where entry.choice.includes(rendition) {
      entry.sink.setVideo(header)
    }
  }

  /// Sets the header of the audio packets that follow, and passes it to the sinks.
  func setAudio(_ header: AudioHeader, of rendition: Rendition = .audio) {
    for entry in update({ $0.audios[rendition.rawValue] = header })
    where entry.choice.includes(rendition) {
      entry.sink.setAudio(header)
    }
  }

  /// Offers a packet of `Rendition.video` or `Rendition.audio` to the sinks.
  func offer(_ packet: Packet) { offer(packet, of: packet.isVideo ? .video : .audio) }

  /// Offers a packet of a rendition to the sinks that have chosen this rendition.
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
