// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Synchronization

/// Makes JPEG snapshots of the newest video frame, one at a time. Each snapshot is made on a new thread, which ends
/// when the snapshot is finished.
final class Snapshots: Sendable {
  /// The age up to which a snapshot is reused for further requests, in nanoseconds.
  private static let reuseNanos: Int64 = .milliseconds(100)

  /// A finished snapshot.
  private struct Made {
    var bytes: [UInt8]
    /// The number of the fragment that contains the frame.
    var fragmentNumber: Int
    var madeAt: MediaTime
  }

  /// A caller that waits for a snapshot.
  private typealias Waiting = CheckedContinuation<Result<[UInt8], PreviewError>, Never>

  /// The newest snapshot and the callers that wait for the next one, which a mutex protects.
  private struct State {
    var newest: Made?
    var waiting: [Waiting] = []
    var isWorking = false
    /// The decoder to reuse for the next snapshot; `nil` if there is none, or while a snapshot is being made with it.
    var decoder: SnapshotDecoder?
    /// The number of calls of `forget`.
    var forgetCount = 0
  }

  /// The store of the newest MP4 fragments, whose frames are decoded.
  private let fragments: Fragments
  /// The clock from which the present time is read.
  private let clock: MediaClock
  private let state = Mutex(State())

  init(fragments: Fragments, clock: MediaClock) {
    self.fragments = fragments
    self.clock = clock
  }

  /// The newest video frame as JPEG; several waiting callers get the same snapshot.
  /// - Throws: `noPicture` or `undecodable`; `busy` if the system cannot create a thread; or what is wrong with the
  ///   preview, such as `noLibrary` or `closed`.
  func snapshot() async throws(PreviewError) -> [UInt8] {
    if let bytes = reusable { return bytes }
    let result = await withCheckedContinuation { (continuation: Waiting) in
      let starts = state.withLock { state in
        state.waiting.append(continuation)
        defer { state.isWorking = true }
        return !state.isWorking
      }
      if starts { work() }
    }
    return try result.get()
  }

  /// Frees the decoder and the newest snapshot. A snapshot that is being made is returned, but not kept for reuse.
  func forget() {
    state.withLock { state in
      state.newest = nil
      state.decoder = nil
      state.forgetCount += 1
    }
  }

  /// The newest snapshot; `nil` if it is older than `reuseNanos`, or if the store no longer has its frame.
  private var reusable: [UInt8]? {
    guard let newest = state.withLock({ $0.newest }), fragments.holds(newest.fragmentNumber),
      clock.now - newest.madeAt <= Snapshots.reuseNanos
    else { return nil }
    return newest.bytes
  }

  /// Makes a snapshot on a new thread, and answers all waiting callers.
  private func work() {
    do throws(MediaThread.NoThreadError) {
      _ = try MediaThread(attempting: "snapshot", urgency: .background) { [self] in
        var (decoder, forgetCount) = state.withLock { state in
          defer { state.decoder = nil }
          return (state.decoder, state.forgetCount)
        }
        let result = Result { () throws(PreviewError) in try make(&decoder) }
        if case .failure = result { decoder = nil }
        answer(result, decoder, forgetCount)
      }
    } catch {
      answer(.failure(.busy), nil, 0)
    }
  }

  /// Answers all waiting requests, and keeps the snapshot and the decoder.
  /// - Parameter forgetCount: `State.forgetCount` when the work began. If it has changed, nothing is kept.
  private func answer(
    _ result: Result<Made, PreviewError>, _ decoder: SnapshotDecoder?, _ forgetCount: Int
  ) {
    let waiting = state.withLock { state in
      defer { state.waiting = [] }
      state.isWorking = false
      if state.forgetCount == forgetCount {
        state.newest = try? result.get()
        state.decoder = decoder
      }
      return state.waiting
    }
    for continuation in waiting { continuation.resume(returning: result.map(\.bytes)) }
  }

  /// Makes a snapshot of the newest frame. Replaces `decoder` if it is for another initialization segment.
  private func make(_ decoder: inout SnapshotDecoder?) throws(PreviewError) -> Made {
    let group = fragments.newestGroup
    guard let last = group.last else { throw fragments.trouble ?? .noPicture }
    if decoder?.initialization != last.initialization.number {
      decoder = nil
      decoder = try SnapshotDecoder(last.initialization)
    }
    guard let decoder else { throw .undecodable }
    try decoder.decode(group)
    let bytes = try unsafe decoder.withFrame { (frame) throws(PreviewError) in
      try unsafe JPEGWriter.jpeg(of: frame)
    }
    // Do not return a frame that the store has removed in the meantime: it may show something private.
    guard fragments.holds(last.number) else { throw .noPicture }
    return Made(bytes: bytes, fragmentNumber: last.number, madeAt: clock.now)
  }
}
