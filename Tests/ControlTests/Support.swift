// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import Logging
import Media
import Settings
import Testing

@testable import Control

/// A path that does not exist yet, below a new temporary folder.
func freshDirectory() -> String {
  var template = Array("/tmp/onair-test-XXXXXX".utf8CString)
  unsafe mkdtemp(&template)
  return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    + "/a/b"
}

/// Whether the test may change the owner of files.
let isRoot = geteuid() == 0
/// Another user's id.
let stranger: uid_t = 54_321
