// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What glibc declares only under _GNU_SOURCE, or as macros, and Swift therefore does not see.
// _GNU_SOURCE itself cannot be defined here: it changes types that the Glibc module has already
// defined without it.

#pragma once

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

// glibc 2.30: a wait that a change of the wall clock can neither stretch nor cut short.
int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *deadline);

// Moves bytes between two descriptors, one of them a pipe, without a copy (splice(2)).
ssize_t splice(int from, int64_t *from_offset, int to, int64_t *to_offset, size_t count,
               unsigned flags);

int pthread_setname_np(pthread_t thread, const char *name);

// No memory of this process comes in pieces of 2 MB, though a library asks for them (prctl(2)).
static inline int onair_no_huge_pages(void) { return prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); }

// A socket that gets something to read whenever an interface, an address or a route of this machine changes
// (rtnetlink(7)). Returns -1 with errno.
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

// The beginning of struct tcp_info in linux/tcp.h, which cannot be included beside the C library's own,
// shorter one. The kernel only ever adds to its end.
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

// How far a TCP connection is.
struct onair_tcp_progress {
  uint64_t acknowledged;     // bytes that the other side's kernel has
  uint64_t queued;           // bytes handed to this side's kernel beyond those (SIOCOUTQ, tcp(7))
  uint32_t round_trip;       // microseconds, smoothed
  uint64_t busy;             // microseconds with something to send, in sum
  uint64_t held_back;        // of these, with the other side's window full
};

// Returns 0, or -1 with errno.
static inline int onair_tcp_look(int descriptor, struct onair_tcp_progress *progress) {
  struct onair_tcp_info info = {0};
  socklen_t length = sizeof info;
  int waiting = 0;
  enum { tcp_level = 6, tcp_info_option = 11, round_trip = 15 };
  // In this order: what is acknowledged in between is counted twice, and the end of what was written then
  // seems later than it is. The other way round it would seem earlier, and to have arrived.
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
