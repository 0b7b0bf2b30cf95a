// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Posix
import Settings

/// Loads `toml` as "onair.toml"; the only other files that exist are `others`.
func load(
  _ toml: String, set overrides: [String] = [], environment: [String: String] = [:],
  others: [String: File.Contents] = [:]
) throws(ConfigurationError) -> Configuration {
  try load(Array(toml.utf8), set: overrides, environment: environment, others: others)
}

func load(
  _ bytes: [UInt8], set overrides: [String] = [], environment: [String: String] = [:],
  others: [String: File.Contents] = [:]
) throws(ConfigurationError) -> Configuration {
  let files: FileReader = { path, limit throws(FileError) in
    let contents = path == "onair.toml" ? File.Contents(bytes: bytes) : others[path]
    guard let contents else { throw .missing }
    guard contents.bytes.count <= limit else { throw .tooLong(contents.bytes.count) }
    return contents
  }
  return try Configuration.load(
    file: "onair.toml", overrides: overrides, environment: environment, files: files)
}

/// The problems that are reported for `toml`, one line each.
func complaints(
  _ toml: String, set overrides: [String] = [], environment: [String: String] = [:],
  others: [String: File.Contents] = [:]
) -> [String] {
  do throws(ConfigurationError) {
    _ = try load(toml, set: overrides, environment: environment, others: others)
    return []
  } catch {
    return error.problems.map(\.description)
  }
}

/// A problem without "onair.toml:3:1: " at its start.
func withoutPlace(_ problem: String) -> String {
  String(problem.drop { $0 != " " }.dropFirst())
}

/// A file that contains `text`.
func file(_ text: String, isReadableByAll: Bool = false) -> File.Contents {
  File.Contents(bytes: Array(text.utf8), isReadableByAll: isReadableByAll)
}
