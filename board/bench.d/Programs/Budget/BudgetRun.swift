// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// What the machine does during a measurement.
enum BudgetCase: String, CaseIterable, Sendable {
  /// Nothing else.
  case idle
  /// It takes half of the processors from the program for a while.
  case core
  /// It takes all processors for 80 ms each second.
  case hiccup

  /// Duration of a measurement.
  var seconds: Int {
    switch self {
    case .idle: 20
    case .core: 120
    case .hiccup: 60
    }
  }
}

/// A program and the speed of its encoder.
struct BudgetProgram: Hashable, Sendable {
  let contender: Contender
  let speed: String

  /// x264's presets, the fastest first.
  static let presets = ["superfast", "veryfast", "faster", "fast", "medium", "slow"].map {
    BudgetProgram(contender: .onair, speed: $0)
  }
  static let auto = BudgetProgram(contender: .onair, speed: "auto")
  static let ffmpeg = BudgetProgram(contender: .ffmpeg, speed: "slow")
  static let all = [auto] + presets + [ffmpeg]

  /// As the table shows it.
  var title: String { contender == .onair ? speed : "\(contender.rawValue) \(speed)" }
  /// As the command line and the names of files have it.
  var name: String { contender == .onair ? speed : contender.rawValue }
}

/// A captured frame.
struct SentFrame: Sendable {
  /// `nil` if the camera dropped it, because the program was still reading older ones.
  var number: Int?
  /// Seconds since the beginning of the measurement.
  var captured: Double
  /// From the moment at which its last byte would have been in the pipe, had the program read as fast as it did at best,
  /// to the last byte of its packet at the server. `nil` if it never arrived.
  var delayMs: Double?
  /// Of the decoded frame and what was sent, 0 to 1.
  var similarity: Double?

  var isLost: Bool { delayMs == nil }
  /// Lost, or later than two frame intervals.
  var isMissed: Bool { delayMs.map { $0 > SentFrame.latestMs } ?? true }
  private static let latestMs = 66.0
}

/// The figures of a second of a measurement.
struct BudgetSecond: Sendable {
  var frames = 0
  var lost = 0
  var delayMiddleMs = Double.nan
  var longestDelayMs = Double.nan
  var similarityDB = Double.nan
  /// Of the video that arrived in this second.
  var kbps = 0.0
  /// Of all cores.
  var processorPercent = Double.nan
  /// The speed governor's level, if OnAir tells it.
  var level = Double.nan
}

/// One measurement.
struct BudgetRun: Sendable {
  let program: BudgetProgram
  let budgetCase: BudgetCase
  /// The name of the clip.
  let clip: String
  /// Frames after which the clip repeats.
  let loop: Int
  /// In the order of their capture.
  var frames: [SentFrame] = []
  var seconds: [BudgetSecond] = []
  var kbps = 0.0
  /// Share of all cores, by the program and by the bench itself.
  var processorPercent = 0.0
  var ownPercent = 0.0
  /// When processors were taken, in seconds since the beginning.
  var taken: [Range<Double>] = []
  var removal: Removal?

  var delaysMs: [Double] { frames.compactMap(\.delayMs) }
  var lost: Int { frames.count { $0.isLost } }
  var missed: Int { frames.count { $0.isMissed } }
  /// No frame is lost and 99 of 100 are in time: a person would take this speed for one that the machine has room for.
  var isCarried: Bool { lost == 0 && missed * 100 <= frames.count }
  var similarityDB: Double { Quality.decibels(frames.compactMap(\.similarity)) }
  /// Processor time of a frame that arrived.
  var processorMsPerFrame: Double {
    let seconds = Double(self.seconds.count)
    let cores = Double(ProcessorSet.all.count)
    return processorPercent / 100 * cores * seconds * 1000 / Double(max(1, delaysMs.count))
  }

  /// The beginning of the names of its files.
  var stem: String { "\(budgetCase.rawValue)/\(clip)-\(program.name)" }
}
