// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Overlay
package import Settings
internal import Video

/// The problems of the overlays' images, as found by `Settings.overlayImages`.
package struct OverlayImages: Equatable {
  /// A sentence about each image that cannot be shown. The sentence begins with the key of the image's setting.
  package var unfit: [String] = []
  /// A sentence about each image that is shown much larger or smaller than its size in the file, with the recommended
  /// size. The sentence begins with the key of the image's setting.
  package var remarks: [String] = []
}

extension Settings {
  /// The factor by which an image may be enlarged or reduced without a remark.
  private static let maxScale = 2.0

  /// Checks the images of the enabled overlays. Slow: reads each image file completely.
  package func overlayImages() -> OverlayImages {
    var found = OverlayImages()
    for overlay in overlays where overlay.enabled && overlay.kind == .image {
      guard !overlay.file.isEmpty else { continue }
      let key = "overlay.\(overlay.name).file"
      do throws(StillError) {
        let size = try ImageSizeReader.size(path: overlay.file)
        if let remark = remark(size, of: overlay) { found.remarks.append("\(key): \(remark)") }
      } catch {
        found.unfit.append("\(key): \(overlay.file) \(error.sentence).")
      }
    }
    return found
  }

  /// The advice for an image that is enlarged or reduced too much; `nil` if the image fits.
  /// - Parameter size: the size of the image in its file.
  private func remark(_ size: PictureSize, of overlay: OverlaySettings) -> String? {
    guard let shown = Layer(overlay).size(of: size, on: video.size) else { return nil }
    let scale = max(
      Double(shown.width) / Double(size.width), Double(shown.height) / Double(size.height))
    let text = "the image has \(size) pixels and is shown at \(shown), "
    if scale > Settings.maxScale {
      return text + "more than twice as large, which looks blurred. Take one of \(shown) pixels."
    }
    if scale < 1 / Settings.maxScale {
      return text
        + "less than half as large. One of \(shown) pixels looks the same and is there sooner."
    }
    return nil
  }
}
