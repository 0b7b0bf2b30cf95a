// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Reads a guest: a stand-in until the reader is there.
enum GuestReader {
  static func run(_ input: GuestInputRequest, output: any GuestOutput, clock: MediaClock) {
    output.tell(.failed(.noReader, detail: ""))
  }
}
