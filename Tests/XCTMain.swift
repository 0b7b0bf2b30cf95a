// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

// The package manager starts the tests here. Without this file it would look for tests of XCTest, of which there are none, in an
// index, and making that takes a part of each build.
@main struct TestRun {
  static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
