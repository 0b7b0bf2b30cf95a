// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Chooses the picture size and the frame rate for a video bit rate. Reads no clock and does no I/O: the time is passed
/// in.
struct PictureShape: Sendable {
  /// The reduced picture size; `nil` for the size of the settings.
  private(set) var rung: VideoLadder.Rung?
  /// One of this many frames is encoded: 1 for every frame, 2 for every second one.
  private(set) var frameStep = 1
  /// Since when another size has suited the bit rate better; `nil` while the present size suits it.
  private var resizeSince: Duration?

  /// Chooses size and frame rate anew. To be called with each new rate.
  /// - Parameters:
  ///   - rate: the present video bit rate in kbit/s. It is lower than `sustained` while a backlog is drained.
  ///   - sustained: the video bit rate that the link can carry lastingly, in kbit/s.
  mutating func follow(
    rate: Double, sustained: Double, _ limits: BitrateController.Limits, at now: Duration
  ) {
    renewRung(sustained: sustained, limits, at: now)
    frameStep = suitableFrameStep(rate: rate, limits)
  }

  /// Chooses the size. A new size needs a keyframe, and viewers see the change, so the size changes only after the
  /// other size has suited the bit rate for a while.
  private mutating func renewRung(
    sustained: Double, _ limits: BitrateController.Limits, at now: Duration
  ) {
    let suitable = suitableRung(sustained: sustained, limits)
    guard suitable != rung else {
      resizeSince = nil
      return
    }
    let since = resizeSince ?? now
    resizeSince = since
    let isSmaller = (suitable?.kbps ?? .max) < (rung?.kbps ?? .max)
    guard now - since >= (isSmaller ? .milliseconds(1_500) : .seconds(5)) else { return }
    rung = suitable
    resizeSince = nil
  }

  /// The picture size that suits the bit rate `sustained`, in kbit/s; `nil` for the size of the settings.
  private func suitableRung(
    sustained: Double, _ limits: BitrateController.Limits
  ) -> VideoLadder.Rung? {
    guard limits.allowsResize, limits.mode != .fixed, sustained < Double(limits.targetKbps) else {
      return nil
    }
    var upper = Double(limits.targetKbps)
    var chosen: VideoLadder.Rung?
    for lower in VideoLadder.rungs
    where lower.width * lower.height < limits.width * limits.height && Double(lower.kbps) < upper {
      let half = (upper + Double(lower.kbps)) / 2
      let bound = limits.mode == .fluency ? half : Double(lower.kbps) * 1.2
      // Hysteresis: the size returns at a rate 10 % higher than the one at which it was reduced.
      let isReducedAlready = rung.map { $0.kbps <= lower.kbps } ?? false
      guard sustained < (isReducedAlready ? bound * 1.1 : bound) else { break }
      chosen = lower
      upper = Double(lower.kbps)
    }
    return chosen
  }

  /// The frame step, 1 to 3, that suits the bit rate `rate`, in kbit/s.
  private func suitableFrameStep(rate: Double, _ limits: BitrateController.Limits) -> Int {
    guard limits.mode == .resolution || limits.mode == .custom else { return 1 }
    let size = rung.map { ($0.width, $0.height) } ?? (limits.width, limits.height)
    let good = VideoLadder.goodKbps(width: size.0, height: size.1)
    let share = rate / min(good, Double(limits.targetKbps))
    return switch frameStep {
    case 1: share < 0.4 ? 2 : 1
    case 2: share < 0.25 ? 3 : share > 0.5 ? 1 : 2
    default: share > 0.32 ? 2 : 3
    }
  }
}
