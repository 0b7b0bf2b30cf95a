// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import CFilter
internal import Synchronization

/// What the filters of a source that are processes share.
public final class FilterHost: Sendable {
  /// Receives why a filter is off, as a sentence; `nil` once it is not off any more, or is removed. On any thread.
  public typealias Notice = @Sendable (_ name: String, _ sentence: String?) -> Void

  let tools: FilterTools
  let clock: MediaClock
  /// Used by the thread of the video pipeline alone.
  let points = DetectedPoints()
  private let notice: Notice
  private let remark: @Sendable (_ sentence: String) -> Void
  /// Which process the trouble of a name is of: the filter that has replaced it may be off, too.
  private let troubles = Mutex<[String: ObjectIdentifier]>([:])
  /// The names of the filters that `remark` has warned about.
  private let unconfined = Mutex<Set<String>>([])

  /// - Parameter remark: receives warnings for the box's owner about filters that run. Called on any thread.
  public init(
    tools: FilterTools = FilterTools(), clock: MediaClock = .system,
    remark: @escaping @Sendable (_ sentence: String) -> Void = { _ in }, notice: @escaping Notice
  ) {
    (self.tools, self.clock, self.notice, self.remark) = (tools, clock, notice, remark)
  }

  /// To be called before a program is started. If the kernel has no Landlock, it closes the memory of OnAir to the program,
  /// and warns once that the program can read files.
  func prepare(_ name: String, _ program: FilterProgram) {
    guard !tools.hasLandlock else { return }
    onair_filter_hide_memory()
    // A plug-in of frei0r can open no file once it is loaded.
    guard case .outside = program else { return }
    if unconfined.withLock({ $0.insert(name).inserted }) { remark(FilterTools.unconfined(name)) }
  }

  /// Tells that a filter is off.
  func tell(_ name: String, _ trouble: FilterTrouble, of process: FilterProcess) {
    troubles.withLock { $0[name] = ObjectIdentifier(process) }
    notice(
      name,
      "The filter \"\(name)\" is off: it \(trouble.words). To try it again, switch it off and on "
        + "(filter.\(name).enabled).")
  }

  /// Tells that a filter's trouble is over, since the filter runs again or has been removed.
  func tellEnd(_ name: String, of process: FilterProcess) {
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
  /// It was late for three frames within ten seconds.
  case late
  /// It has not answered for a second.
  case silent
  /// It was not ready in time.
  case notReady
  /// It has answered what was not asked.
  case wrongAnswer
  /// It has ended, with an exit code; negative for a signal.
  case ended(Int32)
  /// It has ended, and left this sentence. Not to be trusted.
  case said(String)
  /// It cannot be started, for this reason.
  case notStarted(String)

  /// What follows "The filter … is off: it".
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
