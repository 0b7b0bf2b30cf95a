// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// Tells each change of a camera's fortune once.
struct CameraTeller {
  private let host: any CameraHost
  private let report: SourceListener
  private var last: CameraTrouble?
  private var lastSelection: CameraSelection?

  init(host: any CameraHost, report: @escaping SourceListener) {
    self.host = host
    self.report = report
  }

  /// Pictures come.
  mutating func tell(_ selection: CameraSelection) {
    guard last != nil || lastSelection != selection else { return }
    last = nil
    lastSelection = selection
    report(
      SourceReport(
        state: .running, code: "running",
        sentence: "\(selection.name) at \(selection.path): \(selection.summary)."))
  }

  mutating func tell(_ trouble: CameraTrouble) {
    defer { last = trouble }
    if let last, CameraTeller.isSame(last, trouble) { return }
    var trouble = trouble
    // Looked up at a change only: it reads all of /proc.
    if case .busy(let path, nil) = trouble {
      trouble = .busy(path: path, holder: host.holder(of: path))
    }
    report(SourceReport(state: .trouble, code: trouble.code, sentence: trouble.sentence))
  }

  private static func isSame(_ last: CameraTrouble, _ next: CameraTrouble) -> Bool {
    switch (last, next) {
    case (.busy(let a, _), .busy(let b, _)): a == b
    case (.stuck(let a, _, _), .stuck(let b, _, _)): a == b
    // What was lost is missing until it is back: one cause, told once.
    case (.lost, .missing), (.lost, .lost): true
    default: last == next
    }
  }
}
