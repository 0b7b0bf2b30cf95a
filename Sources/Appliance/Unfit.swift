// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Panel
public import Settings
internal import Studio

/// Finds images and GPIO lines that the settings name but that cannot be used. Requests no GPIO line from the kernel.
/// - Returns: a sentence for each.
public func unfitImagesAndLines(_ settings: Settings) -> [String] {
  settings.unfitImages().map { "\($0.key): \($0.reason)." } + PanelLines(settings.panel).missing
}

/// Examines the images of overlays.
/// - Returns: sentences about those that cannot be shown, and about those that are shown much larger or smaller than they
///   are.
public func unfitOverlays(_ settings: Settings) -> (unfit: [String], remarks: [String]) {
  let found = settings.overlayImages()
  return (found.unfit, found.remarks)
}
