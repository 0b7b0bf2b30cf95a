// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Synchronization
import Testing

@testable import Preview

/// The store and its readers.
struct ReaderTests {
  private func numbers(_ fragments: Fragments, _ cursor: inout ReaderCursor) -> [String] {
    var found: [String] = []
    while case .give(let chunk) = fragments.state.withLock({ cursor.step($0) }) {
      found.append((chunk.isInitialization ? "i" : "") + String(chunk.bytes[0]))
    }
    return found
  }

  @Test func aReaderBeginsAtTheNewestKeyframe() {
    let fragments = Fragments()
    var cursor = ReaderCursor()
    #expect(numbers(fragments, &cursor) == [])
    Made.fill(fragments, count: 13)
    #expect(numbers(fragments, &cursor) == ["i1", "10", "11", "12"])
    Made.fill(fragments, from: 13, count: 2, keyEvery: 100)
    #expect(numbers(fragments, &cursor) == ["13", "14"])
    Made.fill(fragments, from: 15, count: 2, epoch: 2)
    #expect(numbers(fragments, &cursor) == ["i2", "15", "16"])
  }

  @Test func aReaderThatFallsBehindGoesOnAtTheNewestKeyframe() {
    let fragments = Fragments()
    var slow = ReaderCursor()
    var quick = ReaderCursor()
    Made.fill(fragments, count: 2)
    _ = numbers(fragments, &slow)
    _ = numbers(fragments, &quick)
    for first in stride(from: 2, to: 102, by: 10) {
      Made.fill(fragments, from: first, count: 10)
      #expect(numbers(fragments, &quick).count == 10, "the slow one does not hold it up")
    }
    #expect(numbers(fragments, &slow) == (92..<102).map { "\($0)" })
  }

  @Test func theWindowIsBounded() {
    let fragments = Fragments()
    Made.fill(fragments, count: 200)
    #expect(fragments.size.nanos <= .milliseconds(8_200))
    #expect(fragments.size.nanos >= .seconds(8))
    Made.fill(fragments, from: 200, count: 40, bytes: 1_000_000)
    #expect(fragments.size.bytes <= 6_000_000)
    #expect(fragments.size.bytes >= 5_000_000)
    fragments.clear()
    #expect(fragments.size == (0, 0))
  }

  @Test func theNumbersGoOnAfterTheStoreWasCleared() {
    let fragments = Fragments()
    var cursor = ReaderCursor()
    Made.fill(fragments, count: 3)
    _ = numbers(fragments, &cursor)
    fragments.clear()
    Made.fill(fragments, from: 50, count: 2)
    #expect(numbers(fragments, &cursor) == ["i1", "50", "51"])
  }

  @Test func readersWaitForTheNextFragment() async throws {
    let fragments = Fragments()
    let left = Counter()
    let counts = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let reader = PreviewReader(fragments: fragments) { left.add() }
          var count = 0
          for await chunk in reader where !chunk.isInitialization { count += 1 }
          return count
        }
      }
      group.addTask {
        for index in 0..<30 {
          Made.fill(fragments, from: index, count: 1)
          try? await Task.sleep(for: .milliseconds(5))
        }
        try? await Task.sleep(for: .milliseconds(100))
        fragments.close()
        return -1
      }
      return await group.reduce(into: [Int]()) { $0.append($1) }
    }
    #expect(counts.count == 9)
    #expect(counts.allSatisfy { $0 <= 30 })
    #expect(left.count == 8)
  }

  @Test func aCancelledReaderEnds() async {
    let fragments = Fragments()
    for _ in 0..<50 {
      let task = Task {
        await PreviewReader(fragments: fragments, leave: {}).next().map { _ in false } ?? true
      }
      if Bool.random() { await Task.yield() }
      task.cancel()
      #expect(await task.value)
    }
    #expect(fragments.state.withLock { $0.waiting.isEmpty })
  }
}

final class Counter: Sendable {
  private let value = Atomic(0)
  func add() { value.add(1, ordering: .relaxed) }
  var count: Int { value.load(ordering: .relaxed) }
}
