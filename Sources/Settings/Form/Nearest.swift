// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

extension Settings {
  /// The element of `words` that a mistyped word most likely means; `nil` if none is similar.
  public static func nearestWord(to word: String, among words: [String]) -> String? {
    nearest(to: word, among: words)
  }
}

/// The keys that the mistyped key `path` most likely means: one key if it is clear which. If the section in `path` is
/// missing or is like none, and several sections have a setting of this name, the keys of all these settings, those of
/// [video] first.
func nearestKeys(to path: String, among keys: [String]) -> [String] {
  // Return no keys for an empty path, which every key would match.
  guard let last = path.lowercased().split(separator: ".").last else { return [] }
  // The last part of the path, with the dot before it: ".size" for "video.size".
  let name = ".\(last)"
  // The keys with the same last part as the path.
  let sameNameKeys = keys.filter { $0.hasSuffix(name) }
  if let nearest = nearest(to: path, among: keys),
    !nearest.hasSuffix(name) || sameNameKeys.count < 2
  {
    return [nearest]
  }
  let section = path.lowercased().split(separator: ".").dropLast().joined(separator: ".")
  let sections = sameNameKeys.map { String($0.dropLast(name.count)) }
  if let meant = nearest(to: section, among: sections) { return [meant + name] }
  return sameNameKeys.filter { $0.hasPrefix("video.") }
    + sameNameKeys.filter { !$0.hasPrefix("video.") }
}

/// The candidate that `word` most likely means; `nil` if none is similar.
///
/// A candidate is similar if it differs from `word` only in case, or in a few letters that are wrong, missing, doubled
/// or swapped; if `word` is a prefix of it ("video.bitrate"); or if `word` is its name without the section ("size").
func nearest(to word: String, among candidates: [String]) -> String? {
  let typed = Array(word.lowercased().utf8)
  guard (2...64).contains(typed.count) else { return nil }
  var best: (distance: Int, name: String)?
  for candidate in candidates {
    let distance = editDistance(typed, Array(candidate.lowercased().utf8))
    if distance < best?.distance ?? .max { best = (distance, candidate) }
  }
  if let best, best.distance <= 1 { return best.name }
  guard typed.count >= 3 else { return nil }
  let lowercased = word.lowercased()
  // A prefix of a section's name is not specific enough to suggest one of its settings.
  let longer = candidates.first { candidate in
    candidate.hasPrefix(lowercased) && (lowercased.contains(".") || !candidate.contains("."))
  }
  if let longer { return longer }
  // Up to a third of the letters may be wrong, but at most four.
  if let best, best.distance <= min(4, typed.count / 3) { return best.name }
  // The last part of the word, with a dot before it: ".size" for "vidio.size".
  let name = lowercased.split(separator: ".").last.map { ".\($0)" } ?? lowercased
  return candidates.first { $0.hasSuffix(name) }
}

/// The optimal string alignment distance between `a` and `b`: the number of insertions, deletions, substitutions and
/// swaps of adjacent letters.
func editDistance(_ a: [UInt8], _ b: [UInt8]) -> Int {
  // The last two rows of the distance table, which has a row for each letter of `a`.
  var rowBeforeLast = [Int](repeating: 0, count: b.count + 1)
  var lastRow = Array(0...b.count)
  for (i, letter) in a.enumerated() {
    var row = [i + 1]
    for (j, other) in b.enumerated() {
      var cost = min(row[j] + 1, lastRow[j + 1] + 1, lastRow[j] + (letter == other ? 0 : 1))
      if i > 0, j > 0, letter == b[j - 1], a[i - 1] == other {
        cost = min(cost, rowBeforeLast[j - 1] + 1)
      }
      row.append(cost)
    }
    (rowBeforeLast, lastRow) = (lastRow, row)
  }
  return lastRow[b.count]
}
