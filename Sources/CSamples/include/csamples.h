// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/* Loops over audio samples: interleaved, one or two channels, 1 is full scale. Clang turns each inner loop into vector
 * instructions. `to` and `from` must not overlap. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The largest absolute value of `count` samples. */
float onair_samples_peak(const float *samples, size_t count);

/* Peaks and sums of both channels. In mono both have the same values. */
typedef struct {
  /* The largest absolute value of each channel. */
  float left_peak, right_peak;
  /* The sums of the squares of each channel, and of the products of both. */
  float left_squares, right_squares, product;
} onair_samples_sums;

/* `frames` is at most a few thousand: the sums are of single precision. */
onair_samples_sums onair_samples_measure(const float *samples, size_t frames, int channels);

/* to = from * gain, within -limit to limit. A value that is not a number becomes 0. */
void onair_samples_scale(
  float *to, const float *from, size_t frames, int channels, float left, float right, float limit);

/* to = the mean of both channels, each within -limit to limit. A value that is not a number becomes 0. */
void onair_samples_mono(float *to, const float *from, size_t frames, int channels, float limit);

/* to = every second sample from `from` on. */
void onair_samples_of_channel(float *to, const float *from, size_t frames);

/* to += from */
void onair_samples_add(float *to, const float *from, size_t count);

/* Multiplies samples by a gain that moves evenly from before to after, which it has in the last frame. */
void onair_samples_ramp(float *samples, size_t frames, int channels, float before, float after);

/* The sum of a * b. */
float onair_samples_dot(const float *a, const float *b, size_t count);

/* gains = the gain that brings each peak to the ceiling, at most 1. Returns the least of them. */
float onair_gains_for_peaks(float *gains, size_t count, float ceiling);

/* Replaces each of the first `count` gains by the lesser one of itself and the gain `distance` after it. */
void onair_gains_lower(float *gains, size_t count, size_t distance);

/* A filter that interpolates at three points between two sample frames (ITU-R BS.1770-4, annex 2). */
enum { ONAIR_PEAK_TAPS = 32, ONAIR_PEAK_BEFORE = 15, ONAIR_PEAK_LANES = 8 };
typedef struct {
  /* Each tap of each point as often as a vector has lanes. */
  float taps[ONAIR_PEAK_TAPS][3][ONAIR_PEAK_LANES];
} onair_peak_filter;

/* Writes for each frame the largest absolute value of all channels, at this frame and at the points between it and the
 * next one. ONAIR_PEAK_BEFORE frames before the first one can be read, and after the last one ONAIR_PEAK_TAPS -
 * ONAIR_PEAK_BEFORE - 1 frames and ONAIR_PEAK_LANES samples. */
void onair_true_peaks(
  const float *samples, size_t frames, int channels, const onair_peak_filter *filter, float *peaks);

/* The larger one of `known` and of the peaks as above. Leaves out points that are far from it: those whose neighbours,
 * and what the four samples around give for the middle between these, are below 0.65 of it. */
float onair_true_peak(
  const float *samples, size_t frames, int channels, const onair_peak_filter *filter, float known);

/* The filter that weights frequencies by how loud they are heard (ITU-R BS.1770-4, for 48,000 Hz): a shelf, then a
 * high-pass. All zeros at first. */
typedef struct {
  float first[4], second[4], last[4];
} onair_k_weighting;

/* The sum of the weighted squares of all channels. */
float onair_k_weighted_energy(
  onair_k_weighting *state, const float *samples, size_t frames, int channels);

/* The power of tones in samples (Goertzel). `factors` has 2 * cos(2 * pi * hertz / rate) of each; `count` is a multiple
 * of 4. */
void onair_tone_powers(
  const double *samples, size_t length, const double *factors, double *powers, size_t count);

#ifdef __cplusplus
}
#endif
