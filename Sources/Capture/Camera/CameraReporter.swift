// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Reports the state of a camera to its listener, once for each change.
struct CameraReporter {
  /// Finds out which program uses a busy camera.
  private let host: any CameraHost
  /// Called with each report of the camera's state.
  private let listener: SourceListener
  /// The latest trouble, whether it was reported or not; `nil` if a camera has run since.
  private var lastTrouble: CameraTrouble?
  /// The camera and the mode that were last reported as running; `nil` if none was.
  private var lastSelection: CameraSelection?

  init(host: any CameraHost, listener: @escaping SourceListener) {
    self.host = host
    self.listener = listener
  }

  /// Forgets the last report, so that the next report is passed on even if it is equal. Called after the camera was
  /// released.
  mutating func forgetLastReport() {
    lastTrouble = nil
    lastSelection = nil
  }

  /// Reports that frames of the selected camera arrive, unless the last report said so.
  mutating func report(_ selection: CameraSelection) {
    guard lastTrouble != nil || lastSelection != selection else { return }
    lastTrouble = nil
    lastSelection = selection
    listener(
      SourceReport(
        state: .running, code: "running",
        sentence: "\(selection.name) at \(selection.path): \(selection.summary)."))
  }

  /// Reports why no frames arrive, unless the last report had the same cause.
  mutating func report(_ trouble: CameraTrouble) {
    defer { lastTrouble = trouble }
    if let lastTrouble, CameraReporter.isSameCause(lastTrouble, trouble) { return }
    var trouble = trouble
    // The name of the other program is looked up only for a new report, because the search reads all of /proc.
    if case .busy(let path, nil) = trouble {
      trouble = .busy(path: path, holder: host.holder(of: path))
    }
    listener(SourceReport(state: .trouble, code: trouble.code, sentence: trouble.sentence))
  }

  /// Whether two successive troubles have the same cause, so that the second one is not reported.
  private static func isSameCause(_ last: CameraTrouble, _ next: CameraTrouble) -> Bool {
    switch (last, next) {
    case (.busy(let a, _), .busy(let b, _)): a == b
    case (.stuck(let a, _, _), .stuck(let b, _, _)): a == b
    // A camera that was unplugged is missing at the next attempt to open it: the cause is the same.
    case (.lost, .missing), (.lost, .lost): true
    default: last == next
    }
  }
}
