// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The protocol of filters that are separate programs: OnAir's side.

#pragma once

#define ONAIR_FILTER_NO_FUNCTIONS
#include "include/onair/filter.h"

#include <stddef.h>
#include <string.h>

_Static_assert(sizeof(struct onair_filter_request) <= ONAIR_FILTER_ANSWER_OFFSET, "the request has no room");
_Static_assert(
    ONAIR_FILTER_ANSWER_OFFSET + sizeof(struct onair_filter_answer) <= ONAIR_FILTER_FRAMES_OFFSET,
    "the answer has no room");

// --- Access to the shared memory. Its structures stay in C: Swift would import their arrays as tuples of thousands of
// elements.

static inline struct onair_filter_request *onair_filter_request_of(void *memory) {
  return (struct onair_filter_request *)memory;
}

static inline struct onair_filter_answer *onair_filter_answer_of(const void *memory) {
  return (struct onair_filter_answer *)((uint8_t *)(uintptr_t)memory + ONAIR_FILTER_ANSWER_OFFSET);
}

// Writes the part of the request that is the same for all frames.
static inline void onair_filter_describe(
    void *memory, uint32_t size, uint32_t width, uint32_t height, uint32_t y_stride, uint32_t chroma_stride,
    struct onair_filter_frame input, struct onair_filter_frame output) {
  struct onair_filter_request *request = onair_filter_request_of(memory);
  request->magic = ONAIR_FILTER_MAGIC;
  request->version = ONAIR_FILTER_VERSION;
  request->size = size;
  request->width = width;
  request->height = height;
  request->y_stride = y_stride;
  request->chroma_stride = chroma_stride;
  request->input = input;
  request->output = output;
}

// Writes the parameters of the filter. `number` has to differ from that of the parameters before.
static inline void onair_filter_set(void *memory, uint32_t number, struct onair_filter_face face, const char *text) {
  struct onair_filter_request *request = onair_filter_request_of(memory);
  request->face = face;
  const size_t length = strnlen(text, ONAIR_FILTER_TEXT - 1);
  memcpy(request->text, text, length);
  memset(request->text + length, 0, ONAIR_FILTER_TEXT - length);
  request->parameters = number;
}

// Writes the points that earlier filters have found in the frame.
static inline void onair_filter_give_points(void *memory, const struct onair_filter_point *points, uint32_t count) {
  struct onair_filter_request *request = onair_filter_request_of(memory);
  memcpy(request->points, points, count * sizeof *points);
  request->point_count = count;
}

// Copies the points that a program has found. Points that are not finite, or lie far outside the picture, are omitted.
// Returns the number of points copied.
static inline uint32_t onair_filter_take_points(const void *memory, struct onair_filter_point *points) {
  const struct onair_filter_answer *answer = onair_filter_answer_of(memory);
  uint32_t given = __atomic_load_n(&answer->point_count, __ATOMIC_RELAXED), count = 0;
  if (given > ONAIR_FILTER_POINTS) given = ONAIR_FILTER_POINTS;
  for (uint32_t index = 0; index < given; index++) {
    struct onair_filter_point point;
    memcpy(&point, &answer->points[index], sizeof point);
    // The comparisons are false for NaN, too.
    if (point.x >= -1 && point.x <= 2 && point.y >= -1 && point.y <= 2) points[count++] = point;
  }
  return count;
}

// Requests the frame with the number `sequence` from the program.
static inline void onair_filter_ask(
    void *memory, uint64_t sequence, const int32_t colour[3], int full_range, int64_t captured_at, int64_t deadline) {
  struct onair_filter_request *request = onair_filter_request_of(memory);
  request->primaries = (uint32_t)colour[0];
  request->transfer = (uint32_t)colour[1];
  request->matrix = (uint32_t)colour[2];
  request->full_range = full_range ? 1 : 0;
  request->captured_at = captured_at;
  request->deadline = deadline;
  __atomic_store_n(&request->sequence, sequence, __ATOMIC_RELEASE);
}

// The number of the last frame that the program has finished.
static inline uint64_t onair_filter_answered(const void *memory) {
  return __atomic_load_n(&onair_filter_answer_of(memory)->sequence, __ATOMIC_ACQUIRE);
}

// Whether the program has not written the output frame, so that the input frame counts.
static inline int onair_filter_is_unchanged(const void *memory) {
  return (__atomic_load_n(&onair_filter_answer_of(memory)->flags, __ATOMIC_RELAXED) & ONAIR_FILTER_UNCHANGED) != 0;
}

// Whether the program waits for frames.
static inline int onair_filter_is_ready(const void *memory) {
  return __atomic_load_n(&onair_filter_answer_of(memory)->ready, __ATOMIC_ACQUIRE) == ONAIR_FILTER_VERSION;
}

// Copies the sentence that a program has left; the last byte is zero.
static inline void onair_filter_copy_message(const void *memory, char message[ONAIR_FILTER_MESSAGE]) {
  memcpy(message, onair_filter_answer_of(memory)->message, ONAIR_FILTER_MESSAGE);
  message[ONAIR_FILTER_MESSAGE - 1] = 0;
}
