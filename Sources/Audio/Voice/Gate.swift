// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Lowers a track while nobody speaks, so that the room is not heard in pauses.
@safe final class Gate: AudioFilter {
  /// It opens at `openDB`, and closes only `hysteresisDB` below that.
  private static let openDB = -48.0
  private static let hysteresisDB = 6.0
  /// A closed gate lowers by this much. Silence would sound as if the microphone were broken.
  private static let depthDB = 18.0
  private static let attackSeconds = 0.003
  private static let holdSeconds = 0.25
  private static let releaseSeconds = 0.2

  private var steps = GainSteps()
  private let channels: Int
  private let opening = amplitude(Gate.openDB)
  private let closing = amplitude(Gate.openDB - Gate.hysteresisDB)
  private let closedGain = Double(amplitude(-Gate.depthDB))
  private let attack = GainSteps.share(seconds: Gate.attackSeconds)
  private let release = GainSteps.share(seconds: Gate.releaseSeconds)
  private var gain = 1.0
  private var isOpen = true
  private var heldSeconds = Gate.holdSeconds

  init(channels: Int) { self.channels = channels }

  func process(_ interleaved: UnsafeMutablePointer<Float>, frames: Int) {
    unsafe steps.apply(to: interleaved, frames: frames, channels: channels) { level in
      if level >= (isOpen ? closing : opening) {
        (isOpen, heldSeconds) = (true, Gate.holdSeconds)
      } else {
        heldSeconds -= GainSteps.seconds
        if heldSeconds <= 0 { isOpen = false }
      }
      let goal = isOpen ? 1 : closedGain
      gain += (goal - gain) * (goal > gain ? attack : release)
      return Float(gain)
    }
  }

  func reset() {
    steps.reset()
    (gain, isOpen, heldSeconds) = (1, true, Gate.holdSeconds)
  }
}

extension AudioFilterPlan {
  /// Lowers the pauses of a voice.
  public static let gate = AudioFilterPlan(name: "gate") { Gate(channels: $0) }
}
