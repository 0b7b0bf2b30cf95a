// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Posix

/// How fast a stick writes.
public struct StickSpeed: Hashable, Sendable {
  public enum Verdict: Hashable, Sendable {
    case fast
    /// It has less than three times the rate, so that other writes and its wear leave too little.
    case slow
    /// One piece took longer than a second.
    case stalls
    /// It does not have what was written to it.
    case broken
  }

  /// The mean, with each piece flushed.
  public let bytesPerSecond: Int
  /// Nanoseconds that the slowest piece took.
  public let worstNanos: Int64
  /// Whether what was read back is what was written.
  public let isFaithful: Bool

  /// Whether it is fast enough for a recording.
  /// - Parameter rate: bytes a second.
  public func verdict(forBytesPerSecond rate: Int) -> Verdict {
    if !isFaithful { return .broken }
    if bytesPerSecond < rate.multipliedReportingOverflow(by: 3).partialValue { return .slow }
    return worstNanos > .seconds(1) ? .stalls : .fast
  }
}

/// A file on a stick that is written to find out how fast it is.
public protocol SpeedTestFile: ~Copyable {
  /// Appends bytes and waits until they are on the stick.
  mutating func append(_ bytes: [UInt8]) throws(SystemError)
  /// Reads from the stick, not from memory.
  func read(at offset: Int, count: Int) throws(SystemError) -> [UInt8]
}

extension StickSpeed {
  /// The bytes of a piece, about those of a second of a recording.
  static let pieceBytes = 512 << 10
  /// The number of pieces: 16 MiB in all, more than what sticks take at once into a fast part of their memory.
  static let pieceCount = 32
  /// Nanoseconds after which no further piece is written. A stick so slow is known as such.
  static let limitNanos: Int64 = .seconds(30)

  /// Measures by writing up to 16 MiB.
  /// - Parameters:
  ///   - seed: makes the bytes, so that what an earlier measurement left behind is told from them.
  ///   - isOver: whether to give up, asked before each piece: a recording begins, or the program ends.
  /// - Returns: `nil` if it was given up.
  public static func measure(
    _ file: inout some SpeedTestFile & ~Copyable, seed: UInt64, clock: MediaClock,
    isOver: () -> Bool
  ) throws(SystemError) -> StickSpeed? {
    let noise = noise(seed)
    let start = clock.now
    var (count, spent, worst): (Int64, Int64, Int64) = (0, 0, 1)
    while count < pieceCount, clock.now - start < limitNanos {
      if isOver() { return nil }
      let bytes = piece(count, of: noise)
      let begin = clock.now
      try file.append(bytes)
      let nanos = clock.now - begin
      (count, spent, worst) = (count + 1, spent + nanos, max(worst, nanos))
    }
    let last = count - 1
    let read = try file.read(at: Int(last) * pieceBytes, count: pieceBytes)
    return StickSpeed(
      bytesPerSecond: Int(Double(count) * Double(pieceBytes) * 1e9 / Double(max(1, spent))),
      worstNanos: worst, isFaithful: read == piece(last, of: noise))
  }

  /// Bytes that cannot be compressed (splitmix64).
  private static func noise(_ seed: UInt64) -> [UInt8] {
    var state = seed
    let words = (0..<pieceBytes / 8).map { _ in
      state &+= 0x9E37_79B9_7F4A_7C15
      var word = state
      word = (word ^ (word &>> 30)) &* 0xBF58_476D_1CE4_E5B9
      word = (word ^ (word &>> 27)) &* 0x94D0_49BB_1331_11EB
      return word ^ (word &>> 31)
    }
    return unsafe words.withUnsafeBytes { unsafe Array($0) }
  }

  /// The bytes with a number in each page, so that no piece has a page of another one.
  private static func piece(_ number: Int64, of noise: [UInt8]) -> [UInt8] {
    var bytes = noise
    for page in stride(from: 0, to: bytes.count, by: 4_096) { bytes[page] = UInt8(number) }
    return bytes
  }
}
