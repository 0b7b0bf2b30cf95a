// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/* Starts a process that is not trusted, shares memory with it, and notices its end. */
#pragma once

#include <stddef.h>
#include <sys/eventfd.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes memory of a fixed size that can be shared (memfd_create(2)): neither side can shrink it, so reading it never ends in
 * SIGBUS. Returns a descriptor; -1 and sets errno on failure. */
int onair_process_memory(const char *name, size_t size);

/* Starts a program in a process group of its own, with /dev/null as input and outputs, and nothing else of this process: no
 * other descriptor, no environment, no signal mask, no priority. Returns 0 or an error number.
 * - descriptors: what the program gets as 3, 4 and so on; at most ONAIR_PROCESS_DESCRIPTORS.
 * - keeps_errors: whether the program may write to this process's standard error. */
int onair_process_spawn(
  const char *program, char *const arguments[], const int descriptors[], size_t count, int keeps_errors, pid_t *pid);
#define ONAIR_PROCESS_DESCRIPTORS 5

/* Makes a pipe. ends[0] is for a process that is to end when ends[1] is closed (onair_end_with_pipe). Returns 0; -1 and sets errno
 * on failure. */
int onair_process_lifeline(int ends[2]);

/* A descriptor that becomes readable when a child process has ended (pidfd_open(2)). Returns -1 on failure. */
int onair_process_descriptor(pid_t pid);

/* Kills a child process, with all of its process group, if it still runs, and waits for its end. Returns its exit code, or the
 * negated number of the signal that has ended it.
 * - descriptor: that of onair_process_descriptor; -1 if there is none. */
int onair_process_end(pid_t pid, int descriptor);

/* Makes an epoll instance that becomes ready each time the other process adds to an eventfd (edge-triggered, epoll(7)). The
 * eventfd itself is never read: the other process could empty it just before, or make it blocking. Returns -1 on failure. */
int onair_watch(int event);

/* The results of onair_watch_wait, as bits. */
#define ONAIR_WATCH_EVENT 1
#define ONAIR_WATCH_END 2
#define ONAIR_WATCH_MESSAGE 4

/* Makes a watch also report when a descriptor is readable, as one of the bits above. */
void onair_watch_also(int watch, int descriptor, int bit);

/* Waits until the watch reports something, at most `milliseconds`. Returns the bits of what it reports; 0 after the time; -1 if
 * a signal came or the call failed. Each addition to the eventfd counts once. */
int onair_watch_wait(int watch, int milliseconds);

/* Whether the kernel can keep programs away from files (landlock(7)). Linux has had Landlock since 5.13, but may be built
 * without it. */
int onair_has_landlock(void);

/* Hides this process's memory and descriptors in /proc from other processes of its user (proc(5)). The process then leaves no
 * core dump, either. */
void onair_hide_memory(void);

#ifdef __cplusplus
}
#endif
