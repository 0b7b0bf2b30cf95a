// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// An audio source that delivers nothing: the mixer writes silence while no source delivers.
public final class Silence: Source {
  private let report: SourceListener

  public init(report: @escaping SourceListener) { self.report = report }

  public func start() {
    report(
      SourceReport(
        state: .running, code: "running", sentence: "Viewers hear silence, as audio.source says."))
  }

  public func requestStop() {}

  @discardableResult public func stop(by deadline: MediaTime) -> Bool { true }
}
