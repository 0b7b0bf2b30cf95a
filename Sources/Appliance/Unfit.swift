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

/// Examines the images of overlays, and the filters that are programs.
/// - Returns: `unfit`: sentences about images that cannot be shown. `remarks`: sentences about images that are shown
///   much larger or smaller than their own size, and about programs that this kernel cannot confine.
public func unfitOverlays(_ settings: Settings) -> (unfit: [String], remarks: [String]) {
  let images = settings.overlayImages()
  return (images.unfit, images.remarks + settings.unconfinedFilters)
}
