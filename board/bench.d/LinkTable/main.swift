// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import LinkLab

// Compares OnAir's rate controller with others on virtual time, over links that were not used for tuning it. Started
// by board/bench. Exits with 1 when another one is better in both delay and quality on any class of links, when OnAir
// needs more than 5 s for the way back to the full rate, or when the delay exceeds 2 s in the simulated week.

let seeds: ClosedRange<UInt64> = 5_001...5_020
let seconds = 300.0
let target = 2_000.0

struct Row {
  var name: String
  var behind = 0.0
  var most = 0.0
  var quality = 0.0
  var used = 0.0
  var switches = 0.0
  var still = 0.0

  init(_ name: String, _ links: LinkTrace.Class, _ make: () -> some LinkRule) {
    self.name = name
    let share = 1 / Double(seeds.count)
    for seed in seeds {
      var rule = make()
      let trace = LinkTrace(links, seed: seed, seconds: seconds, target: target)
      let score = VirtualStream(trace: trace, targetKbps: target).run(&rule, seed: seed)
      behind += score.secondsBehind * share
      most = max(most, score.mostBehind)
      quality += score.quality * share
      used += score.used * share
      switches += Double(score.switches) * share
      still += score.stillSeconds * share
    }
  }
}

func text(_ value: Double, _ digits: Int) -> String {
  var scale = 1.0
  for _ in 0..<digits { scale *= 10 }
  let whole = Int((value * scale).rounded())
  guard digits > 0 else { return "\(whole)" }
  let fraction = String(whole % Int(scale))
  return
    "\(whole / Int(scale)).\(String(repeating: "0", count: digits - fraction.count))\(fraction)"
}

func padded(_ text: String, _ width: Int) -> String {
  String(repeating: " ", count: max(0, width - text.count)) + text
}

print(
  "\(seeds.count) links of each class, \(Int(seconds)) s each, 2,000 kbit/s of video, seeds \(seeds)"
)
print(
  "class      rule          s above 2 s   most behind   quality   link used   switches   s of still"
)
var isBeaten = false
for links in LinkTrace.Class.allCases {
  let rows = [
    Row("OnAir", links) { OnAirRule(targetKbps: Int(target)) },
    Row("fixed", links) { FixedRule(targetKbps: target) },
    Row("OBS", links) { OBSRule(targetKbps: target) },
    Row("belacoder", links) { BelacoderRule(targetKbps: target) },
    Row("Moblin", links) { MoblinRule(targetKbps: target) },
    Row("HaishinKit", links) { HaishinKitRule(targetKbps: target) },
    Row("RootEncoder", links) { RootEncoderRule(targetKbps: target) },
  ]
  for row in rows {
    let isBetter = row.behind < rows[0].behind && row.quality > rows[0].quality
    isBeaten = isBeaten || isBetter
    print(
      links.rawValue + String(repeating: " ", count: 11 - links.rawValue.count) + row.name
        + padded(text(row.behind, 1), 25 - row.name.count) + padded(text(row.most, 1), 14)
        + padded(text(row.quality, 3), 10) + padded(text(row.used * 100, 0) + " %", 12)
        + padded(text(row.switches, 1), 11) + padded(text(row.still, 1), 13)
        + (isBetter ? "   better than OnAir in both" : ""))
  }
}

let returnsInTime = printRecoveries()

// A week on a mobile link: the delay must stay below 2 s whenever the link can carry the still.
var rule = OnAirRule(targetKbps: Int(target))
let week = LinkTrace(.mobile, seed: 7_777, seconds: 7 * 86_400, target: target)
let score = VirtualStream(trace: week, targetKbps: target).run(&rule, seed: 7_777)
print(
  "\na week of mobile: above 2 s for \(text(score.secondsBehind, 1)) s, at most "
    + "\(text(score.mostBehind, 1)) s; quality \(text(score.quality, 3)); \(score.switches) switches, "
    + "\(text(score.stillSeconds / 3_600, 1)) h of still")
exit(isBeaten || !returnsInTime || score.secondsBehind > 0 ? 1 : 0)
