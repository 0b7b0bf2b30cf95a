// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
internal import Audio
internal import Foundation
internal import TestSupport

/// What noise reduction and the hum filter make of voices in noise, beside ffmpeg's filter afftdn. The measure is the
/// scale-invariant ratio of signal to distortion (SI-SDR), J. Le Roux et al., "SDR – half-baked or well done?", 2019.
struct Voices: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "voices",
    abstract: "Measures noise reduction. Run by board/bench.")

  private static let rate = 48_000
  /// The noise is learned within that many sample frames, which do not count.
  private static let learningFrames = 3 * rate
  /// By how many decibels the voice is above the noise.
  private static let signalToNoiseDB = 5.0
  private static let humHertz: [Double] = [50, 100, 150, 200, 250, 300, 350, 400]

  @Option(help: "A folder for the files of ffmpeg.")
  var work: String
  @Flag(help: "Exit with code 1 if a figure exceeds its limit.")
  var check = false
  @Argument(help: "Voices: 48,000 32-bit floats a second, one channel.")
  var files: [String]

  /// A noise with what is done against it.
  private enum Noise: String, CaseIterable {
    case white
    case hum = "white with hum"

    var filters: [AudioFilterPlan] {
      switch self {
      case .white: [.noiseReduction(depthDB: 15)]
      case .hum: [.humFilter(hertz: Voices.humHertz), .noiseReduction(depthDB: 15)]
      }
    }
    /// The least by which the SI-SDR rises, in decibels: the mean of all voices.
    var leastGain: Double { self == .white ? 9 : 7 }
  }

  func run() throws {
    let voices = try files.map { file in
      try Data(contentsOf: URL(filePath: file)).withUnsafeBytes {
        unsafe Array($0.bindMemory(to: Float.self))
      }
    }
    var verdicts: [Verdict] = []
    var lines = ["Gains of SI-SDR in dB, and how much louder the voice is in the result."]
    for noise in Noise.allCases {
      var gains: [Double] = []
      var peers: [Double] = []
      for (index, voice) in voices.enumerated() {
        let mixed = Voices.mix(voice, noise)
        let before = Voices.judge(mixed, against: voice)
        let after = Voices.judge(Voices.filter(mixed, noise.filters), against: voice)
        let peer = Voices.judge(try ffmpeg(mixed), against: voice)
        gains.append(after.ratioDB - before.ratioDB)
        peers.append(peer.ratioDB - before.ratioDB)
        lines.append(
          "\(noise.rawValue), voice \(index + 1): \(before.ratioDB.text(1)) dB before, OnAir +\(gains[index].text(1)), "
            + "voice \(after.levelDB.text(1)) dB, ffmpeg +\(peers[index].text(1)), voice \(peer.levelDB.text(1)) dB"
        )
        verdicts.append(
          Verdict(
            holds: abs(after.levelDB) <= 0.5,
            text:
              "\(noise.rawValue), voice \(index + 1): its level changes by \(after.levelDB.text(2)) dB, at most 0.5"
          ))
      }
      let mean = gains.reduce(0, +) / Double(gains.count)
      verdicts.append(
        Verdict(
          holds: mean >= noise.leastGain,
          text: "\(noise.rawValue): +\(mean.text(1)) dB, at least \(noise.leastGain.text(0))"))
    }
    print(lines.joined(separator: "\n"))
    guard check else { return }
    for verdict in verdicts { print("\(verdict.holds ? "ok    " : "FAILED") \(verdict.text)") }
    if verdicts.contains(where: { !$0.holds }) { throw ExitCode(1) }
  }

  /// The voice with noise, 5 dB below it.
  private static func mix(_ voice: [Float], _ noise: Noise) -> [Float] {
    var dice = SplitMix64(seed: 11)
    var added = voice.map { _ in Float.random(in: -1...1, using: &dice) }
    if noise == .hum {
      // As strong as the white noise, with harmonics that grow weaker.
      let hum = voice.indices.map { frame in
        Float(
          humHertz.enumerated().reduce(0.0) { sum, tone in
            sum + sin(2 * .pi * tone.element * Double(frame) / Double(rate))
              / Double(tone.offset + 1)
          })
      }
      let scale = Float((power(added) / power(hum)).squareRoot())
      for frame in added.indices { added[frame] += hum[frame] * scale }
    }
    let scale = Float((power(voice) / power(added) / pow(10, signalToNoiseDB / 10)).squareRoot())
    return zip(voice, added).map { $0 + $1 * scale }
  }

  private static func power(_ samples: [Float]) -> Double {
    samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(samples.count)
  }

  /// What filters make of samples, without their delay.
  private static func filter(_ samples: [Float], _ plans: [AudioFilterPlan]) -> [Float] {
    let filters = plans.map { $0.make(1) }
    let delay = filters.reduce(0) { $0 + $1.delayFrames }
    var result = samples + [Float](repeating: 0, count: delay)
    let count = result.count
    unsafe result.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return }
      for first in stride(from: 0, to: count, by: 480) {
        for filter in filters {
          unsafe filter.process(start + first, frames: min(480, count - first))
        }
      }
    }
    return Array(result.dropFirst(delay))
  }

  private func ffmpeg(_ samples: [Float]) throws -> [Float] {
    let (input, output) = ("\(work)/voice.f32", "\(work)/voice-out.f32")
    try unsafe samples.withUnsafeBytes { try unsafe Data($0).write(to: URL(filePath: input)) }
    let raw = ["-f", "f32le", "-ar", "\(Voices.rate)", "-ac", "1"]
    let child = try Child(
      ["ffmpeg", "-v", "error", "-nostdin", "-y"] + raw
        + ["-i", input, "-af", "afftdn=nr=15:tn=1"] + raw + [output],
      log: "\(work)/voices.log", isMeasured: false)
    while child.isRunning { usleep(5_000) }
    child.end()
    return try Data(contentsOf: URL(filePath: output)).withUnsafeBytes {
      unsafe Array($0.bindMemory(to: Float.self))
    }
  }

  /// The SI-SDR in decibels, and by how many decibels the voice is louder than in `voice`: the best of the delays that a filter
  /// may have, up to 40 ms either way.
  private static func judge(_ samples: [Float], against voice: [Float]) -> (
    ratioDB: Double, levelDB: Double
  ) {
    var best = (ratioDB: -Double.infinity, levelDB: 0.0)
    for shift in stride(from: -1_920, through: 1_920, by: 8) {
      let first = learningFrames + max(0, -shift)
      let last = min(voice.count, samples.count - max(0, shift)) - 1_920
      var (cross, own, other) = (0.0, 0.0, 0.0)
      for frame in first..<last {
        let (reference, sample) = (Double(voice[frame]), Double(samples[frame + shift]))
        cross += reference * sample
        own += reference * reference
        other += sample * sample
      }
      // The part of the samples that is the voice, and the rest.
      let target = cross * cross / own
      let ratio = 10 * log10(target / max(other - target, 1e-12))
      if ratio > best.ratioDB { best = (ratio, 20 * log10(abs(cross) / own)) }
    }
    return best
  }
}
