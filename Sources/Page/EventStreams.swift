// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Hummingbird
internal import NIOCore
internal import Synchronization

/// The connections that are told of events (WHATWG HTML, 9.2), a few at a time.
final class EventStreams: Sendable {
  static let most = 8
  /// So that whoever has gone is noticed, and nothing on the way takes the connection for dead.
  private static let keepAlive = Duration.seconds(10)
  /// Lines that wait for a slow reader, and more than a box tells at once to who comes back; older ones are left
  /// out, which the numbers show.
  private static let longestQueue = 300

  private let taken = Mutex(0)

  /// A place that is free again once nobody has it.
  final class Place: Sendable {
    private let streams: EventStreams
    fileprivate init(_ streams: EventStreams) { self.streams = streams }
    deinit { streams.taken.withLock { $0 -= 1 } }
  }

  /// - Returns: `nil` when all are taken.
  func take() -> Place? {
    let isFree = taken.withLock { taken in
      guard taken < EventStreams.most else { return false }
      taken += 1
      return true
    }
    return isFree ? Place(self) : nil
  }

  /// Writes events until either side ends.
  static func body(of box: any PageBox, after number: Int?, place: Place) -> ResponseBody {
    ResponseBody { writer in
      let (lines, feed) = AsyncStream<String>.makeStream(
        bufferingPolicy: .bufferingNewest(longestQueue))
      // A browser that has lost the connection asks again after so many milliseconds.
      feed.yield("retry: 2000\n\n")
      let end = box.listen(after: number) { event in
        feed.yield("id: \(event.number)\nevent: \(event.code)\ndata: \(event.json)\n\n")
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
