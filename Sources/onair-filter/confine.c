// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

#define _GNU_SOURCE
#include "confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
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

// --- System calls (seccomp(2)) --------------------------------------------------------------------

// A BPF program with which the kernel decides about each system call of this process.
struct rules {
  struct sock_filter list[512];
  unsigned short count;
};

#define DENIED (SECCOMP_RET_ERRNO | EPERM)

// Appends an instruction. A full list stays as it is, which `apply` notices.
static void add(struct rules *rules, struct sock_filter rule) {
  if (rules->count < sizeof rules->list / sizeof *rules->list) rules->list[rules->count++] = rule;
}

// Loads 32 bits at an offset of struct seccomp_data.
static void add_load(struct rules *rules, size_t offset) {
  add(rules, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

static void add_return(struct rules *rules, uint32_t result) {
  add(rules, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, result));
}

// The offset of the lower 32 bits of an argument: no argument that is checked here is wider.
#define ARGUMENT(n) (offsetof(struct seccomp_data, args[n]) + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0))
#define COUNT(list) (sizeof(list) / sizeof *(list))

// Starts a list: kills the process at a call of another architecture, and loads the number of the call.
static void begin(struct rules *rules) {
  add_load(rules, offsetof(struct seccomp_data, arch));
  add(rules, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCHITECTURE, 1, 0));
  add_return(rules, SECCOMP_RET_KILL_PROCESS);
  add_load(rules, offsetof(struct seccomp_data, nr));
#if defined(__x86_64__)
  // Deny the x32 ABI, which has a second set of numbers for the same calls.
  add(rules, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1));
  add_return(rules, DENIED);
#endif
}

// Gives a system call, by its number, a fixed result.
static void decide(struct rules *rules, int call, uint32_t result) {
  add(rules, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1));
  add_return(rules, result);
}

// Gives a system call a result by an argument: `chosen` if the argument is one of `values`, `other` if not.
static void decide_by_argument(
    struct rules *rules, int call, size_t argument, const uint32_t *values, size_t count, uint32_t chosen, uint32_t other) {
  add(rules, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, (uint8_t)(count * 2 + 2)));
  add_load(rules, argument);
  for (size_t index = 0; index < count; index++) decide(rules, (int)values[index], chosen);
  add_return(rules, other);
}

// Denies a system call if one of `bits` is set in an argument, and allows it otherwise.
static void deny_by_bits(struct rules *rules, int call, size_t argument, uint32_t bits) {
  add(rules, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 4));
  add_load(rules, argument);
  add(rules, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1));
  add_return(rules, DENIED);
  add_return(rules, SECCOMP_RET_ALLOW);
}

// Allows files to be opened only for reading, also where the kernel has no Landlock: RLIMIT_FSIZE would not prevent
// emptying a file, or writing to it through shared memory. openat2(2) gets ENOSYS, since its flags are in memory, which
// no rule can read.
static void forbid_writing(struct rules *rules) {
  const uint32_t writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
  deny_by_bits(rules, SYS_openat, ARGUMENT(2), writing);
#if defined(__x86_64__)
  deny_by_bits(rules, SYS_open, ARGUMENT(1), writing);
#endif
  decide(rules, SYS_openat2, SECCOMP_RET_ERRNO | ENOSYS);
}

// Allows new threads and denies new processes. clone3(2) gets ENOSYS, since its flags are in memory, which no rule can
// read: the C library then uses clone(2).
static void allow_threads(struct rules *rules) {
  add(rules, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4));
  add_load(rules, ARGUMENT(0));
  add(rules, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1));
  add_return(rules, SECCOMP_RET_ALLOW);
  add_return(rules, DENIED);
  decide(rules, SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
}

static int apply(struct rules *rules) {
  const struct sock_fprog program = {.len = rules->count, .filter = rules->list};
  if (rules->count == COUNT(rules->list)) return -1;
  // prctl(2), since systemd's list of allowed calls for services lacks seccomp(2).
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

// System calls that are always denied: a filter does not need them, or they affect other processes. Further dangerous
// calls need privileges that the process does not have.
static const int never[] = {
  // New processes, which could outlive the filter or fill the process table, and leaving the process group.
#if defined(__x86_64__)
  SYS_fork, SYS_vfork,
#endif
  SYS_setsid, SYS_setpgid, SYS_unshare, SYS_setns, SYS_execveat,
  // Access to other processes: OnAir runs as the same user.
  SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, SYS_tkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo,
  SYS_pidfd_open, SYS_pidfd_send_signal, SYS_pidfd_getfd, SYS_process_madvise, SYS_move_pages, SYS_migrate_pages,
  SYS_sched_setscheduler, SYS_sched_setparam, SYS_sched_setattr, SYS_setpriority, SYS_ioprio_set,
  // The network.
  SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_sendto, SYS_sendmsg, SYS_sendmmsg,
  // Memory that no limit of the process counts, or that outlives the process.
  SYS_memfd_create, SYS_memfd_secret, SYS_shmget, SYS_shmat, SYS_msgget, SYS_semget, SYS_mq_open, SYS_mlock, SYS_mlock2,
  SYS_mlockall, SYS_splice, SYS_tee, SYS_vmsplice,
  // Ways around these rules, and kernel interfaces with a long history of vulnerabilities.
  SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register, SYS_userfaultfd, SYS_bpf, SYS_perf_event_open, SYS_keyctl,
  SYS_add_key, SYS_request_key, SYS_personality, SYS_mount, SYS_umount2, SYS_chroot, SYS_pivot_root, SYS_open_by_handle_at,
  SYS_fanotify_init, SYS_inotify_init1, SYS_setrlimit,
  // Changes of files: the process may only read some.
  SYS_truncate, SYS_ftruncate, SYS_fallocate, SYS_mknodat, SYS_mkdirat, SYS_unlinkat, SYS_symlinkat, SYS_linkat, SYS_renameat2,
  SYS_renameat, SYS_fchmod, SYS_fchmodat, SYS_fchown, SYS_fchownat, SYS_utimensat, SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr,
  452,  // fchmodat2, which older headers lack
#if defined(__x86_64__)
  SYS_creat, SYS_mknod, SYS_mkdir, SYS_rmdir, SYS_unlink, SYS_symlink, SYS_link, SYS_rename, SYS_chmod, SYS_chown, SYS_lchown,
  SYS_utime, SYS_utimes, SYS_futimesat,
#endif
};

// Commands of fcntl(2) and ioctl(2) that change a descriptor for OnAir, too: OnAir would hang if the descriptor
// blocked, and signals would end it.
static const uint32_t shared_states[] = {F_SETFL, F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE, F_SETPIPE_SZ};
static const uint32_t shared_controls[] = {FIONBIO, FIOASYNC, TIOCSTI};
// Options of prctl(2) that are denied: this process has to end with OnAir and, unless a second list of rules follows,
// to keep its rules.
static const uint32_t final_settings[] = {PR_SET_PDEATHSIG, PR_SET_SECCOMP};

// Installs the rules for system calls. `execs`: whether execve(2) stays allowed.
static int forbid_calls(int execs) {
  static struct rules rules;
  const uint32_t own[] = {0, (uint32_t)getpid()};
  rules.count = 0;
  begin(&rules);
  for (size_t index = 0; index < COUNT(never); index++) decide(&rules, never[index], DENIED);
  if (!execs) decide(&rules, SYS_execve, DENIED);
  allow_threads(&rules);
  forbid_writing(&rules);
  decide_by_argument(&rules, SYS_fcntl, ARGUMENT(1), shared_states, COUNT(shared_states), DENIED, SECCOMP_RET_ALLOW);
  decide_by_argument(&rules, SYS_ioctl, ARGUMENT(1), shared_controls, COUNT(shared_controls), DENIED, SECCOMP_RET_ALLOW);
  // For the process of a plug-in, `confine_to_computing` adds a second list later.
  decide_by_argument(&rules, SYS_prctl, ARGUMENT(0), final_settings, execs ? 2 : 1, DENIED, SECCOMP_RET_ALLOW);
  decide_by_argument(&rules, SYS_kill, ARGUMENT(0), own + 1, 1, SECCOMP_RET_ALLOW, DENIED);
  decide_by_argument(&rules, SYS_tgkill, ARGUMENT(0), own + 1, 1, SECCOMP_RET_ALLOW, DENIED);
  decide_by_argument(&rules, SYS_prlimit64, ARGUMENT(0), own, 2, SECCOMP_RET_ALLOW, DENIED);
  decide_by_argument(&rules, SYS_sched_setaffinity, ARGUMENT(0), own, 2, SECCOMP_RET_ALLOW, DENIED);
  add_return(&rules, SECCOMP_RET_ALLOW);
  return apply(&rules);
}

// The system calls that a loaded plug-in may make.
static const int computing[] = {
  SYS_read, SYS_write, SYS_ppoll, SYS_futex, SYS_close, SYS_fstat, SYS_lseek,
#if defined(__x86_64__)
  SYS_poll,
#endif
  SYS_brk, SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise,
  SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_tgkill, SYS_restart_syscall,
  SYS_set_robust_list, SYS_rseq, SYS_getpid, SYS_gettid, SYS_sched_yield, SYS_sched_getaffinity, SYS_getcpu, SYS_membarrier,
  SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday, SYS_getrandom, SYS_sysinfo,
  SYS_getrusage, SYS_exit, SYS_exit_group,
};

int confine_to_computing(void) {
  static struct rules rules;
  rules.count = 0;
  begin(&rules);
  for (size_t index = 0; index < COUNT(computing); index++) decide(&rules, computing[index], SECCOMP_RET_ALLOW);
  allow_threads(&rules);
  add_return(&rules, DENIED);
  return apply(&rules);
}

// --- Files (landlock(7)) --------------------------------------------------------------------------

// Only version 1 of Landlock is used, which Linux and its headers have had since 5.13.
#define ALL_OF_FILES 0x1fffu
#define READ_AND_RUN (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)

// Allows reading and running a file, or all files of a folder, if it exists.
static void allow_reading(int rules, const char *path) {
  const int descriptor = open(path, O_PATH | O_CLOEXEC);
  struct stat status;
  if (descriptor < 0) return;
  if (fstat(descriptor, &status) == 0) {
    const struct landlock_path_beneath_attr rule = {
      .allowed_access = S_ISDIR(status.st_mode) ? READ_AND_RUN : READ_AND_RUN & ~(uint64_t)LANDLOCK_ACCESS_FS_READ_DIR,
      .parent_fd = descriptor};
    syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  }
  close(descriptor);
}

// The files and folders that a filter may read. /etc as a whole is not one of them: onair.toml may have the stream key.
static const char *const readable[] = {
  "/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/dev/null", "/dev/zero",
  "/dev/urandom", "/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu",
};

// Forbids all files except `readable` and those of `folder`. Without Landlock in the kernel, this does nothing and
// returns 0: OnAir then warns the box's owner, and hides its memory from this process. Returns -1 if the kernel has
// Landlock but refuses.
static int forbid_files(const char *folder) {
  const struct landlock_ruleset_attr what = {.handled_access_fs = ALL_OF_FILES};
  const int rules = (int)syscall(SYS_landlock_create_ruleset, &what, sizeof what.handled_access_fs, 0);
  if (rules < 0) return syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) > 0 ? -1 : 0;
  for (size_t index = 0; index < COUNT(readable); index++) allow_reading(rules, readable[index]);
  if (folder) allow_reading(rules, folder);
  const int result = (int)syscall(SYS_landlock_restrict_self, rules, 0);
  close(rules);
  return result;
}

// --- Limits ---------------------------------------------------------------------------------------

static void limit(int resource, rlim_t most) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0) return;
  if (limit.rlim_max > most) limit.rlim_max = most;
  if (limit.rlim_cur > limit.rlim_max) limit.rlim_cur = limit.rlim_max;
  setrlimit(resource, &limit);
}

static void set_limits(int execs) {
  const rlim_t mebibyte = 1 << 20;
  // RLIMIT_DATA counts private memory; RLIMIT_AS also counts shared memory and libraries.
  limit(RLIMIT_DATA, 512 * mebibyte);
  limit(RLIMIT_AS, (execs ? 1536 : 768) * mebibyte);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_NOFILE, 64);
  limit(RLIMIT_NPROC, 512);
  limit(RLIMIT_MEMLOCK, 0);
  limit(RLIMIT_MSGQUEUE, 0);
  limit(RLIMIT_RTPRIO, 0);
  limit(RLIMIT_NICE, 0);
}

// Makes the kernel end this process first if the machine runs out of memory.
static void prefer_oom_kill(void) {
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  if (write(file, "1000", 4) < 0) {}
  close(file);
}

int confine(pid_t parent, const char *folder, int execs, const char **reason) {
  // Close all descriptors except 0 to 2 and those of the protocol, 3 to 5.
  syscall(SYS_close_range, 6u, ~0u, 0);
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) {
    *reason = "was started by no OnAir";
    return -1;
  }
  prefer_oom_kill();
  set_limits(execs);
  struct __user_cap_header_struct version = {.version = _LINUX_CAPABILITY_VERSION_3};
  const struct __user_cap_data_struct none[2] = {{0}, {0}};
  syscall(SYS_capset, &version, none);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    *reason = "cannot be confined: the kernel refuses PR_SET_NO_NEW_PRIVS";
    return -1;
  }
  if (forbid_files(folder) != 0) {
    *reason = "cannot be confined: the kernel has Landlock and refuses it";
    return -1;
  }
  if (forbid_calls(execs) != 0) {
    *reason = "cannot be confined: the kernel has no filter for system calls (CONFIG_SECCOMP_FILTER)";
    return -1;
  }
  return 0;
}
