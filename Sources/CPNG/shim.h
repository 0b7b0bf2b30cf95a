// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <png.h>
#include <string.h>

// libpng's simplified reading keeps its setjmp to itself; its macros stand here.

// Reads the header: size and kind. Returns whether it is one.
static inline int onair_png_begin(png_image *image, const void *bytes, size_t count) {
  memset(image, 0, sizeof *image);
  image->version = PNG_IMAGE_VERSION;
  return png_image_begin_read_from_memory(image, bytes, count) && !PNG_IMAGE_FAILED(*image);
}

// Whether the file's pixels are numbers of a palette's colours.
static inline int onair_png_has_palette(const png_image *image) {
  return (image->format & PNG_FORMAT_FLAG_COLORMAP) != 0;
}

// Decodes to 8 bits of sRGB: blue, green, red, alpha (libyuv's ARGB), into the pixels, or into the palette's 256
// entries, if there is one. Frees what `begin` took. Returns whether the whole picture is there.
static inline int onair_png_finish(png_image *image, void *pixels, void *palette) {
  image->format = palette ? PNG_FORMAT_BGRA_COLORMAP : PNG_FORMAT_BGRA;
  return png_image_finish_read(image, NULL, pixels, 0, palette) && !PNG_IMAGE_FAILED(*image);
}
