// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CSpeexDSP

/// Removes steady noise, such as that of a fan, from a voice (speexdsp). It takes about a second to learn the noise.
/// Held notes of music count as noise, too.
@safe final class NoiseReduction: AudioFilter {
  /// Sample frames that are filtered together: 10 ms.
  static let blockFrames = 480
  /// Samples are 16-bit integers to the library. Those above full scale still fit in: 6 dB.
  private static let fullScale: Float = 16_384
  /// What the library is asked for, divided by what is wanted: in the pauses of a voice it lowers noise by less.
  private static let askedShare = 1.2

  /// A block is collected, and the library holds back another one.
  let delayFrames = 2 * NoiseReduction.blockFrames
  private let channels: Int
  /// The state of the library for each channel.
  private let states: [OpaquePointer]
  /// For each channel, one after the other, the block that is being collected, and the last result.
  private let collected: UnsafeMutablePointer<Int16>
  private let result: UnsafeMutablePointer<Int16>
  /// The number of collected sample frames.
  private var count = 0

  /// - Parameter depthDB: by how much noise is lowered, 1 to 30 dB.
  init(depthDB: Int, channels: Int) {
    let asked = Int((Double(depthDB) * NoiseReduction.askedShare).rounded())
    self.channels = channels
    let room = channels * NoiseReduction.blockFrames
    unsafe collected = .allocate(capacity: room)
    unsafe collected.initialize(repeating: 0, count: room)
    unsafe result = .allocate(capacity: room)
    unsafe result.initialize(repeating: 0, count: room)
    unsafe states = (0..<channels).map { _ in
      guard
        let state = unsafe speex_preprocess_state_init(Int32(NoiseReduction.blockFrames), 48_000)
      else { fatalError("There is no memory for the noise reduction.") }
      for (request, value) in [
        (SPEEX_PREPROCESS_SET_DENOISE, 1), (SPEEX_PREPROCESS_SET_NOISE_SUPPRESS, -asked),
      ] {
        var value = Int32(value)
        unsafe speex_preprocess_ctl(state, request, &value)
      }
      return unsafe state
    }
  }

  deinit {
    unsafe states.forEach { unsafe speex_preprocess_state_destroy($0) }
    unsafe collected.deallocate()
    unsafe result.deallocate()
  }

  func process(_ interleaved: UnsafeMutablePointer<Float>, frames: Int) {
    let (block, scale) = (NoiseReduction.blockFrames, NoiseReduction.fullScale)
    for frame in 0..<frames {
      for channel in 0..<channels {
        let (index, place) = (frame * channels + channel, channel * block + count)
        unsafe collected[place] = Int16(max(-32_767, min(32_767, interleaved[index] * scale)))
        unsafe interleaved[index] = Float(result[place]) / scale
      }
      count += 1
      if count == block { filter() }
    }
  }

  private func filter() {
    let block = NoiseReduction.blockFrames
    count = 0
    unsafe result.update(from: collected, count: channels * block)
    unsafe speex_preprocess_run(states[0], result)
    guard channels == 2 else { return }
    // Most microphones with two channels deliver the same twice.
    var isSame = true
    for index in 0..<block {
      unsafe isSame = isSame && collected[index] == collected[block + index]
    }
    if isSame {
      unsafe (result + block).update(from: result, count: block)
    } else {
      unsafe speex_preprocess_run(states[1], result + block)
    }
  }

  /// The noise that was learned stays.
  func reset() {
    unsafe collected.update(repeating: 0, count: channels * NoiseReduction.blockFrames)
    // The library mixes each block with the one before.
    for _ in 0..<2 {
      for channel in 0..<channels {
        unsafe result.update(repeating: 0, count: channels * NoiseReduction.blockFrames)
        unsafe speex_preprocess_run(states[channel], result)
      }
    }
    unsafe result.update(repeating: 0, count: channels * NoiseReduction.blockFrames)
    count = 0
  }
}

extension AudioFilterPlan {
  /// Removes steady noise.
  /// - Parameter depthDB: by how much noise is lowered: 10, 15 or 20 dB.
  public static func noiseReduction(depthDB: Int) -> AudioFilterPlan {
    AudioFilterPlan(name: "noise reduction \(depthDB)") {
      NoiseReduction(depthDB: depthDB, channels: $0)
    }
  }
}
