// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CProcess
internal import Glibc

/// The program that reads guests, and the addresses with which it may connect.
public struct GuestTools: Sendable {
  /// The path of the program. The link leads to the running program, even if an upgrade has replaced its file.
  var program = "/proc/self/exe"
  /// The program's name and its arguments; the number of OnAir's process follows.
  var arguments = ["onair", "guest-reader"]
  /// Whether readers may write to OnAir's standard error, for those who work on OnAir.
  var keepsErrors = unsafe getenv("ONAIR_GUESTS_STDERR") != nil
  /// Whether the kernel keeps readers away from OnAir's files.
  var hasLandlock = GuestTools.kernelHasLandlock
  var rules = AddressRules()

  public init() {}

  /// Whether this kernel can keep a process away from files (landlock(7)). Without it a reader that a guest has taken
  /// over could read OnAir's files.
  public static let kernelHasLandlock = onair_has_landlock() != 0
}
