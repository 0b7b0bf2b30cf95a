// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Decides which of several further encodings run beside that of the broadcast. They share the processor, so one begins
/// at a time, and where there is too little room, the one that began last ends alone. Reads no clock and does no I/O: the
/// time is passed in.
public struct SecondEncodings: Sendable {
  /// What is asked of one encoding at one moment.
  public struct Request: Sendable {
    public var isWanted: Bool
    public var load: SecondEncodingRules.Load

    public init(isWanted: Bool, _ load: SecondEncodingRules.Load) {
      (self.isWanted, self.load) = (isWanted, load)
    }
  }

  /// How long it takes until the load shows that an encoding has begun or ended.
  private static let settling = SecondEncodingRules.span

  private var rules: [SecondEncodingRules]
  /// The encodings that run, the one that began last at the end.
  private var running: [Int] = []
  /// The encoding that has begun or ended last, and when; `nil` before the first one.
  private var change: (encoding: Int, at: Duration)?

  public init(count: Int) { rules = Array(repeating: SecondEncodingRules(), count: count) }

  /// - Parameter requests: one for each encoding.
  /// - Returns: which of them are to be encoded.
  public mutating func follow(_ requests: [Request], at now: Duration) -> [Bool] {
    // The newest first: what it frees is left to the others.
    let order = running.reversed() + rules.indices.filter { !running.contains($0) }
    for index in order {
      let isOtherNew = change.map { $0.encoding != index && now - $0.at < Self.settling } ?? false
      let isExcused = rules[index].isRunning && (isOtherNew || running.last != index)
      let runs = rules[index].follow(
        isWanted: requests[index].isWanted, requests[index].load, isExcused: isExcused,
        mayBegin: !isOtherNew, at: now)
      guard runs != running.contains(index) else { continue }
      change = (index, now)
      if runs { running.append(index) } else { running.removeAll { $0 == index } }
    }
    return rules.map(\.isRunning)
  }

  /// Whether an encoding is wanted, but there is no room for it.
  public func isRefused(_ encoding: Int) -> Bool { rules[encoding].isRefused }
}
