// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

#define _GNU_SOURCE
#include "crules.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "the system calls of this processor are not known here"
#endif

// --- Rights ---------------------------------------------------------------------------------------

// Makes the kernel end this process first if the machine runs out of memory.
static void prefer_oom_kill(void) {
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  if (write(file, "1000", 4) < 0) {}
  close(file);
}

static int was_not_started(const char **reason) {
  *reason = "was started by no OnAir";
  return -1;
}

int onair_end_with_parent(pid_t parent, const char **reason) {
  return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent ? 0 : was_not_started(reason);
}

int onair_end_with_pipe(int pipe, const char **reason) {
  // F_SETSIG replaces SIGIO, which says that something has happened at the other end, by a signal that nobody can catch.
  const int has_asked = fcntl(pipe, F_SETOWN, getpid()) == 0 && fcntl(pipe, F_SETSIG, SIGKILL) == 0 &&
                        fcntl(pipe, F_SETFL, O_ASYNC | O_NONBLOCK) == 0;
  // Without events, poll(2) tells of a closed end alone.
  struct pollfd end = {.fd = pipe};
  return has_asked && poll(&end, 1, 0) == 0 ? 0 : was_not_started(reason);
}

int onair_give_up_rights(unsigned first_closed, const char **reason) {
  // A copy of a descriptor that is kept would go round the rules for that one.
  if (syscall(SYS_close_range, first_closed, ~0u, 0) != 0) {
    *reason = "cannot be confined: the kernel has no close_range(2)";
    return -1;
  }
  prefer_oom_kill();
  struct __user_cap_header_struct version = {.version = _LINUX_CAPABILITY_VERSION_3};
  const struct __user_cap_data_struct none[2] = {{0}, {0}};
  syscall(SYS_capset, &version, none);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    *reason = "cannot be confined: the kernel refuses PR_SET_NO_NEW_PRIVS";
    return -1;
  }
  return 0;
}

void onair_limit(int resource, uint64_t most) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0) return;
  if (limit.rlim_max > most) limit.rlim_max = most;
  if (limit.rlim_cur > limit.rlim_max) limit.rlim_cur = limit.rlim_max;
  setrlimit(resource, &limit);
}

// --- Files (landlock(7)) --------------------------------------------------------------------------

// Only version 1 of Landlock is used, which Linux and its headers have had since 5.13.
#define ALL_OF_FILES 0x1fffu
#define READ_AND_RUN (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)

// Allows reading and running a file, or all files of a folder, if it exists.
static void allow_reading(int ruleset, const char *path) {
  const int descriptor = open(path, O_PATH | O_CLOEXEC);
  struct stat status;
  if (descriptor < 0) return;
  if (fstat(descriptor, &status) == 0) {
    const struct landlock_path_beneath_attr rule = {
      .allowed_access = S_ISDIR(status.st_mode) ? READ_AND_RUN : READ_AND_RUN & ~(uint64_t)LANDLOCK_ACCESS_FS_READ_DIR,
      .parent_fd = descriptor};
    syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  }
  close(descriptor);
}

int onair_forbid_files(const char *const readable[], size_t count) {
  const struct landlock_ruleset_attr what = {.handled_access_fs = ALL_OF_FILES};
  const int ruleset = (int)syscall(SYS_landlock_create_ruleset, &what, sizeof what.handled_access_fs, 0);
  if (ruleset < 0) return syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) > 0 ? -1 : 0;
  for (size_t index = 0; index < count; index++)
    if (readable[index]) allow_reading(ruleset, readable[index]);
  const int result = (int)syscall(SYS_landlock_restrict_self, ruleset, 0);
  close(ruleset);
  return result;
}

// --- System calls (seccomp(2)) --------------------------------------------------------------------

// A BPF program with which the kernel decides about each system call of this process.
static struct {
  struct sock_filter list[1024];
  unsigned short count;
} rules;

#define COUNT(list) (sizeof(list) / sizeof *(list))

// Appends an instruction. A full list stays as it is, which `onair_rules_apply` notices.
static void add(struct sock_filter rule) {
  if (rules.count < COUNT(rules.list)) rules.list[rules.count++] = rule;
}

// Loads 32 bits at an offset of struct seccomp_data.
static void add_load(size_t offset) { add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset)); }

// Loads the number of the system call, as each rule expects it to be.
static void add_load_call(void) { add_load(offsetof(struct seccomp_data, nr)); }

// Loads the lower or the upper 32 bits of an argument.
static void add_load_argument(int argument, int is_upper) {
  const int is_second = is_upper != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
  add_load(offsetof(struct seccomp_data, args) + sizeof(uint64_t) * (size_t)argument + (is_second ? 4 : 0));
}

// Compares what is loaded with `value`, and skips so many instructions.
static void add_jump(uint16_t comparison, uint32_t value, size_t if_true, size_t if_false) {
  add((struct sock_filter)BPF_JUMP(BPF_JMP | comparison | BPF_K, value, (uint8_t)if_true, (uint8_t)if_false));
}

static void add_return(enum onair_verdict verdict) {
  const uint32_t results[] = {
    [ONAIR_ALLOW] = SECCOMP_RET_ALLOW, [ONAIR_DENY] = SECCOMP_RET_ERRNO | EPERM, [ONAIR_MISSING] = SECCOMP_RET_ERRNO | ENOSYS};
  add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, results[verdict]));
}

void onair_rules_begin(void) {
  rules.count = 0;
  add_load(offsetof(struct seccomp_data, arch));
  add_jump(BPF_JEQ, THIS_ARCHITECTURE, 1, 0);
  add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
  add_load_call();
#if defined(__x86_64__)
  // Deny the x32 ABI, which has a second set of numbers for the same calls.
  add_jump(BPF_JGE, 0x40000000, 0, 1);
  add_return(ONAIR_DENY);
#endif
}

void onair_rules_decide(int call, enum onair_verdict verdict) {
  add_jump(BPF_JEQ, (uint32_t)call, 0, 1);
  add_return(verdict);
}

void onair_rules_decide_all(const int calls[], size_t count, enum onair_verdict verdict) {
  for (size_t index = 0; index < count; index++) onair_rules_decide(calls[index], verdict);
}

void onair_rules_decide_by_argument(
  int call, int argument, const uint32_t values[], size_t count, enum onair_verdict chosen, enum onair_verdict other) {
  add_jump(BPF_JEQ, (uint32_t)call, 0, count * 2 + 2);
  add_load_argument(argument, 0);
  for (size_t index = 0; index < count; index++) onair_rules_decide((int)values[index], chosen);
  add_return(other);
}

void onair_rules_deny_by_bits(int call, int argument, uint32_t bits) {
  add_jump(BPF_JEQ, (uint32_t)call, 0, 4);
  add_load_argument(argument, 0);
  add_jump(BPF_JSET, bits, 0, 1);
  add_return(ONAIR_DENY);
  add_return(ONAIR_ALLOW);
}

void onair_rules_require(int call, int argument, const uint32_t values[], size_t count) {
  add_jump(BPF_JEQ, (uint32_t)call, 0, count + 3);
  add_load_argument(argument, 0);
  for (size_t index = 0; index < count; index++) add_jump(BPF_JEQ, values[index], count - index, 0);
  add_return(ONAIR_DENY);
  add_load_call();
}

void onair_rules_refuse(int call, int argument, uint32_t value) {
  add_jump(BPF_JEQ, (uint32_t)call, 0, 4);
  add_load_argument(argument, 0);
  add_jump(BPF_JEQ, value, 0, 1);
  add_return(ONAIR_DENY);
  add_load_call();
}

void onair_rules_require_zero(int call, int argument) {
  add_jump(BPF_JEQ, (uint32_t)call, 0, 6);
  add_load_argument(argument, 0);
  add_jump(BPF_JEQ, 0, 0, 2);
  add_load_argument(argument, 1);
  add_jump(BPF_JEQ, 0, 1, 0);
  add_return(ONAIR_DENY);
  add_load_call();
}

void onair_rules_allow_pairs(
  int call, int argument, uint32_t value, int other_argument, const uint32_t values[], size_t count) {
  add_jump(BPF_JEQ, (uint32_t)call, 0, count * 2 + 4);
  add_load_argument(argument, 0);
  add_jump(BPF_JEQ, value, 0, count * 2 + 1);
  add_load_argument(other_argument, 0);
  for (size_t index = 0; index < count; index++) onair_rules_decide((int)values[index], ONAIR_ALLOW);
  add_load_call();
}

void onair_rules_require_bits(int call, int argument, uint32_t value, int other_argument, uint32_t bits) {
  add_jump(BPF_JEQ, (uint32_t)call, 0, 7);
  add_load_argument(argument, 0);
  add_jump(BPF_JEQ, value, 0, 4);
  add_load_argument(other_argument, 0);
  add_jump(BPF_JSET, bits, 0, 1);
  add_return(ONAIR_ALLOW);
  add_return(ONAIR_DENY);
  add_load_call();
}

// RLIMIT_FSIZE would not prevent emptying a file, or writing to it through shared memory. openat2(2) gets ENOSYS, since its
// flags are in memory, which no rule can read.
void onair_rules_forbid_writing(void) {
  const uint32_t writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
  onair_rules_deny_by_bits(SYS_openat, 2, writing);
#if defined(__x86_64__)
  onair_rules_deny_by_bits(SYS_open, 1, writing);
#endif
  onair_rules_decide(SYS_openat2, ONAIR_MISSING);
}

// clone3(2) gets ENOSYS, since its flags are in memory, which no rule can read: the C library then uses clone(2).
void onair_rules_allow_threads(void) {
  add_jump(BPF_JEQ, SYS_clone, 0, 4);
  add_load_argument(0, 0);
  add_jump(BPF_JSET, CLONE_THREAD, 0, 1);
  add_return(ONAIR_ALLOW);
  add_return(ONAIR_DENY);
  onair_rules_decide(SYS_clone3, ONAIR_MISSING);
}

int onair_rules_apply(enum onair_verdict rest) {
  add_return(rest);
  const struct sock_fprog program = {.len = rules.count, .filter = rules.list};
  if (rules.count == COUNT(rules.list)) return -1;
  // prctl(2), since systemd's list of allowed calls for services lacks seccomp(2).
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
