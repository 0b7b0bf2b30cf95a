// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Posix

/// A mark outside of the state directory which says that the box has a password. Without the mark, a box that has lost
/// its state, as on a card that fails, would count as a new one: anybody on the local network could set a password.
///
/// The OnAir image keeps the mark on the card's first partition, which only root can write, and shows it below /run.
/// OnAir requests a change of the mark by writing a file to the state directory. A systemd unit of the image carries
/// the request out (onair-password-mark.path).
public struct PasswordMark: Sendable {
  /// The content of the request file: whether the mark should be set or removed.
  private enum Request: String { case set, removed }

  /// The name of the request file in the state directory.
  public static let requestName = "password-mark"
  /// The name of the mark: a file in the folder that `ONAIR_MARKS` names.
  static let name = "password-was-set"
  /// The format of the request file in the state directory.
  private static let request = StateFile<Request>(
    requestName, limit: 16, encode: { Array($0.rawValue.utf8) },
    decode: { Request(rawValue: String(decoding: $0, as: UTF8.self)) })

  /// The path of the folder with the mark.
  private let markFolder: String
  /// The path of the state directory.
  private let directory: String

  /// - Parameters:
  ///   - environment: `ONAIR_MARKS` names a folder of the image below /run.
  ///   - directory: the path of the state directory.
  /// - Returns: `nil` on a machine without `ONAIR_MARKS`: there the state directory is lost only with the whole system.
  public init?(environment: [String: String], directory: String) {
    guard let marks = environment["ONAIR_MARKS"], !marks.isEmpty else { return nil }
    (markFolder, self.directory) = (marks, directory)
  }

  /// Whether there is a mark, or will be once the last request has been acted on.
  public var isSet: Bool {
    if let asked = try? Self.request.read(in: directory) { return asked == .set }
    return !File.isAbsent(Self.name, from: markFolder)
  }

  /// Requests that the mark be set.
  func set() { requestChange(to: .set) }

  /// Requests the removal of the mark, for a reset after which the box counts as a new one.
  public func remove() { requestChange(to: .removed) }

  /// Writes the request file, unless the mark is as requested already.
  private func requestChange(to request: Request) {
    guard isSet != (request == .set) else { return }
    // If the request cannot be written, as on a full disk, the next start of OnAir writes it.
    try? Self.request.write(request, in: directory)
  }
}
