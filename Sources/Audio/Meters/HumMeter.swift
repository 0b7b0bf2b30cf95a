// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CSamples
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
  /// All frequencies that are measured are multiples of 5 Hz: they repeat after so many frames.
  private static let periodFrames = 480
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
  /// The low-pass before the decimation.
  private static let tapCount = 192
  private static let lowPassHertz = 1_200.0
  /// Sample frames that are filtered together.
  private static let pieceFrames = 480
  private static let mains = [50, 60]

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
  private let taps: UnsafeMutablePointer<Float>
  /// The last `tapCount` sample frames as one channel, and room for a piece.
  private let recent: UnsafeMutablePointer<Float>
  /// Runs at `rate`; `Biquad` takes frequencies for 48,000 Hz.
  private var highPass = Biquad.highPass(
    hertz: band.lowerBound * Double(HumMeter.decimation), q: 0.707)
  private var framesToSkip = 0
  private let samples: UnsafeMutablePointer<Double>
  private var sampleCount = 0
  /// The weights of a window's samples.
  private let hann: UnsafeMutablePointer<Double>
  /// The sums of all weighted samples of a window that are a multiple of `periodFrames` apart.
  private let period: UnsafeMutablePointer<Double>
  /// For each of `lineCount` multiples of the mains frequencies the factors of this frequency and of those beside it, and
  /// their powers in the last window.
  private let factors: UnsafeMutablePointer<Double>
  private let linePowers: UnsafeMutablePointer<Double>
  private static let lineCount = mains.reduce(0) { $0 + Int(band.upperBound) / $1 }
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
    let lineCount = HumMeter.lineCount
    unsafe taps = .allocate(capacity: HumMeter.tapCount)
    unsafe recent = .allocate(capacity: HumMeter.tapCount + HumMeter.pieceFrames)
    unsafe recent.initialize(repeating: 0, count: HumMeter.tapCount + HumMeter.pieceFrames)
    unsafe samples = .allocate(capacity: HumMeter.windowFrames)
    unsafe hann = .allocate(capacity: HumMeter.windowFrames)
    unsafe period = .allocate(capacity: HumMeter.periodFrames)
    unsafe factors = .allocate(capacity: 3 * lineCount)
    unsafe linePowers = .allocate(capacity: 3 * lineCount)
    let values = WindowedSinc.taps(
      count: HumMeter.tapCount, center: Double(HumMeter.tapCount - 1) / 2,
      cutoff: HumMeter.lowPassHertz / 24_000, beta: 4.5)
    for (tap, value) in values.enumerated() { unsafe taps[tap] = value }
    for frame in 0..<HumMeter.windowFrames {
      unsafe hann[frame] =
        0.5 - 0.5 * cos(2 * .pi * (Double(frame) + 0.5) / Double(HumMeter.windowFrames))
    }
    let lines = HumMeter.mains.flatMap { mains in
      (1...Int(HumMeter.band.upperBound) / mains).map { Double($0 * mains) }
    }
    for (line, hertz) in lines.enumerated() {
      for (index, distance) in [0, -HumMeter.beside, HumMeter.beside].enumerated() {
        unsafe factors[3 * line + index] = 2 * cos(2 * .pi * (hertz + distance) / HumMeter.rate)
      }
    }
  }

  deinit {
    unsafe taps.deallocate()
    unsafe recent.deallocate()
    unsafe samples.deallocate()
    unsafe hann.deallocate()
    unsafe period.deallocate()
    unsafe factors.deallocate()
    unsafe linePowers.deallocate()
  }

  /// Measures samples.
  /// - Returns: whether a window has ended, so that `hum` may have changed.
  func note(_ interleaved: UnsafePointer<Float>, frames: Int) -> Bool {
    var (hasEnded, done) = (false, 0)
    while done < frames {
      let count = min(frames - done, HumMeter.pieceFrames)
      if unsafe notePiece(interleaved + done * channels, frames: count) { hasEnded = true }
      done += count
    }
    return hasEnded
  }

  /// Measures at most `pieceFrames` sample frames.
  private func notePiece(_ interleaved: UnsafePointer<Float>, frames: Int) -> Bool {
    // A value that is not a number would stay in the filters.
    unsafe onair_samples_mono(
      recent + HumMeter.tapCount, interleaved, frames, Int32(channels), MixerTrack.mostLevel)
    var (hasEnded, frame, filter) = (false, framesToSkip, highPass)
    while frame < frames {
      let low = unsafe onair_samples_dot(recent + frame + 1, taps, HumMeter.tapCount)
      unsafe samples[sampleCount] = filter.next(SIMD2(Double(low), 0))[0]
      sampleCount += 1
      frame += HumMeter.decimation
      guard sampleCount == HumMeter.windowFrames else { continue }
      sampleCount = 0
      windows[windowsEnded % HumMeter.windowCount] = measure()
      windowsEnded += 1
      judge()
      hasEnded = true
    }
    filter.removeDenormals()
    highPass = filter
    framesToSkip = frame - frames
    unsafe recent.update(from: recent + frames, count: HumMeter.tapCount)
    return hasEnded
  }

  /// Forgets everything that was measured.
  func reset() {
    (sampleCount, windowsEnded, hum, isClear) = (0, 0, nil, true)
    unsafe recent.update(repeating: 0, count: HumMeter.tapCount)
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
    unsafe period.update(repeating: 0, count: HumMeter.periodFrames)
    for index in 0..<HumMeter.windowFrames {
      let sample = unsafe samples[index]
      let weighted = unsafe sample * hann[index]
      unsafe period[index % HumMeter.periodFrames] += weighted
      total += weighted * weighted
      window.power += sample * sample / Double(HumMeter.windowFrames)
    }
    guard total > 0 else { return window }
    unsafe onair_tone_powers(
      period, HumMeter.periodFrames, factors, linePowers, 3 * HumMeter.lineCount)
    var line = 0
    for mains in HumMeter.mains {
      let count = Int(HumMeter.band.upperBound) / mains
      var sum = 0.0
      for multiple in 0..<count {
        let (power, below, above) = unsafe (
          linePowers[3 * line], linePowers[3 * line + 1], linePowers[3 * line + 2]
        )
        line += 1
        sum += power
        let around = max((below + above) / 2, 1e-30)
        let standsOut = 10 * log10(power / around) >= HumMeter.leastProminenceDB
        powers[multiple] = standsOut ? power : 0
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
}
