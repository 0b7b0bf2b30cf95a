// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Names a still that OnAir shows instead of live video. For each still, a setting may name an image file.
package enum StillName: String, CaseIterable, Sendable {
  /// The stills for a pause, for a camera that delivers nothing, and for a network that is too slow.
  case pause, camera, network

  /// The key of the setting that names the image file.
  package var setting: String {
    switch self {
    case .pause: "pause.image"
    case .camera: "slate.camera_image"
    case .network: "slate.network_image"
    }
  }

  /// The path of the image file; empty for the built-in image.
  package func path(_ settings: Settings) -> String {
    switch self {
    case .pause: settings.pause.image
    case .camera: settings.slate.cameraImage
    case .network: settings.slate.networkImage
    }
  }
}
