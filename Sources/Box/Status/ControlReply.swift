// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Settings

/// Another name of `Settings.Problem`, a mistake in settings, for code in which `Problem` means `ControlReply.Problem`.
public typealias SettingsProblem = Problem

/// The reply of a running OnAir to a command. The names of the fields are a contract.
public struct ControlReply: Codable, Sendable, Equatable {
  /// A changed setting.
  public struct Change: Codable, Sendable, Equatable {
    /// The key of the setting: "video.size".
    public var key: String
    /// When the change takes effect, for the user: "now", "at the next start".
    public var effect: String
    /// When the change takes effect, for programs, as the list of settings has it: "immediate", "next_broadcast",
    /// "next_start"; "overridden" while `--set` on the command line gives the setting a value. `nil` from an older
    /// OnAir.
    public var counts: String?
    /// The change in words, for the user: "video.size is now "640x360".".
    public var sentence: String
  }

  /// A mistake in a change of settings.
  public struct Problem: Codable, Sendable, Equatable {
    /// Where the mistake is in a file: "onair.toml:4:11"; `nil` if it is in the change itself.
    public var place: String?
    /// The key of the setting: "video.size"; `nil` when the mistake is about the settings as a whole.
    public var key: String?
    /// What is wrong, and what is allowed, worded to follow the key and a colon.
    public var sentence: String
    /// The kind of mistake, for programs: "not_allowed"; `nil` from an older OnAir.
    public var code: String?
    /// The key of another setting that is involved; `nil` for none.
    public var other: String?

    public init(_ problem: SettingsProblem) {
      place = problem.fileText
      key = problem.key
      sentence = problem.sentence
      code = problem.code.rawValue
      other = problem.other
    }
  }

  /// Whether the command succeeded: it was executed, or there was nothing to change.
  public var ok: Bool
  /// Whether the command changed anything.
  public var changed: Bool
  /// The reason for a failure, as a code for programs; `nil` after a success.
  public var code: String?
  /// The result for the user, or the reason for a failure and what to do.
  public var sentence: String?
  /// The settings that have changed, after `reload` or a change of settings; `nil` otherwise.
  public var changes: [Change]?
  /// All mistakes, if `reload` or a change of settings was refused for them; `nil` otherwise.
  public var problems: [Problem]?
  /// The name of the entry that was added to a list of the settings, such as an overlay; `nil` otherwise.
  public var name: String?
  /// The status of the box after the command; `nil` if the reply has none.
  public var status: Status?
  /// Whether the present intent is on the disk, so that it survives a power cut; `nil` if the reply has no such
  /// information.
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

  /// The code for a command that does not exist.
  package static let unknown = "unknown_command"

  package init(fault code: String, _ sentence: String) {
    ok = false
    changed = false
    self.code = code
    self.sentence = sentence
  }
}
