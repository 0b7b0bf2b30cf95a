// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Settings
internal import Video

extension Settings {
  /// The files of images that fill the whole frame, each with the key of its setting.
  package var images: [(key: String, path: String)] {
    [
      ("pause.image", pause.image),
      ("slate.camera_image", slate.cameraImage),
      ("slate.network_image", slate.networkImage),
      ("guests.background_image", allGuests.backgroundImage),
    ].filter { !$0.1.isEmpty }
  }

  /// Those of `images` that cannot be shown: the key of each file's setting, and the reason as a sentence without a
  /// full stop. Slow: each image is decoded, unless the same version of the file was decoded before.
  /// - Parameter isWanted: whether the image of the setting with this key is to be checked.
  package func unfitImages(
    where isWanted: (String) -> Bool = { _ in true }
  ) -> [(key: String, reason: String)] {
    var unfit: [(String, String)] = []
    for (key, path) in images where isWanted(key) {
      do {
        try StillImages.shared.check(path)
      } catch {
        let hint = path.hasPrefix("/") ? "" : " (write the whole path, beginning with /)"
        unfit.append((key, "\(path) \(error.sentence)\(hint)"))
      }
    }
    return unfit
  }
}
