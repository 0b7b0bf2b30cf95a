// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/* Loops over samples that libyuv does not have, or has without vector instructions for ARM. Clang turns each loop into
 * vector instructions; GCC 12 does not. The loops of filters are in cfilters.h. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Draws a plane of a layer on a plane of a picture.
 *
 * `layer` is premultiplied: no sample is larger than its alpha. Where alpha is 0, the picture's sample stays exactly as
 * it is; where alpha is 255, the result is the layer's sample. If `alpha` is NULL, the layer is opaque, and not
 * premultiplied. `opacity` fades the whole layer; 255 leaves it as it is. Strides are in bytes; `alpha` has the stride
 * of `layer`. */
void onair_blend(
  uint8_t *out, size_t out_stride, const uint8_t *layer, const uint8_t *alpha, size_t layer_stride,
  size_t width, size_t height, uint8_t opacity);

/* The coefficients that convert samples of one matrix and range to another. */
typedef struct {
  /* The factor of luma minus 1, in 512ths: -127 to 127. */
  int16_t luma;
  /* The number that is added to luma, in 64ths, with one half of a step for rounding included. */
  int16_t offset;
  /* The factors with which Cb and Cr, minus 128, count for luma, Cb and Cr, in 512ths: -127 to 127. `cb_to_cb` and
   * `cr_to_cr` are stored minus 1. */
  int16_t cb_to_luma, cr_to_luma, cb_to_cb, cr_to_cb, cb_to_cr, cr_to_cr;
} onair_recolouring;

/* Converts a row of chroma, which has `width` samples of Cb and of Cr.
 *
 * `added` receives what the row contributes to luma, in 64ths, with `offset` included: two equal numbers for each pair
 * of Cb and Cr, one for each column of luma. */
void onair_recolour_chroma(
  uint8_t *out_cb, uint8_t *out_cr, int16_t *added, const uint8_t *cb, const uint8_t *cr,
  size_t width, const onair_recolouring *how);

/* Converts a row of luma. `added` is the result of onair_recolour_chroma for the row of chroma of these pixels. */
void onair_recolour_luma(
  uint8_t *out, const uint8_t *luma, const int16_t *added, size_t width,
  const onair_recolouring *how);

#ifdef __cplusplus
}
#endif
