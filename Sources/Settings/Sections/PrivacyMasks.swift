// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Keeps privacy masks in effect when settings are lost, unreadable or undone, so that no masked area is shown unless a
// user changes the mask.

extension Settings {
  /// A part of sentences that tell users that the camera's picture is covered because of `mayLackMasks`.
  public static let coverSentence =
    "the camera's whole picture is covered, because a privacy mask may be missing"

  /// Whether problems with the settings concern a privacy mask, so that a mask may be missing or in the wrong place.
  /// Always `true` if `hasSyntaxErrors`: settings that could not be read may belong to a mask.
  func problemsConcernMask(_ problems: [Problem], hasSyntaxErrors: Bool) -> Bool {
    hasSyntaxErrors || problems.contains { $0.key.map(isMaskSetting) ?? false }
  }

  /// The number of filters that are masks, including those that are switched off.
  var maskCount: Int { filters.count { $0.kind == .mask } }

  /// Adds the privacy masks of a settings file with mistakes, although the file is not used otherwise.
  /// - Parameters:
  ///   - faultless: the settings from the lines of the file that have no mistake.
  ///   - problems: the mistakes in the file.
  ///   - mayHaveMore: whether the file seems to have masks that these settings do not have.
  mutating func addMasks(
    of faultless: Settings, _ problems: [Problem], mayHaveMore: Bool
  ) {
    filters += faultless.filters.filter { $0.kind == .mask && !filters.contains($0) }
    if mayHaveMore && faultless.mayLackMasks
      || faultless.problemsConcernMask(problems, hasSyntaxErrors: false)
    {
      mayLackMasks = true
    }
  }

  /// The privacy masks that are applied.
  var appliedMasks: [FilterSettings] { filters.filter { $0.kind == .mask && $0.enabled } }

  /// Whether `key` is a setting of a privacy mask that is applied.
  public func isAppliedMaskSetting(_ key: String) -> Bool {
    appliedMasks.contains { key.hasPrefix($0.keyPrefix) }
  }

  /// Whether `key` is a setting of a privacy mask, or may be meant as one.
  func isMaskSetting(_ key: String) -> Bool {
    let parts = key.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.first == Substring(FilterSettings.list.section) else { return false }
    guard parts.count == 3, let filter = filters.first(where: { $0.name == parts[1] }) else {
      return true
    }
    return filter.kind == nil || filter.kind == .mask || parts[2] == "kind"
  }
}

/// An estimate of the privacy masks in a settings file, from the lines of its text. The text need not be valid TOML.
struct MaskText {
  /// The lines of the file, each with all its white space removed. Comments and empty lines are left out.
  let lines: Set<String>
  /// The estimated number of masks in the file: the number of lines that contain "kind" and "mask".
  let maskCount: Int

  init(_ bytes: [UInt8]) {
    let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
      .map { $0.filter { !$0.isWhitespace } }.filter { !$0.isEmpty && !$0.hasPrefix("#") }
    self.lines = Set(lines)
    maskCount = lines.count { $0.contains("kind") && $0.contains(FilterKind.mask.rawValue) }
  }

  /// Whether the file may have other masks than an earlier file: it has more masks, or it has masks and lacks a line of
  /// the earlier file.
  func mayDiffer(from earlier: MaskText) -> Bool {
    maskCount > earlier.maskCount || maskCount > 0 && !earlier.lines.isSubset(of: lines)
  }
}

extension Configuration {
  /// The name of the filter that `covering` adds: a mask for the whole picture.
  public static let coverName = "everything"

  /// Adds a mask for the whole picture to a change if the saved run-time settings could not be read: their masks are
  /// lost, and a change of another setting must not show what these masks hid. A change that adds a mask itself is
  /// returned unchanged.
  public func keepingCover(_ change: SettingsPatch) -> SettingsPatch {
    let section = FilterSettings.list.section
    let makesMask = change.values.contains {
      $0.key.hasPrefix("\(section).") && $0.value == .text(FilterKind.mask.rawValue)
    }
    return isRunTimeUnreadable && !makesMask ? Configuration.covering(change) : change
  }

  /// Adds a mask for the whole picture to a change.
  public static func covering(_ change: SettingsPatch) -> SettingsPatch {
    var covering = change
    covering.values["\(FilterSettings.list.section).\(coverName).kind"] = .text(
      FilterKind.mask.rawValue)
    return covering
  }
}

extension Configuration {
  /// Alters a change so that it uncovers no part of the camera's picture. No privacy mask is removed or switched off. A
  /// mask that the change moves or resizes covers its old area and its new area.
  /// - Parameters:
  ///   - back: the change, which undoes an earlier one.
  ///   - load: loads the configuration with the given run-time settings.
  /// - Returns: the altered change; `back` itself if `back` has mistakes.
  public func keepingMasks(
    _ back: SettingsPatch,
    load: (RunTimeSettings) throws(ConfigurationError) -> Configuration
  ) -> SettingsPatch {
    // Return a change with mistakes unaltered: the mistakes are reported when the caller applies the change.
    guard let after = try? Configuration.preview(back, of: runTime, load: load) else { return back }
    var values = back.values
    for present in settings.appliedMasks {
      if let other = after.settings.appliedMasks.first(where: { $0.name == present.name }) {
        for (field, value) in other.mask.covering(present.mask) {
          values["\(present.keyPrefix)\(field)"] = .some(value)
        }
      } else {
        values = values.filter { key, _ in !key.hasPrefix(present.keyPrefix) }
      }
    }
    return SettingsPatch(values)
  }
}

extension FilterSettings {
  /// The prefix of the keys of the filter's settings: "filter.NAME.".
  fileprivate var keyPrefix: String { "\(FilterSettings.list.section).\(name)." }
}

extension MaskSettings {
  /// The right edge of the mask, as a fraction of the camera's width.
  fileprivate var right: Double { min(1, x + width) }
  /// The lower edge of the mask, as a fraction of the camera's height.
  fileprivate var bottom: Double { min(1, y + height) }

  /// The new values, by the names of their settings ("width"), with which this mask also covers the area of `other`.
  /// Empty if this mask already covers that area.
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

  /// The length from `from` to `to`, rounded up so that a mask never ends before `to`. If `to` is the edge of the
  /// picture, the length is 1, which reaches to the edge from anywhere.
  private static func length(_ from: Double, _ to: Double) -> Double {
    let length = to - from
    return to >= 1 ? 1 : from + length < to ? length.nextUp : length
  }
}
