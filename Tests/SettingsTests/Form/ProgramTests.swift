// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Testing

@testable import Settings

/// Filters that are processes of their own.
@Suite struct ProgramTests {
  /// The list of the program that runs plug-ins, and that of the settings.
  @Test func bothListsOfPluginsAreTheSame() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(
      contentsOf: root.appending(path: "Sources/onair-filter/plugins.h"), encoding: .utf8)
    let names = text.matches(of: /"([A-Za-z0-9_]+)"/).map { String($0.output.1) }
    #expect(names == Frei0rPlugin.allCases.map(\.rawValue))
    #expect(names.count == 20)
  }

  @Test func aProgramHasTheDefaultsOfTheSources() throws {
    let settings = try load(
      "[[filter]]\nname = \"f\"\nkind = \"outside\"\nprogram = \"beauty-2.py\"\n"
    ).settings
    let program = try #require(settings.filters.first?.program)
    #expect(program.file == "beauty-2.py" && program.parameters.isEmpty)
    #expect(program.bigEye == 30 && program.thinFace == 40)
    #expect(program.shortenFace == 50 && program.cheekPink == 15)
  }

  /// Who may change settings decides which of the owner's programs runs, and no more.
  @Test(arguments: [
    ("kind = \"frei0r\"", "is missing: name the plug-in"),
    ("kind = \"frei0r\"\nplugin = \"curves\"", "must be \"balanc0r\""),
    ("kind = \"frei0r\"\nplugin = \"../brightness\"", "must be \"balanc0r\""),
    ("kind = \"outside\"", "is missing: name the program"),
    ("kind = \"outside\"\nprogram = \"/bin/sh\"", "without a folder"),
    ("kind = \"outside\"\nprogram = \"../onair\"", "without a folder"),
    ("kind = \"outside\"\nprogram = \"media/x\"", "without a folder"),
    ("kind = \"outside\"\nprogram = \".x\"", "without a folder"),
    ("kind = \"outside\"\nprogram = \"x\"\nbig_eye = 101", "a whole number, 0 to 100"),
  ])
  func aMistakeIsTold(fields: String, sentence: String) {
    let told = complaints("[[filter]]\nname = \"a\"\n\(fields)\n")
    #expect(told.contains { $0.contains(sentence) }, "\(told)")
  }
}
