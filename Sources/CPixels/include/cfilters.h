// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/* Loops of the filters on a source's picture. All of them work in place on planes whose strides are in bytes. Clang turns
 * each inner loop into vector instructions. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Fills a rectangle of a plane with one value. */
void onair_fill(uint8_t *plane, size_t stride, size_t width, size_t height, uint8_t value);

/* Replaces each block of a rectangle by its mean. A block is `side` samples wide and high; the last block of a row or
 * column also covers the samples that are left over, so that no block is smaller. */
void onair_blocks(uint8_t *plane, size_t stride, size_t width, size_t height, size_t side);

/* A colour correction. Factors are in 128ths, -128 to 128; those from luma to chroma are in 256ths, -128 to 128. The
 * factor of a sample for itself is stored minus 1, so that all zeros change no sample. The magnitudes of the factors of
 * one chroma sample add up to less than 256. The offset is in 32nds. Chroma counts from 128. */
typedef struct {
  int16_t luma, cb_to_luma, cr_to_luma, luma_offset;
  int16_t luma_to_cb, cb, cr_to_cb;
  int16_t luma_to_cr, cr, cb_to_cr;
} onair_grading;

/* Corrects a row of chroma, which has `width` samples of Cb and of Cr, by the two rows of luma that belong to it.
 * `added` receives what the row contributes to luma: two equal numbers for each pair of Cb and Cr. If `added` is NULL,
 * only the factors `cb` and `cr` are used. */
void onair_grade_chroma(
  uint8_t *cb, uint8_t *cr, int16_t *added, const uint8_t *luma, size_t luma_stride, size_t width,
  const onair_grading *how);

/* Corrects a row of luma. `added` is the result of onair_grade_chroma for the row of chroma of these samples; NULL if
 * chroma contributes nothing. */
void onair_grade_luma(uint8_t *luma, const int16_t *added, size_t width, const onair_grading *how);

/* Sharpens luma by its difference from a blurred copy.
 * `amount` is the weight of the difference in 64ths, 0 to 127. `sums` has room for `width` + 2 numbers, `row` for
 * `width`. */
void onair_sharpen(
  uint8_t *luma, size_t stride, size_t width, size_t height, int16_t amount, uint16_t *sums,
  uint8_t *row);

/* The settings of the skin filter. */
typedef struct {
  /* How likely a colour is skin, 0 to 255: indexed by Cb / 2 * 128 + Cr / 2. */
  const uint8_t *colours;
  /* How likely a luma value is skin, 0 to 255. */
  const uint8_t *brightness;
  /* Variances of luma well below this one are smoothed away, and those well above are kept. */
  float variance;
  /* The weights of smoothed luma and of white where the picture shows skin, 0 to 1 each. */
  float smoothing, whitening;
  /* The luma value of white. */
  float white;
} onair_skin;

/* The planes of the skin filter at a quarter of the picture's width and height. Each has width * height samples without
 * padding. */
typedef struct {
  size_t width, height;
  /* The shrunk picture. */
  uint8_t *luma, *cb, *cr;
  /* How likely each sample is skin, 0 to 255 in 128ths, averaged over some frames. Zero before the first frame. */
  int16_t *history;
  /* `history` without fractions: the result for chroma. */
  uint8_t *mask;
  /* The results for luma: each sample y becomes y - y * `taken` / 256 + `added`. */
  uint8_t *taken, *added;
  /* Scratch memory: two planes, and rows of `width` + 16 numbers. */
  uint16_t *first, *second;
  uint16_t *sums;
  uint32_t *squares;
} onair_skin_planes;

/* Computes mask, taken and added from the shrunk picture. `share` gives the weight of this frame in the history: 0 for
 * 1, 1 for 1/2, 2 for 1/4 and so on. */
void onair_skin_plan(const onair_skin_planes *planes, const onair_skin *how, int share);

/* Applies the results `taken` and `added`, which have been enlarged to the size of luma. */
void onair_skin_luma(
  uint8_t *luma, size_t stride, const uint8_t *taken, const uint8_t *added, size_t by_stride,
  size_t width, size_t height);

/* Adds the mask, enlarged to the size of chroma, times `by` / 2048 to a plane of chroma; `by` is -128 to 127. */
void onair_skin_chroma(
  uint8_t *chroma, size_t stride, const uint8_t *mask, size_t mask_stride, size_t width,
  size_t height, int16_t by);

#ifdef __cplusplus
}
#endif
