/* SPDX-FileCopyrightText: 2026 The OnAir authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Decodes JPEG with libjpeg-turbo: what it is, and whether it is whole. libjpeg ends a function by longjmp, which must not
 * pass through Swift, and its warnings do not tell damage from sloppiness: both stay in this target. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  ONAIR_JPEG_OK,
  /* Not a JPEG, or part of it is missing or damaged. */
  ONAIR_JPEG_BROKEN,
  /* A whole image of a kind that libjpeg does not decode: see `precision` and `process`. */
  ONAIR_JPEG_UNSUPPORTED,
  /* It needs more memory than allowed. */
  ONAIR_JPEG_TOO_LARGE,
} onair_jpeg_result;

typedef struct {
  /* In pixels. */
  uint32_t width;
  uint32_t height;
  /* Whether the channels are Y, Cb and Cr, or Y alone. */
  int is_planar;
  int channels;
  /* Of each channel, in samples. */
  uint32_t plane_widths[4];
  uint32_t plane_heights[4];
  /* Of an unsupported image: bits of a channel, or 0; and the marker of the frame (ITU-T T.81, table B.1), or 0. */
  int precision;
  int process;
} onair_jpeg_info;

typedef struct onair_jpeg onair_jpeg;

/* NULL without memory. */
onair_jpeg *onair_jpeg_new(void);
void onair_jpeg_free(onair_jpeg *jpeg);

/* Reads the header, also after an image that was not read to its end. The bytes stay valid until the last row. */
onair_jpeg_result onair_jpeg_begin(
  onair_jpeg *jpeg, const uint8_t *bytes, size_t count, onair_jpeg_info *info);

/* Decodes the planes of an image that has them.
 * strides: at least the plane's width, rounded up to 8. rows: of which each has room. */
onair_jpeg_result onair_jpeg_planes(
  onair_jpeg *jpeg, uint8_t *const planes[3], const int strides[3], const int rows[3]);

/* Prepares to decode rows of an image that is smaller by `shrink` (1, 2, 4 or 8).
 * memory: bytes that libjpeg may take. width, height: receive the size, rounded up. */
onair_jpeg_result onair_jpeg_begin_rows(
  onair_jpeg *jpeg, int shrink, size_t memory, uint32_t *width, uint32_t *height);

/* Decodes the next row: blue, green, red and 255 each. After the last one it tells whether all was whole. */
onair_jpeg_result onair_jpeg_row(onair_jpeg *jpeg, uint8_t *row);

#ifdef __cplusplus
}
#endif
