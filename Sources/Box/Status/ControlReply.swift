// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Settings

/// A mistake in settings, where `Problem` has another meaning.
public typealias SettingsProblem = Problem

/// The reply of a running OnAir to a command. The names of the fields are a contract.
public struct ControlReply: Codable, Sendable, Equatable {
  /// A changed setting.
  public struct Change: Codable, Sendable, Equatable {
    /// "video.size".
    public var key: String
    /// When it takes effect, for the user: "now", "at the next start".
    public var effect: String
    /// The same for programs, as the list of settings has it: "immediate", "next_broadcast", "next_start"; "overridden" while
    /// `--set` on the command line gives it a value. `nil` from an older OnAir.
    public var counts: String?
    /// For the user: "video.size is now "640x360".".
    public var sentence: String
  }

  /// A mistake in a change of settings.
  public struct Problem: Codable, Sendable, Equatable {
    /// "onair.toml:4:11" if it is in a file; `nil` if it is in the change.
    public var place: String?
    /// "video.size"; `nil` when it is about the settings as a whole.
    public var key: String?
    /// What is wrong, and what is allowed: to be read after the key and a colon.
    public var sentence: String
    /// What is wrong, for programs: "not_allowed"; `nil` from an older OnAir.
    public var code: String?
    /// The key of another setting that has to do with it.
    public var other: String?

    public init(_ problem: SettingsProblem) {
      place = problem.fileText
      key = problem.key
      sentence = problem.sentence
      code = problem.code.rawValue
      other = problem.other
    }
  }

  /// The command was executed, or had no effect because its result was already the case.
  public var ok: Bool
  /// Whether the command changed anything.
  public var changed: Bool
  /// The reason for a failure, for programs.
  public var code: String?
  /// The result for the user, or the reason for a failure and what to do.
  public var sentence: String?
  /// For `reload` and a change of settings: the settings that have changed.
  public var changes: [Change]?
  /// For `reload` and a change of settings, when nothing was taken: all mistakes.
  public var problems: [Problem]?
  public var status: Status?
  /// Whether the new state is on the disk, so that it survives a power cut.
  public var saved: Bool?

  package init(
    changed: Bool, _ sentence: String? = nil, changes: [Change]? = nil, status: Status? = nil
  ) {
    ok = true
    self.changed = changed
    self.sentence = sentence
    self.changes = changes
    self.status = status
  }

  package static let unknown = "unknown_command"

  package init(fault code: String, _ sentence: String) {
    ok = false
    changed = false
    self.code = code
    self.sentence = sentence
  }
}
