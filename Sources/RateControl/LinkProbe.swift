// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A burst of data that probes the link: one frame that is padded to a given size.
public struct ProbeBurst: Equatable, Sendable {
  /// The number of the burst, which rises by one with each burst.
  public var number: UInt32 = 0
  /// The size in bytes to which the next frame is padded.
  public var bytes = 0

  public init() {}
}

/// Decides when a burst is sent to find out whether a weak link has more capacity than is used. Reads no clock and does
/// no I/O: the time is passed in.
///
/// A keyframe is such a burst, but it may come late, be small (in a quiet scene) or be hardly larger than other frames
/// (in video noise). In these cases the next frame is padded with bytes that decoders skip (filler). Filler stays
/// within a share of the bit rate, and is sent only while no data is queued and the rate is below the target.
struct LinkProbe: Sendable {
  /// The shares of the video bit rate that filler (bytes that decoders skip) may use. Filler may always use `busy`. If
  /// the encoder leaves more than that of the rate unused, filler may use the unused part, up to `quiet`.
  static let shares = (busy: 0.06, quiet: 0.2)
  /// The bit rate of filler while a still is shown, in kbit/s.
  static let stillKbps = 32.0
  /// The bounds of the minimum time between two bursts. The time doubles when a burst has misled: it showed capacity,
  /// but congestion followed.
  static let pauses: ClosedRange<Duration> = .milliseconds(400) ... .seconds(3)
  /// Congestion within this time after a burst has shown capacity means that the burst misled: a traffic shaper may let
  /// a large one pass.
  static let trialSpan = Duration.seconds(3)

  /// The newest burst.
  private(set) var burst = ProbeBurst()
  /// The number of filler bytes that may be sent now. It grows with time, up to the size of the next burst.
  private var savedBytes = 0.0
  /// When `update` was last called; `nil` before the first call.
  private var updatedAt: Duration?
  /// When the newest burst was requested; far in the past before the first.
  private var requestedAt = Duration.seconds(-1_000)
  /// The present minimum time between two bursts, within `pauses`.
  private var pause = LinkProbe.pauses.lowerBound
  /// When a burst last showed capacity. `nil` before the first such burst, and once it is known whether the burst
  /// misled: when there is congestion, or after `trialSpan` without congestion.
  private var shownAt: Duration?

  /// The kind of video that is being encoded, on which the bit rate of filler depends.
  enum Load {
    /// Live video.
    /// - rate: the bit rate that the video may use, in kbit/s.
    /// - encoded: the bit rate that the encoder produces, in kbit/s.
    case live(rate: Double, encoded: Double)
    /// A still in place of live video.
    case still

    /// The bit rate that filler may use, in kbit/s.
    var fillerKbps: Double {
      switch self {
      case .live(let rate, let encoded):
        max(LinkProbe.shares.busy * rate, min(rate - encoded, LinkProbe.shares.quiet * rate))
      case .still: LinkProbe.stillKbps
      }
    }
  }

  /// Decides whether the next burst is due. To be called with each reading.
  /// - Parameters:
  ///   - bytes: the size of a burst that would show enough capacity; `nil` when no burst is needed.
  ///   - isClear: whether no data is queued, so that a burst delays nothing else.
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
    guard isClear, savedBytes >= Double(bytes), now - requestedAt >= pause else { return }
    requestedAt = now
    savedBytes = 0
    burst.number &+= 1
    burst.bytes = bytes
  }

  /// Notes that a burst has shown capacity. The next burst may show even more, so it need not wait until enough filler
  /// bytes are saved up again.
  mutating func noteCapacity(at now: Duration) {
    shownAt = now
    savedBytes = .infinity
  }

  /// Notes congestion. If a burst has just shown capacity, the burst misled, and the time between bursts doubles.
  mutating func noteCongestion(at now: Duration) {
    guard let shownAt, now - shownAt < LinkProbe.trialSpan else { return }
    pause = min(pause * 2, LinkProbe.pauses.upperBound)
    self.shownAt = nil
  }
}
