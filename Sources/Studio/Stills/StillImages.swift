// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
internal import Posix
internal import Synchronization
package import Video

/// Decodes the image files that the settings name, and remembers which of these files can be shown. Decodes one image
/// at a time, since a board may have little memory. A file that is replaced counts as a new file.
package final class StillImages: Sendable {
  /// The only instance in the process, so that the process decodes one image at a time.
  package static let shared = StillImages()

  /// The maximum number of files for which the result of a check is remembered.
  private static let maxVerdicts = 64
  /// Nanoseconds for which an image that `check` has decoded is kept, so that it can be shown without decoding it
  /// again.
  private static let keepNanos = Int64.seconds(10)

  /// The results of earlier checks, and the image of the last check.
  private struct Known {
    /// The result for each version of a file that was decoded, the oldest first: `error` is the reason why the image
    /// cannot be shown, and `nil` if the image can be shown.
    var verdicts: [(stamp: FileStamp, error: StillError?)] = []
    /// The image that `check` decoded last; `nil` once it is shown or has been kept for too long.
    var latest: (stamp: FileStamp, image: StillImage, at: MediaTime)?
  }

  /// Decodes the image file at a path. Tests inject their own function.
  private let decode: @Sendable (_ path: String) throws(StillError) -> StillImage
  /// Locked while an image is decoded, so that two images are never decoded at the same time.
  private let decoding = Mutex(())
  /// The results of earlier checks, and the image of the last check.
  private let known = Mutex(Known())

  init(
    decode: @escaping @Sendable (_ path: String) throws(StillError) -> StillImage = {
      (path) throws(StillError) in try StillImage(path: path)
    }
  ) {
    self.decode = decode
  }

  /// The decoded image of the file at `path`. Waits while a file is being decoded.
  func image(_ path: String) throws(StillError) -> StillImage {
    if let image = take(path) { return image }
    let outcome = decoding.withLock { _ in
      Result { () throws(StillError) in
        // Another thread may have decoded the image while this thread waited for the lock.
        if let image = take(path) { return image }
        return try decode(path, keeping: false)
      }
    }
    return try outcome.get()
  }

  /// Finds out whether the image of a file can be shown, and throws the reason if it cannot. Returns at once for a file
  /// that was checked before.
  package func check(_ path: String, at now: MediaTime = .now()) throws(StillError) {
    if let verdict = verdict(on: path) { return try verdict.get() }
    let outcome = decoding.withLock { _ in
      Result { () throws(StillError) in
        if let verdict = verdict(on: path) { return try verdict.get() }
        _ = try decode(path, keeping: true, at: now)
      }
    }
    try outcome.get()
  }

  /// Frees the memory of an image that was checked ten seconds ago and has not been shown. To be called regularly.
  package func forgetUnused(_ now: MediaTime) {
    known.withLock { known in
      if let latest = known.latest, now - latest.at >= StillImages.keepNanos { known.latest = nil }
    }
  }

  /// Decodes a file and remembers whether it can be shown.
  /// - Parameter keeping: whether to keep the image for a call of `image`.
  private func decode(
    _ path: String, keeping: Bool, at now: MediaTime = .now()
  ) throws(StillError) -> StillImage {
    let stamp = FileStamp(path: path)
    // The image that was kept is freed first, so that two images are never in memory.
    known.withLock { $0.latest = nil }
    let outcome = Result { () throws(StillError) in try decode(path) }
    if let stamp, stamp == FileStamp(path: path) {
      known.withLock { known in
        known.verdicts.removeAll { $0.stamp == stamp }
        if known.verdicts.count == StillImages.maxVerdicts { known.verdicts.removeFirst() }
        switch outcome {
        case .success(let image):
          known.verdicts.append((stamp, nil))
          if keeping { known.latest = (stamp, image, now) }
        case .failure(.failed), .failure(.forbidden): break
        case .failure(let error): known.verdicts.append((stamp, error))
        }
      }
    }
    return try outcome.get()
  }

  /// Takes the image that `check` has decoded, if it is of the present version of this file.
  private func take(_ path: String) -> StillImage? {
    guard let stamp = FileStamp(path: path) else { return nil }
    return known.withLock { known in
      guard known.latest?.stamp == stamp else { return nil }
      defer { known.latest = nil }
      return known.latest?.image
    }
  }

  /// Whether the present version of a file can be shown; `nil` if this is not known.
  private func verdict(on path: String) -> Result<Void, StillError>? {
    guard let stamp = FileStamp(path: path) else { return nil }
    return known.withLock { known in
      known.verdicts.last { $0.stamp == stamp }.map { verdict in
        verdict.error.map { .failure($0) } ?? .success(())
      }
    }
  }
}
