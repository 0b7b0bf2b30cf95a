// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "layout.h"

#define LOAD(place) __atomic_load_n(&(place), __ATOMIC_ACQUIRE)
#define STORE(place, value) __atomic_store_n(&(place), value, __ATOMIC_RELEASE)

static struct layout *layout_of(const void *memory) { return (struct layout *)(uintptr_t)memory; }

size_t onair_guest_memory_size(void) { return sizeof(struct layout); }

// --- Numbered slots -------------------------------------------------------------------------------

static void begin_slot(uint64_t *number) {
  __atomic_store_n(number, 0, __ATOMIC_RELAXED);
  // Nothing of what is written to the slot is seen before the 0.
  __atomic_thread_fence(__ATOMIC_RELEASE);
}

// Whether a slot still has the number that it had before its content was copied.
static int is_unchanged(const uint64_t *slot, uint64_t number) {
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return __atomic_load_n(slot, __ATOMIC_RELAXED) == number;
}

// --- OnAir's side ---------------------------------------------------------------------------------

int onair_guest_describe(
  void *memory, const char *address, const char *host, const struct onair_guest_endpoint *endpoints, size_t count,
  struct onair_guest_options options) {
  struct layout *layout = layout_of(memory);
  if (strlen(address) > ONAIR_GUEST_ADDRESS || strlen(host) > ONAIR_GUEST_HOST) return -1;
  strcpy(layout->address, address);
  strcpy(layout->host, host);
  layout->endpoint_count = count < ONAIR_GUEST_ENDPOINTS ? (uint32_t)count : ONAIR_GUEST_ENDPOINTS;
  memcpy(layout->endpoints, endpoints, layout->endpoint_count * sizeof *endpoints);
  layout->options = options;
  layout->version = LAYOUT_VERSION;
  STORE(layout->magic, LAYOUT_MAGIC);
  return 0;
}

void onair_guest_set_delay(void *memory, int64_t delay_nanos) { STORE(layout_of(memory)->options.delay_nanos, delay_nanos); }

void onair_guest_set_wants(void *memory, struct onair_guest_wants wants) {
  const uint64_t packed = (uint64_t)wants.width << 48 | (uint64_t)wants.height << 32 |
                          (uint64_t)wants.frames_per_second << 16 | (uint64_t)wants.pictures << 8 | wants.sound;
  STORE(layout_of(memory)->wants, packed);
}

void onair_guest_request_stop(void *memory) { STORE(layout_of(memory)->is_stopping, 1); }

int64_t onair_guest_beat_at(const void *memory) { return LOAD(layout_of(memory)->beat_at); }

uint64_t onair_guest_newest_frame(const void *memory) { return LOAD(layout_of(memory)->newest_frame); }

uint64_t onair_guest_newest_block(const void *memory) { return LOAD(layout_of(memory)->newest_block); }

static int is_possible(uint32_t width, uint32_t height) {
  return width >= 2 && height >= 2 && width <= ONAIR_GUEST_LONGEST_SIDE && height <= ONAIR_GUEST_LONGEST_SIDE &&
         width % 2 == 0 && height % 2 == 0 && width * height <= ONAIR_GUEST_MOST_PIXELS;
}

int onair_guest_read_frame(const void *memory, uint64_t number, struct onair_guest_frame *frame) {
  struct frame_slot *slot = &layout_of(memory)->frames[number % ONAIR_GUEST_FRAMES];
  if (number == 0 || LOAD(slot->number) != number) return -1;
  memcpy(frame, &slot->frame, sizeof *frame);
  if (!is_unchanged(&slot->number, number)) return -1;
  // The compiler must not read the values from the shared memory again after they have been checked.
  __asm__ volatile("" : : "r"(frame) : "memory");
  frame->number = number;
  return is_possible(frame->width, frame->height) ? 0 : -1;
}

int onair_guest_copy_planes(const void *memory, const struct onair_guest_frame *frame, void *to) {
  struct layout *layout = layout_of(memory);
  const uint64_t index = frame->number % ONAIR_GUEST_FRAMES;
  memcpy(to, layout->planes[index], (size_t)frame->width * frame->height * 3 / 2);
  return is_unchanged(&layout->frames[index].number, frame->number) ? 0 : -1;
}

// A sample of a reader, finite and within bounds. The comparisons are false for NaN.
static float bounded(float sample) {
  if (!(sample > -ONAIR_GUEST_MOST_SAMPLE)) return sample <= -ONAIR_GUEST_MOST_SAMPLE ? -ONAIR_GUEST_MOST_SAMPLE : 0;
  return sample < ONAIR_GUEST_MOST_SAMPLE ? sample : ONAIR_GUEST_MOST_SAMPLE;
}

int onair_guest_copy_block(const void *memory, uint64_t number, int64_t *starts_at, float *samples) {
  struct block_slot *slot = &layout_of(memory)->blocks[number % ONAIR_GUEST_BLOCKS];
  if (number == 0 || LOAD(slot->number) != number) return -1;
  const uint32_t frames = __atomic_load_n(&slot->frames, __ATOMIC_RELAXED);
  if (frames == 0 || frames > ONAIR_GUEST_BLOCK_FRAMES) return -1;
  *starts_at = __atomic_load_n(&slot->starts_at, __ATOMIC_RELAXED);
  memcpy(samples, slot->samples, sizeof(float) * 2 * frames);
  if (!is_unchanged(&slot->number, number)) return -1;
  for (uint32_t index = 0; index < frames * 2; index++) samples[index] = bounded(samples[index]);
  return (int)frames;
}

float onair_guest_peak(const void *memory, int64_t from, int64_t until) {
  const struct layout *layout = layout_of(memory);
  float peak = 0;
  for (size_t index = 0; index < ONAIR_GUEST_BLOCKS; index++) {
    float samples[ONAIR_GUEST_BLOCK_FRAMES * 2];
    const int64_t time = __atomic_load_n(&layout->blocks[index].starts_at, __ATOMIC_RELAXED);
    if (time < from || time >= until) continue;
    int64_t starts_at;
    const int frames = onair_guest_copy_block(memory, LOAD(layout->blocks[index].number), &starts_at, samples);
    for (int sample = 0; sample < frames * 2; sample++) {
      const float size = samples[sample] < 0 ? -samples[sample] : samples[sample];
      if (size > peak) peak = size;
    }
  }
  return peak;
}

// --- The reader's side ----------------------------------------------------------------------------

void *onair_guest_open(void) {
  struct stat status;
  if (fstat(ONAIR_GUEST_MEMORY, &status) != 0 || status.st_size != (off_t)sizeof(struct layout)) return NULL;
  void *memory = mmap(NULL, sizeof(struct layout), PROT_READ | PROT_WRITE, MAP_SHARED, ONAIR_GUEST_MEMORY, 0);
  if (memory == MAP_FAILED) return NULL;
  close(ONAIR_GUEST_MEMORY);
  const struct layout *layout = layout_of(memory);
  return LOAD(layout->magic) == LAYOUT_MAGIC && layout->version == LAYOUT_VERSION ? memory : NULL;
}

const char *onair_guest_address(const void *memory) { return layout_of(memory)->address; }

struct onair_guest_options onair_guest_options_of(const void *memory) { return layout_of(memory)->options; }

struct onair_guest_wants onair_guest_wants_of(const void *memory) {
  const uint64_t packed = LOAD(layout_of(memory)->wants);
  return (struct onair_guest_wants){
    .width = (uint16_t)(packed >> 48), .height = (uint16_t)(packed >> 32), .frames_per_second = (uint8_t)(packed >> 16),
    .pictures = (uint8_t)(packed >> 8), .sound = (uint8_t)packed};
}

int onair_guest_is_stopping(const void *memory) { return LOAD(layout_of(memory)->is_stopping) != 0; }

void onair_guest_beat(void *memory) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  STORE(layout_of(memory)->beat_at, (int64_t)time.tv_sec * 1000000000 + time.tv_nsec);
}

uint8_t *onair_guest_begin_frame(void *memory, uint32_t width, uint32_t height) {
  struct layout *layout = layout_of(memory);
  const uint64_t index = (layout->newest_frame + 1) % ONAIR_GUEST_FRAMES;
  if (!is_possible(width, height)) return NULL;
  begin_slot(&layout->frames[index].number);
  return layout->planes[index];
}

void onair_guest_end_frame(void *memory, struct onair_guest_frame frame) {
  struct layout *layout = layout_of(memory);
  const uint64_t number = layout->newest_frame + 1;
  struct frame_slot *slot = &layout->frames[number % ONAIR_GUEST_FRAMES];
  slot->frame = frame;
  STORE(slot->number, number);
  STORE(layout->newest_frame, number);
}

void onair_guest_put_block(void *memory, const float *samples, uint32_t frames, int64_t starts_at) {
  struct layout *layout = layout_of(memory);
  const uint64_t number = layout->newest_block + 1;
  struct block_slot *slot = &layout->blocks[number % ONAIR_GUEST_BLOCKS];
  if (frames == 0 || frames > ONAIR_GUEST_BLOCK_FRAMES) return;
  begin_slot(&slot->number);
  slot->starts_at = starts_at;
  slot->frames = frames;
  memcpy(slot->samples, samples, sizeof(float) * 2 * frames);
  STORE(slot->number, number);
  STORE(layout->newest_block, number);
}
