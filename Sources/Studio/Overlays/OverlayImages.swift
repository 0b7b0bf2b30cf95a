// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Overlay
package import Settings
internal import Video

/// What is wrong with the images of overlays, as found by `Settings.overlayImages`.
package struct OverlayImages: Equatable {
  /// A sentence about each image that cannot be shown. It begins with the key of the image's setting.
  package var unfit: [String] = []
  /// A sentence about each image that is shown much larger or smaller than it is in its file, with the size that would
  /// fit. It begins with the key of the image's setting.
  package var remarks: [String] = []
}

extension Settings {
  /// How many times larger or smaller than in its file an image may be shown without a remark.
  private static let mostScale = 2.0

  /// Examines the images of the overlays that are enabled. Slow: it reads each file to its end.
  package func overlayImages() -> OverlayImages {
    var found = OverlayImages()
    for overlay in overlays where overlay.enabled && overlay.kind == .image {
      guard !overlay.file.isEmpty else { continue }
      let key = "overlay.\(overlay.name).file"
      do throws(StillError) {
        let size = try ImageSize.of(path: overlay.file)
        if let remark = remark(size, of: overlay) { found.remarks.append("\(key): \(remark)") }
      } catch {
        found.unfit.append("\(key): \(overlay.file) \(error.sentence).")
      }
    }
    return found
  }

  private func remark(_ size: PictureSize, of overlay: OverlaySettings) -> String? {
    guard let shown = Layer(overlay).size(of: size, on: video.size) else { return nil }
    let scale = max(
      Double(shown.width) / Double(size.width), Double(shown.height) / Double(size.height))
    let text = "the image has \(size) pixels and is shown at \(shown), "
    if scale > Settings.mostScale {
      return text + "more than twice as large, which looks blurred. Take one of \(shown) pixels."
    }
    if scale < 1 / Settings.mostScale {
      return text
        + "less than half as large. One of \(shown) pixels looks the same and is there sooner."
    }
    return nil
  }
}
