// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// Hum of the mains in a track.
public struct Hum: Sendable, Equatable {
  /// The frequency of the mains: 50 or 60.
  public var hertz: Int
  /// The frequencies of `tones`, the lowest first, then zeros: an array would be allocated on the audio thread.
  private let lines: SIMD8<Double>

  public init(hertz: Int, tones: [Double]) {
    var lines = SIMD8<Double>()
    for (index, tone) in tones.prefix(AudioFilterPlan.maxNotches).enumerated() {
      lines[index] = tone
    }
    self.init(hertz: hertz, lines: lines)
  }

  init(hertz: Int, lines: SIMD8<Double>) { (self.hertz, self.lines) = (hertz, lines) }

  /// The multiples of `hertz` that stand out, in hertz: what a `humFilter` has to remove.
  public var tones: [Double] { lines.indices.map { lines[$0] }.filter { $0 > 0 } }
}

/// Finds hum: tones at the multiples of 50 or 60 Hz, in the quietest moments of the last minute. While somebody speaks
/// hum cannot be told from a voice. Used by one thread; allocates nothing after its initialiser.
@safe final class HumMeter {
  /// The signal is measured at 2,400 Hz, in windows of 2 s, which tell tones apart that differ by 1 Hz.
  private static let decimation = 20
  private static let rate = 48_000.0 / Double(decimation)
  private static let windowFrames = 4_800
  static let seconds = Double(windowFrames) / rate
  /// Windows that are remembered: 60 s.
  private static let windowCount = 30
  /// Of these, the quietest tenth is looked at.
  private static let quietCount = 3
  private static let band = 40.0...1_000.0
  /// The least share of the power in `band` that the multiples of the mains have if there is hum.
  private static let leastShare = 0.4
  private static let leastLevelDB = -60.0
  /// Hum is over once it is 6 dB weaker than it has to be for its begin: beside the rest of `band`, or altogether.
  private static let endShare = 0.14
  private static let endLevelDB = -66.0
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
    /// The tones of that frequency, as `Hum` keeps them.
    var lines = SIMD8<Double>()
  }

  private let channels: Int
  private var lowPasses = [0.541_196, 1.306_563].map { Biquad.lowPass(hertz: 1_000, q: $0) }
  private var highPass = Biquad.highPass(hertz: band.lowerBound, q: 0.707)
  private var framesToSkip = 0
  private var samples = [Double](repeating: 0, count: windowFrames)
  private var sampleCount = 0
  /// The samples of a window, weighted by `hann`.
  private var windowed = [Double](repeating: 0, count: windowFrames)
  private let hann: [Double]
  /// The power of each multiple of a mains frequency, from the first on, or 0 if it does not stand out.
  private var powers = [Double](repeating: 0, count: Int(band.upperBound) / 50)
  /// The last windows, as a ring.
  private var windows = [Window](repeating: Window(), count: windowCount)
  private var windowsEnded = 0
  /// The quietest of them, the quietest first.
  private var quiet = [Window](repeating: Window(), count: quietCount)
  /// The hum in the quietest moments of the last minute; `nil` if there is none, or not enough was measured yet.
  private(set) var hum: Hum?
  /// Whether there is clearly no hum. Between that and hum, what was found before goes on.
  private(set) var isClear = true

  init(channels: Int) {
    self.channels = channels
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
      // A value that is not a number would stay in the filters.
      let (left, right) = unsafe (
        MixerTrack.bounded(sample[0]), MixerTrack.bounded(sample[channels - 1])
      )
      let mono = Double(left + right) / 2
      var x = SIMD2(mono, 0)
      for index in lowPasses.indices { x = lowPasses[index].next(x) }
      x = highPass.next(x)
      if framesToSkip > 0 {
        framesToSkip -= 1
        continue
      }
      framesToSkip = HumMeter.decimation - 1
      samples[sampleCount] = x[0]
      sampleCount += 1
      guard sampleCount == HumMeter.windowFrames else { continue }
      sampleCount = 0
      windows[windowsEnded % HumMeter.windowCount] = measure()
      windowsEnded += 1
      judge()
      hasEnded = true
    }
    for index in lowPasses.indices { lowPasses[index].removeDenormals() }
    highPass.removeDenormals()
    return hasEnded
  }

  /// Forgets everything that was measured.
  func reset() {
    (sampleCount, windowsEnded, hum, isClear) = (0, 0, nil, true)
    for index in lowPasses.indices { lowPasses[index].reset() }
    highPass.reset()
  }

  /// Looks for hum in the quietest windows.
  private func judge() {
    guard windowsEnded >= HumMeter.quietCount else { return }
    for place in 0..<HumMeter.quietCount { quiet[place] = Window() }
    for index in 0..<min(windowsEnded, HumMeter.windowCount) {
      var window = windows[index]
      for place in 0..<HumMeter.quietCount where window.power < quiet[place].power {
        swap(&window, &quiet[place])
      }
    }
    let first = quiet[0]
    var (share, isOneMains) = (0.0, true)
    for place in 0..<HumMeter.quietCount {
      share += quiet[place].share / Double(HumMeter.quietCount)
      isOneMains = isOneMains && quiet[place].hertz == first.hertz
    }
    let level = 10 * log10(first.power)
    let isHum = share >= HumMeter.leastShare && level >= HumMeter.leastLevelDB && isOneMains
    hum = isHum ? Hum(hertz: first.hertz, lines: first.lines) : nil
    isClear = share < HumMeter.endShare || level < HumMeter.endLevelDB
  }

  private func measure() -> Window {
    var (window, total) = (Window(power: 0), 0.0)
    for index in 0..<HumMeter.windowFrames {
      let sample = samples[index]
      windowed[index] = sample * hann[index]
      total += windowed[index] * windowed[index]
      window.power += sample * sample / Double(HumMeter.windowFrames)
    }
    guard total > 0 else { return window }
    for mains in stride(from: 50, through: 60, by: 10) {
      let count = Int(HumMeter.band.upperBound) / mains
      var sum = 0.0
      for multiple in 1...count {
        let hertz = Double(multiple * mains)
        let power = power(of: hertz)
        sum += power
        let around =
          (self.power(of: hertz - HumMeter.beside) + self.power(of: hertz + HumMeter.beside)) / 2
        let standsOut = 10 * log10(power / max(around, 1e-30)) >= HumMeter.leastProminenceDB
        powers[multiple - 1] = standsOut ? power : 0
      }
      // A tone's power is spread over the line and its two neighbours: 2/3 of it is in the line itself.
      let share = sum * 1.5 * 2 / Double(HumMeter.windowFrames) / total
      guard share > window.share else { continue }
      (window.share, window.hertz) = (share, mains)
      window.lines = strongestLines(of: mains, count: count)
    }
    return window
  }

  /// The frequencies of the strongest tones in `powers`, the lowest first, and zeros.
  private func strongestLines(of mains: Int, count: Int) -> SIMD8<Double> {
    var lines = SIMD8<Double>()
    var found = 0
    let strongest = powers[..<count].max() ?? 0
    guard strongest > 0 else { return lines }
    let least = strongest * pow(10, HumMeter.leastToneDB / 10)
    for index in 0..<count where powers[index] >= least {
      // Tones that are stronger take the places.
      var rank = 0
      for other in 0..<count where powers[other] > powers[index] { rank += 1 }
      guard rank < AudioFilterPlan.maxNotches, found < AudioFilterPlan.maxNotches else { continue }
      lines[found] = Double((index + 1) * mains)
      found += 1
    }
    return lines
  }

  /// The power of a frequency in `windowed` (Goertzel).
  private func power(of hertz: Double) -> Double {
    let (samples, factor) = (windowed, 2 * cos(2 * .pi * hertz / HumMeter.rate))
    var (first, second) = (0.0, 0.0)
    for sample in samples { (first, second) = (sample + factor * first - second, first) }
    return first * first + second * second - factor * first * second
  }
}
