// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// A privacy mask does not become smaller by itself, whatever happens to the settings.

extension Settings {
  /// What is said when `mayLackMasks` covers the picture; the rest of the sentence follows.
  public static let coverSentence =
    "the camera's whole picture is covered, because a privacy mask may be missing"

  /// Whether problems with the settings concern a privacy mask, so that one may be missing or in another place than it was
  /// meant to be.
  func losesMask(to problems: [Problem], isPartial: Bool) -> Bool {
    isPartial || problems.contains { $0.key.map(isOfMask) ?? false }
  }

  /// How many filters are masks, those that are switched off included.
  var maskCount: Int { filters.count { $0.kind == .mask } }

  /// Adds the privacy masks of a settings file with mistakes, which is not used otherwise.
  /// - Parameters:
  ///   - faultless: the settings of its faultless lines.
  ///   - problems: its mistakes.
  ///   - mayHaveMore: whether it seems to have masks that these settings do not have.
  mutating func addMasks(
    of faultless: Settings, _ problems: [Problem], mayHaveMore: Bool
  ) {
    filters += faultless.filters.filter { $0.kind == .mask && !filters.contains($0) }
    if mayHaveMore && faultless.mayLackMasks
      || faultless.losesMask(to: problems, isPartial: false)
    {
      mayLackMasks = true
    }
  }

  /// The privacy masks that are applied.
  var appliedMasks: [FilterSettings] { filters.filter { $0.kind == .mask && $0.enabled } }

  /// Whether a setting is one of a privacy mask that is applied.
  public func isOfAppliedMask(_ key: String) -> Bool {
    appliedMasks.contains { key.hasPrefix($0.section) }
  }

  /// Whether a setting is one of a privacy mask, or may be meant to be one.
  func isOfMask(_ key: String) -> Bool {
    let parts = key.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.first == Substring(FilterSettings.list.section) else { return false }
    guard parts.count == 3, let filter = filters.first(where: { $0.name == parts[1] }) else {
      return true
    }
    return filter.kind == nil || filter.kind == .mask || parts[2] == "kind"
  }
}

/// What the text of a settings file tells of its masks, however broken it is.
struct MaskText {
  /// The lines that are no comments.
  let lines: Set<String>
  /// How many lines make a filter a mask.
  let sections: Int

  init(_ bytes: [UInt8]) {
    let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
      .map { $0.filter { !$0.isWhitespace } }.filter { !$0.isEmpty && !$0.hasPrefix("#") }
    self.lines = Set(lines)
    sections = lines.count { $0.contains("kind") && $0.contains(FilterKind.mask.rawValue) }
  }

  /// Whether the file may have other masks than an earlier one had: more of them, or a line of the earlier one is missing.
  func mayDiffer(from earlier: MaskText) -> Bool {
    sections > earlier.sections || sections > 0 && !earlier.lines.isSubset(of: lines)
  }
}

extension Configuration {
  /// The name of the filter that covers the picture after kept settings could not be read.
  public static let coverName = "everything"

  /// The first change after kept settings could not be read, with a mask for the whole picture: the masks of before are lost, and
  /// whoever saves something else does not mean to show what they hid. A change that makes a mask stays as it is.
  public func keepingCover(_ change: SettingsPatch) -> SettingsPatch {
    let section = FilterSettings.list.section
    let makesMask = change.values.contains {
      $0.key.hasPrefix("\(section).") && $0.value == .text(FilterKind.mask.rawValue)
    }
    return isRunTimeUnreadable && !makesMask ? Configuration.covering(change) : change
  }

  /// A change with a mask for the whole picture.
  public static func covering(_ change: SettingsPatch) -> SettingsPatch {
    var covering = change
    covering.values["\(FilterSettings.list.section).\(coverName).kind"] = .text(
      FilterKind.mask.rawValue)
    return covering
  }
}

extension Configuration {
  /// A change that takes an earlier one back, made such that it shows no part of the camera's picture that is covered
  /// now. Each privacy mask then covers what it covers now, and what it covers by `back` alone.
  /// - Parameter load: loads the configuration with the given run-time settings.
  public func keepingMasks(
    _ back: SettingsPatch,
    load: (RunTimeSettings) throws(ConfigurationError) -> Configuration
  ) -> SettingsPatch {
    // Whoever makes the change gets its mistakes.
    guard let after = try? Configuration.preview(back, of: runTime, load: load) else { return back }
    var values = back.values
    for present in settings.appliedMasks {
      if let other = after.settings.appliedMasks.first(where: { $0.name == present.name }) {
        for (field, value) in other.mask.covering(present.mask) {
          values["\(present.section)\(field)"] = .some(value)
        }
      } else {
        values = values.filter { key, _ in !key.hasPrefix(present.section) }
      }
    }
    return SettingsPatch(values)
  }
}

extension FilterSettings {
  /// What the keys of its settings begin with.
  fileprivate var section: String { "\(FilterSettings.list.section).\(name)." }
}

extension MaskSettings {
  fileprivate var right: Double { min(1, x + width) }
  fileprivate var bottom: Double { min(1, y + height) }

  /// The values that make this mask also cover what another one covers; empty if it does.
  fileprivate func covering(_ other: MaskSettings) -> [String: SettingsPatch.Value] {
    var values: [String: SettingsPatch.Value] = [:]
    if style == .blocks, other.style == .solid { values["style"] = .text(other.style.rawValue) }
    let (left, top) = (min(x, other.x), min(y, other.y))
    if left < x { values["x"] = .number(left) }
    if top < y { values["y"] = .number(top) }
    if left < x || other.right > right {
      values["width"] = .number(MaskSettings.length(left, max(right, other.right)))
    }
    if top < y || other.bottom > bottom {
      values["height"] = .number(MaskSettings.length(top, max(bottom, other.bottom)))
    }
    return values
  }

  /// The length that reaches from one place to another, and not a bit less. 1 reaches to the edge in any case.
  private static func length(_ from: Double, _ to: Double) -> Double {
    let length = to - from
    return to >= 1 ? 1 : from + length < to ? length.nextUp : length
  }
}
