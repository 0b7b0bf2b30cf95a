// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "cpixels.h"

#include <string.h>

/* On x86 a function is compiled in two versions, of which the loader chooses one at the start of the program. All arm64
 * processors have the same vector instructions. */
#if defined(__x86_64__)
#define FOR_THIS_PROCESSOR __attribute__((target_clones("avx2", "default")))
#else
#define FOR_THIS_PROCESSOR
#endif

/* value / 255, rounded; exact up to 255 * 255. All intermediate numbers fit into 16 bits, so that a vector holds twice
 * as many as of 32 bits. */
static inline uint8_t divided_by_255(uint16_t value) {
  uint16_t raised = (uint16_t)(value + 128);
  return (uint8_t)((uint16_t)(raised + (raised >> 8)) >> 8);
}

static inline uint8_t scaled(uint8_t sample, uint8_t by) {
  return divided_by_255((uint16_t)(sample * by));
}

static inline void blend_row(
  uint8_t *restrict out, const uint8_t *restrict layer, const uint8_t *restrict alpha, size_t width) {
  for (size_t x = 0; x < width; x++)
    out[x] = (uint8_t)(layer[x] + scaled(out[x], (uint8_t)(255 - alpha[x])));
}

static inline void blend_faded_row(
  uint8_t *restrict out, const uint8_t *restrict layer, const uint8_t *restrict alpha, size_t width,
  uint8_t opacity) {
  for (size_t x = 0; x < width; x++)
    out[x] = (uint8_t)(
      scaled(layer[x], opacity) + scaled(out[x], (uint8_t)(255 - scaled(alpha[x], opacity))));
}

static inline void mix_row(
  uint8_t *restrict out, const uint8_t *restrict layer, size_t width, uint8_t opacity) {
  uint8_t rest = (uint8_t)(255 - opacity);
  for (size_t x = 0; x < width; x++)
    out[x] = divided_by_255((uint16_t)(layer[x] * opacity + out[x] * rest));
}

FOR_THIS_PROCESSOR void onair_blend(
  uint8_t *out, size_t out_stride, const uint8_t *layer, const uint8_t *alpha, size_t layer_stride,
  size_t width, size_t height, uint8_t opacity) {
  for (size_t y = 0; y < height; y++) {
    if (alpha != NULL) {
      if (opacity == 255)
        blend_row(out, layer, alpha, width);
      else
        blend_faded_row(out, layer, alpha, width, opacity);
      alpha += layer_stride;
    } else if (opacity == 255) {
      memcpy(out, layer, width);
    } else {
      mix_row(out, layer, width, opacity);
    }
    out += out_stride;
    layer += layer_stride;
  }
}

/* Everything below stays within 16 bits: SSE2 cannot multiply 32-bit numbers, and a vector holds only half as many of
 * them. */

/* Converts a number from 512ths to 64ths. */
static inline int16_t in_64ths(int16_t value) { return (int16_t)(value >> 3); }

/* Converts a number in 64ths, to which one half of a step for rounding was added, to a sample. */
static inline uint8_t sample(int16_t value) {
  value = (int16_t)(value >> 6);
  return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

static void mix_chroma(
  uint8_t *restrict out, const uint8_t *restrict own, const uint8_t *restrict other, size_t width,
  int16_t by_own, int16_t by_other) {
  for (size_t x = 0; x < width; x++) {
    int16_t product = (int16_t)((own[x] - 128) * by_own + (other[x] - 128) * by_other);
    out[x] = sample((int16_t)((own[x] << 6) + in_64ths(product) + 32));
  }
}

void onair_recolour_chroma(
  uint8_t *restrict out_cb, uint8_t *restrict out_cr, int16_t *restrict added,
  const uint8_t *restrict cb, const uint8_t *restrict cr, size_t width,
  const onair_recolouring *restrict how) {
  onair_recolouring by = *how;
  mix_chroma(out_cb, cb, cr, width, by.cb_to_cb, by.cr_to_cb);
  mix_chroma(out_cr, cr, cb, width, by.cr_to_cr, by.cb_to_cr);
  for (size_t x = 0; x < width; x++) {
    int16_t product = (int16_t)((cb[x] - 128) * by.cb_to_luma + (cr[x] - 128) * by.cr_to_luma);
    /* Write the same number for both columns of luma at once. */
    uint32_t twice = (uint16_t)(in_64ths(product) + by.offset) * 0x10001u;
    memcpy(added + 2 * x, &twice, sizeof twice);
  }
}

void onair_recolour_luma(
  uint8_t *restrict out, const uint8_t *restrict luma, const int16_t *restrict added, size_t width,
  const onair_recolouring *restrict how) {
  int16_t factor = how->luma;
  for (size_t x = 0; x < width; x++) {
    int16_t product = (int16_t)(luma[x] * factor);
    out[x] = sample((int16_t)((luma[x] << 6) + in_64ths(product) + added[x]));
  }
}
