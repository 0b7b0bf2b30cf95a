// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Posix
package import Settings
internal import Studio
package import Video

extension StillName {
  /// The built-in image for this still.
  package var builtIn: StillImage.BuiltIn {
    switch self {
    case .pause: .pause
    case .camera: .noCamera
    case .network: .poorNetwork
    }
  }
}

/// Why a still cannot be uploaded.
package enum StillUploadError: UploadError {
  /// Another upload is under way.
  case busy
  /// The file has more than `StillImage.maxBytes`.
  case tooLong
  /// The file cannot be written to the disk.
  case notSaved(SystemError)
  /// The file is no image that can be shown. The value is a sentence that says why.
  case unfit(String)
}

/// Keeps uploaded stills in a folder of the state directory.
///
/// A still is written to a new file and flushed. Then the setting gets the path of this file, and only then are older
/// files removed. So the setting names a complete file at any time, even after a power cut.
package final class StillUploads: Sendable {
  /// The path of the folder with the uploaded stills.
  private let folder: String
  /// Allows one upload at a time.
  private let slot = UploadSlot()

  /// - Parameter directory: the state directory.
  package init(directory: String) { folder = "\(directory)/stills" }

  /// An image that is being uploaded. It is removed unless `finish` is called.
  package final class Upload: Sendable {
    private let folder: String
    private let file: FileUpload<StillUploadError>

    fileprivate init(_ uploads: StillUploads, _ still: StillName) throws(StillUploadError) {
      folder = uploads.folder
      File.makePrivateFolder(folder)
      file = try FileUpload(
        "\(folder)/\(still.rawValue).upload", limit: StillImage.maxBytes, slot: uploads.slot)
    }

    package func write(_ bytes: [UInt8]) throws(StillUploadError) { try file.write(bytes) }

    /// Checks that the image can be shown, and removes it if not. Slow.
    package func check() throws(StillUploadError) {
      do throws(StillError) {
        try StillImages.shared.check(file.path)
      } catch {
        file.end()
        throw .unfit("The image \(error.sentence).")
      }
    }

    /// Flushes the image and gives it its final name.
    /// - Returns: the path of the file.
    package func finish(_ still: StillName) throws(StillUploadError) -> String {
      // Use a new name each time, since a file could be read while it is being replaced.
      let name = "\(still.rawValue)-\(UInt64.random(in: 0...(.max)))"
      try file.keep(as: name)
      return "\(folder)/\(name)"
    }
  }

  /// Begins the upload of a still.
  package func beginUpload(_ still: StillName) throws(StillUploadError) -> Upload {
    try slot.beginUpload { () throws(StillUploadError) in try Upload(self, still) }
  }

  /// Removes the uploaded files of a still, except the one in use.
  /// - Parameter path: the file in use.
  package func clean(_ still: StillName, keeping path: String) {
    for name in File.names(in: folder)
    where name.hasPrefix("\(still.rawValue)-") && "\(folder)/\(name)" != path {
      File.unlink("\(folder)/\(name)")
    }
  }
}

extension StillUploadError {
  /// The reply to the upload that has failed with this error.
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
