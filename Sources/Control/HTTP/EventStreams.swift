// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Box
internal import Events
internal import Figures
internal import Hummingbird
internal import NIOCore
internal import Studio
internal import Synchronization

/// The streams of server-sent events (WHATWG HTML, section 9.2), of which a limited number is open at a time.
final class EventStreams: Sendable {
  /// The most streams at a time: as many as all tokens, all operators and one session of the owner may have together.
  static let mostStreams =
    LongAnswers.mostOfTokens + LongAnswers.mostOfOperators + LongAnswers.mostOfSession
  /// The interval of empty messages: they reveal a lost client, and keep proxies from closing an idle connection.
  private static let keepAlive = Duration.seconds(10)
  /// The most messages that are queued for a slow client. Beyond this the oldest are dropped, which the client sees as
  /// gaps in the event numbers. A client that reconnects may get 200 events at once.
  private static let longestQueue = 300

  /// The further messages that a stream sends besides events.
  struct Extras: OptionSet {
    let rawValue: Int
    static let figures = Extras(rawValue: 1)
    static let status = Extras(rawValue: 2)
    static let levels = Extras(rawValue: 4)
    static let music = Extras(rawValue: 8)

    init(rawValue: Int) { self.rawValue = rawValue }

    /// - Parameter names: names with commas between them, as in "figures,levels"; unknown names are ignored.
    init(names: Substring) {
      self = names.split(separator: ",").reduce(into: []) { extras, name in
        switch name {
        case "figures": extras.insert(.figures)
        case "status": extras.insert(.status)
        case "levels": extras.insert(.levels)
        case "music": extras.insert(.music)
        default: break
        }
      }
    }
  }

  /// A message that waits for a client. An event is encoded only when it is written, so that the thread which reports
  /// the event does not wait for the encoding.
  private enum Message {
    case event(Event)
    /// Complete lines of the stream, sent as they are.
    case text(String)

    var text: String {
      switch self {
      case .event(let event):
        let json = String(decoding: JSON.encode(event), as: UTF8.self)
        return "id: \(event.number)\nevent: \(event.code.rawValue)\ndata: \(json)\n\n"
      case .text(let text): return text
      }
    }
  }

  /// The number of open streams.
  private let openStreams = Mutex(0)

  /// Permission to have one stream open. The permission ends when the object is released.
  final class Place: Sendable {
    private let streams: EventStreams
    fileprivate init(_ streams: EventStreams) { self.streams = streams }
    deinit { streams.openStreams.withLock { $0 -= 1 } }
  }

  /// Asks for permission to open a stream.
  /// - Returns: `nil` if `mostStreams` streams are open.
  func reservePlace() -> Place? {
    let isFree = openStreams.withLock { openStreams in
      guard openStreams < EventStreams.mostStreams else { return false }
      openStreams += 1
      return true
    }
    return isFree ? Place(self) : nil
  }

  /// The body of a response that writes events until either side closes the connection.
  /// - Parameters:
  ///   - number: the number of the last event that the client has; `nil` for new events only.
  ///   - mayViewOffAir: whether the client may open the microphone off air, and so get its levels.
  ///   - isStillLoggedIn: tells whether the client is still logged in; asked every ten seconds.
  func body(
    of station: Station, after number: Int?, with extras: Extras, mayViewOffAir: Bool, place: Place,
    while isStillLoggedIn: @escaping @Sendable () -> Bool
  ) -> ResponseBody {
    ResponseBody { [self] writer in
      let (messages, queue) = AsyncStream<Message>.makeStream(
        bufferingPolicy: .bufferingNewest(EventStreams.longestQueue))
      // Milliseconds after which a browser reconnects.
      queue.yield(.text("retry: 2000\n\n"))
      let events = station.events.subscribe(after: number, limit: EventStreams.longestQueue)
      let pass = { @Sendable in for event in events.take() { queue.yield(.event(event)) } }
      // The events that the client has missed come before the status.
      pass()
      let relay = Task { for await _ in events.arrivals { pass() } }
      let pulse = Task {
        while true {
          try await Task.sleep(for: EventStreams.keepAlive)
          guard isStillLoggedIn() else { return queue.finish() }
          queue.yield(.text(":\n\n"))
        }
      }
      let extra = Task {
        try await add(extras, of: station, mayViewOffAir: mayViewOffAir, to: queue)
      }
      defer {
        relay.cancel()
        pulse.cancel()
        extra.cancel()
        withExtendedLifetime(place) {}
      }
      for await message in messages { try await writer.write(ByteBuffer(string: message.text)) }
      try await writer.finish(nil)
    }
  }

  /// Sends the messages that `extras` names: the status whenever it has changed, figures once a second, levels ten
  /// times a second, and the music's progress once a second.
  private func add(
    _ extras: Extras, of station: Station, mayViewOffAir: Bool,
    to queue: AsyncStream<Message>.Continuation
  ) async throws {
    guard !extras.isEmpty else { return }
    var edition = 0
    var figures: Figures?
    var music: MusicReply?
    var reader = SoundReader()
    func send(_ name: String, _ value: some Encodable) {
      let json = String(decoding: JSON.encode(value), as: UTF8.self)
      queue.yield(.text("event: \(name)\ndata: \(json)\n\n"))
    }
    while true {
      if extras.contains(.status) {
        let newest = station.feed.newest(station.clock.now) { station.status }
        if newest.number != edition { send("status", newest.status) }
        edition = newest.number
      }
      if extras.contains(.figures), let new = station.figures, new != figures {
        figures = new
        send("figures", new)
      }
      if extras.contains(.music), case let new = station.music, new != music {
        music = new
        send("music", new)
      }
      if extras.contains(.levels),
        let levels = station.levels(&reader, mayViewOffAir: mayViewOffAir)
      {
        send("levels", levels)
      }
      try await Task.sleep(for: .milliseconds(extras.contains(.levels) ? 100 : 250))
    }
  }
}
