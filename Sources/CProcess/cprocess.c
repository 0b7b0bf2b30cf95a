// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

#define _GNU_SOURCE
#include "cprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int onair_process_memory(const char *name, size_t size) {
  const int memory = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (memory < 0) return -1;
  if (ftruncate(memory, (off_t)size) == 0 && fcntl(memory, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW) == 0)
    return memory;
  close(memory);
  return -1;
}

int onair_process_spawn(
  const char *program, char *const arguments[], const int descriptors[], size_t count, int keeps_errors, pid_t *pid) {
  enum { first = 3 };
  if (count > ONAIR_PROCESS_DESCRIPTORS) return EINVAL;
  // Copies of the descriptors with high numbers, so that none is overwritten before it has been copied to its place.
  int high[ONAIR_PROCESS_DESCRIPTORS] = {-1, -1, -1, -1, -1}, error = 0;
  for (size_t index = 0; index < count && error == 0; index++) {
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
    for (size_t index = 0; index < count; index++)
      posix_spawn_file_actions_adddup2(&actions, high[index], first + (int)index);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    const struct sched_param usual = {0};
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
  for (size_t index = 0; index < count; index++)
    if (high[index] >= 0) close(high[index]);
  return error;
}

int onair_process_lifeline(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int onair_process_descriptor(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

int onair_process_end(pid_t pid, int descriptor) {
  for (;;) {
    int status = 0;
    pid_t found;
    do found = waitpid(pid, &status, WNOHANG);
    while (found < 0 && errno == EINTR);
    if (found != 0) return found < 0 ? 0 : WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
    kill(-pid, SIGKILL);
    struct pollfd waiting = {descriptor, POLLIN, 0};
    poll(&waiting, 1, descriptor < 0 ? 20 : 1000);
  }
}

int onair_watch(int event) {
  const int watch = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event wanted = {.events = EPOLLIN | EPOLLET, .data.u32 = ONAIR_WATCH_EVENT};
  if (watch < 0) return -1;
  if (epoll_ctl(watch, EPOLL_CTL_ADD, event, &wanted) == 0) return watch;
  close(watch);
  return -1;
}

void onair_watch_also(int watch, int descriptor, int bit) {
  struct epoll_event wanted = {.events = EPOLLIN, .data.u32 = (uint32_t)bit};
  epoll_ctl(watch, EPOLL_CTL_ADD, descriptor, &wanted);
}

int onair_watch_wait(int watch, int milliseconds) {
  struct epoll_event events[3];
  const int count = epoll_wait(watch, events, 3, milliseconds);
  if (count < 0) return -1;
  int bits = 0;
  for (int index = 0; index < count; index++) bits |= (int)events[index].data.u32;
  return bits;
}

int onair_has_landlock(void) {
  enum { ask_for_version = 1 };
  return syscall(SYS_landlock_create_ruleset, NULL, 0, ask_for_version) > 0;
}

void onair_hide_memory(void) { prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
