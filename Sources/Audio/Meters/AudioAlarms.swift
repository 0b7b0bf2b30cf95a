// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CSamples
internal import Glibc

/// What can be wrong with the audio of a track. The names are a contract.
public enum AudioAlarm: String, Sendable, CaseIterable {
  /// It is too loud for the device, which cuts off its peaks.
  case clipping
  /// Nothing is heard, or only the noise of the device.
  case silence
  /// Only digital zeros are delivered, as by a microphone that is switched off.
  case deadDevice = "dead_device"
  /// One of two channels is silent.
  case deadChannel = "dead_channel"
  /// The two channels have opposite signs, and cancel each other on one loudspeaker.
  case inverted
  case hum

  /// The place of the alarm among all. `allCases` would be allocated with each look.
  fileprivate var index: Int {
    switch self {
    case .clipping: 0
    case .silence: 1
    case .deadDevice: 2
    case .deadChannel: 3
    case .inverted: 4
    case .hum: 5
    }
  }
}

/// Several alarms, without memory that would have to be allocated.
public struct AudioAlarmSet: OptionSet, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  init(_ alarm: AudioAlarm) { rawValue = 1 << alarm.index }

  /// The alarms one by one.
  public var alarms: Set<AudioAlarm> {
    Set(AudioAlarm.allCases.filter { contains(AudioAlarmSet($0)) })
  }
}

/// Watches the samples of a track for what can be wrong with them. Each alarm begins once something has lasted, and
/// ends once it has clearly been over for some seconds, so that none flickers. Time is counted in samples. Used by one
/// thread; allocates nothing after its initialiser.
@safe public final class AudioAlarms {
  /// How long there must be silence, in seconds, before it is an alarm; 0 for never.
  public var silenceSeconds = 10.0

  /// A condition that has to last.
  private struct Condition {
    /// Seconds for which it has been bad since it was last good.
    private var badSeconds = 0.0
    private var goodSeconds = 0.0
    private(set) var isRaised = false

    mutating func note(isBad: Bool, isGood: Bool, raiseAfter: Double) {
      if isBad { badSeconds += AudioAlarms.windowSeconds }
      if isGood { badSeconds = 0 }
      goodSeconds = isGood ? goodSeconds + AudioAlarms.windowSeconds : 0
      // Sums of tenths are not exact.
      if isBad, badSeconds > raiseAfter - AudioAlarms.windowSeconds / 2 { isRaised = true }
      if goodSeconds > AudioAlarms.endSeconds - AudioAlarms.windowSeconds / 2 { isRaised = false }
    }
  }

  private static let windowFrames = 4_800
  private static let windowSeconds = 0.1
  /// How long a condition must be over.
  private static let endSeconds = 5.0
  private static let hysteresisDB = 6.0
  private static let silenceDB = -60.0
  private static let deadDeviceSeconds = 2.0
  private static let deadChannelDB = -70.0
  private static let otherChannelDB = -45.0
  private static let deadChannelSeconds = 30.0
  private static let invertedCorrelation = -0.9
  private static let invertedSeconds = 10.0
  private static let humSeconds = 2.0
  private static let windowsOfHum = Int((HumMeter.seconds / windowSeconds).rounded())
  /// Quieter windows say nothing about the correlation of the channels.
  private static let correlationDB = -50.0
  /// So many successive samples at full scale are cut off.
  private static let clippedSamples = 3
  private static let fullScale: Float = 0.999
  private static let clippingCount = 3
  private static let clippingSeconds = 10.0

  private let channels: Int
  private let humMeter: HumMeter
  private var conditions = [Condition](repeating: Condition(), count: AudioAlarm.allCases.count)
  /// The hum that was found last, while its alarm may stand; `nil` if there is none.
  public private(set) var hum: Hum?
  private var frames = 0
  private var peaks = SIMD2<Float>()
  private var squares = SIMD2<Double>()
  private var product = 0.0
  private var successive = SIMD2<Int>()
  private var clippedRuns = 0
  /// The numbers of clipped runs in the last windows, as a ring.
  private var clipped = [Int](
    repeating: 0, count: Int(AudioAlarms.clippingSeconds / AudioAlarms.windowSeconds))
  private var windowCount = 0

  public init(channels: Int) {
    self.channels = channels
    humMeter = HumMeter(channels: channels)
  }

  /// The alarms that are raised now.
  public var raised: AudioAlarmSet {
    var bits: UInt8 = 0
    for index in conditions.indices where conditions[index].isRaised { bits |= 1 << index }
    return AudioAlarmSet(rawValue: bits)
  }

  public func isRaised(_ alarm: AudioAlarm) -> Bool { conditions[alarm.index].isRaised }

  /// Forgets everything: the track's source is another one.
  public func reset() {
    for index in conditions.indices { conditions[index] = Condition() }
    humMeter.reset()
    hum = nil
    for index in clipped.indices { clipped[index] = 0 }
    beginWindow()
  }

  /// Watches samples as the source delivers them.
  /// - Parameter interleaved: `frames` × channels samples.
  /// - Returns: whether `raised` or `hum` may have changed.
  @unsafe public func note(_ interleaved: UnsafePointer<Float>, frames count: Int) -> Bool {
    var hasChanged = unsafe humMeter.note(interleaved, frames: count)
    if hasChanged { noteHum() }
    var done = 0
    while done < count {
      let part = min(count - done, AudioAlarms.windowFrames - frames)
      unsafe noteLevels(interleaved + done * channels, frames: part)
      done += part
      frames += part
      guard frames == AudioAlarms.windowFrames else { continue }
      endWindow()
      hasChanged = true
    }
    return hasChanged
  }

  /// Adds samples to what is known of the window.
  private func noteLevels(_ interleaved: UnsafePointer<Float>, frames count: Int) {
    let sums = unsafe onair_samples_measure(interleaved, count, Int32(channels))
    let partPeaks = SIMD2(sums.left_peak, sums.right_peak)
    peaks.replace(with: partPeaks, where: partPeaks .> peaks)
    squares += SIMD2(Double(sums.left_squares), Double(sums.right_squares))
    product += Double(sums.product)
    guard partPeaks.max() >= AudioAlarms.fullScale else {
      successive = SIMD2()
      return
    }
    for frame in 0..<count {
      var isClipped = false
      for channel in 0..<channels {
        let size = unsafe abs(interleaved[frame * channels + channel])
        successive[channel] = size >= AudioAlarms.fullScale ? successive[channel] + 1 : 0
        isClipped = isClipped || successive[channel] == AudioAlarms.clippedSamples
      }
      if isClipped { clippedRuns += 1 }
    }
  }

  private func note(_ alarm: AudioAlarm, isBad: Bool, isGood: Bool, after seconds: Double) {
    conditions[alarm.index].note(isBad: isBad, isGood: isGood, raiseAfter: seconds)
  }

  private func noteHum() {
    let (found, isClear) = (humMeter.hum, humMeter.isClear)
    // A window of the hum meter is longer than one of the alarms.
    for _ in 0..<AudioAlarms.windowsOfHum {
      note(.hum, isBad: found != nil, isGood: isClear, after: AudioAlarms.humSeconds)
    }
    hum = found ?? (isRaised(.hum) ? hum : nil)
  }

  private func endWindow() {
    let levels = (decibels(peaks[0]), decibels(peaks[1]))
    let (louder, quieter) = (max(levels.0, levels.1), min(levels.0, levels.1))
    let hysteresis = AudioAlarms.hysteresisDB
    note(
      .silence, isBad: silenceSeconds > 0 && louder < AudioAlarms.silenceDB,
      isGood: silenceSeconds == 0 || louder >= AudioAlarms.silenceDB + hysteresis,
      after: silenceSeconds)
    let isZero = peaks == SIMD2()
    note(.deadDevice, isBad: isZero, isGood: !isZero, after: AudioAlarms.deadDeviceSeconds)
    clipped[windowCount % clipped.count] = clippedRuns
    windowCount += 1
    let isClipping = clipped.reduce(0, +) >= AudioAlarms.clippingCount
    note(
      .clipping, isBad: isClipping, isGood: clippedRuns == 0 && !isClipping,
      after: AudioAlarms.windowSeconds)
    if channels == 2 {
      note(
        .deadChannel,
        isBad: quieter < AudioAlarms.deadChannelDB && louder > AudioAlarms.otherChannelDB,
        isGood: quieter >= AudioAlarms.deadChannelDB + hysteresis,
        after: AudioAlarms.deadChannelSeconds)
      noteCorrelation()
    }
    beginWindow()
  }

  private func noteCorrelation() {
    let least = pow(10, AudioAlarms.correlationDB / 10) * Double(AudioAlarms.windowFrames)
    guard squares[0] > least, squares[1] > least else { return }
    let correlation = product / (squares[0] * squares[1]).squareRoot()
    note(
      .inverted, isBad: correlation < AudioAlarms.invertedCorrelation, isGood: correlation > -0.5,
      after: AudioAlarms.invertedSeconds)
  }

  private func beginWindow() {
    (frames, peaks, squares, product, clippedRuns) = (0, SIMD2(), SIMD2(), 0, 0)
  }
}
