// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Media
internal import Synchronization

/// Plays music: takes commands on any thread, and outlives the audio pipelines that need its sound.
///
/// While no pipeline does, files wait where they are, and stations are closed: they go on at the live edge.
public final class MusicPlayer: TrackPlayer {
  /// How long the track of stopped music stays, in nanoseconds, so that the music fades out.
  private static let fadeOutNanos: Int64 = .milliseconds(150)

  private enum Phase { case stopped, playing, paused }

  private struct State {
    var net: MusicNet
    var phase = Phase.stopped
    var request: MusicRequest?
    /// Reads the music of `request`; `nil` while a station is not wanted.
    var reader: MusicReader?
    /// The number of feeds that pass the sound on: 0 or 1, and 2 for a moment.
    var feeds = 0
    var isSounding = false
    /// Whether `MusicReport.started` has been reported for `request`.
    var isStarted = false
    /// Whether an interruption has been reported that is not over.
    var isInterrupted = false
    var slowness = MusicSlowness()
    /// Why the music ends once what is in hand has been heard.
    var failure: MusicTrouble?
    var stoppedAt = MediaTime.distantPast
  }

  let clock: MediaClock
  private let openings: FileOpenings
  private let report: @Sendable (MusicReport) -> Void
  private let state: Mutex<State>

  /// - Parameters:
  ///   - openings: refuses files after whose opening the program has died several times in a row.
  ///   - report: called on any thread.
  public convenience init(
    clock: MediaClock = .system, openings: FileOpenings = FileOpenings(),
    report: @escaping @Sendable (MusicReport) -> Void
  ) {
    self.init(net: MusicNet(), clock: clock, openings: openings, report: report)
  }

  init(
    net: MusicNet, clock: MediaClock, openings: FileOpenings = FileOpenings(),
    report: @escaping @Sendable (MusicReport) -> Void
  ) {
    self.clock = clock
    self.openings = openings
    self.report = report
    state = Mutex(State(net: net))
  }

  // MARK: Commands

  /// Sets the seconds within which a server has to answer, from the next connection on.
  public func set(openingSeconds: Int) {
    state.withLock { $0.net.openingSeconds = openingSeconds }
  }

  /// Plays music. Music that plays already goes on until the new one is ready, and then fades over into it.
  /// - Parameter keepsPause: whether the new music waits for `resume` if the music is paused.
  public func start(_ request: MusicRequest, keepsPause: Bool = false) {
    state.withLock { state in
      state.reader?.requestStop()
      state.reader = nil
      state.phase = keepsPause && state.phase == .paused ? .paused : .playing
      state.request = request
      (state.isStarted, state.isInterrupted, state.failure) = (false, false, nil)
      state.slowness = MusicSlowness()
      read(&state)
    }
  }

  public func pause() throws(MusicCommandError) {
    let isPaused = state.withLock { state in
      guard state.phase == .playing else { return false }
      state.phase = .paused
      state.isSounding = false
      closeStation(&state)
      return true
    }
    guard isPaused else { throw .notPlaying }
  }

  public func resume() throws(MusicCommandError) {
    let isResumed = state.withLock { state in
      guard state.phase == .paused else { return false }
      state.phase = .playing
      read(&state)
      return true
    }
    guard isResumed else { throw .notPaused }
  }

  /// - Returns: `false` if there was no music.
  @discardableResult public func stop() -> Bool { state.withLock { end(&$0) } }

  /// Stops the music, and waits until the thread that reads it has ended.
  /// - Parameter deadline: on the system clock.
  /// - Returns: `false` if the thread was still running at `deadline`. It is then abandoned.
  public func close(by deadline: MediaTime) -> Bool {
    let reader = state.withLock { $0.reader }
    stop()
    return reader?.stop(by: deadline) ?? true
  }

  /// Sets whether the music begins again when it has ended.
  public func set(loops: Bool) {
    state.withLock { state in
      state.request?.loops = loops
      state.reader?.loops.store(loops, ordering: .relaxed)
    }
  }

  // MARK: State

  public var status: MusicStatus {
    state.withLock { state in
      var status = MusicStatus()
      guard let request = state.request, state.phase != .stopped else { return status }
      status.source = request.name
      status.loops = request.loops
      let slow: MusicTrouble? = state.slowness.isSlow ? .tooSlow(of: request.name) : nil
      status.trouble = state.reader?.trouble.withLock { $0 } ?? slow
      if let (piece, position) = state.reader?.buffer.present {
        (status.piece, status.title) = (piece.name, piece.title)
        (status.position, status.duration) = (position, piece.duration)
      }
      status.state =
        state.phase == .paused
        ? .paused : state.feeds == 0 ? .waiting : state.isSounding ? .playing : .starting
      return status
    }
  }

  /// What is played or paused; `nil` while the music is stopped.
  public var source: MusicSource? {
    state.withLock { $0.phase == .stopped ? nil : $0.request?.source }
  }

  /// Whether an audio pipeline has to have a track for the music now.
  public var needsTrack: Bool {
    state.withLock {
      $0.phase != .stopped || clock.now - $0.stoppedAt < MusicPlayer.fadeOutNanos
    }
  }

  /// Makes the source of the track with the music.
  /// - Parameter queue: receives the sound, converted to the queue's number of channels, 1 or 2.
  public func makeSource(into queue: PCMQueue) -> any Source {
    MusicFeed(player: self, queue: queue)
  }

  // MARK: Readers

  /// Begins to read if the music is to be heard and nobody reads it. Files are read also while no feed needs them, so
  /// that a file that cannot be played is reported at once.
  private func read(_ state: inout State) {
    defer { tellWhetherWanted(state) }
    guard state.phase == .playing, state.reader == nil, let request = state.request,
      state.feeds > 0 || !request.source.isOnNetwork
    else { return }
    let reader = MusicReader(request, net: state.net, openings: openings, clock: clock) {
      [weak self] in self?.take($1, of: $0)
    }
    state.reader = reader
    reader.start()
  }

  private func tellWhetherWanted(_ state: State) {
    let isWanted = state.feeds > 0 && state.phase == .playing
    state.reader?.isWanted.store(isWanted, ordering: .relaxed)
  }

  /// Closes a station, or a connection of which nothing has come yet. A file on the network is held where it is.
  private func closeStation(_ state: inout State) {
    tellWhetherWanted(state)
    guard let reader = state.reader else { return }
    let isNew =
      reader.isOnNetwork.load(ordering: .relaxed) && reader.buffer.present == nil
    guard isNew || reader.isStation.load(ordering: .relaxed) else { return }
    reader.requestStop()
    state.reader = nil
  }

  /// - Returns: `false` if there was no music.
  private func end(_ state: inout State) -> Bool {
    guard state.phase != .stopped else { return false }
    state.reader?.requestStop()
    (state.reader, state.request, state.failure) = (nil, nil, nil)
    (state.phase, state.isSounding) = (.stopped, false)
    state.stoppedAt = clock.now
    return true
  }

  private func take(_ event: MusicReader.Report, of reader: MusicReader) {
    let report = state.withLock { state -> MusicReport? in
      guard state.reader === reader else { return nil }
      switch event {
      case .skipped(let trouble): return .skipped(trouble)
      case .interrupted(let trouble):
        state.isInterrupted = true
        return .interrupted(trouble)
      case .failed(let trouble):
        state.failure = trouble
        return nil
      case .complete:
        // With a feed, what is in hand is heard first.
        guard state.feeds == 0, reader.buffer.isOver, let failure = state.failure else {
          return nil
        }
        _ = end(&state)
        return .failed(failure)
      }
    }
    if let report { self.report(report) }
  }

  // MARK: For the feed

  /// The reader whose music is to be heard now; `nil` for silence.
  var wanted: MusicReader? { state.withLock { $0.phase == .playing ? $0.reader : nil } }

  func attach() {
    state.withLock { state in
      state.feeds += 1
      read(&state)
    }
  }

  func detach() {
    state.withLock { state in
      state.feeds -= 1
      guard state.feeds == 0 else { return }
      state.isSounding = false
      closeStation(&state)
    }
  }

  /// Notes what the feed has found in the buffer of a reader.
  func note(_ outcome: MusicBuffer.Outcome, of reader: MusicReader) {
    let report = state.withLock { state -> MusicReport? in
      guard state.reader === reader, let request = state.request, state.phase == .playing else {
        return nil
      }
      state.isSounding = outcome == .sound
      if outcome == .over {
        let failure = state.failure
        _ = end(&state)
        return failure.map { .failed($0) } ?? .completed(name: request.name)
      }
      let hasTrouble = reader.trouble.withLock { $0 != nil }
      let sound = state.isSounding ? PCM.nanos(frames: MusicFeed.chunkFrames) : 0
      if reader.isOnNetwork.load(ordering: .relaxed),
        state.slowness.note(
          sound: sound, gaps: reader.buffer.gaps, hasTrouble: hasTrouble, now: clock.now)
      {
        state.isInterrupted = true
        return .interrupted(.tooSlow(of: request.name))
      }
      let isOver = state.isInterrupted && !hasTrouble && !state.slowness.isSlow
      guard outcome == .sound, !state.isStarted || isOver else { return nil }
      defer { (state.isStarted, state.isInterrupted) = (true, false) }
      return .started(
        name: request.name, title: reader.buffer.present?.piece.title, isBack: state.isStarted)
    }
    if let report { self.report(report) }
  }
}

extension MusicPlayer: Equatable {
  public static func == (one: MusicPlayer, other: MusicPlayer) -> Bool { one === other }
}
