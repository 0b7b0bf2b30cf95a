// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Functions and constants that Swift does not import, since glibc declares them only under _GNU_SOURCE or as macros.
// _GNU_SOURCE itself cannot be defined here: it changes types that the Glibc module has already
// defined without it.

#pragma once

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/types.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

// glibc 2.30: sem_timedwait with a choice of the clock; on CLOCK_MONOTONIC a change of the wall clock has no effect.
int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *deadline);

// splice(2): moves bytes between two descriptors, one of them a pipe, without copying them.
ssize_t splice(int from, int64_t *from_offset, int to, int64_t *to_offset, size_t count,
               unsigned flags);

// fallocate(2) with FALLOC_FL_KEEP_SIZE: reserves space behind the end of a file.
int fallocate(int descriptor, int mode, off_t offset, off_t length);
enum { onair_keep_size = 1 };

// Whether an open file or folder is on a FAT file system, whose files end at 4 GiB (MSDOS_SUPER_MAGIC).
static inline int onair_is_fat(int descriptor) {
  struct statfs system;
  return fstatfs(descriptor, &system) == 0 && system.f_type == 0x4d44;
}

int pthread_setname_np(pthread_t thread, const char *name);

// Disables transparent huge pages for this process, even where a library requests them with madvise(2). See prctl(2).
static inline int onair_no_huge_pages(void) { return prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); }

// Whether the kernel's clock is kept by an NTP client (adjtimex(2)).
static inline int onair_clock_is_synchronised(void) {
  struct timex state = {.modes = 0};
  return adjtimex(&state) >= 0 && !(state.status & STA_UNSYNC);
}

// A set of processors, with room for 8,192, the most that Linux can be built for.
typedef struct {
  unsigned long words[8192 / (8 * sizeof(unsigned long))];
} onair_processor_set;

static inline int onair_processor_is_in(const onair_processor_set *set, int number) {
  const int bits = 8 * sizeof(unsigned long);
  return set->words[number / bits] >> number % bits & 1;
}

static inline void onair_processor_add(onair_processor_set *set, int number) {
  const int bits = 8 * sizeof(unsigned long);
  set->words[number / bits] |= 1UL << number % bits;
}

// The processors that a thread may use (sched_getaffinity(2)). Returns how many, 0 on failure.
static inline int onair_processors(pid_t thread, onair_processor_set *set) {
  *set = (onair_processor_set){0};
  long bytes = syscall(SYS_sched_getaffinity, thread, sizeof *set, set);
  int count = 0;
  for (long word = 0; word < bytes / (long)sizeof(long); word++) count += __builtin_popcountl(set->words[word]);
  return count;
}

// Restricts the calling thread to a set of processors (sched_setaffinity(2)). Returns -1 and sets errno on failure.
static inline int onair_use_processors(const onair_processor_set *set) {
  return (int)syscall(SYS_sched_setaffinity, 0, sizeof *set, set);
}

// Opens a socket that becomes readable when an interface, an address or a route of this machine changes
// (rtnetlink(7)). Returns -1 and sets errno on failure.
static inline int onair_route_watch(void) {
  struct sockaddr_nl address = {
      .nl_family = AF_NETLINK,
      .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_IFADDR |
                   RTMGRP_IPV6_ROUTE,
  };
  int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE);
  if (descriptor < 0) return -1;
  if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
  close(descriptor);
  return -1;
}

// The first fields of struct tcp_info in linux/tcp.h. That header cannot be included, since it conflicts with the C
// library's, whose tcp_info is shorter. The kernel only adds fields at the end.
struct onair_tcp_info {
  uint8_t state[8];
  uint32_t counters[24];
  uint64_t pacing_rate, max_pacing_rate;
  uint64_t bytes_acked;  // since Linux 4.1
  uint64_t bytes_received;
  uint32_t segments_out, segments_in;
  uint32_t notsent_bytes, min_rtt;
  uint32_t data_segments_in, data_segments_out;
  uint64_t delivery_rate;
  uint64_t busy_time, rwnd_limited, sndbuf_limited;  // since Linux 4.10
};

// The progress of a TCP connection: what it has sent, and how long the peer has held it up.
struct onair_tcp_progress {
  uint64_t acknowledged;     // bytes acknowledged by the peer
  uint64_t queued;           // bytes in the send buffer: unsent or unacknowledged (SIOCOUTQ, tcp(7))
  uint32_t round_trip;       // the smoothed round-trip time in microseconds
  uint64_t busy;             // microseconds since the start in which there was data to send
  uint64_t held_back;        // the part of `busy` in which the peer's receive window was full
};

// Reads the progress of the TCP connection of a socket. Returns 0; -1 on failure, or if the kernel is older than
// Linux 4.10.
static inline int onair_tcp_read(int descriptor, struct onair_tcp_progress *progress) {
  struct onair_tcp_info info = {0};
  socklen_t length = sizeof info;
  int waiting = 0;
  enum { tcp_level = 6, tcp_info_option = 11, round_trip = 15 };
  // The order matters. Bytes that are acknowledged between the two calls are counted in both, so the total written
  // seems larger than it is. In the other order they would be counted in neither, and unacknowledged bytes would seem
  // to have arrived.
  if (ioctl(descriptor, TIOCOUTQ, &waiting) != 0) return -1;
  if (getsockopt(descriptor, tcp_level, tcp_info_option, &info, &length) != 0) return -1;
  if (length < sizeof info) return -1;
  progress->acknowledged = info.bytes_acked;
  progress->queued = (uint64_t)waiting;
  progress->round_trip = info.counters[round_trip];
  progress->busy = info.busy_time;
  progress->held_back = info.rwnd_limited;
  return 0;
}

// Starts a program in a process group of its own, with /dev/null as input and outputs, and without the environment, the
// signal mask and the real-time priority of this process. Returns 0 or an error number.
static inline int onair_spawn(const char *program, char *const arguments[], pid_t *pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  enum { read_and_write = 2 };
  for (int descriptor = 0; descriptor < 3; descriptor++)
    posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", read_and_write, 0);
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
  char *const environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", NULL};
  int error = posix_spawn(pid, program, &actions, &attributes, arguments, environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}
