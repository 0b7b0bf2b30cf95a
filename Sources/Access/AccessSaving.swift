// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Synchronization

/// Changes of the access record. All of them run on `diskThread`, one after the other. Between two of them, only the
/// sessions' times of last use change.
extension Access {
  /// Saves a change of the access record on the disk, then puts the change in force. If it cannot be saved, nothing
  /// changes.
  func saveThenChange(
    _ edit: @escaping @Sendable (inout AccessFile.Contents) throws(AccessError) -> Void
  ) async throws(AccessError) {
    try await runOnDiskThread { [self] () throws(AccessError) in
      let old = state.withLock { $0.contents }
      var contents = old
      try edit(&contents)
      let record = try contents.record
      do throws(AccessError) {
        try file.save(record)
      } catch {
        // The new file may exist although flushing its folder has failed. Remove it, so that a restart does not use it.
        if case .missing = old { try? file.remove() }
        state.withLock { $0.isSaveDue = true }
        throw error
      }
      commit(record, isSaved: true)
      if case .missing = old { mark?.set() }
    }
  }

  /// Changes the access record at once. If the change cannot be saved, a later request tries to save it again.
  func changeThenSave(
    _ edit: @escaping @Sendable (inout AccessRecord) throws(AccessError) -> Void
  ) async throws(AccessError) {
    try await runOnDiskThread { [self] () throws(AccessError) in
      var record = try record()
      try edit(&record)
      commit(record, isSaved: false)
      saveAgain()
    }
  }

  /// Writes the access record to the file, and reports a failure if it is the first since the file was last written.
  /// Must be called on `diskThread`.
  func saveAgain() {
    guard let record = try? record() else { return }
    let isFirst: Bool
    do throws(AccessError) {
      try file.save(record)
      commit(record, isSaved: true)
      return
    } catch {
      let next = clock.now + Self.retryNanos
      isFirst = state.withLock { state in
        defer { state.isFailureReported = true }
        (state.isSaveDue, state.nextSave) = (true, next)
        return !state.isFailureReported
      }
      guard isFirst, case .notSaved(let directory, let reason) = error else { return }
      report(.notSaved(directory: directory, reason: reason))
    }
  }

  /// Puts a changed record in force, and reports `saved` if it is the first that could be saved after a failure.
  /// - Parameter isSaved: whether the record is already written to the file.
  private func commit(_ record: AccessRecord, isSaved: Bool) {
    let isMended = state.withLock { state in
      var record = record
      if isSaved { record.sessions.noteWritten() }
      if case .record(let present) = state.contents {
        record.sessions.mergeLastUses(of: present.sessions)
      }
      state.contents = .record(record)
      state.code = nil
      state.isPasswordLost = false
      state.isSaveDue = !isSaved
      guard isSaved else { return false }
      state.nextSave = .distantPast
      defer { state.isFailureReported = false }
      return state.isFailureReported
    }
    if isMended { report(.saved) }
  }

  /// Runs `body` on `diskThread`, after the changes that wait already.
  func runOnDiskThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws(AccessError) -> Value
  ) async throws(AccessError) -> Value {
    let result: Result<Value, AccessError>
    do throws(JobThread.BusyError) {
      result = try await diskThread.run {
        do throws(AccessError) {
          return .success(try body())
        } catch {
          return .failure(error)
        }
      }
    } catch {
      throw .busy
    }
    return try result.get()
  }
}
