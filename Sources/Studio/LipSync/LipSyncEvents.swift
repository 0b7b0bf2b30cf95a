// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// By how much sound and picture are apart, from flashes and sounds that were made together.
public struct LipSyncResult: Codable, Sendable, Equatable {
  /// By how many milliseconds the sound comes after the picture; negative if it comes before.
  public var soundAfterMs: Double
  /// How far the middle half of the events lie apart, in milliseconds.
  public var spreadMs: Double
  /// How many events were used.
  public var events: Int
  /// The value for `audio.delay_ms` with which both are together.
  public var delayMs: Int
}

/// Why a measurement has no result, or none yet.
public enum LipSyncTrouble: String, Error, Codable, Sendable {
  /// Camera or microphone deliver nothing.
  case noInputs = "no_inputs"
  /// The measurement was stopped before it had a result.
  case stopped
  /// Fewer than ten flashes had a sound within half a second.
  case tooFew = "too_few"
  /// The events do not agree: their spread is 40 ms or more.
  case uneven
}

/// Pairs the flashes of a measurement with their sounds. Reads no clock.
public struct LipSyncEvents: Sendable, Equatable {
  /// As many events are measured. One alone is only as exact as the frame rate.
  public static let wanted = 20
  static let leastGood = 10
  static let mostApartNanos: Int64 = .milliseconds(500)
  static let mostSpreadNanos: Int64 = .milliseconds(40)

  public private(set) var flashes: [MediaTime] = []
  public private(set) var sounds: [MediaTime] = []

  public init() {}

  public mutating func addFlash(_ time: MediaTime) { flashes.append(time) }
  public mutating func addSound(_ time: MediaTime) { sounds.append(time) }

  /// For each flash the nanoseconds from it to the nearest sound, if that is within half a second, and if the flash is
  /// the nearest one to that sound, too.
  var offsets: [Int64] {
    flashes.compactMap { flash in
      guard let sound = sounds.min(by: { abs($0 - flash) < abs($1 - flash) }),
        abs(sound - flash) <= LipSyncEvents.mostApartNanos,
        let back = flashes.min(by: { abs($0 - sound) < abs($1 - sound) }), back == flash
      else { return nil }
      return sound - flash
    }
  }

  /// Whether there are as many pairs as are wanted.
  var isEnough: Bool { offsets.count >= LipSyncEvents.wanted }

  /// - Parameter present: `audio.delay_ms`, which sound that was taken before it does not have yet.
  public func result(present: Int) -> Result<LipSyncResult, LipSyncTrouble> {
    let sorted = offsets.sorted()
    // Clicks that have nothing to do with a flash are far away from the median.
    guard sorted.count >= LipSyncEvents.leastGood else { return .failure(.tooFew) }
    let middle = sorted.count / 2
    let median =
      sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    let spread = sorted[sorted.count * 3 / 4] - sorted[sorted.count / 4]
    guard spread < LipSyncEvents.mostSpreadNanos else { return .failure(.uneven) }
    // Frames make a grid, so the error of one event is up to half a frame either way: the mean is more exact.
    let good = sorted.filter { abs($0 - median) <= LipSyncEvents.mostSpreadNanos }
    guard good.count >= LipSyncEvents.leastGood else { return .failure(.tooFew) }
    let milliseconds = Double(good.reduce(0, +)) / Double(good.count) / 1e6
    return .success(
      LipSyncResult(
        soundAfterMs: milliseconds + Double(present), spreadMs: Double(spread) / 1e6,
        events: good.count, delayMs: -Int(milliseconds.rounded())))
  }
}
