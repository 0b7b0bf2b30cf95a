// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "csamples.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* On x86 a function is compiled in two versions, of which the loader chooses one at the start of the program. All arm64
 * processors have the same vector instructions. */
#if defined(__x86_64__)
#define FOR_THIS_PROCESSOR __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define FOR_THIS_PROCESSOR
#endif

/* Sums in any order: otherwise a loop that adds up could not use vectors. */
#define IN_ANY_ORDER _Pragma("clang fp reassociate(on)")

/* Vectors are written as such where a loop keeps a maximum: the compiler must not reorder that, since a value could be
 * NaN. No function takes or returns a vector: the calling convention depends on the processor. */
enum { LANES = ONAIR_PEAK_LANES };
typedef float lanes __attribute__((ext_vector_type(LANES)));
typedef int32_t bits __attribute__((ext_vector_type(LANES)));
#define SIZES(values) ((lanes)((bits)(values) & 0x7fffffff))
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
#define LOAD(values, from) memcpy(&(values), from, sizeof(values))

static inline float larger(float a, float b) { return a > b ? a : b; }
static inline float smaller(float a, float b) { return a < b ? a : b; }

static inline float bounded(float value, float limit) {
  float within = smaller(larger(value, -limit), limit);
  return value == value ? within : 0;
}

FOR_THIS_PROCESSOR float onair_samples_peak(const float *samples, size_t count) {
  lanes peaks = {0};
  size_t whole = count / LANES * LANES;
  for (size_t i = 0; i < whole; i += LANES) {
    lanes values;
    LOAD(values, samples + i);
    peaks = LARGER(SIZES(values), peaks);
  }
  float peak = 0;
  for (size_t i = whole; i < count; i++) peak = larger(fabsf(samples[i]), peak);
  for (size_t lane = 0; lane < LANES; lane++) peak = larger(peaks[lane], peak);
  return peak;
}

FOR_THIS_PROCESSOR onair_samples_sums
onair_samples_measure(const float *samples, size_t frames, int channels) {
  lanes peaks = {0}, squares = {0}, products = {0};
  size_t count = frames * (size_t)channels, whole = count / LANES * LANES;
  for (size_t i = 0; i < whole; i += LANES) {
    lanes values;
    LOAD(values, samples + i);
    peaks = LARGER(SIZES(values), peaks);
    squares += values * values;
    /* Each sample by the other one of its frame. */
    if (channels == 2) products += values * __builtin_shufflevector(values, values, 1, 0, 3, 2, 5, 4, 7, 6);
  }
  onair_samples_sums sums = {0};
  for (size_t lane = 0; lane < LANES; lane += 2) {
    sums.left_peak = larger(peaks[lane], sums.left_peak);
    sums.right_peak = larger(peaks[lane + 1], sums.right_peak);
    sums.left_squares += squares[lane];
    sums.right_squares += squares[lane + 1];
    sums.product += products[lane];
  }
  for (size_t i = whole; i < count; i += 2) {
    float left = samples[i], right = i + 1 < count ? samples[i + 1] : 0;
    sums.left_peak = larger(fabsf(left), sums.left_peak);
    sums.right_peak = larger(fabsf(right), sums.right_peak);
    sums.left_squares += left * left;
    sums.right_squares += right * right;
    sums.product += left * right;
  }
  if (channels == 1) {
    sums.left_peak = sums.right_peak = larger(sums.left_peak, sums.right_peak);
    sums.left_squares = sums.right_squares = sums.product = sums.left_squares + sums.right_squares;
  }
  return sums;
}

FOR_THIS_PROCESSOR void onair_samples_scale(
  float *restrict to, const float *restrict from, size_t frames, int channels, float left, float right,
  float limit) {
  if (channels == 2 && left != right) {
    for (size_t i = 0; i < frames; i++) {
      to[2 * i] = bounded(from[2 * i] * left, limit);
      to[2 * i + 1] = bounded(from[2 * i + 1] * right, limit);
    }
    return;
  }
  size_t count = frames * (size_t)channels;
  for (size_t i = 0; i < count; i++) to[i] = bounded(from[i] * left, limit);
}

FOR_THIS_PROCESSOR void onair_samples_mono(
  float *restrict to, const float *restrict from, size_t frames, int channels, float limit) {
  if (channels == 1) {
    for (size_t i = 0; i < frames; i++) to[i] = bounded(from[i], limit);
  } else {
    for (size_t i = 0; i < frames; i++)
      to[i] = (bounded(from[2 * i], limit) + bounded(from[2 * i + 1], limit)) / 2;
  }
}

FOR_THIS_PROCESSOR void onair_samples_of_channel(
  float *restrict to, const float *restrict from, size_t frames) {
  for (size_t i = 0; i < frames; i++) to[i] = from[2 * i];
}

FOR_THIS_PROCESSOR void onair_samples_add(float *restrict to, const float *restrict from, size_t count) {
  for (size_t i = 0; i < count; i++) to[i] += from[i];
}

FOR_THIS_PROCESSOR void onair_samples_ramp(
  float *samples, size_t frames, int channels, float before, float after) {
  float step = (after - before) / (float)frames;
  if (channels == 1) {
    for (size_t i = 0; i < frames; i++) samples[i] *= before + step * (float)(i + 1);
  } else {
    for (size_t i = 0; i < frames; i++) {
      float gain = before + step * (float)(i + 1);
      samples[2 * i] *= gain;
      samples[2 * i + 1] *= gain;
    }
  }
}

FOR_THIS_PROCESSOR float onair_samples_dot(const float *a, const float *b, size_t count) {
  IN_ANY_ORDER
  float sum = 0;
  for (size_t i = 0; i < count; i++) sum += a[i] * b[i];
  return sum;
}

FOR_THIS_PROCESSOR float onair_gains_for_peaks(float *gains, size_t count, float ceiling) {
  float least[LANES];
  for (size_t lane = 0; lane < LANES; lane++) least[lane] = 1;
  size_t whole = count / LANES * LANES;
  for (size_t i = 0; i < whole; i += LANES)
    for (size_t lane = 0; lane < LANES; lane++) {
      float gain = smaller(ceiling / gains[i + lane], 1);
      gains[i + lane] = gain;
      least[lane] = smaller(gain, least[lane]);
    }
  for (size_t i = whole; i < count; i++) {
    gains[i] = smaller(ceiling / gains[i], 1);
    least[0] = smaller(gains[i], least[0]);
  }
  for (size_t lane = 1; lane < LANES; lane++) least[0] = smaller(least[lane], least[0]);
  return least[0];
}

FOR_THIS_PROCESSOR void onair_gains_lower(float *gains, size_t count, size_t distance) {
  size_t i = 0;
  /* Eight at a time, which are read before they are written. */
  if (distance >= LANES)
    for (; i + LANES <= count; i += LANES)
      for (size_t lane = 0; lane < LANES; lane++)
        gains[i + lane] = smaller(gains[i + lane], gains[i + lane + distance]);
  for (; i < count; i++) gains[i] = smaller(gains[i], gains[i + distance]);
}

/* The largest absolute values at the three points after each of eight successive samples. Inlined, or it would be
 * compiled for the oldest processor alone. */
static inline __attribute__((always_inline)) void find_peaks_between(
  const float *samples, size_t channels, const onair_peak_filter *filter, float *largest) {
  lanes first = {0}, second = {0}, third = {0};
  const float *sample = samples - ONAIR_PEAK_BEFORE * channels;
  for (size_t tap = 0; tap < ONAIR_PEAK_TAPS; tap++, sample += channels) {
    lanes values, factors;
    LOAD(values, sample);
    LOAD(factors, filter->taps[tap][0]);
    first += values * factors;
    LOAD(factors, filter->taps[tap][1]);
    second += values * factors;
    LOAD(factors, filter->taps[tap][2]);
    third += values * factors;
  }
  first = LARGER(SIZES(first), SIZES(second));
  first = LARGER(SIZES(third), first);
  memcpy(largest, &first, sizeof first);
}

FOR_THIS_PROCESSOR void onair_true_peaks(
  const float *samples, size_t frames, int channels, const onair_peak_filter *filter, float *peaks) {
  size_t step = (size_t)channels, count = frames * step;
  for (size_t i = 0; i < count; i += LANES) {
    float between[LANES];
    find_peaks_between(samples + i, step, filter, between);
    for (size_t lane = 0; lane < LANES && i + lane < count; lane += step) {
      float peak = larger(between[lane], fabsf(samples[i + lane]));
      if (step == 2)
        peak = larger(peak, larger(between[lane + 1], fabsf(samples[i + lane + 1])));
      peaks[(i + lane) >> (step - 1)] = peak;
    }
  }
}

FOR_THIS_PROCESSOR float onair_true_peak(
  const float *samples, size_t frames, int channels, const onair_peak_filter *filter, float known) {
  size_t step = (size_t)channels, count = frames * step;
  float least = known * 0.65f;
  for (size_t i = 0; i < count; i += LANES) {
    lanes before, own, next, after;
    LOAD(before, samples + i - step);
    LOAD(own, samples + i);
    LOAD(next, samples + i + step);
    LOAD(after, samples + i + 2 * step);
    /* The middle of both, from the four samples around it alone. */
    lanes middle = 0.6366f * (own + next) - 0.2122f * (before + after);
    bits near = (SIZES(own) > least) | (SIZES(next) > least) | (SIZES(middle) > least);
    int64_t halves[4];
    memcpy(halves, &near, sizeof near);
    if ((halves[0] | halves[1] | halves[2] | halves[3]) == 0) continue;
    float between[LANES];
    find_peaks_between(samples + i, step, filter, between);
    for (size_t lane = 0; lane < LANES && i + lane < count; lane++)
      known = larger(larger(between[lane], fabsf(samples[i + lane])), known);
    least = known * 0.65f;
  }
  return known;
}

typedef float four __attribute__((ext_vector_type(4)));

/* Both filters at once: the first two lanes are the shelf of both channels, the others the high-pass of what the shelf
 * made of the frame before. */
static inline __attribute__((always_inline)) float weigh(
  onair_k_weighting *state, const float *samples, size_t frames, size_t channels) {
  const four b0 = {1.53512485958697f, 1.53512485958697f, 1, 1},
             b1 = {-2.69169618940638f, -2.69169618940638f, -2, -2},
             b2 = {1.19839281085285f, 1.19839281085285f, 1, 1},
             a1 = {-1.69065929318241f, -1.69065929318241f, -1.99004745483398f, -1.99004745483398f},
             a2 = {0.73248077421585f, 0.73248077421585f, 0.99007225036621f, 0.99007225036621f};
  four first, second, y, sum = {0};
  LOAD(first, state->first);
  LOAD(second, state->second);
  LOAD(y, state->last);
#pragma clang loop unroll_count(4)
  for (size_t i = 0; i < frames; i++) {
    four x = {samples[channels * i], channels == 2 ? samples[2 * i + 1] : 0, y[0], y[1]};
    y = b0 * x + first;
    first = b1 * x - a1 * y + second;
    second = b2 * x - a2 * y;
    sum += y * y;
  }
  /* Arithmetic with values that are almost 0 is many times slower. */
  for (size_t lane = 0; lane < 4; lane++) {
    state->first[lane] = fabsf(first[lane]) < 1e-15f ? 0 : first[lane];
    state->second[lane] = fabsf(second[lane]) < 1e-15f ? 0 : second[lane];
    state->last[lane] = y[lane];
  }
  return sum[2] + sum[3];
}

FOR_THIS_PROCESSOR float onair_k_weighted_energy(
  onair_k_weighting *state, const float *samples, size_t frames, int channels) {
  return channels == 2 ? weigh(state, samples, frames, 2) : weigh(state, samples, frames, 1);
}

typedef double tones __attribute__((ext_vector_type(4)));

FOR_THIS_PROCESSOR void onair_tone_powers(
  const double *samples, size_t length, const double *factors, double *powers, size_t count) {
  for (size_t tone = 0; tone < count; tone += 4) {
    tones factor, first = {0}, second = {0};
    memcpy(&factor, factors + tone, sizeof factor);
    for (size_t i = 0; i < length; i++) {
      tones next = samples[i] + factor * first - second;
      second = first;
      first = next;
    }
    tones power = first * first + second * second - factor * first * second;
    memcpy(powers + tone, &power, sizeof power);
  }
}
