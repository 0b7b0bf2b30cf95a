// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Synchronization

/// Makes snapshots of the newest frame: one at a time, on a thread that exists while one is made.
final class Snapshots: Sendable {
  /// Requests within this time share a snapshot, in nanoseconds.
  private static let reuseNanos: Int64 = .milliseconds(100)

  private struct Made {
    var bytes: [UInt8]
    /// The fragment with the frame.
    var fragment: Int
    var at: MediaTime
  }

  private typealias Waiting = CheckedContinuation<Result<[UInt8], PreviewError>, Never>

  private struct State {
    var newest: Made?
    var waiting: [Waiting] = []
    var isWorking = false
    /// `nil` while the thread works, which has it then.
    var decoder: SnapshotDecoder?
    /// How often it was forgotten.
    var forgotten = 0
  }

  private let fragments: Fragments
  private let clock: MediaClock
  private let state = Mutex(State())

  init(fragments: Fragments, clock: MediaClock) {
    self.fragments = fragments
    self.clock = clock
  }

  /// The newest frame as JPEG.
  /// - Throws: `noPicture` or `undecodable`; `busy` if there is no thread left.
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

  /// Frees the decoder, and the snapshot.
  func forget() {
    state.withLock { state in
      state.newest = nil
      state.decoder = nil
      state.forgotten += 1
    }
  }

  /// The newest snapshot, if it is fresh. A cut hides it, too.
  private var reusable: [UInt8]? {
    guard let newest = state.withLock({ $0.newest }), fragments.holds(newest.fragment),
      clock.now - newest.at <= Snapshots.reuseNanos
    else { return nil }
    return newest.bytes
  }

  private func work() {
    do throws(MediaThread.NoThreadError) {
      _ = try MediaThread(attempting: "snapshot", urgency: .background) { [self] in
        var (decoder, forgotten) = state.withLock { state in
          defer { state.decoder = nil }
          return (state.decoder, state.forgotten)
        }
        let result = Result { () throws(PreviewError) in try make(&decoder) }
        if case .failure = result { decoder = nil }
        answer(result, decoder, forgotten)
      }
    } catch {
      answer(.failure(.busy), nil, 0)
    }
  }

  /// - Parameter forgotten: nothing is kept if it is another number now.
  private func answer(
    _ result: Result<Made, PreviewError>, _ decoder: SnapshotDecoder?, _ forgotten: Int
  ) {
    let waiting = state.withLock { state in
      defer { state.waiting = [] }
      state.isWorking = false
      if state.forgotten == forgotten {
        state.newest = try? result.get()
        state.decoder = decoder
      }
      return state.waiting
    }
    for continuation in waiting { continuation.resume(returning: result.map(\.bytes)) }
  }

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
    // It may have been hidden meanwhile.
    guard fragments.holds(last.number) else { throw .noPicture }
    return Made(bytes: bytes, fragment: last.number, at: clock.now)
  }
}
