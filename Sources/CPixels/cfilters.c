// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "cfilters.h"

#include <string.h>

static inline uint8_t clamped(int16_t value) {
  return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

/* Converts a number in 32nds, to which one half was added for rounding, to a sample. */
static inline uint8_t sample(int16_t value) { return clamped((int16_t)(value >> 5)); }

/* All products below fit into 16 bits: SSE2 cannot multiply 32-bit numbers, and a vector holds only half as many of
 * them. */

/* MARK: The privacy mask */

void onair_fill(uint8_t *plane, size_t stride, size_t width, size_t height, uint8_t value) {
  for (size_t y = 0; y < height; y++) memset(plane + y * stride, value, width);
}

static uint32_t sum(const uint8_t *samples, size_t count) {
  uint32_t total = 0;
  for (size_t x = 0; x < count; x++) total += samples[x];
  return total;
}

void onair_blocks(uint8_t *plane, size_t stride, size_t width, size_t height, size_t side) {
  size_t across = width / side > 0 ? width / side : 1, down = height / side > 0 ? height / side : 1;
  for (size_t row = 0; row < down; row++) {
    size_t top = row * side, bottom = row + 1 < down ? top + side : height;
    for (size_t column = 0; column < across; column++) {
      size_t left = column * side, right = column + 1 < across ? left + side : width;
      uint64_t total = 0, count = (uint64_t)(bottom - top) * (right - left);
      for (size_t y = top; y < bottom; y++) total += sum(plane + y * stride + left, right - left);
      onair_fill(
        plane + top * stride + left, stride, right - left, bottom - top,
        (uint8_t)((total + count / 2) / (count > 0 ? count : 1)));
    }
  }
}

/* MARK: Colour */

static void grade_chroma_alone(uint8_t *restrict chroma, size_t width, int16_t factor) {
  for (size_t x = 0; x < width; x++) {
    int16_t change = (int16_t)((int16_t)((chroma[x] - 128) * factor) >> 2);
    chroma[x] = sample((int16_t)(chroma[x] * 32 + change + 16));
  }
}

/* The sum of two neighbours in each of two rows. */
static inline int16_t sum_of_four(const uint8_t *above, const uint8_t *below) {
  uint16_t one, other;
  memcpy(&one, above, sizeof one);
  memcpy(&other, below, sizeof other);
  return (int16_t)(
    (uint16_t)(one & 255) + (uint16_t)(one >> 8) + (uint16_t)(other & 255)
    + (uint16_t)(other >> 8));
}

static void mix_into_luma(
  int16_t *restrict added, const uint8_t *restrict cb, const uint8_t *restrict cr, size_t width,
  int16_t by_cb, int16_t by_cr) {
  for (size_t x = 0; x < width; x++) {
    int16_t more = (int16_t)((cb[x] - 128) * by_cb + (cr[x] - 128) * by_cr);
    more = (int16_t)(more >> 2);
    added[2 * x] = more;
    added[2 * x + 1] = more;
  }
}

static void mix_chroma(
  uint8_t *restrict cb, uint8_t *restrict cr, const uint8_t *restrict above,
  const uint8_t *restrict below, size_t width, const onair_grading *restrict how) {
  onair_grading by = *how;
  for (size_t x = 0; x < width; x++) {
    int16_t light = (int16_t)(sum_of_four(above + 2 * x, below + 2 * x) + 2);
    light = (int16_t)(light >> 2);
    int16_t blue = (int16_t)(cb[x] - 128), red = (int16_t)(cr[x] - 128);
    int16_t to_blue = (int16_t)(blue * by.cb + red * by.cr_to_cb);
    int16_t to_red = (int16_t)(red * by.cr + blue * by.cb_to_cr);
    int16_t light_to_blue = (int16_t)(light * by.luma_to_cb);
    int16_t light_to_red = (int16_t)(light * by.luma_to_cr);
    to_blue = (int16_t)((int16_t)(to_blue >> 2) + (int16_t)(light_to_blue >> 3));
    to_red = (int16_t)((int16_t)(to_red >> 2) + (int16_t)(light_to_red >> 3));
    cb[x] = sample((int16_t)(cb[x] * 32 + to_blue + 16));
    cr[x] = sample((int16_t)(cr[x] * 32 + to_red + 16));
  }
}

void onair_grade_chroma(
  uint8_t *cb, uint8_t *cr, int16_t *added, const uint8_t *luma, size_t luma_stride, size_t width,
  const onair_grading *how) {
  if (added != NULL) {
    mix_into_luma(added, cb, cr, width, how->cb_to_luma, how->cr_to_luma);
    mix_chroma(cb, cr, luma, luma + luma_stride, width, how);
    return;
  }
  grade_chroma_alone(cb, width, how->cb);
  grade_chroma_alone(cr, width, how->cr);
}

static void grade_luma_alone(
  uint8_t *restrict luma, size_t width, int16_t factor, int16_t offset) {
  for (size_t x = 0; x < width; x++) {
    int16_t change = (int16_t)((int16_t)(luma[x] * factor) >> 2);
    luma[x] = sample((int16_t)(luma[x] * 32 + change + offset));
  }
}

static void grade_luma_by_chroma(
  uint8_t *restrict luma, const int16_t *restrict added, size_t width, int16_t factor,
  int16_t offset) {
  for (size_t x = 0; x < width; x++) {
    int16_t change = (int16_t)(((int16_t)(luma[x] * factor) >> 2) + added[x]);
    luma[x] = sample((int16_t)(luma[x] * 32 + change + offset));
  }
}

void onair_grade_luma(
  uint8_t *luma, const int16_t *added, size_t width, const onair_grading *how) {
  int16_t offset = (int16_t)(how->luma_offset + 16);
  if (added != NULL)
    grade_luma_by_chroma(luma, added, width, how->luma, offset);
  else
    grade_luma_alone(luma, width, how->luma, offset);
}

/* MARK: Sharpen */

static void add_rows(
  uint16_t *restrict sums, const uint8_t *restrict above, const uint8_t *restrict row,
  const uint8_t *restrict below, size_t width) {
  for (size_t x = 0; x < width; x++) sums[x] = (uint16_t)(above[x] + 2 * row[x] + below[x]);
}

static void sharpen_row(
  uint8_t *restrict luma, const uint16_t *restrict sums, size_t width, int16_t amount) {
  for (size_t x = 0; x < width; x++) {
    /* The difference from the mean of the sample and its neighbours, weighted 1 2 1. */
    int16_t mean = (int16_t)((uint16_t)(sums[x] + 2 * sums[x + 1] + sums[x + 2] + 8) >> 4);
    int16_t detail = (int16_t)((int16_t)((luma[x] - mean) * amount + 32) >> 6);
    luma[x] = clamped((int16_t)(luma[x] + detail));
  }
}

void onair_sharpen(
  uint8_t *luma, size_t stride, size_t width, size_t height, int16_t amount, uint16_t *sums,
  uint8_t *row) {
  memcpy(row, luma, width);
  for (size_t y = 0; y < height; y++) {
    uint8_t *present = luma + y * stride;
    /* `row` contains the row above before it was sharpened. */
    add_rows(sums + 1, row, present, y + 1 < height ? present + stride : present, width);
    sums[0] = sums[1];
    sums[width + 1] = sums[width];
    memcpy(row, present, width);
    sharpen_row(present, sums, width, amount);
  }
}

/* MARK: Skin */

enum {
  /* The radii of the windows in which variances and the mask are averaged, in samples of the shrunk picture. */
  SMOOTH_RADIUS = 3,
  MASK_RADIUS = 2,
  /* Extra numbers on both sides of a row of sums. */
  MARGIN = 8
};

static inline size_t row_at(ptrdiff_t y, size_t height) {
  return y < 0 ? 0 : (size_t)y >= height ? height - 1 : (size_t)y;
}

/* Repeats the first and the last sum beyond the ends of a row. */
static void extend16(uint16_t *sums, size_t width) {
  for (size_t x = 1; x <= SMOOTH_RADIUS; x++) {
    sums[-(ptrdiff_t)x] = sums[0];
    sums[width - 1 + x] = sums[width - 1];
  }
}

static void extend32(uint32_t *sums, size_t width) {
  for (size_t x = 1; x <= SMOOTH_RADIUS; x++) {
    sums[-(ptrdiff_t)x] = sums[0];
    sums[width - 1 + x] = sums[width - 1];
  }
}

/* Moves a window of column sums by a row: adds the row `in`, and subtracts the row `out`. */
static void slide(
  uint16_t *restrict sums, const uint16_t *restrict in, const uint16_t *restrict out, size_t width) {
  for (size_t x = 0; x < width; x++) sums[x] = (uint16_t)(sums[x] + in[x] - out[x]);
}

static void slide_bytes(
  uint16_t *restrict sums, const uint8_t *restrict in, const uint8_t *restrict out, size_t width) {
  for (size_t x = 0; x < width; x++) sums[x] = (uint16_t)(sums[x] + in[x] - out[x]);
}

static void slide_squares(
  uint32_t *restrict sums, const uint8_t *restrict in, const uint8_t *restrict out, size_t width) {
  for (size_t x = 0; x < width; x++) {
    uint16_t more = (uint16_t)(in[x] * in[x]), less = (uint16_t)(out[x] * out[x]);
    sums[x] = sums[x] + more - less;
  }
}

/* The sum of seven neighbouring sums. */
static inline uint16_t across7(const uint16_t *sums) {
  return (uint16_t)(sums[-3] + sums[-2] + sums[-1] + sums[0] + sums[1] + sums[2] + sums[3]);
}

/* Computes how likely each pixel is skin, 0 to 255, by its colour and brightness. */
static void likelihood(
  uint8_t *restrict mask, const uint8_t *restrict luma, const uint8_t *restrict cb,
  const uint8_t *restrict cr, size_t count, const onair_skin *restrict how) {
  const uint8_t *restrict colours = how->colours, *restrict brightness = how->brightness;
  for (size_t x = 0; x < count; x++)
    mask[x] =
      (uint8_t)(colours[(size_t)(cb[x] >> 1) * 128 + (cr[x] >> 1)] * brightness[luma[x]] / 255);
}

/* Mixes a row of the mask, averaged over 5x5 samples, into its history. */
static void remember(
  int16_t *restrict history, uint8_t *restrict mask, const uint16_t *restrict sums, size_t width,
  int share) {
  for (size_t x = 0; x < width; x++) {
    uint16_t total = (uint16_t)(sums[x - 2] + sums[x - 1] + sums[x] + sums[x + 1] + sums[x + 2]);
    /* 25 values of up to 255, as 128ths of their mean: 5.125 is nearly 128 / 25. */
    int16_t fresh = (int16_t)(total * 5 + (total >> 3));
    fresh = fresh > 255 * 128 ? 255 * 128 : fresh;
    int16_t mixed = (int16_t)(history[x] + ((int16_t)(fresh - history[x]) >> share));
    history[x] = mixed;
    mask[x] = (uint8_t)(mixed >> 7);
  }
}

static void find_skin(const onair_skin_planes *planes, const onair_skin *how, int share) {
  size_t width = planes->width, height = planes->height;
  uint8_t *fresh = planes->added;
  likelihood(fresh, planes->luma, planes->cb, planes->cr, width * height, how);
  uint16_t *sums = planes->sums + MARGIN;
  for (size_t x = 0; x < width; x++) sums[x] = (uint16_t)(fresh[x] * (2 * MASK_RADIUS + 1));
  for (ptrdiff_t y = -MASK_RADIUS; y < (ptrdiff_t)height; y++) {
    slide_bytes(
      sums, fresh + row_at(y + MASK_RADIUS, height) * width,
      fresh + row_at(y - MASK_RADIUS - 1, height) * width, width);
    if (y < 0) continue;
    extend16(sums, width);
    size_t at = (size_t)y * width;
    remember(planes->history + at, planes->mask + at, sums, width, share);
  }
}

/* Computes for each window `kept`, the share of the difference from the mean that is kept, in 256ths, and `rest`, the
 * mean times the remaining share, in quarters. */
static void fit_row(
  uint16_t *restrict kept, uint16_t *restrict rest, const uint16_t *restrict sums,
  const uint32_t *restrict squares, size_t width, float variance) {
  const float count = (2 * SMOOTH_RADIUS + 1) * (2 * SMOOTH_RADIUS + 1);
  for (size_t x = 0; x < width; x++) {
    uint16_t total = across7(sums + x);
    uint32_t square = squares[x - 3] + squares[x - 2] + squares[x - 1] + squares[x]
      + squares[x + 1] + squares[x + 2] + squares[x + 3];
    float mean = (float)total * (1 / count);
    float spread = (float)(int32_t)square * (1 / count) - mean * mean;
    spread = spread > 0 ? spread : 0;
    float share = spread / (spread + variance);
    kept[x] = (uint16_t)(int32_t)(share * 256 + 0.5f);
    rest[x] = (uint16_t)(int32_t)(mean * (1 - share) * 4 + 0.5f);
  }
}

/* Computes a row of `taken` and `added` in onair_skin_planes. */
static void plan_row(
  uint8_t *restrict taken, uint8_t *restrict added, const uint8_t *restrict mask,
  const uint16_t *restrict kept, const uint16_t *restrict rest, size_t width,
  const onair_skin *restrict how) {
  const float count = (2 * SMOOTH_RADIUS + 1) * (2 * SMOOTH_RADIUS + 1);
  float smoothing = how->smoothing, whitening = how->whitening, white = how->white;
  for (size_t x = 0; x < width; x++) {
    float skin = (float)mask[x] * (1 / 255.0f);
    float keep = (float)across7(kept + x) * (1 / (count * 256));
    float mean = (float)across7(rest + x) * (1 / (count * 4));
    float lift = skin * whitening, smooth = skin * smoothing;
    float factor = (1 - smooth * (1 - keep)) * (1 - lift);
    float offset = smooth * mean * (1 - lift) + lift * white;
    float less = (1 - factor) * 256 + 0.5f;
    taken[x] = (uint8_t)(int32_t)(less > 255 ? 255 : less);
    added[x] = (uint8_t)(int32_t)(offset + 0.5f);
  }
}

void onair_skin_plan(const onair_skin_planes *planes, const onair_skin *how, int share) {
  size_t width = planes->width, height = planes->height;
  find_skin(planes, how, share);

  uint16_t *sums = planes->sums + MARGIN;
  uint32_t *squares = planes->squares + MARGIN;
  const uint8_t *luma = planes->luma;
  const uint16_t side = 2 * SMOOTH_RADIUS + 1;
  for (size_t x = 0; x < width; x++) {
    sums[x] = (uint16_t)(luma[x] * side);
    squares[x] = (uint32_t)luma[x] * luma[x] * side;
  }
  for (ptrdiff_t y = -SMOOTH_RADIUS; y < (ptrdiff_t)height; y++) {
    const uint8_t *in = luma + row_at(y + SMOOTH_RADIUS, height) * width;
    const uint8_t *out = luma + row_at(y - SMOOTH_RADIUS - 1, height) * width;
    slide_bytes(sums, in, out, width);
    slide_squares(squares, in, out, width);
    if (y < 0) continue;
    extend16(sums, width);
    extend32(squares, width);
    size_t at = (size_t)y * width;
    fit_row(planes->first + at, planes->second + at, sums, squares, width, how->variance);
  }

  uint16_t *rest = (uint16_t *)planes->squares + MARGIN;
  for (size_t x = 0; x < width; x++) {
    sums[x] = (uint16_t)(planes->first[x] * side);
    rest[x] = (uint16_t)(planes->second[x] * side);
  }
  for (ptrdiff_t y = -SMOOTH_RADIUS; y < (ptrdiff_t)height; y++) {
    size_t in = row_at(y + SMOOTH_RADIUS, height) * width;
    size_t out = row_at(y - SMOOTH_RADIUS - 1, height) * width;
    slide(sums, planes->first + in, planes->first + out, width);
    slide(rest, planes->second + in, planes->second + out, width);
    if (y < 0) continue;
    extend16(sums, width);
    extend16(rest, width);
    size_t at = (size_t)y * width;
    plan_row(planes->taken + at, planes->added + at, planes->mask + at, sums, rest, width, how);
  }
}

static void skin_row(
  uint8_t *restrict luma, const uint8_t *restrict taken, const uint8_t *restrict added,
  size_t width) {
  for (size_t x = 0; x < width; x++) {
    uint16_t less = (uint16_t)((uint16_t)(luma[x] * taken[x]) >> 8);
    luma[x] = clamped((int16_t)(luma[x] - less + added[x]));
  }
}

void onair_skin_luma(
  uint8_t *luma, size_t stride, const uint8_t *taken, const uint8_t *added, size_t by_stride,
  size_t width, size_t height) {
  for (size_t y = 0; y < height; y++)
    skin_row(luma + y * stride, taken + y * by_stride, added + y * by_stride, width);
}

static void skin_chroma_row(
  uint8_t *restrict chroma, const uint8_t *restrict mask, size_t width, int16_t by) {
  for (size_t x = 0; x < width; x++) {
    int16_t more = (int16_t)((int16_t)(mask[x] * by + 1024) >> 11);
    chroma[x] = clamped((int16_t)(chroma[x] + more));
  }
}

void onair_skin_chroma(
  uint8_t *chroma, size_t stride, const uint8_t *mask, size_t mask_stride, size_t width,
  size_t height, int16_t by) {
  for (size_t y = 0; y < height; y++)
    skin_chroma_row(chroma + y * stride, mask + y * mask_stride, width, by);
}
