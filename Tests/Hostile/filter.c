// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/* Filters that do what they must not do: which, the name of the program tells. Those that answer fill the output's luma with
 * 200; `escapes` does so only if it could do nothing that it must not. Tests/VideoTests/Process compiles this. */

#define _GNU_SOURCE
#include <onair/filter.h>

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

static struct onair_filter filter;

static void *flood(void *nothing) {
  for (;;) onair_filter_signal();
  return nothing;
}

/* Whether something works that must not. */
static const char *escape(void) {
  char path[64], byte = 0;
  pid_t parent = getppid();
  struct rlimit limits = {1, 1};
  struct iovec here = {&byte, 1}, there = {&byte, 1};
  if (socket(AF_INET, SOCK_STREAM, 0) >= 0 || socket(AF_UNIX, SOCK_DGRAM, 0) >= 0) return "network";
  pid_t child = fork();
  if (child == 0) for (;;) pause();
  if (child > 0 || vfork() >= 0) return "process";
  if (syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) >= 0) return "clone";
  if (setsid() >= 0) return "session";
  if (kill(parent, 0) == 0 || syscall(SYS_tgkill, parent, parent, 0) == 0) return "signal";
  if (syscall(SYS_pidfd_open, parent, 0) >= 0) return "pidfd";
  if (syscall(SYS_prlimit64, parent, RLIMIT_NOFILE, NULL, &limits) == 0) return "limits of another";
  if (setpriority(PRIO_PROCESS, 0, 5) == 0) return "priority";
  if (ptrace(PTRACE_ATTACH, parent, 0, 0) == 0) return "trace";
  if (process_vm_readv(parent, &here, 1, &there, 1, 0) >= 0) return "memory of another";
  if (fcntl(ONAIR_FILTER_FRAME, F_SETFL, 0) == 0) return "shared state";
  if (prctl(PR_SET_PDEATHSIG, 0) == 0) return "outliving";
  if (syscall(SYS_memfd_create, "x", 0) >= 0) return "memory that is not counted";
  if (ftruncate(ONAIR_FILTER_MEMORY, 0) == 0) return "shrinking";
  if (open("/tmp/onair-filter-was-here", O_WRONLY | O_CREAT, 0600) >= 0 || open("/dev/null", O_RDWR) >= 0) return "writing";
  if (syscall(SYS_close_range, 100u, 200u, 0) != 0) return "close";
  for (int descriptor = 6; descriptor < 1024; descriptor++)
    if (fcntl(descriptor, F_GETFD) >= 0) return "a descriptor of OnAir";
  snprintf(path, sizeof path, "/proc/%d/mem", (int)parent);
  if (open(path, O_RDONLY) >= 0) return "memory of OnAir";
  snprintf(path, sizeof path, "/proc/%d/environ", (int)parent);
  if (open(path, O_RDONLY) >= 0) return "environment of OnAir";
  /* Without Landlock in the kernel, files that this user may read can be read. */
  if (syscall(SYS_landlock_create_ruleset, NULL, 0, 1) > 0 &&
      (open("/etc/passwd", O_RDONLY) >= 0 || open("/tmp", O_RDONLY) >= 0)) return "reading";
  if (getenv("HOME") != NULL) return "environment";
  return NULL;
}

static void fill(uint8_t luma) {
  const struct onair_filter_request *request = filter.request;
  memset(filter.memory + request->output.y, luma, (size_t)request->y_stride * request->height);
  memcpy(
    filter.memory + request->output.cb, filter.memory + request->input.cb,
    (size_t)request->chroma_stride * ((request->height + 1) / 2));
  memcpy(
    filter.memory + request->output.cr, filter.memory + request->input.cr,
    (size_t)request->chroma_stride * ((request->height + 1) / 2));
}

/* Luma of the frame before, as a filter that keeps frames would show. */
static uint8_t kept;

int main(int count, char **arguments) {
  const char *name = count > 0 ? strrchr(arguments[0], '/') + 1 : "";
#define IS(what) (strcmp(name, what) == 0)
  if (IS("exits")) return 3;
  if (onair_filter_open(&filter) != 0) return 1;
  if (IS("never-ready")) for (;;) pause();
  if (IS("talks")) {
    onair_filter_tell(&filter, "is\x1b[31m red\nand \xff odd");
    return 1;
  }
  if (IS("floods")) {
    pthread_t thread;
    pthread_create(&thread, NULL, flood, NULL);
  }
  const char *escaped = IS("escapes") ? escape() : NULL;
  if (escaped) {
    onair_filter_tell(&filter, escaped);
    return 1;
  }
  onair_filter_ready(&filter);
  for (int frames = 1; onair_filter_wait(&filter) == 0; frames++) {
    const struct onair_filter_request *request = filter.request;
    if (IS("sleeps") || IS("floods")) for (;;) pause();
    if (IS("slow")) usleep(1000 * (useconds_t)atoi(request->text));
    if (IS("crashes") && frames == 3) *(volatile int *)8 = 1;
    if (IS("ends") && frames == 3) return 0;
    if (IS("beyond") && frames == 3) memset(filter.memory + request->size, 0, 64 << 20);
    if (IS("scribbles")) {
      /* All but its own number: the request, the answer, both frames. */
      uint64_t number = request->sequence;
      memset(filter.memory, 0xff, ONAIR_FILTER_ANSWER_OFFSET);
      memset(filter.answer, 0xff, sizeof *filter.answer);
      filter.answer->flags = 0;
      __atomic_store_n(&filter.answer->sequence, number, __ATOMIC_RELEASE);
      onair_filter_signal();
      for (;;) {
        /* OnAir writes the number of the next frame over the scribble. */
        uint64_t *next = (uint64_t *)&request->sequence;
        while ((number = __atomic_load_n(next, __ATOMIC_ACQUIRE)) == UINT64_MAX) {
          struct pollfd waiting = {ONAIR_FILTER_FRAME, POLLIN, 0};
          poll(&waiting, 1, -1);
          uint64_t value;
          if (read(ONAIR_FILTER_FRAME, &value, sizeof value) < 0 && errno != EAGAIN) return 1;
        }
        *next = UINT64_MAX;
        __atomic_store_n(&filter.answer->sequence, number, __ATOMIC_RELEASE);
        onair_filter_signal();
      }
    }
    if (IS("wrong")) {
      __atomic_store_n(&filter.answer->sequence, request->sequence + 1000, __ATOMIC_RELEASE);
      onair_filter_signal();
      continue;
    }
    if (IS("leaks")) for (;;) {
      char *memory = malloc(1 << 20);
      if (!memory) abort();
      memset(memory, 1, 1 << 20);
    }
    if (IS("keeps")) {
      uint8_t now = filter.memory[request->input.y];
      fill(frames == 1 ? now : kept);
      kept = now;
    } else if (IS("finds")) {
      filter.answer->point_count = 100000;
      for (int index = 0; index < ONAIR_FILTER_POINTS; index++)
        filter.answer->points[index] =
          (struct onair_filter_point){index % 2 ? 0.25f : NAN, index % 4 == 3 ? 1e30f : 0.5f, 0, (uint16_t)index};
      onair_filter_done(&filter, ONAIR_FILTER_UNCHANGED);
      continue;
    } else if (IS("counts")) {
      /* As many points as a filter before it has found, then a parameter. */
      fill((uint8_t)request->point_count);
      filter.memory[request->output.y + 1] = (uint8_t)request->face.thin_face;
    } else {
      fill(200);
    }
    onair_filter_done(&filter, 0);
  }
  return 1;
}
