/* SPDX-FileCopyrightText: 2026 The OnAir authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Decodes PNG with libpng, row by row, since a whole image would take 4 bytes a pixel. On an error libpng leaves its
 * function by longjmp, which must not pass through Swift. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <png.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct onair_png onair_png;

/* Makes a decoder for the bytes of a file, which must stay valid as long as the decoder. Returns NULL without memory. */
onair_png *onair_png_new(const uint8_t *bytes, size_t count);
void onair_png_free(onair_png *png);

/* Reads the header. passes: set to 1, or to 7 for an interlaced image. Returns 0 if the header is damaged. */
int onair_png_begin(onair_png *png, uint32_t *width, uint32_t *height, int *passes);

/* Decodes the next row: blue, green, red (8-bit sRGB) and alpha each. In an interlaced image each pass goes through all
 * rows, and decodes the pixels of that pass. Returns 0 if the image is damaged. */
int onair_png_row(onair_png *png, uint8_t *row);

#ifdef __cplusplus
}
#endif
