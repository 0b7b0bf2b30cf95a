// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The stills, each with a setting that may name an image for it.
package enum StillName: String, CaseIterable, Sendable {
  case pause, camera, network

  /// The setting that names its file.
  package var setting: String {
    switch self {
    case .pause: "pause.image"
    case .camera: "slate.camera_image"
    case .network: "slate.network_image"
    }
  }

  /// Its file; empty for the built-in image.
  package func path(_ settings: Settings) -> String {
    switch self {
    case .pause: settings.pause.image
    case .camera: settings.slate.cameraImage
    case .network: settings.slate.networkImage
    }
  }
}
