// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Adds up the processor time that a program's threads spend in libavcodec's encoders. Loaded with LD_PRELOAD. The sum
// is in the file BENCH_ENCODER, which the benchmark maps as well.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

typedef int encoder_call(void *context, void *item);

static _Atomic uint64_t *nanos;
static encoder_call *send_frame, *receive_packet;

__attribute__((constructor)) static void begin(void) {
  *(void **)&send_frame = dlsym(RTLD_NEXT, "avcodec_send_frame");
  *(void **)&receive_packet = dlsym(RTLD_NEXT, "avcodec_receive_packet");
  const char *path = getenv("BENCH_ENCODER");
  int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *room = mmap(NULL, sizeof *nanos, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (room != MAP_FAILED) nanos = room;
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static int timed(encoder_call *call, void *context, void *item) {
  uint64_t begun = now();
  int result = call(context, item);
  if (nanos) atomic_fetch_add_explicit(nanos, now() - begun, memory_order_relaxed);
  return result;
}

int avcodec_send_frame(void *context, void *frame) { return timed(send_frame, context, frame); }

int avcodec_receive_packet(void *context, void *packet) {
  return timed(receive_packet, context, packet);
}
