// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Hummingbird
internal import NIOCore
internal import Synchronization

/// Server-sent events (WHATWG HTML, section 9.2), for a few connections at a time.
final class EventStreams: Sendable {
  static let most = 8
  /// How often an empty message is sent: a lost client is noticed, and no proxy closes an idle connection.
  private static let keepAlive = Duration.seconds(10)
  /// Messages that wait for a slow client; the oldest are dropped, which shows in the numbers. More than the 200
  /// that a reconnecting client may get at once.
  private static let longestQueue = 300

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
  static func body(of events: EventLog, after number: Int?, place: Place) -> ResponseBody {
    ResponseBody { writer in
      let (lines, feed) = AsyncStream<String>.makeStream(
        bufferingPolicy: .bufferingNewest(longestQueue))
      // Milliseconds after which a browser reconnects.
      feed.yield("retry: 2000\n\n")
      let end = events.listen(after: number) { event in
        let json = String(decoding: JSON.encode(event), as: UTF8.self)
        feed.yield("id: \(event.number)\nevent: \(event.code.rawValue)\ndata: \(json)\n\n")
      }
      let pulse = Task {
        while true {
          try await Task.sleep(for: keepAlive)
          feed.yield(":\n\n")
        }
      }
      defer {
        end()
        pulse.cancel()
        withExtendedLifetime(place) {}
      }
      for await line in lines { try await writer.write(ByteBuffer(string: line)) }
      try await writer.finish(nil)
    }
  }
}
