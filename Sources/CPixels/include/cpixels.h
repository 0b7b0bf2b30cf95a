// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/* Loops over samples that libyuv does not have, or has without vector instructions for ARM. Clang turns each into vector
 * instructions; GCC 12 does not. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Draws a plane of a layer on a plane of a picture.
 *
 * `layer` is premultiplied: no sample is larger than its alpha. An alpha of 0 keeps the picture's sample exactly, and one
 * of 255 gives the layer's. Without `alpha` the layer is opaque, and not premultiplied. `opacity` fades the whole layer.
 * Strides are in bytes; `alpha` has that of `layer`. */
void onair_blend(
  uint8_t *out, size_t out_stride, const uint8_t *layer, const uint8_t *alpha, size_t layer_stride,
  size_t width, size_t height, uint8_t opacity);

/* How samples of one matrix and range become those of another. */
typedef struct {
  /* What luma adds to itself, in 1/512: -127 to 127. */
  int16_t luma;
  /* Added to luma, in 1/64, with a half for rounding. */
  int16_t offset;
  /* What Cb and Cr, less 128, add to luma, to Cb and to Cr, in 1/512: -127 to 127. */
  int16_t cb_to_luma, cr_to_luma, cb_to_cb, cr_to_cb, cb_to_cr, cr_to_cr;
} onair_recolouring;

/* Converts a row of chroma.
 *
 * `added` receives what the row adds to luma, in 1/64: two numbers for each of the `width` pairs. */
void onair_recolour_chroma(
  uint8_t *out_cb, uint8_t *out_cr, int16_t *added, const uint8_t *cb, const uint8_t *cr,
  size_t width, const onair_recolouring *how);

/* Converts a row of luma, which has the chroma of `added`. */
void onair_recolour_luma(
  uint8_t *out, const uint8_t *luma, const int16_t *added, size_t width,
  const onair_recolouring *how);

#ifdef __cplusplus
}
#endif
