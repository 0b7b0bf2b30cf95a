// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// This machine.
public enum Host {
  /// Its name (gethostname(2)); empty if it has none.
  public static var name: String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let start = buffer.baseAddress, unsafe gethostname(start, 255) == 0 else { return "" }
      unsafe buffer[255] = 0
      return unsafe String(cString: start)
    }
  }
}
