// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// An audio source that delivers nothing: the mixer writes silence while no source delivers.
public final class Silence: Source {
  /// Called by `start` with the only report of this source.
  private let report: SourceListener

  public init(report: @escaping SourceListener) { self.report = report }

  /// Reports that the source runs. There is no thread to start.
  public func start() {
    report(
      SourceReport(
        state: .running, code: "running", sentence: "Viewers hear silence, as audio.source says."))
  }

  /// Does nothing, because there is no thread.
  public func requestStop() {}

  /// Returns `true` at once, because there is no thread.
  @discardableResult public func stop(by deadline: MediaTime) -> Bool { true }
}
