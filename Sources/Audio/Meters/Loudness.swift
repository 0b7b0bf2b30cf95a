// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// The loudness of a programme (ITU-R BS.1770-4, EBU R 128).
public struct Loudness: Sendable, Equatable {
  /// The loudness that stands for silence, in LUFS. No loudness is lower.
  public static let silence = -100.0

  /// The loudness of the last 400 ms, in LUFS.
  public var momentary = Loudness.silence
  /// The loudness of the last 3 s, in LUFS.
  public var shortTerm = Loudness.silence
  /// The loudness since `restart`, without pauses, in LUFS, each second anew; `nil` while there was only silence.
  public var integrated: Double?
  /// The loudness range since `restart` (EBU Tech 3342), in LU; `nil` while there was only silence.
  public var range: Double?
  /// The highest true peak since `restart`, in dBTP.
  public var truePeakDB = Loudness.silence

  public init() {}
}

/// Measures the loudness of a signal of 48,000 sample frames a second. Used by one thread; allocates nothing after its
/// initialiser.
@safe public final class LoudnessMeter {
  /// The sample frames between two readings: 100 ms.
  public static let stepFrames = 4_800
  private static let momentarySteps = 4
  private static let shortTermSteps = 30
  /// The steps between two short-term loudnesses that count in `range`, and between two looks at all that was measured
  /// since `restart`: 1 s.
  private static let rangeSteps = 10
  /// Quieter parts count as pauses (BS.1770: -70 LUFS).
  private static let gate = -70.0
  /// In LU, relative to the loudness of all parts above `gate`: quieter parts do not count in `integrated`.
  private static let integratedGate = -10.0
  /// In LU, likewise, for `range`.
  private static let rangeGate = -20.0

  private let channels: Int
  private let interpolator = TruePeakInterpolator()
  private var weighting = KWeighting()
  private var reading = Loudness()
  /// The sum of the weighted squares in the present step.
  private var sum = 0.0
  private var framesInStep = 0
  /// The mean weighted squares of the last steps, as a ring.
  private var steps = [Double](repeating: 0, count: LoudnessMeter.shortTermSteps)
  private var stepCount = 0
  /// The steps that have begun and ended since `restart`; -1 while one that began before goes on.
  private var stepsSinceRestart = 0
  /// Of the last 400 ms at each step, and of the last 3 s at each second.
  private var momentaries = LoudnessHistogram()
  private var shortTerms = LoudnessHistogram()
  /// The last frames of the signal, and room for those that are being measured.
  private let recent: UnsafeMutablePointer<Float>
  /// As a factor of full scale.
  private var truePeak: Float = 0

  private static let historyFrames =
    TruePeakInterpolator.framesBefore + TruePeakInterpolator.framesAfter

  /// - Parameters:
  ///   - channels: 1 or 2. One channel counts as loud as it is on one loudspeaker.
  ///   - maxFrames: the most sample frames that `note` is called with.
  public init(channels: Int, maxFrames: Int) {
    self.channels = channels
    let room = (LoudnessMeter.historyFrames + maxFrames) * channels + TruePeakInterpolator.lanes
    unsafe recent = .allocate(capacity: room)
    unsafe recent.initialize(repeating: 0, count: room)
  }

  deinit { unsafe recent.deallocate() }

  /// Begins the integrated loudness, the range and the true peak anew.
  public func restart() {
    momentaries.clear()
    shortTerms.clear()
    (truePeak, stepsSinceRestart) = (0, framesInStep == 0 ? 0 : -1)
    unsafe recent.update(repeating: 0, count: LoudnessMeter.historyFrames * channels)
    (reading.integrated, reading.range) = (nil, nil)
  }

  /// Measures samples.
  /// - Parameters:
  ///   - interleaved: `frames` × channels samples.
  ///   - report: receives a reading every `stepFrames`.
  @unsafe public func note(
    _ interleaved: UnsafePointer<Float>, frames: Int, report: (Loudness) -> Void
  ) {
    unsafe notePeak(interleaved, frames: frames)
    var done = 0
    while done < frames {
      let count = min(frames - done, LoudnessMeter.stepFrames - framesInStep)
      sum += unsafe weighting.energy(
        of: interleaved + done * channels, frames: count, channels: channels)
      done += count
      framesInStep += count
      guard framesInStep == LoudnessMeter.stepFrames else { break }
      endStep()
      report(reading)
    }
  }

  private func endStep() {
    steps[stepCount % LoudnessMeter.shortTermSteps] = sum / Double(LoudnessMeter.stepFrames)
    stepCount += 1
    (sum, framesInStep) = (0, 0)
    let momentary = mean(LoudnessMeter.momentarySteps)
    let shortTerm = mean(LoudnessMeter.shortTermSteps)
    reading.momentary = LoudnessMeter.loudness(momentary)
    reading.shortTerm = LoudnessMeter.loudness(shortTerm)
    stepsSinceRestart += 1
    if stepsSinceRestart >= LoudnessMeter.momentarySteps { momentaries.add(momentary) }
    if stepsSinceRestart >= LoudnessMeter.shortTermSteps,
      stepsSinceRestart % LoudnessMeter.rangeSteps == 0
    {
      shortTerms.add(shortTerm)
    }
    if stepsSinceRestart % LoudnessMeter.rangeSteps == 0 {
      reading.integrated = momentaries.mean(gate: LoudnessMeter.integratedGate)
        .map(LoudnessMeter.loudness)
      reading.range = shortTerms.range(gate: LoudnessMeter.rangeGate)
    }
    reading.truePeakDB = max(Loudness.silence, 20 * log10(Double(truePeak)))
  }

  /// The mean weighted square of the last steps.
  private func mean(_ count: Int) -> Double {
    var sum = 0.0
    for back in 1...count where back <= stepCount {
      sum += steps[(stepCount - back) % LoudnessMeter.shortTermSteps]
    }
    return sum / Double(count)
  }

  /// In LUFS, of a mean weighted square.
  static func loudness(_ energy: Double) -> Double {
    max(Loudness.silence, -0.691 + 10 * log10(energy))
  }

  private func notePeak(_ interleaved: UnsafePointer<Float>, frames: Int) {
    let history = LoudnessMeter.historyFrames * channels
    unsafe (recent + history).update(from: interleaved, count: frames * channels)
    truePeak = unsafe interpolator.peak(
      of: recent + TruePeakInterpolator.framesBefore * channels, frames: frames,
      channels: channels, above: truePeak)
    unsafe recent.update(from: recent + frames * channels, count: history)
  }
}

/// How often each loudness was measured, in steps of 0.05 LU, without anything quieter than -70 LUFS.
private struct LoudnessHistogram {
  private static let least = -70.0
  private static let binsPerLU = 20.0
  /// Up to +10 LUFS.
  private static let binCount = 1_600

  private var counts = [Int](repeating: 0, count: LoudnessHistogram.binCount)
  private var energies = [Double](repeating: 0, count: LoudnessHistogram.binCount)
  /// The bin of the loudest part.
  private var lastBin = 0

  mutating func clear() {
    lastBin = 0
    for bin in 0..<LoudnessHistogram.binCount { (counts[bin], energies[bin]) = (0, 0) }
  }

  /// Adds a part with this mean weighted square.
  mutating func add(_ energy: Double) {
    let loudness = LoudnessMeter.loudness(energy)
    guard loudness >= LoudnessHistogram.least else { return }
    let bin = bin(of: loudness)
    counts[bin] += 1
    energies[bin] += energy
    lastBin = max(lastBin, bin)
  }

  private func bin(of loudness: Double) -> Int {
    let bin = ((loudness - LoudnessHistogram.least) * LoudnessHistogram.binsPerLU).rounded(.down)
    return max(0, min(LoudnessHistogram.binCount - 1, Int(bin)))
  }

  /// The mean energy of all parts from a bin on; `nil` if there are none.
  private func mean(from first: Int) -> Double? {
    var (count, energy) = (0, 0.0)
    for bin in first...max(first, lastBin) {
      count += counts[bin]
      energy += energies[bin]
    }
    return count == 0 ? nil : energy / Double(count)
  }

  /// The first bin that counts with a gate in LU below the mean; `nil` if nothing was added.
  private func firstBin(gate: Double) -> Int? {
    mean(from: 0).map { bin(of: LoudnessMeter.loudness($0) + gate) }
  }

  /// The mean energy of the parts that are louder than the mean of all of them and `gate`, a number of LU below 0.
  func mean(gate: Double) -> Double? { firstBin(gate: gate).flatMap { mean(from: $0) } }

  /// The difference between the 10th and the 95th percentile of such parts, in LU.
  func range(gate: Double) -> Double? {
    guard let first = firstBin(gate: gate) else { return nil }
    let total = counts[first...].reduce(0, +)
    guard total > 0 else { return nil }
    func percentile(_ share: Double) -> Double {
      let wanted = Int((Double(total - 1) * share).rounded())
      var count = 0
      for bin in first..<LoudnessHistogram.binCount {
        count += counts[bin]
        if count > wanted { return LoudnessMeter.loudness(energies[bin] / Double(counts[bin])) }
      }
      return 0
    }
    return percentile(0.95) - percentile(0.1)
  }
}
