// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Posix

extension Form {
  /// Reads a settings file, adds its values, and reports its syntax errors.
  /// - Returns: the contents of the file.
  mutating func add(
    file: String, _ read: FileReader
  ) throws(ConfigurationError) -> File.Contents {
    let contents: File.Contents
    do throws(FileError) {
      contents = try read(file, Document.maxBytes)
    } catch .tooLong {
      let fault = DocumentText.tooLong
      throw .invalid([
        Problem(place: .file(file, fault.position), key: nil, sentence: fault.sentence)
      ])
    } catch {
      throw .unreadableFile(Problem(place: .wholeFile(file), key: nil, sentence: error.sentence))
    }
    let document = Document(contents.bytes)
    for leaf in document.leaves {
      add(leaf.path, leaf.raw, at: .file(file, leaf.position), from: .file)
    }
    for fault in document.faults {
      report(nil, fault.sentence, at: .file(file, fault.position))
      hasSyntaxErrors = true
    }
    return contents
  }

  /// Adds the value of one `--set` argument, `KEY=VALUE`. The value may be in quotes, as in the settings file.
  mutating func add(override: String) {
    guard let equals = override.firstIndex(of: "=") else {
      // Do not quote the argument: the argument may be a secret value without its key.
      report(nil, "write KEY=VALUE, as in video.fps=25", at: .commandLine)
      return
    }
    let key = trimmed(override[..<equals])
    var value = trimmed(override[override.index(after: equals)...])
    if value.count >= 2, let quote = value.first, quote == "\"" || quote == "'",
      value.last == quote
    {
      value = value.dropFirst().dropLast()
    }
    let path = key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    add(path, .word(String(value)), at: .commandLine, from: .commandLine)
  }

  /// `text` without the spaces and tabs at its start and end.
  private func trimmed(_ text: Substring) -> Substring {
    let start = text.drop { $0 == " " || $0 == "\t" }
    guard let last = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
    return start[...last]
  }
}
