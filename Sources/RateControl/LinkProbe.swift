// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A frame that is filled up to a size, so that the link has to carry a burst.
public struct ProbeBurst: Equatable, Sendable {
  /// Rises by one with each burst.
  public var number: UInt32 = 0
  /// The least size of the next frame in bytes.
  public var bytes = 0

  public init() {}
}

/// Decides when a burst is sent to find out whether a weak link has more capacity than is used. Pure.
///
/// A keyframe is such a burst, but it may come late, be small (in a quiet scene) or hardly larger than other frames
/// (of noise). Then the next frame is filled up with bytes that decoders skip. They stay within a share of the bit
/// rate, and are sent only while nothing waits and the rate is below the target.
struct LinkProbe: Sendable {
  /// Share of the video bit rate that filler may use; and in a scene that leaves a part of the rate unused, that part
  /// up to this share.
  static let shares = (busy: 0.06, quiet: 0.2)
  /// While a still is shown: kbit/s of filler.
  static let stillKbps = 32.0
  /// Minimum time between two bursts. It doubles when a burst has misled.
  static let pauses: ClosedRange<Duration> = .milliseconds(400) ... .seconds(3)
  /// Congestion so soon after a burst has shown capacity means that it misled: a shaper may let a large burst pass.
  static let trialSpan = Duration.seconds(3)

  /// The newest burst.
  private(set) var burst = ProbeBurst()
  private var savedBytes = 0.0
  private var updatedAt: Duration?
  private var sentAt = Duration.seconds(-1_000)
  private var pause = LinkProbe.pauses.lowerBound
  /// When a burst last showed capacity.
  private var shownAt: Duration?

  /// The video bit rate and the encoder's use of it in kbit/s.
  enum Load {
    case live(rate: Double, encoded: Double)
    case still

    /// What filler may use.
    var fillerKbps: Double {
      switch self {
      case .live(let rate, let encoded):
        max(LinkProbe.shares.busy * rate, min(rate - encoded, LinkProbe.shares.quiet * rate))
      case .still: LinkProbe.stillKbps
      }
    }
  }

  /// To be called with each reading.
  /// - Parameters:
  ///   - bytes: size of a burst that would show enough capacity; `nil` at the target rate.
  ///   - isClear: nothing waits, so that a burst delays nothing else.
  mutating func update(bytes: Int?, load: Load, isClear: Bool, at now: Duration) {
    let seconds = updatedAt.map { (now - $0) / .seconds(1) } ?? 0
    updatedAt = now
    if let shownAt, now - shownAt >= LinkProbe.trialSpan {
      pause = LinkProbe.pauses.lowerBound
      self.shownAt = nil
    }
    guard let bytes else {
      savedBytes = 0
      return
    }
    savedBytes = min(savedBytes + load.fillerKbps * 125 * seconds, Double(bytes))
    guard isClear, savedBytes >= Double(bytes), now - sentAt >= pause else { return }
    sentAt = now
    savedBytes = 0
    burst.number &+= 1
    burst.bytes = bytes
  }

  /// A burst has shown capacity. The next one, which may show even more, need not be saved for.
  mutating func noteCapacity(at now: Duration) {
    shownAt = now
    savedBytes = .infinity
  }

  mutating func noteCongestion(at now: Duration) {
    guard let shownAt, now - shownAt < LinkProbe.trialSpan else { return }
    pause = min(pause * 2, LinkProbe.pauses.upperBound)
    self.shownAt = nil
  }
}
