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

/// Checks whether the images of overlays can be shown, and whether the kernel confines the programs of filters.
/// - Returns: sentences for the user. `unfit`: about images that cannot be shown. `remarks`: about images that are
///   shown much larger or smaller than their own size, and about programs that this kernel cannot confine.
public func checkOverlaysAndFilters(
  _ settings: Settings
) -> (unfit: [String], remarks: [String]) {
  let images = settings.overlayImages()
  return (images.unfit, images.remarks + settings.unconfinedFilters)
}
