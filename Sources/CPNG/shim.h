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

// Decodes to 8 bits of sRGB: blue, green, red, alpha (libyuv's ARGB). Frees what `begin` took.
// Returns whether the whole picture is there.
static inline int onair_png_finish(png_image *image, void *pixels) {
  image->format = PNG_FORMAT_BGRA;
  return png_image_finish_read(image, NULL, pixels, 0, NULL) && !PNG_IMAGE_FAILED(*image);
}
