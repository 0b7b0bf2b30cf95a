// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// Hum of the mains in a track.
public struct Hum: Sendable, Equatable {
  /// The frequency of the mains: 50 or 60.
  public var hertz: Int
  /// The multiples of it that stand out, in hertz: what a `humFilter` has to remove.
  public var tones: [Double]

  public init(hertz: Int, tones: [Double]) { (self.hertz, self.tones) = (hertz, tones) }
}

/// Finds hum: tones at the multiples of 50 or 60 Hz, in the quietest moments of the last minute. While somebody speaks
/// hum cannot be told from a voice.
@safe final class HumMeter {
  /// The signal is measured at 2,400 Hz, in windows of 2 s, which tell tones apart that differ by 1 Hz.
  private static let decimation = 20
  private static let rate = 48_000.0 / Double(decimation)
  private static let windowFrames = 4_800
  private static let seconds = Double(windowFrames) / rate
  /// Windows that are remembered: 60 s.
  private static let windowCount = 30
  /// Of these, the quietest ones that are looked at.
  private static let quietCount = 3
  private static let band = 40.0...1_000.0
  /// The least share of the power in `band` that the multiples of the mains have if there is hum.
  private static let leastShare = 0.4
  private static let leastLevelDB = -60.0
  /// A tone stands out if it is this much louder than what is beside it.
  private static let leastProminenceDB = 10.0
  /// Weaker tones, compared with the strongest one, are not heard.
  private static let leastToneDB = -20.0
  /// The distance in hertz at which a tone is compared with what is beside it.
  private static let beside = 5.0

  private struct Window {
    /// The mean square in `band`.
    var power = Double.infinity
    /// The largest share of one mains frequency's multiples, and that frequency.
    var share = 0.0
    var hertz = 50
    var tones: [Double] = []
  }

  private let channels: Int
  private var lowPasses = [0.541_196, 1.306_563].map { Biquad.lowPass(hertz: 1_000, q: $0) }
  private var highPass = Biquad.highPass(hertz: band.lowerBound, q: 0.707)
  private var framesToSkip = 0
  private var samples = [Double]()
  private let hann: [Double]
  private var windows: [Window] = []

  init(channels: Int) {
    self.channels = channels
    samples.reserveCapacity(HumMeter.windowFrames)
    windows.reserveCapacity(HumMeter.windowCount + 1)
    hann = (0..<HumMeter.windowFrames).map {
      0.5 - 0.5 * cos(2 * .pi * (Double($0) + 0.5) / Double(HumMeter.windowFrames))
    }
  }

  /// Measures samples.
  /// - Returns: whether a window has ended, so that `hum` may have changed.
  func note(_ interleaved: UnsafePointer<Float>, frames: Int) -> Bool {
    var hasEnded = false
    for frame in 0..<frames {
      let sample = unsafe interleaved + frame * channels
      let mono = unsafe Double(sample[0] + sample[channels - 1]) / 2
      var x = SIMD2(mono, 0)
      for index in lowPasses.indices { x = lowPasses[index].next(x) }
      x = highPass.next(x)
      if framesToSkip > 0 {
        framesToSkip -= 1
        continue
      }
      framesToSkip = HumMeter.decimation - 1
      samples.append(x[0])
      guard samples.count == HumMeter.windowFrames else { continue }
      windows.append(measure())
      if windows.count > HumMeter.windowCount { windows.removeFirst() }
      samples.removeAll(keepingCapacity: true)
      hasEnded = true
    }
    for index in lowPasses.indices { lowPasses[index].removeDenormals() }
    highPass.removeDenormals()
    return hasEnded
  }

  /// The hum in the quietest moments of the last minute; `nil` if there is none, or not enough was measured yet.
  var hum: Hum? {
    guard windows.count >= HumMeter.quietCount else { return nil }
    let quiet = windows.sorted { $0.power < $1.power }
      .prefix(max(HumMeter.quietCount, windows.count / 10))
    let share = quiet.reduce(0) { $0 + $1.share } / Double(quiet.count)
    guard share >= HumMeter.leastShare, let first = quiet.first,
      10 * log10(first.power) >= HumMeter.leastLevelDB,
      quiet.allSatisfy({ $0.hertz == first.hertz })
    else { return nil }
    return Hum(hertz: first.hertz, tones: first.tones)
  }

  /// Forgets everything that was measured.
  func reset() {
    windows.removeAll(keepingCapacity: true)
    samples.removeAll(keepingCapacity: true)
  }

  private func measure() -> Window {
    var window = Window()
    let windowed = zip(samples, hann).map { $0 * $1 }
    let total = windowed.reduce(0) { $0 + $1 * $1 }
    window.power = samples.reduce(0) { $0 + $1 * $1 } / Double(samples.count)
    guard total > 0 else { return window }
    for mains in [50, 60] {
      var (sum, tones): (Double, [(hertz: Double, power: Double)]) = (0, [])
      for hertz in stride(from: Double(mains), through: HumMeter.band.upperBound, by: Double(mains))
      {
        let power = HumMeter.power(of: hertz, in: windowed)
        sum += power
        let around =
          (HumMeter.power(of: hertz - HumMeter.beside, in: windowed)
            + HumMeter.power(of: hertz + HumMeter.beside, in: windowed)) / 2
        if 10 * log10(power / max(around, 1e-30)) >= HumMeter.leastProminenceDB {
          tones.append((hertz, power))
        }
      }
      // A tone's power is spread over the line and its two neighbours: 2/3 of it is in the line itself.
      let share = sum * 1.5 * 2 / Double(HumMeter.windowFrames) / total
      guard share > window.share else { continue }
      (window.share, window.hertz) = (share, mains)
      let least = (tones.map(\.power).max() ?? 0) * pow(10, HumMeter.leastToneDB / 10)
      window.tones = tones.filter { $0.power >= least }.sorted { $0.power > $1.power }
        .prefix(AudioFilterPlan.maxNotches)
        .map(\.hertz).sorted()
    }
    return window
  }

  /// The power of a frequency (Goertzel).
  private static func power(of hertz: Double, in samples: [Double]) -> Double {
    let factor = 2 * cos(2 * .pi * hertz / rate)
    var (first, second) = (0.0, 0.0)
    for sample in samples { (first, second) = (sample + factor * first - second, first) }
    return first * first + second * second - factor * first * second
  }
}
