// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Waits for another thread, on the real clock. The limit is for a machine on which many tests run: a task that the condition
/// waits for comes after all tests that have not begun yet.
/// - Returns: whether the condition came true.
package func eventually(_ condition: () -> Bool) -> Bool {
  let deadline = MediaTime.now() + .seconds(600)
  var pause = Int64.milliseconds(1) / 5
  while !condition() {
    if .now() > deadline { return false }
    (MediaTime.now() + pause).sleepUntil()
    pause = min(pause * 2, .milliseconds(5))
  }
  return true
}
