// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// A path that does not exist yet, below a new temporary folder.
package func freshDirectory() -> String {
  var template = Array("/tmp/onair-test-XXXXXX".utf8CString)
  unsafe mkdtemp(&template)
  return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    + "/a/b"
}

/// A new folder that only this user may use, as a state directory is. What is beside it is the test's own, too.
package func stateDirectory() -> String {
  let path = freshDirectory()
  for folder in [String(path.dropLast(2)), path] { unsafe mkdir(folder, 0o700) }
  return path
}

/// Whether the test may change the owner of files.
package let isRoot = geteuid() == 0
/// Another user's id.
package let stranger: UInt32 = 54_321
