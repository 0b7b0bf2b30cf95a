// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Director
import Foundation
import Testing

@testable import Control

/// The page has words for each code of the box's presence, in English those of `onair status`.
@Suite struct PresenceTextTests {
  private func texts(_ language: String) throws -> [String: [String: String]] {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources/Page/Assets/\(language).json")
    return try JSONDecoder().decode(
      [String: [String: String]].self, from: try Data(contentsOf: file))
  }

  @Test(arguments: ["en", "zh"]) func eachCodeHasWords(_ language: String) throws {
    let texts = try texts(language)
    /// - Parameter own: what the page says by itself.
    func expect(_ group: String, _ codes: [String], own: Set<String> = []) {
      #expect(Set(texts[group]?.keys.map { $0 } ?? []) == Set(codes).union(own), "\(group)")
    }
    expect(
      "state", Situation.State.allCases.map(\.rawValue),
      own: ["no_answer", "unknown", "live_silent", "and_muted", "and_video_off", "and_audio_off"])
    expect(
      "word", Situation.Word.allCases.map(\.rawValue),
      own: ["no_answer", "and_muted", "and_video_off", "and_poor", "and_silent"])
    expect(
      "grade", Situation.Grade.allCases.map(\.rawValue), own: ["unknown", "silent", "trouble"])
    // On the page the trouble stands above, with the key that leads to where it is mended.
    expect(
      "advice", Situation.Advice.allCases.filter { $0 != .seeBelow }.map(\.rawValue),
      own: ["ask_owner", "check_box", "choose", "key", "ready", "wait_long"])
  }

  @Test(arguments: Situation.State.allCases)
  func thePageSaysWhatTheCommandLineSays(_ state: Situation.State) throws {
    #expect(try texts("en")["state"]?[state.rawValue] == state.sentence)
  }
}
