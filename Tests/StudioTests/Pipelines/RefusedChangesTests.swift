// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Encode
import Testing

@testable import Studio

@Suite struct RefusedChangesTests {
  private static let kept = EncoderError.settingNotApplied(name: "bitrate", value: "500, not 300")
  private static let rejected = EncoderError.settingNotApplied(name: "rate", value: "unchanged")

  private enum Frame {
    /// Encoded as the one before.
    case unchanged
    case accepted
    /// The change throws.
    case rejected
    /// The encoder shows other settings after the frame.
    case kept
    /// A change is rejected, and then the frame is not encoded.
    case failed
  }

  private func reported(_ frames: Frame...) -> [EncoderError?] {
    var changes = RefusedChanges()
    return frames.map { frame in
      if frame != .unchanged {
        changes.change { () throws(EncoderError) in
          if frame == .rejected || frame == .failed { throw RefusedChangesTests.rejected }
        }
      }
      if frame == .failed { return nil }
      return changes.take(frame == .kept ? RefusedChangesTests.kept : nil)
    }
  }

  @Test func aRefusalIsReportedOnce() {
    let (kept, rejected) = (RefusedChangesTests.kept, RefusedChangesTests.rejected)
    #expect(reported(.accepted, .kept, .kept, .kept) == [nil, kept, nil, nil])
    #expect(reported(.rejected, .rejected, .kept) == [rejected, nil, nil])
  }

  @Test func aFrameWithoutAChangeProvesNothing() {
    let kept = RefusedChangesTests.kept
    #expect(reported(.kept, .unchanged, .kept, .unchanged) == [kept, nil, nil, nil])
  }

  @Test func afterAChangeThatWorkedItIsReportedAgain() {
    let (kept, rejected) = (RefusedChangesTests.kept, RefusedChangesTests.rejected)
    #expect(
      reported(.kept, .accepted, .unchanged, .rejected, .rejected)
        == [kept, nil, nil, rejected, nil])
  }

  /// What was refused while nothing could be encoded is reported with the first frame that can.
  @Test func aRefusalWaitsForAFrame() {
    #expect(reported(.failed, .unchanged) == [nil, RefusedChangesTests.rejected])
    #expect(reported(.failed, .accepted) == [nil, nil])
  }
}
