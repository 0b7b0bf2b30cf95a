// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Media
internal import Mux
internal import Posix
internal import Synchronization

/// Records a broadcast: a sink of packets that writes them to files of a folder, from `start` to `stop`.
///
/// The encoders' threads only copy packets into a queue. The recorder's own thread writes a fragment each second, and
/// waits for the disk. When the disk fails, the recorder tries again by itself; nothing else waits for it.
public final class Recorder: PacketSink {
  /// The time for which a system call may last before the disk counts as hanging, in nanoseconds.
  static let stallNanos: Int64 = .seconds(30)
  /// The time between two attempts to open the folder, in nanoseconds: this at first, then up to ten times as long.
  private static let retryNanos: Int64 = .seconds(1)
  /// The time between two looks at the free space, in nanoseconds.
  private static let spaceNanos: Int64 = .seconds(10)
  /// How early the next file is created, in nanoseconds.
  private static let prepareNanos: Int64 = .seconds(10)

  /// What other threads ask for and are told, which a mutex protects.
  private struct State {
    var options: RecorderOptions
    var status = RecorderStatus()
    /// Since when the thread has been in a system call; `nil` while it is not.
    var busySince: MediaTime?
    /// The names of the audio tracks.
    var audioTracks = [""]
  }

  private let folder: RecordingFolder
  private let opening: @Sendable () throws(RecordingTrouble) -> any RecordingDisk
  private let naming: RecordingNaming
  private let clock: MediaClock
  private let worker: Worker
  private let state: Mutex<State>
  /// The queue, made when the number of tracks is known.
  private let queue: RecorderQueue

  /// The most tracks of audio.
  public static let mostAudioTracks = 9

  /// - Parameters:
  ///   - folder: where the files go.
  ///   - zone: for local time in names of files.
  ///   - clockIsSet: whether the system's clock has been set; before, files are called "before-clock-000001.mp4".
  public convenience init(
    _ options: RecorderOptions, in folder: RecordingFolder, zone: TimeZoneFile = .utc,
    clockIsSet: @escaping @Sendable () -> Bool = { true }, wall: WallClock = .system,
    clock: MediaClock = .system
  ) {
    self.init(
      options, in: folder, zone: zone, clockIsSet: clockIsSet, wall: wall, clock: clock,
      opening: { () throws(RecordingTrouble) in try folder.open() })
  }

  /// - Parameter opening: opens the folder.
  init(
    _ options: RecorderOptions, in folder: RecordingFolder, zone: TimeZoneFile,
    clockIsSet: @escaping @Sendable () -> Bool, wall: WallClock, clock: MediaClock,
    opening: @escaping @Sendable () throws(RecordingTrouble) -> any RecordingDisk
  ) {
    self.folder = folder
    self.opening = opening
    self.clock = clock
    naming = RecordingNaming(
      title: options.title, zone: zone, clockIsSet: clockIsSet, wall: wall)
    worker = Worker(name: "recorder", clock: clock)
    queue = RecorderQueue(tracks: 1 + Recorder.mostAudioTracks)
    var state = State(options: options)
    state.status.beganAt = wall.milliseconds
    self.state = Mutex(state)
  }

  // MARK: For the box

  /// Starts the recorder's thread, which keeps the recorder alive until `stop`.
  /// - Returns: `false` if the system cannot create a thread.
  public func start() -> Bool { (try? worker.tryStart { [self] in run() }) != nil }

  /// Accepts no more packets, writes those that wait, and finishes the file.
  /// - Parameter deadline: on the system clock.
  /// - Returns: `false` if the disk still hangs at `deadline`. The file is mended later.
  public func stop(by deadline: MediaTime) -> Bool {
    queue.close()
    return worker.stop(by: deadline)
  }

  /// The state and the figures. A disk that hangs is seen here only.
  public var status: RecorderStatus {
    let now = clock.now
    let gaps = queue.gaps
    return state.withLock { state in
      var status = state.status
      if let since = state.busySince, now - since >= Recorder.stallNanos, status.state != .stopped {
        status.state = .failed(.stalled)
      } else if status.state == .recording, queue.isPaused {
        status.state = .paused
      }
      status.gaps = gaps.count
      status.gapNanos = gaps.nanos
      status.droppedFrames = gaps.frames
      return status
    }
  }

  /// Changes limits and free space at once. A new title counts for the next recorder.
  public func change(_ options: RecorderOptions) { state.withLock { $0.options = options } }

  /// Sets a mark at the newest packet.
  public func mark() { queue.mark(.hand) }

  /// Tells of the beginning and the end of a pause: sets a mark, and leaves out what is offered meanwhile if that is
  /// asked for. To be called before the cut to the still, and after the cut from it.
  public func setPaused(_ isPaused: Bool) {
    if isPaused { queue.mark(.pause) }
    let isCut = state.withLock { $0.options.pauses == .cut }
    queue.setPaused(isPaused && isCut)
  }

  /// Adds a track of audio, or finds the one of this name.
  /// - Parameter name: for people, such as "Microphone".
  /// - Returns: the sink for its packets; `nil` if there are as many tracks as a file may have.
  public func addAudioTrack(_ name: String) -> (any PacketSink)? {
    let track = state.withLock { state -> Int? in
      if let known = state.audioTracks.dropFirst().firstIndex(of: name) { return known + 1 }
      guard state.audioTracks.count < Recorder.mostAudioTracks else { return nil }
      state.audioTracks.append(name)
      return state.audioTracks.count
    }
    return track.map { RecorderTrack(self, track: $0, name: name) }
  }

  /// Removes the tracks that `addAudioTrack` has added: the next file is without them.
  public func removeAudioTracks() {
    let count = state.withLock { state in
      defer { state.audioTracks = [""] }
      return state.audioTracks.count
    }
    for track in 1..<count { queue.endTrack(track + 1) }
  }

  // MARK: For the encoders' threads

  /// Whether the sink accepts packets: `false` after `stop`.
  public var takesPackets: Bool { queue.isOpen }
  /// Whether the next video packet has to be a keyframe.
  public var needsKeyframe: Bool { queue.needsKeyframe }

  /// Sets the format of the video packets that follow.
  public func setVideo(_ header: VideoHeader) {
    queue.setFormat(.video(header), of: 0, now: clock.now)
  }

  /// Sets the format of the audio packets that follow.
  public func setAudio(_ header: AudioHeader) { setAudio(header, name: "", of: 1) }

  fileprivate func setAudio(_ header: AudioHeader, name: String, of track: Int) {
    queue.setFormat(.audio(header, name: name), of: track, now: clock.now)
  }

  /// Begins new scenes at a cut, such as a pause or a mute: discards all packets of earlier scenes that wait.
  public func cut(video: UInt32, audio: UInt32) { queue.cut(video: video, audio: audio) }

  /// Queues a packet to be written, or drops it.
  public func offer(_ packet: Packet) { offer(packet, of: packet.isVideo ? 0 : 1) }

  fileprivate func offer(_ packet: Packet, of track: Int) {
    if queue.offer(packet, of: track, now: clock.now) { worker.wake() }
  }

  // MARK: The thread

  /// When the waiting packets are due to be written; `distantFuture` if there are none.
  var dueAt: MediaTime { queue.dueAt }

  /// The body of the recorder's thread.
  private func run() {
    let files = RecordingFiles(folder, naming: naming, opening: opening)
    var batch = RecorderQueue.Batch()
    // The folder is opened at once, so that what is wrong with it is told before the first packet.
    var (isReady, retryAt, failures) = (false, MediaTime.distantPast, Int64(0))
    while !worker.isStopping || isReady && !queue.isEmpty {
      let due = isReady ? queue.dueAt : retryAt
      guard clock.now >= due || worker.isStopping else {
        worker.wait(until: due)
        continue
      }
      do throws(RecordingTrouble) {
        if isReady {
          try step(files, &batch)
          batch.packets.removeAll(keepingCapacity: true)
          failures = 0
        } else {
          try prepare(files, isRetry: failures > 0)
          isReady = true
        }
      } catch {
        fail(error, files, losing: batch)
        batch.packets.removeAll(keepingCapacity: true)
        (isReady, failures) = (false, min(10, failures + 1))
        retryAt = clock.now + failures * Recorder.retryNanos
      }
    }
    end(files)
  }

  /// Opens the folder, and lets packets be queued. After a failure, the state changes when a fragment has been written.
  /// - Parameter isRetry: whether the disk has failed before.
  private func prepare(_ files: RecordingFiles, isRetry: Bool) throws(RecordingTrouble) {
    try busy { () throws(RecordingTrouble) in
      try files.open()
      try checkSpace(files, isRetry: isRetry)
    }
    queue.resume()
  }

  /// Writes the packets of one fragment.
  private func step(
    _ files: RecordingFiles, _ batch: inout RecorderQueue.Batch
  ) throws(RecordingTrouble) {
    let options = state.withLock { $0.options }
    let began = clock.now
    if began - (files.spaceCheckedAt ?? .distantPast) >= Recorder.spaceNanos {
      try busy { () throws(RecordingTrouble) in try checkSpace(files, isRetry: false) }
    }
    queue.take(&batch, now: began)
    let taken = batch
    try busy { () throws(RecordingTrouble) in
      do throws(SystemError) {
        let hidden = { [queue] in queue.hidden(of: taken) }
        defer { queue.release() }
        try files.add(
          taken, isCutDue: files.isCutDue(options), packet: queue.packet, hidden: hidden)
        queue.release()
        try files.write(newest: taken.packets.last?.time ?? .distantPast, hidden)
        if files.isCutDue(options, within: Recorder.prepareNanos) { try files.prepare() }
      } catch {
        throw RecordingTrouble(error)
      }
    }
    queue.setCutDue(files.isCutDue(options))
    mark(files, taken)
    note(files)
  }

  /// Sets the marks up to what was written.
  private func mark(_ files: RecordingFiles, _ batch: RecorderQueue.Batch) {
    busy {
      files.mark(batch.marks)
      let gaps = queue.gaps
      if gaps.endedAt > files.gapMarkedAt {
        files.gapMarkedAt = gaps.endedAt
        files.mark(.gap, at: gaps.endedAt)
      }
    }
  }

  /// Makes room if that is asked for.
  /// - Throws: `full` if there is less free space than is to be kept.
  private func checkSpace(
    _ files: RecordingFiles, isRetry: Bool
  ) throws(RecordingTrouble) {
    let options = state.withLock { $0.options }
    files.spaceCheckedAt = clock.now
    guard let (free, total) = files.space else { return }
    // A disk that was full has to have room for more than the next second.
    let needed = options.keepFreeMB * 1_000_000 + (isRetry ? min(64_000_000, total / 4) : 0)
    state.withLock { $0.status.freeBytes = free }
    guard free < needed else { return }
    guard options.removesOldest else { throw .full }
    var removed = 0
    let isEnough = try? folder.makeRoom(needed, removed: &removed)
    state.withLock { $0.status.removed += removed }
    guard isEnough == true else { throw .full }
  }

  /// Calls `body`, which may block on the disk.
  private func busy<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
    let now = clock.now
    state.withLock { $0.busySince = now }
    defer { state.withLock { $0.busySince = nil } }
    try body()
  }

  /// Updates the figures after a fragment was written.
  private func note(_ files: RecordingFiles) {
    let (total, current, count) = (files.total, files.current?.name, files.count)
    let newest = files.newestName
    state.withLock { state in
      state.status.state = current == nil ? .waiting : .recording
      state.status.name = current == RecordingName.next ? nil : current
      state.status.newestName = newest
      (state.status.nanos, state.status.bytes) = total
      state.status.files = count
      guard total.nanos >= .seconds(10) else { return }
      let rate = Int(Double(total.bytes) / (Double(total.nanos) / 1e9))
      let keep = state.options.keepFreeMB * 1_000_000
      state.status.secondsLeft = state.status.freeBytes.map { max(0, $0 - keep) / max(1, rate) }
    }
  }

  /// Notes that nothing can be recorded. A full disk has room for the index of its file; after other errors the file is
  /// not touched any more, so that the disk can be unmounted.
  private func fail(
    _ trouble: RecordingTrouble, _ files: RecordingFiles, losing batch: RecorderQueue.Batch
  ) {
    queue.suspend(losing: batch)
    if trouble == .full {
      try? busy { () throws(RecordingTrouble) in try? files.finish() }
    }
    files.abandon()
    let total = files.total
    state.withLock { state in
      state.status.state = .failed(trouble)
      state.status.name = nil
      (state.status.nanos, state.status.bytes) = total
    }
  }

  /// Finishes the last file.
  private func end(_ files: RecordingFiles) {
    busy { files.mark(queue.takeMarks()) }
    try? busy { () throws(RecordingTrouble) in
      do throws(SystemError) { try files.finish() } catch { throw RecordingTrouble(error) }
    }
    files.abandon()
    let (total, newest) = (files.total, files.newestName)
    state.withLock { state in
      state.status.state = .stopped
      state.status.newestName = newest
      state.status.name = nil
      (state.status.nanos, state.status.bytes) = total
    }
  }
}

/// The sink of a further audio track of a recorder.
private final class RecorderTrack: PacketSink {
  private let recorder: Recorder
  private let track: Int
  private let name: String

  init(_ recorder: Recorder, track: Int, name: String) {
    (self.recorder, self.track, self.name) = (recorder, track, name)
  }

  var takesPackets: Bool { recorder.takesPackets }
  var needsKeyframe: Bool { false }
  func setVideo(_ header: VideoHeader) {}
  func setAudio(_ header: AudioHeader) { recorder.setAudio(header, name: name, of: track) }
  // The recorder itself is told of cuts.
  func cut(video: UInt32, audio: UInt32) {}
  func offer(_ packet: Packet) { if !packet.isVideo { recorder.offer(packet, of: track) } }
}
