// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// A reader of guests that does what its argument says, in the place of `onair guest-reader`: it makes a picture and a tone, and
// then crashes, hangs, writes nonsense or tries what it must not. Tests/CaptureTests/Guest starts it.
//
//   guest-probe WHAT [service]

#define _GNU_SOURCE
#include "probe.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "layout.h"

enum { width = 64, height = 36 };

int has_landlock;
static void *memory;

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

void tell(uint32_t kind, uint32_t number, const char *detail) {
  struct onair_guest_message message = {.kind = kind, .number = number};
  strncpy(message.detail, detail, ONAIR_GUEST_DETAIL);
  onair_guest_tell(ONAIR_GUEST_CONTROL, &message);
}

void tell_open(uint32_t sample_rate) {
  const struct onair_guest_message message = {
    .kind = ONAIR_GUEST_OPEN, .video_codec = "h264", .audio_codec = "aac", .width = width, .height = height,
    .frames_per_kilosecond = 30000, .sample_rate = sample_rate, .channels = 2};
  onair_guest_tell(ONAIR_GUEST_CONTROL, &message);
}

// A frame whose luma is 16 plus its number.
static void write_frame(uint64_t number) {
  uint8_t *planes = onair_guest_begin_frame(memory, width, height);
  memset(planes, 16 + (int)(number % 200), width * height);
  memset(planes + width * height, 128, width * height / 2);
  onair_guest_end_frame(
    memory, (struct onair_guest_frame){
              .due_at = now(), .width = width, .height = height, .primaries = 1, .transfer = 1, .matrix = 1});
  eventfd_write(ONAIR_GUEST_EVENT, 1);
}

// A frame every 10 ms, and a tone of 1 kHz, until OnAir asks this process to return.
static void play(int frames, int heeds_stop) {
  const int64_t start = now();
  float samples[ONAIR_GUEST_BLOCK_FRAMES * 2];
  tell_open(48000);
  for (int64_t number = 0; !heeds_stop || !onair_guest_is_stopping(memory); number++) {
    for (int index = 0; index < ONAIR_GUEST_BLOCK_FRAMES; index++) {
      // Ten periods of a triangle, from -0.5 to 0.5.
      const int place = index % 48;
      samples[index * 2] = samples[index * 2 + 1] = (float)(place < 24 ? place - 12 : 36 - place) / 24;
    }
    // 100 ms before it is to be heard.
    onair_guest_put_block(memory, samples, ONAIR_GUEST_BLOCK_FRAMES, start + number * 10000000 + 100000000);
    if (frames < 0 || number < frames) write_frame((uint64_t)number + 1);
    onair_guest_beat(memory);
    poll(NULL, 0, 10);
  }
}

// Random bytes in all that a reader can write. The numbers of the slots are right, so that OnAir reads them.
static void scribble(int sends) {
  struct layout *layout = memory;
  for (uint64_t round = 1; !onair_guest_is_stopping(memory); round++) {
    uint64_t newest_frame = layout->newest_frame + round % 7, newest_block = layout->newest_block + round % 300;
    if (round % 50 == 0) getrandom(&newest_frame, sizeof newest_frame, 0), getrandom(&newest_block, sizeof newest_block, 0);
    if (round % 50 == 25) newest_frame = newest_block = UINT64_MAX;
    for (uint64_t number = newest_frame; number + ONAIR_GUEST_FRAMES > newest_frame && number > 0; number--) {
      struct frame_slot *slot = &layout->frames[number % ONAIR_GUEST_FRAMES];
      getrandom(slot, sizeof *slot, 0);
      slot->number = number;
      if (round % 2) slot->frame.width = slot->frame.height = (uint32_t)round * 2 % 1400;
    }
    for (uint64_t number = newest_block; number + ONAIR_GUEST_BLOCKS > newest_block && number > 0; number--) {
      struct block_slot *slot = &layout->blocks[number % ONAIR_GUEST_BLOCKS];
      getrandom(slot, sizeof *slot, 0);
      slot->number = number;
      if (round % 2) slot->frames = (uint32_t)round % 600, slot->starts_at = now() - (int64_t)(round % 100) * 1000000;
    }
    getrandom(layout->planes[round % ONAIR_GUEST_FRAMES], 65536, 0);
    layout->newest_frame = newest_frame;
    layout->newest_block = newest_block;
    eventfd_write(ONAIR_GUEST_EVENT, 1);
    onair_guest_beat(memory);
    // A message with random texts and numbers, and at last one of a random kind, which ends the reader.
    struct onair_guest_message message;
    getrandom(&message, sizeof message, 0);
    if (round < 20) message.kind = ONAIR_GUEST_OPEN + round % 2 * (ONAIR_GUEST_CONNECT - ONAIR_GUEST_OPEN);
    if (sends && round <= 20) onair_guest_tell(ONAIR_GUEST_CONTROL, &message);
    poll(NULL, 0, 1);
  }
}

// The guest who sends writes the key to the socket, and gets an answer of one byte.
static void publish(void) {
  char key[64] = "";
  struct pollfd waiting = {ONAIR_GUEST_SOCKET, POLLIN, 0};
  poll(&waiting, 1, -1);
  if (read(ONAIR_GUEST_SOCKET, key, sizeof key - 1) < 0) return;
  const int error = onair_guest_ask_to_publish(key);
  write(ONAIR_GUEST_SOCKET, error ? "-" : "+", 1);
  if (!error) play(-1, 1);
}

static void *nothing(void *argument) {
  for (;;) poll(NULL, 0, -1);
  return argument;
}

int main(int count, char **arguments) {
  const char *what = count >= 2 ? arguments[1] : "";
  const char *reason = "";
#define IS(name) (strcmp(what, name) == 0)
  if (IS("exits-at-once")) return 70;
  if (count == 3 && onair_guest_take_descriptors() != 0) return 75;
  memory = onair_guest_open();
  if (!memory) return 76;
  has_landlock = syscall(SYS_landlock_create_ruleset, NULL, 0, 1) > 0;
  if (IS("threaded")) {
    pthread_t thread;
    pthread_create(&thread, NULL, nothing, NULL);
  }
  if (onair_guest_confine(memory, &reason) != 0) {
    tell(ONAIR_GUEST_FAILED, 11, reason);
    return 77;
  }
  onair_guest_beat(memory);
  if (IS("exits")) return 3;
  tell(ONAIR_GUEST_CONNECTING, 0, "");
  if (IS("plays")) play(-1, 1);
  if (IS("deaf")) play(-1, 0);
  if (IS("publishes")) publish();
  if (IS("stalls")) play(10, 1);
  if (IS("scribbles")) scribble(0);
  if (IS("scribbles-and-sends")) scribble(1);
  if (IS("tries")) try_all();
  if (IS("reaches")) reach(onair_guest_address(memory));
  if (IS("fails")) tell(ONAIR_GUEST_FAILED, 6, "no\nsuch \x1b[31mstream\xff");
  if (IS("fails-oddly")) tell(ONAIR_GUEST_FAILED, 300, "");
  if (IS("ends")) tell(ONAIR_GUEST_ENDED, 0, "");
  if (IS("closes")) shutdown(ONAIR_GUEST_CONTROL, SHUT_RDWR), nothing(NULL);
  if (IS("sends-little")) send(ONAIR_GUEST_CONTROL, "x", 1, 0), nothing(NULL);
  if (IS("floods"))
    for (;;) tell_open((uint32_t)now() & 0xffff);
  if (IS("signals"))
    for (;;) eventfd_write(ONAIR_GUEST_EVENT, 1), onair_guest_beat(memory);
  if (IS("hangs")) tell_open(48000), write_frame(1), nothing(NULL);
  if (IS("crashes")) write_frame(1), *(volatile int *)8 = 1;
  if (IS("leaks"))
    for (;;) {
      char *block = malloc(1 << 20);
      if (!block) abort();
      memset(block, 1, 1 << 20);
    }
  return 0;
}
