// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
internal import Posix
internal import Synchronization
package import Video

/// Decodes the images of the settings: one at a time, since a board may have little memory, and once, since it takes long.
/// A file that was replaced is another one.
package final class StillImages: Sendable {
  /// Of the whole process, as its memory is.
  package static let shared = StillImages()

  /// Files whose verdict is remembered.
  private static let mostKnown = 64
  /// Time for which an image that was checked waits to be shown.
  private static let keepNanos = Int64.seconds(10)

  private struct Known {
    /// `nil` for an image that can be shown. The latest are the last.
    var verdicts: [(stamp: FileStamp, error: StillError?)] = []
    /// The image that was decoded last.
    var latest: (stamp: FileStamp, image: StillImage, at: MediaTime)?
  }

  private let decode: @Sendable (_ path: String) throws(StillError) -> StillImage
  /// Held while an image is decoded.
  private let decoding = Mutex(())
  private let known = Mutex(Known())

  init(
    decode: @escaping @Sendable (_ path: String) throws(StillError) -> StillImage = {
      (path) throws(StillError) in try StillImage(path: path)
    }
  ) {
    self.decode = decode
  }

  /// The image of a file. It takes as long as that of another file, if that is being decoded.
  func image(_ path: String) throws(StillError) -> StillImage {
    if let image = take(path) { return image }
    let outcome = decoding.withLock { _ in
      Result { () throws(StillError) in
        // It may have been decoded meanwhile.
        if let image = take(path) { return image }
        return try decode(path, keeping: false)
      }
    }
    return try outcome.get()
  }

  /// Finds out whether the image of a file can be shown. At once for a file that is known.
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

  /// Gives back the memory of an image that nobody has shown after it was checked. To be called regularly.
  package func forgetUnused(_ now: MediaTime) {
    known.withLock { known in
      if let latest = known.latest, now - latest.at >= StillImages.keepNanos { known.latest = nil }
    }
  }

  private func decode(
    _ path: String, keeping: Bool, at now: MediaTime = .now()
  ) throws(StillError) -> StillImage {
    let stamp = FileStamp(path: path)
    // Its memory is needed for the next one.
    known.withLock { $0.latest = nil }
    let outcome = Result { () throws(StillError) in try decode(path) }
    if let stamp, stamp == FileStamp(path: path) {
      known.withLock { known in
        known.verdicts.removeAll { $0.stamp == stamp }
        if known.verdicts.count == StillImages.mostKnown { known.verdicts.removeFirst() }
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

  private func take(_ path: String) -> StillImage? {
    guard let stamp = FileStamp(path: path) else { return nil }
    return known.withLock { known in
      guard known.latest?.stamp == stamp else { return nil }
      defer { known.latest = nil }
      return known.latest?.image
    }
  }

  private func verdict(on path: String) -> Result<Void, StillError>? {
    guard let stamp = FileStamp(path: path) else { return nil }
    return known.withLock { known in
      known.verdicts.last { $0.stamp == stamp }.map { verdict in
        verdict.error.map { .failure($0) } ?? .success(())
      }
    }
  }
}
