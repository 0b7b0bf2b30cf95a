// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A layout that a program asks for, as a task with an id: `/api/mix`.
public struct MixTask: Equatable, Sendable {
  public static let mostIDCharacters = 55

  public enum Mode: String, Sendable, CaseIterable {
    /// One source alone, in picture and sound.
    case bypass
    /// The host and the guests on air.
    case mix
  }

  public var id: String
  public var mode: Mode
  /// The source of a bypass.
  public var source: PaneSource
  /// The layout of a mix; `nil` for that of the settings.
  public var layout: GuestLayout?

  public init(
    _ id: String, _ mode: Mode, source: PaneSource = .host, layout: GuestLayout? = nil
  ) {
    (self.id, self.mode, self.source, self.layout) = (id, mode, source, layout)
  }

  /// Whether the id is one that a task may have.
  var hasValidID: Bool {
    (1...MixTask.mostIDCharacters).contains(id.unicodeScalars.count)
      && !id.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}
