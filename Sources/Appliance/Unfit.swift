// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Panel
public import Settings
internal import Video

/// Looks for images and GPIO lines that the settings name but that cannot be used. Requests no line.
/// - Returns: a sentence each.
public func unfitImagesAndLines(_ settings: Settings) -> [String] {
  let images = [
    ("pause.image", settings.pause.image),
    ("slate.camera_image", settings.slate.cameraImage),
    ("slate.network_image", settings.slate.networkImage),
  ]
  var unfit: [String] = []
  for (setting, path) in images where !path.isEmpty {
    do {
      _ = try StillImage(path: path)
    } catch {
      unfit.append("\(setting): \(path) \(error.sentence).")
    }
  }
  return unfit + PanelPlan(settings.panel).missing
}
