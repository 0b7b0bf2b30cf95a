// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Posix

/// A mark outside of the state directory that the box has a password. Without it a box whose state was lost, as on a card
/// that fails, would be a new one, whose first password anybody on the local network may set.
///
/// An image keeps it on the card's first partition, which root alone can write, and shows it below /run. OnAir asks for a
/// change by a file in the state directory, which a unit of the image acts on (onair-password-mark.path).
public struct PasswordMark: Sendable {
  /// What is asked for, as the file has it.
  private enum Request: String { case set, removed }

  /// In the state directory.
  public static let requestName = "password-mark"
  /// In the folder that `ONAIR_MARKS` names, while there is a mark.
  static let name = "password-was-set"
  private static let request = StateFile<Request>(
    requestName, limit: 16, encode: { Array($0.rawValue.utf8) },
    decode: { Request(rawValue: String(decoding: $0, as: UTF8.self)) })

  private let marks: String
  private let directory: String

  /// - Parameters:
  ///   - environment: `ONAIR_MARKS` names a folder of the image below /run.
  ///   - directory: the state directory.
  /// - Returns: `nil` on a machine without such a mark: there the state directory is lost only with the whole system.
  public init?(environment: [String: String], directory: String) {
    guard let marks = environment["ONAIR_MARKS"], !marks.isEmpty else { return nil }
    (self.marks, self.directory) = (marks, directory)
  }

  /// Whether there is one, or was asked for.
  var isSet: Bool {
    if let asked = try? Self.request.read(in: directory) { return asked == .set }
    return !File.isAbsent(Self.name, from: marks)
  }

  func set() { ask(for: .set) }

  /// For a reset, after which the box is a new one.
  public func remove() { ask(for: .removed) }

  private func ask(for request: Request) {
    guard isSet != (request == .set) else { return }
    // On a full disk: it is asked for again at the next start.
    try? Self.request.write(request, in: directory)
  }
}
