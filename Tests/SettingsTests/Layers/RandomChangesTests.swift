// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import TestSupport
import Testing

@testable import Settings

@Suite struct RandomChangesTests {
  /// A change is taken as a whole, exactly if it has no mistake.
  @Test func fiveHundredRandomChanges() throws {
    var random = SplitMix64(seed: 9)
    let folder = StateFolder("network.mode = 'custom'")
    let keys = Settings.declarations.map(\.key) + ["video.szie", "x", "a.b.c", ""]
    let odd: [SettingsPatch.Value] = [
      .text(""), .text("\u{0}\u{1F600}\""), .integer(.min), .number(.nan), .number(1e300),
      .flag(true), .other("a list"), .text(String(repeating: "k", count: 5_000)),
    ]
    var taken = 0
    for _ in 0..<500 {
      let before = try folder.load().runTime
      var change: [String: SettingsPatch.Value?] = [:]
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let key = keys.randomElement(using: &random) ?? ""
        guard let declaration = Settings.declarations.first(where: { $0.key == key }),
          Int.random(in: 0..<6, using: &random) > 0
        else {
          change[key] = Bool.random(using: &random) ? .some(nil) : odd.randomElement(using: &random)
          continue
        }
        let low = declaration.range?.lowerBound ?? 0
        let high = declaration.range?.upperBound ?? 1
        change[key] =
          switch declaration.type {
          case .flag: .flag(Bool.random(using: &random))
          case .wholeNumber: .integer(Int.random(in: Int(low)...Int(high), using: &random))
          case .number: .number(Double.random(in: low...high, using: &random))
          case .text: declaration.choices.randomElement(using: &random).map { .text($0) }
          }
      }
      let problems = folder.problems(change)
      let after = try folder.load()
      #expect(after.warnings.filter { $0.contains("not used") } == [])
      if problems.isEmpty {
        taken += 1
        #expect(after.runTime.toml == before.applying(SettingsPatch(change)).toml)
      } else {
        #expect(after.runTime == before)
      }
    }
    #expect((100...450).contains(taken), "\(taken) of 500 were valid")
  }

  /// A hundred processes that save all the time are killed at any moment: the file is always one of both, whole.
  @Test func aHundredKills() throws {
    let folder = StateFolder()
    let short = RunTimeSettings().applying(SettingsPatch(["video.fps": .integer(25)]))
    let long = RunTimeSettings().applying(
      SettingsPatch([
        "video.fps": .integer(50), "pause.image": .text(String(repeating: "/long", count: 700)),
      ]))
    let texts = [short.toml, long.toml]
    try long.save(in: folder.path)
    try short.save(in: folder.path)
    // Swift hides fork(2), since other threads may hold locks. This child only makes system calls and allocates.
    typealias Fork = @convention(c) () -> pid_t
    let fork = unsafe unsafeBitCast(dlsym(nil, "fork"), to: Fork.self)
    var random = SplitMix64(seed: 5)
    var found = [0, 0]
    for _ in 0..<100 {
      let child = fork()
      if child == 0 {
        while true {
          try? long.save(in: folder.path)
          try? short.save(in: folder.path)
        }
      }
      usleep(UInt32.random(in: 500...20_000, using: &random))
      _ = kill(child, SIGKILL)
      _ = waitpid(child, nil, 0)
      let read = try RunTimeSettings(directory: folder.path).toml
      let which = try #require(texts.firstIndex(of: read))
      found[which] += 1
      // The next save is not in the way of what was left behind.
      if Bool.random(using: &random) {
        try short.save(in: folder.path)
        #expect(try RunTimeSettings(directory: folder.path).toml == short.toml)
      }
    }
    #expect(found.allSatisfy { $0 > 0 }, "old and new: \(found)")
  }
}
