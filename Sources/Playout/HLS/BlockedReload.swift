// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What a player waits for when it reloads a playlist: `_HLS_msn` and `_HLS_part` of Low-Latency HLS.
public struct BlockedReload: Equatable, Sendable {
  /// The number of the segment (`_HLS_msn`).
  let segment: Int
  /// The index of the part in the segment (`_HLS_part`); `nil` for the whole segment.
  let part: Int?

  /// Reads the values of the two parameters of a request.
  /// - Returns: `nil` if there are none.
  /// - Throws: `unfitReload` if a value is not a number, or there is a part without a segment.
  public static func read(segment: String?, part: String?) throws(PlayoutError) -> BlockedReload? {
    guard segment != nil || part != nil else { return nil }
    guard let number = segment.flatMap(fileNumber) else { throw .unfitReload }
    guard let part else { return BlockedReload(segment: number, part: nil) }
    guard let index = fileNumber(part) else { throw .unfitReload }
    return BlockedReload(segment: number, part: index)
  }

  /// Whether a playlist whose newest part is at `newest` has what the player waits for. A part that its segment turns
  /// out not to have stands for the first part of the next one.
  func isMet(by newest: PartPlaylist.Place) -> Bool {
    guard let part else { return newest.segment > segment }
    return newest >= PartPlaylist.Place(segment: segment, part: part)
  }

  /// Whether the segment is more than two after the last complete one.
  func isTooFar(from newest: PartPlaylist.Place) -> Bool { segment > newest.segment + 1 }
}

/// The number in a name or a parameter: 1 to 9 digits.
func fileNumber(_ text: some StringProtocol) -> Int? {
  guard (1...9).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else {
    return nil
  }
  return Int(text)
}
