// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Foundation
import Logging
import TestSupport
import Testing

@testable import Box
@testable import Events

/// The texts for `{api:NAME}`.
@Suite struct TextBoardTests {
  private let directory = stateDirectory()
  private let events = EventLog(log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  private let time = VirtualClock()

  private func board() -> TextBoard { TextBoard(directory: directory, events: events) }

  private func code(_ board: TextBoard, _ name: String, _ text: String) -> String? {
    do throws(StationError) {
      _ = try board.set(name, to: text)
      return nil
    } catch {
      return error.code
    }
  }

  @Test func textsAreKept() throws {
    let first = board()
    #expect(try first.set("score", to: "2 : 1\nhalf-time"))
    #expect(try !first.set("score", to: "2 : 1\nhalf-time"))
    #expect(try first.set("clock", to: "12:00 \u{1F3C0} مرحبا"))
    first.save()
    let second = board()
    #expect(second.texts == ["score": "2 : 1\nhalf-time", "clock": "12:00 \u{1F3C0} مرحبا"])
    #expect(try second.set("clock", to: ""))
    #expect(second.texts.keys.sorted() == ["score"])
    second.save()
    #expect(board().texts.keys.sorted() == ["score"])
  }

  @Test(arguments: [
    ("", "x", "unfit_name"), ("a b", "x", "unfit_name"), ("../x", "x", "unfit_name"),
    (String(repeating: "a", count: 33), "x", "unfit_name"), ("ü", "x", "unfit_name"),
    ("a", String(repeating: "é", count: 2_001), "unfit_text"), ("a", "\u{7}", "unfit_text"),
    ("a", "\u{0}", "unfit_text"), ("a", "a\rb", "unfit_text"), ("a", "\u{9B}31m", "unfit_text"),
    ("a", "\u{2028}", "unfit_text"),
  ])
  func whatIsUnfitIsRefused(name: String, text: String, wanted: String) {
    let board = board()
    #expect(code(board, name, text) == wanted && board.texts.isEmpty)
  }

  @Test func thereAreAtMostSixtyFour() {
    let board = board()
    // Of four bytes each: the file holds them all.
    let longest = String(repeating: "\u{1F3C0}", count: 2_000)
    for number in 0..<64 { #expect(code(board, "n\(number)", longest) == nil) }
    #expect(code(board, "more", "x") == "too_many_texts")
    #expect(code(board, "more", "") == nil, "it is empty already")
    #expect(code(board, "n0", "x") == nil, "those that are there change")
    board.save()
    #expect(self.board().texts.count == 64)
    #expect(code(board, "n1", "") == nil && code(board, "more", "x") == nil)
  }

  /// A card does not get a write for each second of a game.
  @Test func aChangeIsWrittenAtOnceAndThenEveryFiveSeconds() throws {
    let board = board()
    let jobs = JobThread(name: "test", urgency: .request, mostWaiting: 16)
    func saved() -> String? {
      board.save(on: jobs, now: time.now)
      #expect(jobs.finish(by: .now() + .seconds(60)))
      return self.board().texts["clock"]
    }
    for second in 0..<12 {
      _ = try board.set("clock", to: "\(second)")
      #expect(saved() == "\(second / 5 * 5)")
      time.advance(by: .seconds(1))
    }
    time.advance(by: .seconds(5))
    #expect(saved() == "11")
  }

  @Test func whatCannotBeReadOrWrittenIsTold() throws {
    try Data("[1]".utf8).write(to: URL(filePath: "\(directory)/texts.json"))
    let board = TextBoard(directory: directory, events: events)
    #expect(board.texts.isEmpty)
    _ = try board.set("a", to: "x")
    board.save()
    #expect(self.board().texts == ["a": "x"])
    let nowhere = TextBoard(directory: "/proc/none", events: events)
    _ = try nowhere.set("a", to: "x")
    nowhere.save()
    #expect(nowhere.texts == ["a": "x"], "it is shown all the same")
  }
}
