// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import TestSupport
import Testing

@testable import Video

/// Which programs may be filters: none that anybody but the box's owner could have put there.
@Suite struct FilterToolsTests {
  private let folder = stateDirectory()
  private var tools: FilterTools { FilterTools(launcher: "/bin/true", own: folder) }

  private func write(_ name: String, mode: mode_t = 0o755) {
    _ = FileManager.default.createFile(atPath: "\(folder)/\(name)", contents: Data("x".utf8))
    _ = unsafe chmod("\(folder)/\(name)", mode)
  }

  private func reason(_ name: String) -> String? {
    do throws(FilterFault) {
      _ = try tools.path(of: name)
      return nil
    } catch {
      return error.reason
    }
  }

  @Test(arguments: [
    "", ".", "..", "../onair", "/bin/sh", "a/b", ".hidden", "a b", "a\n", "ä", "a\0",
    String(repeating: "a", count: 65),
  ])
  func aNameIsNoPath(_ name: String) {
    #expect(!FilterTools.isName(name))
    #expect(reason(name) == "has no program: name one")
  }

  @Test func aFileOfOnesOwnFolderIsUsed() throws {
    write("blur-2.py")
    #expect(try tools.path(of: "blur-2.py") == "\(folder)/blur-2.py")
  }

  @Test func whatOthersCanChangeIsNotUsed() {
    write("open", mode: 0o757)
    #expect(reason("open")?.contains("others than root can change it") ?? false)
    write("target")
    _ = unsafe symlink("\(folder)/target", "\(folder)/link")
    #expect(reason("link")?.contains("no regular file") ?? false)
    _ = unsafe mkdir("\(folder)/directory", 0o755)
    #expect(reason("directory")?.contains("no regular file") ?? false)
    _ = unsafe chmod(folder, 0o777)
    #expect(reason("target")?.contains("others than root can change it") ?? false)
  }

  @Test(.enabled(if: isRoot)) func anotherUsersFileIsNotUsed() {
    write("theirs")
    _ = unsafe chown("\(folder)/theirs", stranger, stranger)
    #expect(reason("theirs")?.contains("its owner is not root") ?? false)
  }
}
