// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// The threads that answer HTTP requests give way to those of the media path.
enum LowPriority {
  /// nice(2): such a thread gets a tenth of the processor time of a normal one where both want it.
  private static let nice: Int32 = 10

  /// Lowers the priority of this thread. Linux counts it by thread (setpriority(2), "C library/kernel differences").
  static func apply() {
    let thread = __priority_which_t(PRIO_PROCESS.rawValue)
    if getpriority(thread, 0) < nice { _ = setpriority(thread, 0, nice) }
  }
}
