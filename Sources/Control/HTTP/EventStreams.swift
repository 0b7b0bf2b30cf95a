// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Hummingbird
internal import NIOCore
internal import Studio
internal import Synchronization

/// Server-sent events (WHATWG HTML, section 9.2), for some connections at a time.
final class EventStreams: Sendable {
  static let most = 24
  /// How often an empty message is sent: a lost client is noticed, and no proxy closes an idle connection.
  private static let keepAlive = Duration.seconds(10)
  /// Messages that wait for a slow client; the oldest are dropped, which shows in the numbers. More than the 200
  /// that a reconnecting client may get at once.
  private static let longestQueue = 300

  /// What a client gets besides events.
  struct Extras: OptionSet {
    let rawValue: Int
    static let figures = Extras(rawValue: 1)
    static let status = Extras(rawValue: 2)
    static let levels = Extras(rawValue: 4)

    init(rawValue: Int) { self.rawValue = rawValue }

    /// - Parameter names: "figures,levels"; unknown ones are ignored.
    init(names: Substring) {
      self = names.split(separator: ",").reduce(into: []) { extras, name in
        switch name {
        case "figures": extras.insert(.figures)
        case "status": extras.insert(.status)
        case "levels": extras.insert(.levels)
        default: break
        }
      }
    }
  }

  private let taken = Mutex(0)

  /// The right to stream, returned when nobody holds it any more.
  final class Place: Sendable {
    private let streams: EventStreams
    fileprivate init(_ streams: EventStreams) { self.streams = streams }
    deinit { streams.taken.withLock { $0 -= 1 } }
  }

  /// - Returns: `nil` when all places are taken.
  func take() -> Place? {
    let isFree = taken.withLock { taken in
      guard taken < EventStreams.most else { return false }
      taken += 1
      return true
    }
    return isFree ? Place(self) : nil
  }

  /// A response that writes events until either side closes.
  /// - Parameter isStillIn: asked now and then: whether the client may still listen.
  static func body(
    of station: Station, after number: Int?, with extras: Extras, place: Place,
    while isStillIn: @escaping @Sendable () -> Bool
  ) -> ResponseBody {
    ResponseBody { writer in
      let (lines, feed) = AsyncStream<String>.makeStream(
        bufferingPolicy: .bufferingNewest(longestQueue))
      // Milliseconds after which a browser reconnects.
      feed.yield("retry: 2000\n\n")
      let end = station.events.listen(after: number) { event in
        let json = String(decoding: JSON.encode(event), as: UTF8.self)
        feed.yield("id: \(event.number)\nevent: \(event.code.rawValue)\ndata: \(json)\n\n")
      }
      let pulse = Task {
        while true {
          try await Task.sleep(for: keepAlive)
          guard isStillIn() else { return feed.finish() }
          feed.yield(":\n\n")
        }
      }
      let extra = Task { try await feedExtras(extras, of: station, to: feed) }
      defer {
        end()
        pulse.cancel()
        extra.cancel()
        withExtendedLifetime(place) {}
      }
      for await line in lines { try await writer.write(ByteBuffer(string: line)) }
      try await writer.finish(nil)
    }
  }

  /// Sends the status when it has changed, figures once a second, and levels ten times a second.
  private static func feedExtras(
    _ extras: Extras, of station: Station, to feed: AsyncStream<String>.Continuation
  ) async throws {
    guard !extras.isEmpty else { return }
    var status: Status?
    var figures: Figures?
    var reader = LevelReader()
    func send(_ name: String, _ value: some Encodable) {
      feed.yield("event: \(name)\ndata: \(String(decoding: JSON.encode(value), as: UTF8.self))\n\n")
    }
    while true {
      if extras.contains(.status), let new = station.status.isDifferent(from: status) {
        status = new
        send("status", new)
      }
      if extras.contains(.figures), let new = station.figures, new != figures {
        figures = new
        send("figures", new)
      }
      if extras.contains(.levels), let levels = station.levels(&reader) { send("levels", levels) }
      try await Task.sleep(for: .milliseconds(extras.contains(.levels) ? 100 : 250))
    }
  }
}

extension Status {
  /// - Returns: `nil` if nothing has changed but counters and ages, which the figures have.
  fileprivate func isDifferent(from other: Status?) -> Status? {
    func essence(_ status: Status) -> Status {
      var status = status
      status.onAirSeconds = status.onAirSeconds.map { _ in 0 }
      status.encode = nil
      status.driftPpm = nil
      for index in status.destinations.indices {
        status.destinations[index].deliveredMsAgo = nil
        status.destinations[index].sentBytes = 0
        status.destinations[index].outageSeconds = 0
      }
      for index in status.troubles.indices {
        status.troubles[index].since = ""
        status.troubles[index].sinceSeconds = 0
        status.troubles[index].retryInSeconds = nil
      }
      return status
    }
    return other.map { essence($0) == essence(self) } ?? false ? nil : self
  }
}
