// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <png.h>
#include <string.h>

// libpng's simplified API, which handles setjmp itself; Swift cannot import its macros.

// Reads the header. Returns 0 if it is not a PNG header.
static inline int onair_png_begin(png_image *image, const void *bytes, size_t count) {
  memset(image, 0, sizeof *image);
  image->version = PNG_IMAGE_VERSION;
  return png_image_begin_read_from_memory(image, bytes, count) && !PNG_IMAGE_FAILED(*image);
}

// Whether the image has a palette.
static inline int onair_png_has_palette(const png_image *image) {
  return (image->format & PNG_FORMAT_FLAG_COLORMAP) != 0;
}

// Decodes to 8-bit sRGB in the order blue, green, red, alpha (libyuv's ARGB): into the pixels, or into the 256 entries
// of the palette, if there is one. Frees the memory of `begin`. Returns 0 if the image is incomplete.
static inline int onair_png_finish(png_image *image, void *pixels, void *palette) {
  image->format = palette ? PNG_FORMAT_BGRA_COLORMAP : PNG_FORMAT_BGRA;
  return png_image_finish_read(image, NULL, pixels, 0, palette) && !PNG_IMAGE_FAILED(*image);
}
