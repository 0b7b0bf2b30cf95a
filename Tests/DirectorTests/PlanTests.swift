// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import Director

/// Every combination of what is wanted and how things are.
private struct Everything: Sequence, IteratorProtocol {
  private var number = 0

  mutating func next() -> (intent: Intent, conditions: Conditions, keepsSound: Bool)? {
    var rest = number
    number += 1
    func pick<Value>(_ values: [Value]) -> Value {
      defer { rest /= values.count }
      return values[rest % values.count]
    }
    let intent = Intent(
      broadcast: pick(Intent.Broadcast.allCases), isMuted: pick([false, true]))
    let conditions = Conditions(
      camera: pick(Conditions.Input.allCases), microphone: pick(Conditions.Input.allCases),
      destination: pick(Conditions.Destination.allCases), link: pick(Conditions.Link.allCases),
      encoderFailed: pick([false, true]), videoDelivered: pick([false, true]))
    let keepsSound = pick([false, true])
    return rest == 0 ? (intent, conditions, keepsSound) : nil
  }
}

@Suite struct PlanTests {
  @Test func everyCombinationHasItsPlanByTheTables() {
    var count = 0
    for (intent, conditions, keepsSound) in Everything() {
      count += 1
      let plan = Director(intent: intent, conditions: conditions, keepsSound: keepsSound).plan
      #expect(promisesHold(intent, conditions, keepsSound: keepsSound, plan))
    }
    #expect(count == 3 * 2 * 4 * 4 * 5 * 3 * 2 * 2 * 2)
  }

  /// Each row of each table is the first that fits for something: none is there for nothing.
  @Test func noRowIsInVain() {
    var pictures = Set(PlanTable.videoRows.indices)
    var sounds = Set(PlanTable.audioRows.indices)
    var lamps = Set(PlanTable.lamps.indices)
    for (intent, conditions, keepsSound) in Everything() {
      pictures.remove(
        PlanTable.videoRows.firstIndex { PlanTable.fits($0, intent, conditions) } ?? -1)
      sounds.remove(
        PlanTable.audioRows.firstIndex { PlanTable.fits($0, intent, conditions, keepsSound) } ?? -1)
      lamps.remove(PlanTable.lamps.firstIndex { PlanTable.fits($0, intent, conditions) } ?? -1)
    }
    #expect(pictures.isEmpty && sounds.isEmpty && lamps.isEmpty, "\(pictures) \(sounds) \(lamps)")
  }

  @Test(arguments: Command.allCases)
  func aCommandWithoutABroadcastIsRefused(_ command: Command) throws {
    switch command {
    case .start: #expect(try Intent().after(command) == Intent(broadcast: .live))
    case .stop: #expect(try Intent().after(command) == Intent())
    default: #expect(throws: Refusal.offAir) { try Intent().after(command) }
    }
  }

  @Test func aNewBroadcastIsHeard() throws {
    var intent = Intent(broadcast: .live, isMuted: true)
    intent = try intent.after(.stop)
    #expect(try intent.after(.start) == Intent(broadcast: .live))
  }

  @Test func startDoesNotEndAPause() throws {
    #expect(try Intent(broadcast: .paused).after(.start) == Intent(broadcast: .paused))
  }
}

/// What holds whatever comes.
func promisesHold(
  _ intent: Intent, _ conditions: Conditions, keepsSound: Bool, _ plan: Plan
) -> Bool {
  if intent.broadcast != .live, plan.video == .camera { return false }
  if intent.broadcast == .off, plan.isOnAir { return false }
  if plan.audio == .microphone, intent.isMuted { return false }
  if intent.broadcast == .paused, !keepsSound, plan.audio == .microphone { return false }
  // Green is what the servers have.
  if plan.lamp.colour == .green {
    guard conditions.videoDelivered, conditions.destination == .delivered,
      intent.broadcast == .live
    else { return false }
  }
  if plan.lamp == .paused, !conditions.videoDelivered || intent.broadcast != .paused {
    return false
  }
  return true
}
