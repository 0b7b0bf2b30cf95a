// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
internal import Audio
internal import Foundation
internal import TestSupport

/// What noise reduction and the hum filter make of voices in noise, beside ffmpeg's filter afftdn. The measures are
/// the scale-invariant ratio of signal to distortion (SI-SDR; J. Le Roux et al., "SDR – half-baked or well done?",
/// 2019), the extended short-time objective intelligibility (ESTOI, 0 to 1), and for clean voices the perceptual
/// evaluation of speech quality (PESQ, ITU-T P.862.2, wideband, up to 4.64).
struct Voices: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "voices",
    abstract: "Measures noise reduction. Run by board/bench.")

  private static let rate = 48_000
  /// Before the voice there is noise alone, in which the noise is learned and hum is found. Only what follows counts.
  private static let leadFrames = 12 * rate
  /// By how many decibels the voice is above the noise.
  private static let signalToNoiseDB = 5.0
  private static let humHertz: [Double] = [50, 100, 150, 200, 250, 300, 350, 400]
  private static let depthDB = 15
  private static let leastPESQ = 4.3

  @Option(help: "A folder for the files of ffmpeg, and for what is heard.")
  var work: String
  @Option(help: "The program that measures ESTOI and PESQ, and its interpreter.")
  var quality: [String]
  @Flag(help: "Exit with code 1 if a figure exceeds its limit.")
  var check = false
  @Argument(help: "Voices: 48,000 32-bit floats a second, one channel.")
  var files: [String]

  /// What is added to a voice.
  private enum Noise: String, CaseIterable {
    case none = "clean"
    case white
    case hum = "white with hum"

    /// The least by which the SI-SDR rises, in decibels: the mean of all voices.
    var leastGain: Double? {
      switch self {
      case .none: nil
      case .white: 9
      case .hum: 7
      }
    }
    var fileName: String { rawValue.replacing(" ", with: "-") }
  }

  /// What is measured of a voice.
  private struct Figures {
    var ratioDB: Double
    var levelDB: Double
    var estoi: Double
    var pesq: Double
  }

  func run() throws {
    let voices = try files.map {
      try [Float](repeating: 0, count: Voices.leadFrames) + Voices.read($0)
    }
    var verdicts: [Verdict] = []
    var lines = [
      "SI-SDR and the voice's level in dB, ESTOI, PESQ (wideband): before, after, and after ffmpeg's afftdn."
    ]
    for noise in Noise.allCases {
      var gains: [Double] = []
      for (index, voice) in voices.enumerated() {
        let name = "\(noise.rawValue), voice \(index + 1)"
        let mixed = Voices.mix(voice, noise)
        let (result, notches) = Voices.filter(mixed)
        let file = "\(work)/\(noise.fileName)-\(index + 1)"
        try Voices.write(mixed, to: "\(file)-before.f32")
        try Voices.write(result, to: "\(file)-after.f32")
        let before = try figures(of: mixed, against: voice)
        let after = try figures(of: result, against: voice)
        let peer = try figures(of: ffmpeg(mixed), against: voice)
        gains.append(after.ratioDB - before.ratioDB)
        lines.append(
          "\(name): hum found at \(notches.map { $0.text(0) }.joined(separator: " ")) Hz")
        for (title, figures) in [("before", before), ("OnAir", after), ("ffmpeg", peer)] {
          lines.append(
            "  \(title): SI-SDR \(figures.ratioDB.text(1)), level \(figures.levelDB.text(2)), "
              + "ESTOI \(figures.estoi.text(3)), PESQ \(figures.pesq.text(2))")
        }
        verdicts += judge(name, noise, before, after, notches)
      }
      guard let least = noise.leastGain else { continue }
      let mean = gains.reduce(0, +) / Double(gains.count)
      lines.append("\(noise.rawValue): +\(mean.text(2)) dB in the mean")
      verdicts.append(
        Verdict(
          holds: mean >= least,
          text: "\(noise.rawValue): +\(mean.text(1)) dB, at least \(least.text(0))"))
    }
    print(lines.joined(separator: "\n"))
    guard check else { return }
    for verdict in verdicts { print("\(verdict.holds ? "ok    " : "FAILED") \(verdict.text)") }
    if verdicts.contains(where: { !$0.holds }) { throw ExitCode(1) }
  }

  private func judge(
    _ name: String, _ noise: Noise, _ before: Figures, _ after: Figures, _ notches: [Double]
  ) -> [Verdict] {
    var verdicts = [
      Verdict(
        holds: abs(after.levelDB) <= 0.5,
        text: "\(name): its level changes by \(after.levelDB.text(2)) dB, at most 0.5"),
      Verdict(
        holds: notches.isEmpty == (noise != .hum),
        text: "\(name): \(notches.count) notches, only where hum is"),
    ]
    if noise == .none {
      verdicts.append(
        Verdict(
          holds: after.pesq >= Voices.leastPESQ,
          text: "\(name): PESQ \(after.pesq.text(2)), at least \(Voices.leastPESQ.text(1))"))
    } else {
      verdicts.append(
        Verdict(
          holds: after.estoi >= before.estoi,
          text:
            "\(name): ESTOI \(after.estoi.text(3)), at least \(before.estoi.text(3)) as before"))
    }
    return verdicts
  }

  /// The voice with noise, 5 dB below it.
  private static func mix(_ voice: [Float], _ noise: Noise) -> [Float] {
    guard noise != .none else { return voice }
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
    let scale = Float(
      (power(voice.dropFirst(leadFrames)) / power(added) / pow(10, signalToNoiseDB / 10))
        .squareRoot())
    return zip(voice, added).map { $0 + $1 * scale }
  }

  private static func power(_ samples: some Collection<Float>) -> Double {
    samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(samples.count)
  }

  /// What noise reduction makes of samples, without its delay, and the notches that were put before it as soon as hum
  /// was found, as the audio pipeline does.
  private static func filter(_ samples: [Float]) -> (result: [Float], notches: [Double]) {
    let alarms = AudioAlarms(channels: 1)
    let reduction = AudioFilterPlan.noiseReduction(depthDB: depthDB).make(1)
    var notches: (filter: any AudioFilter, hertz: [Double])?
    let delay = reduction.delayFrames
    var result = samples + [Float](repeating: 0, count: delay)
    let count = result.count
    unsafe result.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return }
      for first in stride(from: 0, to: count, by: 480) {
        let frames = min(480, count - first)
        _ = unsafe alarms.note(start + first, frames: frames)
        if notches == nil, alarms.isRaised(.hum), let hum = alarms.hum {
          notches = (AudioFilterPlan.humFilter(hertz: hum.tones).make(1), hum.tones)
        }
        unsafe notches?.filter.process(start + first, frames: frames)
        unsafe reduction.process(start + first, frames: frames)
      }
    }
    return (Array(result.dropFirst(delay)), notches?.hertz ?? [])
  }

  private static func read(_ path: String) throws -> [Float] {
    try unsafe Data(contentsOf: URL(filePath: path)).withUnsafeBytes {
      unsafe Array($0.bindMemory(to: Float.self))
    }
  }

  private static func write(_ samples: some Sequence<Float>, to path: String) throws {
    try unsafe Array(samples).withUnsafeBytes {
      try unsafe Data($0).write(to: URL(filePath: path))
    }
  }

  private func ffmpeg(_ samples: [Float]) throws -> [Float] {
    let (input, output) = ("\(work)/voice-in.f32", "\(work)/voice-out.f32")
    try Voices.write(samples, to: input)
    let raw = ["-f", "f32le", "-ar", "\(Voices.rate)", "-ac", "1"]
    try run(
      ["ffmpeg", "-v", "error", "-nostdin", "-y"] + raw
        + ["-i", input, "-af", "afftdn=nr=\(Voices.depthDB):tn=1"] + raw + [output])
    return try Voices.read(output)
  }

  /// Runs a program to its end.
  private func run(_ command: [String]) throws {
    let child = try Child(command, log: "\(work)/voices.log", isMeasured: false)
    while child.isRunning { usleep(5_000) }
    child.end()
  }

  /// The figures of samples, with the best of the delays that a filter may have, up to 40 ms either way.
  private func figures(of samples: [Float], against voice: [Float]) throws -> Figures {
    let most = Voices.rate / 25
    let first = Voices.leadFrames
    let last = min(voice.count, samples.count) - most
    var best = (ratioDB: -Double.infinity, levelDB: 0.0, shift: 0)
    for shift in stride(from: -most, through: most, by: 8) {
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
      if ratio > best.ratioDB { best = (ratio, 20 * log10(abs(cross) / own), shift) }
    }
    let (reference, sample, output) = (
      "\(work)/voice-reference.f32", "\(work)/voice-sample.f32", "\(work)/voice-quality.txt"
    )
    try Voices.write(voice[first..<last], to: reference)
    try Voices.write(samples[first + best.shift..<last + best.shift], to: sample)
    try? FileManager.default.removeItem(atPath: output)
    try run(quality + [reference, sample, output])
    let words = (try? String(contentsOfFile: output, encoding: .utf8))?.split(separator: " ") ?? []
    let values = words.compactMap { Double($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
    guard values.count == 2 else {
      throw Child.FailedError(description: "no ESTOI and PESQ: see \(work)/voices.log")
    }
    return Figures(
      ratioDB: best.ratioDB, levelDB: best.levelDB, estoi: values[0], pesq: values[1])
  }
}
