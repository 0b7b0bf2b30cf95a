// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc

/// Writes the initial corpus into an existing folder, one file for each input.
func writeSeeds(to folder: String) -> Bool {
  for (name, input) in Conversation.seeds {
    precondition(input.count <= longestInput, "\(name) would not be looked at")
    guard let file = unsafe fopen("\(folder)/\(name)", "w") else { return false }
    let written = unsafe input.withUnsafeBytes { bytes in
      unsafe fwrite(bytes.baseAddress, 1, bytes.count, file)
    }
    guard unsafe fclose(file) == 0, written == input.count else { return false }
  }
  return true
}
