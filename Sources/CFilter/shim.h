// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The protocol of filters that are separate programs, and the system calls that OnAir's side of the protocol needs.

#pragma once

#define ONAIR_FILTER_NO_FUNCTIONS
#include "include/onair/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

_Static_assert(sizeof(struct onair_filter_request) <= ONAIR_FILTER_ANSWER_OFFSET, "the request has no room");
_Static_assert(
    ONAIR_FILTER_ANSWER_OFFSET + sizeof(struct onair_filter_answer) <= ONAIR_FILTER_FRAMES_OFFSET,
    "the answer has no room");

// Makes memory of a fixed size that can be shared (memfd_create(2)): neither side can shrink it, so reading it never ends in
// SIGBUS. Returns a descriptor; -1 and sets errno on failure.
static inline int onair_filter_memory(size_t size) {
  enum { cloexec = 1, allow_sealing = 2, add_seals = 1033, seal_seal = 1, seal_shrink = 2, seal_grow = 4 };
  int memory = (int)syscall(SYS_memfd_create, "onair-filter", cloexec | allow_sealing);
  if (memory < 0) return -1;
  if (ftruncate(memory, (off_t)size) == 0 && fcntl(memory, add_seals, seal_seal | seal_shrink | seal_grow) == 0)
    return memory;
  close(memory);
  return -1;
}

// Makes an epoll instance that becomes ready each time the other process adds to an eventfd (edge-triggered, epoll(7)).
// The eventfd itself is never read: the other process could empty it just before, or make it blocking. Returns -1 on
// failure.
static inline int onair_filter_watch(int event) {
  int watch = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event wanted = {.events = EPOLLIN | EPOLLET};
  if (watch < 0) return -1;
  if (epoll_ctl(watch, EPOLL_CTL_ADD, event, &wanted) == 0) return watch;
  close(watch);
  return -1;
}

// Makes a watch also report the end of a process, whose pidfd is `process`.
static inline void onair_filter_watch_end(int watch, int process) {
  struct epoll_event wanted = {.events = EPOLLIN, .data.u32 = 1};
  epoll_ctl(watch, EPOLL_CTL_ADD, process, &wanted);
}

// Waits until the other process adds to the eventfd of a watch, at most `milliseconds`. Returns 1 if it has, 2 if it
// has ended, 0 after the time, and -1 if a signal came or the call failed. Each addition counts once.
static inline int onair_filter_wait_watch(int watch, int milliseconds) {
  struct epoll_event events[2];
  const int count = epoll_wait(watch, events, 2, milliseconds);
  for (int index = 0; index < count; index++)
    if (events[index].data.u32 == 1) return 2;
  return count > 0 ? 1 : count;
}

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

// Starts a program in a process group of its own, with the three descriptors of the protocol, /dev/null and nothing
// else of this process: no other descriptor, no environment, no signal mask, no priority. Returns 0 or an error number.
static inline int onair_filter_spawn(
    const char *program, char *const arguments[], const int descriptors[3], int keeps_errors, pid_t *pid) {
  // Copies of the descriptors with high numbers, so that none is overwritten before it has been copied to its place.
  int high[3] = {-1, -1, -1}, error = 0;
  for (int index = 0; index < 3 && error == 0; index++) {
    high[index] = fcntl(descriptors[index], F_DUPFD_CLOEXEC, 16);
    if (high[index] < 0) error = errno;
  }
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  if (error == 0) {
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    if (!keeps_errors) posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    for (int index = 0; index < 3; index++)
      posix_spawn_file_actions_adddup2(&actions, high[index], ONAIR_FILTER_MEMORY + index);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    struct sched_param usual = {0};
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setschedpolicy(&attributes, SCHED_OTHER);
    posix_spawnattr_setschedparam(&attributes, &usual);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSCHEDULER);
    char *const environment[] = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8", "MALLOC_ARENA_MAX=2", NULL};
    error = posix_spawn(pid, program, &actions, &attributes, arguments, environment);
  }
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  for (int index = 0; index < 3; index++)
    if (high[index] >= 0) close(high[index]);
  return error;
}

// Whether the kernel can keep programs away from files (landlock(7)). Linux has had Landlock since 5.13, but may be
// built without it.
static inline int onair_filter_has_landlock(void) {
  enum { ask_for_version = 1 };
  return syscall(SYS_landlock_create_ruleset, NULL, 0, ask_for_version) > 0;
}

// Hides this process's memory and descriptors in /proc from other processes of its user (proc(5)). The process then
// leaves no core dump, either.
static inline void onair_filter_hide_memory(void) {
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

// A descriptor that becomes readable when a child process has ended (pidfd_open(2)). Returns -1 on failure.
static inline int onair_filter_pidfd(pid_t pid) {
  return (int)syscall(SYS_pidfd_open, pid, 0);
}

// Reads the status of a child process. Returns 0 while the process runs, and 1 when it has ended: then `code` is its
// exit code, or the negated number of the signal that ended it.
static inline int onair_filter_reap(pid_t pid, int *code) {
  int status = 0;
  pid_t found;
  do found = waitpid(pid, &status, WNOHANG);
  while (found < 0 && errno == EINTR);
  if (found == 0) return 0;
  *code = found < 0 ? 0 : WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  return 1;
}
