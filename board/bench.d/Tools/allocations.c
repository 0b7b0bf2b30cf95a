// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Counts a program's heap allocations by caller. Loaded with LD_PRELOAD. The counts are in the file BENCH_ALLOCATIONS,
// which the benchmark maps as well; it sets `counting` there. An allocation within the C or C++ library counts for the
// caller of that library. Threads through which no frame passes are left out: the first one, which supervises the others
// and reads the figures once a second, and those of the scheduling policy SCHED_BATCH, which give way to all others.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { most_objects = 510, most_traces = 32, trace_depth = 15 };

struct object {
  char name[120];  // the library's file name; the first object is the program itself, "program"
  _Atomic uint64_t count;
};

struct trace {
  uint64_t count;
  uint64_t offsets[trace_depth];  // return addresses within the program, terminated by 0
};

// The benchmark depends on these offsets. All members are multiples of 8 bytes, so there is no padding.
struct counts {
  _Atomic uint64_t counting;
  uint64_t trace_count;
  struct object objects[most_objects];
  struct trace traces[most_traces];
};

static struct counts *counts;
static struct { uintptr_t begin, end; } ranges[most_objects];
static int object_count, transparent[most_objects];
static pthread_mutex_t trace_lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int inside __attribute__((tls_model("initial-exec")));

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static int note_object(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size, (void)context;
  if (object_count == most_objects) return 1;
  uintptr_t begin = UINTPTR_MAX, end = 0;
  for (int index = 0; index < info->dlpi_phnum; index++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[index];
    if (part->p_type != PT_LOAD) continue;
    uintptr_t start = info->dlpi_addr + part->p_vaddr;
    if (start < begin) begin = start;
    if (start + part->p_memsz > end) end = start + part->p_memsz;
  }
  const char *slash = strrchr(info->dlpi_name, '/');
  const char *name = slash ? slash + 1 : info->dlpi_name;
  struct object *object = &counts->objects[object_count];
  strncpy(object->name, object_count == 0 ? "program" : name, sizeof object->name - 1);
  ranges[object_count].begin = begin;
  ranges[object_count].end = end;
  transparent[object_count] = strncmp(name, "libc.so", 7) == 0 ||
      strncmp(name, "libstdc++", 9) == 0 || strncmp(name, "allocations", 11) == 0;
  object_count++;
  return 0;
}

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("BENCH_ALLOCATIONS");
  int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0) return;
  inside = 1;
  void *room = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (room == MAP_FAILED) return;
  void *prime[2];
  backtrace(prime, 2);  // loads the unwinder, which allocates
  counts = room;
  dl_iterate_phdr(note_object, NULL);
  inside = 0;
}

static int object_of(void *address) {
  for (int index = 0; index < object_count; index++)
    if ((uintptr_t)address >= ranges[index].begin && (uintptr_t)address < ranges[index].end)
      return index;
  return -1;
}

static void note_trace(void **frames, int depth) {
  struct trace found = {.count = 1};
  int kept = 0;
  for (int index = 0; index < depth && kept < trace_depth; index++)
    if (object_of(frames[index]) == 0)
      found.offsets[kept++] = (uintptr_t)frames[index] - ranges[0].begin;
  pthread_mutex_lock(&trace_lock);
  uint64_t place = 0;
  while (place < counts->trace_count &&
         memcmp(counts->traces[place].offsets, found.offsets, sizeof found.offsets) != 0)
    place++;
  if (place < counts->trace_count) {
    counts->traces[place].count++;
  } else if (place < most_traces) {
    counts->traces[place] = found;
    counts->trace_count++;
  }
  pthread_mutex_unlock(&trace_lock);
}

static void note(void *caller) {
  if (!counts || inside || !atomic_load_explicit(&counts->counting, memory_order_relaxed)) return;
  if (gettid() == getpid() || sched_getscheduler(0) == SCHED_BATCH) return;
  inside = 1;
  int object = object_of(caller);
  if (object <= 0 || transparent[object]) {
    void *frames[32];
    int depth = backtrace(frames, 32);
    for (int index = 0; index < depth; index++) {
      int its = object_of(frames[index]);
      if (its >= 0 && transparent[its]) continue;
      if (its >= 0) object = its;
      break;
    }
    if (object == 0) note_trace(frames, depth);
  }
  // A caller in no known file counts as the program itself.
  atomic_fetch_add_explicit(&counts->objects[object < 0 ? 0 : object].count, 1, memory_order_relaxed);
  inside = 0;
}

void *malloc(size_t size) {
  note(__builtin_return_address(0));
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  note(__builtin_return_address(0));
  return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  note(__builtin_return_address(0));
  return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
  note(__builtin_return_address(0));
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  note(__builtin_return_address(0));
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  note(__builtin_return_address(0));
  void *room = __libc_memalign(alignment, size);
  if (!room) return 12 /* ENOMEM */;
  *result = room;
  return 0;
}
