// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import CProcess
internal import Synchronization

/// What the filters of a source share if they run as processes: the tools, the clock, and the points, such as those of
/// faces, that the programs find in a frame.
public final class FilterHost: Sendable {
  /// Receives the reason why a filter is off, as a sentence; `nil` once the filter is on again or was removed. Called
  /// on any thread.
  public typealias Notice = @Sendable (_ name: String, _ sentence: String?) -> Void

  /// The launcher of filters, and the folders in which their programs are.
  let tools: FilterTools
  /// The clock for the deadlines of filters.
  let clock: MediaClock
  /// The points that the programs have found in a frame. Used by the thread of the video pipeline alone.
  let points = DetectedPoints()
  /// Receives the reason why a filter is off, as a sentence; `nil` once the filter is on again or was removed.
  private let notice: Notice
  /// Receives warnings for the box's owner about filters that run.
  private let warn: @Sendable (_ sentence: String) -> Void
  /// For each filter that is reported as off, the process whose trouble was reported last; keyed by the filter's name.
  /// `reportEnd` ignores an older process of the same filter, which a process with a trouble of its own has replaced.
  private let troubles = Mutex<[String: ObjectIdentifier]>([:])
  /// The names of the filters about which `warn` was called, because nothing keeps their programs from OnAir's files.
  private let warnedFilters = Mutex<Set<String>>([])

  /// - Parameter warn: receives warnings for the box's owner about filters that run. Called on any thread.
  public init(
    tools: FilterTools = FilterTools(), clock: MediaClock = .system,
    warn: @escaping @Sendable (_ sentence: String) -> Void = { _ in }, notice: @escaping Notice
  ) {
    (self.tools, self.clock, self.notice, self.warn) = (tools, clock, notice, warn)
  }

  /// Called before a program is started. If the kernel has no Landlock, denies the program access to OnAir's memory. It
  /// also warns, once for each outside program, that the program can read OnAir's files.
  func prepare(_ name: String, _ program: FilterProgram) {
    guard !tools.hasLandlock else { return }
    onair_hide_memory()
    // There is no warning about a plug-in of frei0r: it can open no file once it is loaded.
    guard case .outside = program else { return }
    if warnedFilters.withLock({ $0.insert(name).inserted }) {
      warn(FilterTools.unconfinedWarning(name))
    }
  }

  /// Reports that a filter is off.
  func reportOff(_ name: String, _ trouble: FilterTrouble, of process: FilterProcess) {
    troubles.withLock { $0[name] = ObjectIdentifier(process) }
    notice(
      name,
      "The filter \"\(name)\" is off: it \(trouble.words). To try it again, switch it off and on "
        + "(filter.\(name).enabled).")
  }

  /// Reports that a filter's trouble is over, since the filter runs again or has been removed.
  func reportEnd(_ name: String, of process: FilterProcess) {
    let isOver = troubles.withLock { troubles in
      guard troubles[name] == ObjectIdentifier(process) else { return false }
      troubles[name] = nil
      return true
    }
    if isOver { notice(name, nil) }
  }
}

/// Why a filter is off.
enum FilterTrouble: Sendable, Equatable {
  /// The filter was late for three frames within ten seconds.
  case late
  /// The filter has not answered for a second.
  case silent
  /// The filter was not ready within five seconds (`FilterProcess.startPatience`).
  case notReady
  /// The filter has answered with the number of a frame that it was not given.
  case wrongAnswer
  /// The process has ended. The value is its exit code or, if a signal has ended it, the negated number of the signal.
  case ended(Int32)
  /// The process has ended, and left this sentence as the reason. The sentence is not to be trusted.
  case said(String)
  /// The process cannot be started, for this reason.
  case notStarted(String)

  /// The trouble in words that follow "The filter … is off: it".
  var words: String {
    switch self {
    case .late:
      "was late for three frames within 10 seconds. A smaller video.size, fewer filters or a faster machine would help"
    case .silent: "has not answered for a second"
    case .notReady: "was not ready within 5 seconds"
    case .wrongAnswer: "has answered with the number of a frame that it was not given"
    case .ended(0): "has ended by itself"
    case .ended(let code) where code > 0: "has ended with the exit code \(code)"
    case .ended(let code): "was ended by \(FilterTrouble.signal(-code))"
    case .said(let sentence): sentence
    case .notStarted(let reason): reason
    }
  }

  /// The words, after "was ended by", for the signal that has ended a process.
  private static func signal(_ number: Int32) -> String {
    switch number {
    case 4: "a crash (SIGILL)"
    case 6: "a crash (SIGABRT), perhaps for lack of memory: it may use 512 MiB"
    case 7: "a crash (SIGBUS)"
    case 8: "a crash (SIGFPE)"
    case 9: "the system (SIGKILL), perhaps for lack of memory"
    case 11: "a crash (SIGSEGV)"
    case 31: "the system (SIGSYS): it did what filters may not do"
    default: "the signal \(number)"
    }
  }
}
