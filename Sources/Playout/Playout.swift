// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Media
internal import Mux
internal import Preview
internal import Synchronization

/// The play-out near by: the programme for players on the local network, as HTTP-FLV and as Low-Latency HLS.
///
/// A sink takes the packets of the broadcast while there are viewers. Without a broadcast there is nothing to see: the
/// play-out never opens a camera.
public final class Playout: Sendable {
  /// The name of the stream in addresses: "/live/programme.flv".
  public static let stream = "programme"
  /// The time for which a request waits for the first segment, in nanoseconds: keyframes may be four seconds apart.
  private static let firstNanos: Int64 = .seconds(10)
  /// The time for which a blocked reload is held, in target durations.
  private static let reloadTargets: Int64 = 3
  /// What is kept for HLS: the listed segments, the unfinished one, and one that a player may just be fetching.
  private static let limits = Fragments.Limits(
    windowNanos: .seconds(40), maxBytes: 16_000_000,
    maxSegments: PartPlaylist.mostSegments + 2)

  /// What happens to the play-out.
  public enum Report: Sendable, Equatable {
    /// The first viewer has come.
    case began
    /// Nobody watches any more, or the broadcast is over.
    case ended
  }

  /// What the settings say.
  public struct Options: Sendable, Equatable {
    /// The most viewers.
    public var maxViewers: Int
    /// The secret with which addresses are signed; if it is not set, they need no key.
    public var secret: Secret
    /// The time from one keyframe to the next, in nanoseconds.
    public var keyframeNanos: Int64

    public init(
      maxViewers: Int = 10, secret: Secret = Secret(), keyframeNanos: Int64 = .seconds(2)
    ) {
      self.maxViewers = maxViewers
      self.secret = secret
      self.keyframeNanos = keyframeNanos
    }
  }

  /// The studio's side of the play-out.
  public struct Feed: Sendable {
    /// Whether there is a broadcast.
    let isOnAir: @Sendable () -> Bool
    /// Passes the packets of the broadcast to a sink, and calls the closure when it has ended and no more packets come;
    /// returns `false` if there is no broadcast.
    let attach: @Sendable (any PacketSink, @escaping @Sendable () -> Void) -> Bool
    let detach: @Sendable (any PacketSink) -> Void

    public init(
      isOnAir: @escaping @Sendable () -> Bool,
      attach:
        @escaping @Sendable (any PacketSink, @escaping @Sendable () -> Void) -> Bool,
      detach: @escaping @Sendable (any PacketSink) -> Void
    ) {
      self.isOnAir = isOnAir
      self.attach = attach
      self.detach = detach
    }
  }

  /// The mutable state, which a mutex protects.
  private struct State {
    var options = Options()
    var audience = Audience()
    /// The thread that attaches a sink and stores its packets; `nil` while none runs.
    var worker: Worker?
    /// Whether the broadcast has ended since the thread has attached its sink.
    var hasEnded = false
    var isClosed = false
    /// The longest segment and the longest part that were ever listed, in nanoseconds. The target durations of a
    /// playlist must not fall.
    var longest: (segment: Int64, part: Int64) = (0, PartPlaylist.partNanos)
  }

  private let feed: Feed
  /// The program's name and version, for the description of the FLV stream.
  private let encoder: String
  private let clock: MediaClock
  private let report: @Sendable (Report) -> Void
  private let fragments = Fragments(limits: limits, listsParts: true)
  private let tags = FLVTags()
  private let state = Mutex(State())

  /// - Parameter report: called on the play-out's thread.
  public init(
    _ feed: Feed, encoder: String, clock: MediaClock = .system,
    report: @escaping @Sendable (Report) -> Void = { _ in }
  ) {
    self.feed = feed
    self.encoder = encoder
    self.clock = clock
    self.report = report
  }

  /// Applies changed settings. Viewers that are there stay.
  public func change(_ options: Options) { state.withLock { $0.options = options } }

  /// The secret with which addresses are signed.
  public var secret: Secret { state.withLock { $0.options.secret } }

  /// The number of viewers.
  public var viewers: Int {
    let now = clock.now
    return state.withLock { $0.audience.count(now) }
  }

  // MARK: For requests

  /// The stream of HTTP-FLV for a new viewer, who counts as present until the reader is released.
  public func reader() throws(PlayoutError) -> FLVReader {
    let now = clock.now
    try attend { state in state.audience.enter(most: state.options.maxViewers, now: now) }
    return FLVReader(tags, encoder: encoder, clock: clock) { [self] in
      let worker = state.withLock { state in
        state.audience.leave()
        return state.worker
      }
      worker?.wake()
    }
  }

  /// The present playlist. One that waits for no part has at least one whole segment: players that do not know parts give
  /// up without one.
  /// - Parameters:
  ///   - reload: what the player waits for; `nil` for the playlist as it is.
  ///   - address: the IP address of the viewer.
  ///   - folder: the path of the files' folder, relative to that of the playlist, with a slash at its end.
  ///   - query: what follows the name of each file: "?auth_key=…", or empty.
  public func playlist(
    _ reload: BlockedReload? = nil, for address: String, folder: String, query: String = ""
  ) async throws(PlayoutError) -> String {
    try request(address)
    let nanos =
      reload == nil ? Playout.firstNanos : Playout.reloadTargets * .seconds(targetSeconds)
    return try await first(within: nanos) { [self] kept in
      let playlist = PartPlaylist(kept)
      guard let newest = playlist.newest else { return nil }
      if let reload {
        if reload.isTooFar(from: newest) { return .failure(.unfitReload) }
        guard reload.isMet(by: newest) else { return nil }
      } else if playlist.segments.count < 2 {
        return nil
      }
      let longest = note(longest: playlist.longest)
      return .success(
        playlist.text(
          target: targetSeconds, partTarget: longest.part, folder: folder, query: query))
    }
  }

  /// The bytes of a file that a playlist names: "12.m4s" is a segment, "12.3.m4s" a part, "3.mp4" an initialization
  /// segment. Waits for the part at which the newest playlist hints.
  /// - Parameter address: the IP address of the viewer.
  public func file(_ name: String, for address: String) async throws(PlayoutError) -> [UInt8] {
    guard feed.isOnAir() else { throw .offAir }
    let fields = name.split(separator: ".", omittingEmptySubsequences: false)
    let numbers = fields.dropLast().compactMap { fileNumber($0) }
    guard numbers.count == fields.count - 1, (1...2).contains(numbers.count) else {
      throw .noSuchFile
    }
    try request(address)
    let found: [UInt8]? =
      switch (fields.last, numbers.count) {
      case ("mp4", 1): fragments.initialization(numbers[0])
      case ("m4s", 1): fragments.segment(numbers[0])
      case ("m4s", 2): try await part(PartPlaylist.Place(segment: numbers[0], part: numbers[1]))
      default: nil
      }
    guard let found else { throw .noSuchFile }
    return found
  }

  /// The bytes of a part, also of the next one; `nil` if there is no such part.
  private func part(_ place: PartPlaylist.Place) async throws(PlayoutError) -> [UInt8]? {
    let next = PartPlaylist(fragments.kept).newest.map {
      PartPlaylist.Place(segment: $0.segment, part: $0.part + 1)
    }
    guard place == next else { return PartPlaylist.bytes(of: place, in: fragments.kept) }
    return try await first(within: Playout.reloadTargets * .seconds(targetSeconds)) { kept in
      guard let newest = PartPlaylist(kept).newest, newest >= place else { return nil }
      // The segment may have ended before this part.
      return PartPlaylist.bytes(of: place, in: kept).map { .success($0) } ?? .failure(.noSuchFile)
    }
  }

  /// Waits until `find` returns something for the kept fragments.
  private func first<Found: Sendable>(
    within nanos: Int64, _ find: @Sendable ([Fragment]) -> Result<Found, PlayoutError>?
  ) async throws(PlayoutError) -> Found {
    let result: Result<Found, PlayoutError>
    do throws(PreviewError) {
      result = try await fragments.first(within: nanos) {
        feed.isOnAir() ? find(fragments.kept) : .failure(.offAir)
      }
    } catch {
      switch error {
      case .noPicture: throw .timedOut
      case .closed: throw .offAir
      default: throw .failed(error)
      }
    }
    return try result.get()
  }

  /// The target duration of the playlist in seconds.
  private var targetSeconds: Int64 {
    state.withLock { state in
      let longest = max(state.longest.segment, state.options.keyframeNanos)
      return max(1, (longest + 500_000_000) / 1_000_000_000)
    }
  }

  /// Notes how long segments and parts are, and returns the longest ever.
  private func note(longest: (segment: Int64, part: Int64)) -> (segment: Int64, part: Int64) {
    state.withLock { state in
      state.longest.segment = max(state.longest.segment, longest.segment)
      state.longest.part = max(state.longest.part, longest.part)
      return state.longest
    }
  }

  // MARK: The broadcast

  /// Ends all viewers: the broadcast has ended, and no more packets come.
  private func endBroadcast() {
    let worker = state.withLock { state in
      state.audience.forgetRequests()
      state.hasEnded = state.worker != nil
      return state.worker
    }
    fragments.clear()
    tags.clear()
    worker?.wake()
  }

  /// Closes the play-out for good, and waits until its thread has ended or `deadline` has passed.
  /// - Parameter deadline: on the system clock.
  /// - Returns: `false` if the thread was still running at `deadline`.
  public func close(by deadline: MediaTime) -> Bool {
    let worker = state.withLock { state in
      state.isClosed = true
      return state.worker
    }
    fragments.close()
    tags.clear()
    worker?.wake()
    return worker?.join(by: deadline) ?? true
  }

  // MARK: Attaching and detaching

  /// Notes a request for HLS.
  private func request(_ address: String) throws(PlayoutError) {
    let now = clock.now
    try attend { state in
      state.audience.note(requestFrom: address, most: state.options.maxViewers, now: now)
    }
  }

  /// Calls `enter`, which adds a viewer unless there are too many. Starts the thread if none runs.
  private func attend(_ enter: (inout State) -> Bool) throws(PlayoutError) {
    guard feed.isOnAir() else { throw .offAir }
    try state.withLock { (state) throws(PlayoutError) in
      guard !state.isClosed else { throw .offAir }
      guard state.worker == nil else {
        guard enter(&state) else { throw .full }
        return
      }
      let worker = Worker(name: "playout", clock: clock)
      // The new thread reads the state only when the lock is free.
      do throws(MediaThread.NoThreadError) {
        try worker.tryStart { [self] in run(worker) }
      } catch {
        throw .full
      }
      state.worker = worker
      guard enter(&state) else { throw .full }
    }
  }

  /// The body of the thread: attaches a sink, stores its packets until nobody watches, and detaches it.
  private func run(_ worker: Worker) {
    repeat {
      state.withLock { $0.hasEnded = false }
      let sink = PlayoutSink(fragments, tags, clock: clock) { worker.wake() }
      guard feed.attach(sink, { [self] in endBroadcast() }) else { return giveUp() }
      report(.began)
      var work = PlayoutSink.Work()
      while clock.now < neededUntil {
        sink.store(&work)
        worker.wait(until: min(sink.dueAt, neededUntil))
      }
      sink.close()
      feed.detach(sink)
      fragments.clear()
      tags.clear()
      report(.ended)
    } while !isOver()
  }

  /// Ends all viewers, because the broadcast has ended before the sink was attached.
  private func giveUp() {
    state.withLock { state in
      state.audience.forgetRequests()
      state.worker = nil
    }
    fragments.clear()
    tags.clear()
  }

  /// The time until which the sink stays attached.
  private var neededUntil: MediaTime {
    state.withLock {
      $0.isClosed || $0.hasEnded ? .distantPast : $0.audience.neededUntil
    }
  }

  /// Whether the thread may end; `false` if a viewer has come while the sink was being detached.
  private func isOver() -> Bool {
    let now = clock.now
    return state.withLock { state in
      guard state.isClosed || now >= state.audience.neededUntil else { return false }
      state.worker = nil
      return true
    }
  }
}
