// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
package import Posix
package import Settings
internal import Studio
internal import Synchronization
package import Video

/// The stills that a person may upload.
package enum StillName: String, CaseIterable {
  case pause, camera, network

  /// The setting that names its file.
  package var setting: String {
    switch self {
    case .pause: "pause.image"
    case .camera: "slate.camera_image"
    case .network: "slate.network_image"
    }
  }

  package func path(_ settings: Settings) -> String {
    switch self {
    case .pause: settings.pause.image
    case .camera: settings.slate.cameraImage
    case .network: settings.slate.networkImage
    }
  }

  package var builtIn: StillImage.BuiltIn {
    switch self {
    case .pause: .pause
    case .camera: .noCamera
    case .network: .poorNetwork
    }
  }
}

/// Keeps uploaded stills in a folder of the state directory.
///
/// A still is written under a new name and flushed; then the setting names it; then older ones are removed. After a power
/// cut at any moment the setting names a whole file.
package final class StillUploads: Sendable {
  package enum Fault: Error {
    /// Another upload is under way.
    case busy
    case tooLong
    case notSaved(SystemError)
    /// It is no image that can be shown: why.
    case unfit(String)
  }

  private let folder: String
  private let isTaken = Mutex(false)

  /// - Parameter directory: the state directory.
  package init(directory: String) { folder = "\(directory)/stills" }

  /// An image that is being uploaded. Without `finish` it is removed.
  package final class Upload: Sendable {
    private let uploads: StillUploads
    private let file: FileUpload

    fileprivate init(_ uploads: StillUploads, _ still: StillName) throws(Fault) {
      self.uploads = uploads
      File.makePrivateFolder(uploads.folder)
      do throws(FileUpload.Fault) {
        file = try FileUpload(
          "\(uploads.folder)/\(still.rawValue).upload", limit: StillImage.maxBytes
        ) {
          uploads.isTaken.withLock { $0 = false }
        }
      } catch {
        throw Fault(error)
      }
    }

    package func write(_ bytes: [UInt8]) throws(Fault) {
      do throws(FileUpload.Fault) { try file.write(bytes) } catch { throw Fault(error) }
    }

    /// Finds out whether the image can be shown; removes it if not. Slow.
    package func check() throws(Fault) {
      do throws(StillError) {
        try StillImages.shared.check(file.path)
      } catch {
        file.end()
        throw .unfit("The image \(error.sentence).")
      }
    }

    /// Flushes the image and gives it its final name.
    /// - Returns: its path.
    package func finish(_ still: StillName) throws(Fault) -> String {
      // The same name would be read again in the middle of a replacement.
      let name = "\(still.rawValue)-\(UInt64.random(in: 0...(.max)))"
      do throws(FileUpload.Fault) { try file.keep(as: name) } catch { throw Fault(error) }
      return "\(uploads.folder)/\(name)"
    }
  }

  package func begin(_ still: StillName) throws(Fault) -> Upload {
    let isFree = isTaken.withLock { isTaken in
      defer { isTaken = true }
      return !isTaken
    }
    guard isFree else { throw .busy }
    do throws(Fault) {
      return try Upload(self, still)
    } catch {
      isTaken.withLock { $0 = false }
      throw error
    }
  }

  /// Removes the uploaded files of a still but for the one in use.
  package func clean(_ still: StillName, keeping path: String) {
    for name in File.names(in: folder)
    where name.hasPrefix("\(still.rawValue)-") && "\(folder)/\(name)" != path {
      _ = unsafe unlink("\(folder)/\(name)")
    }
  }
}

extension StillUploads.Fault {
  fileprivate init(_ fault: FileUpload.Fault) {
    self =
      switch fault {
      case .tooLong: .tooLong
      case .notSaved(let error): .notSaved(error)
      }
  }

  package var reply: ControlReply {
    switch self {
    case .busy:
      ControlReply(fault: "busy", "Another image is being uploaded: try again afterwards.")
    case .tooLong:
      ControlReply(fault: "too_long", "An image has at most \(StillImage.maxBytes >> 20) MB.")
    case .notSaved(let error):
      ControlReply(
        fault: "not_saved",
        "The image cannot be saved (\(error)), and nothing has changed: free some space.")
    case .unfit(let sentence): ControlReply(fault: "unfit_image", sentence)
    }
  }
}
