// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A viewer of the server.
struct Viewer {
  private(set) var newest = 0.0
  /// Number of the frame that is shown.
  private var last = 0
  private var slots: [(slot: Int, quality: Double)] = []

  mutating func take(_ message: VirtualMessage) {
    guard message.kind == .key || message.kind == .picture && message.number == last + 1 else {
      return
    }
    last = message.number
    newest = max(newest, message.capturedAt)
    slots.append((Int(message.capturedAt * VirtualStream.framesPerSecond + 0.5), message.quality))
  }

  /// The mean over all thirtieths of a second. A frozen frame loses quality the longer it is shown; a still does not.
  func quality(seconds: Double) -> Double {
    let count = Int(seconds * VirtualStream.framesPerSecond)
    guard count > 0 else { return 0 }
    var sum = 0.0
    var index = 0
    var last = 0.0
    for slot in 0..<count {
      while index < slots.count, slots[index].slot < slot { index += 1 }
      if index < slots.count, slots[index].slot == slot {
        last = slots[index].quality
      } else if last != VirtualStream.stillQuality {
        last = max(0.2, last * 0.97)
      }
      sum += last
    }
    return sum / Double(count)
  }
}
