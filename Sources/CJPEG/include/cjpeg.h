/* SPDX-FileCopyrightText: 2026 The OnAir authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Examines and decodes JPEG with libjpeg-turbo, and detects incomplete images. On an error libjpeg leaves its function
 * by longjmp, which must not pass through Swift, and its warnings do not distinguish damage from harmless
 * irregularities: this target handles both. */
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
  /* The image needs more memory than is allowed. */
  ONAIR_JPEG_TOO_LARGE,
} onair_jpeg_result;

typedef struct {
  /* The size in pixels. */
  uint32_t width;
  uint32_t height;
  /* Whether the channels are Y, Cb and Cr, or Y alone. */
  int is_planar;
  int channels;
  /* The size of each channel's plane, in samples. */
  uint32_t plane_widths[4];
  uint32_t plane_heights[4];
  /* Only for an unsupported image: the number of bits of a channel, and the marker of the frame (ITU-T T.81, table
   * B.1); 0 if not known. */
  int precision;
  int process;
} onair_jpeg_info;

typedef struct onair_jpeg onair_jpeg;

/* Makes a decoder. Returns NULL without memory. */
onair_jpeg *onair_jpeg_new(void);
void onair_jpeg_free(onair_jpeg *jpeg);

/* Reads the header of an image. The image before may have been left unfinished. `bytes` must stay valid until the last
 * row is decoded. */
onair_jpeg_result onair_jpeg_begin(
  onair_jpeg *jpeg, const uint8_t *bytes, size_t count, onair_jpeg_info *info);

/* Decodes the planes of an image that `is_planar`.
 * strides: at least each plane's width, rounded up to 8. rows: the number of rows that each plane has room for. */
onair_jpeg_result onair_jpeg_planes(
  onair_jpeg *jpeg, uint8_t *const planes[3], const int strides[3], const int rows[3]);

/* Prepares to decode the rows of the image, shrunk by the factor `shrink` (1, 2, 4 or 8).
 * memory: bytes that libjpeg may allocate. width, height: receive the size, rounded up. */
onair_jpeg_result onair_jpeg_begin_rows(
  onair_jpeg *jpeg, int shrink, size_t memory, uint32_t *width, uint32_t *height);

/* Decodes the next row: blue, green, red and 255 each. The result of the last row shows if the image is complete. */
onair_jpeg_result onair_jpeg_row(onair_jpeg *jpeg, uint8_t *row);

#ifdef __cplusplus
}
#endif
