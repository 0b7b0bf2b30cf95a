// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

#define _GNU_SOURCE
#include "confine.h"

#include <crules.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

// --- System calls ---------------------------------------------------------------------------------

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
  const uint32_t own[] = {0, (uint32_t)getpid()};
  onair_rules_begin();
  onair_rules_decide_all(never, COUNT(never), ONAIR_DENY);
  if (!execs) onair_rules_decide(SYS_execve, ONAIR_DENY);
  onair_rules_allow_threads();
  onair_rules_forbid_writing();
  onair_rules_decide_by_argument(SYS_fcntl, 1, shared_states, COUNT(shared_states), ONAIR_DENY, ONAIR_ALLOW);
  onair_rules_decide_by_argument(SYS_ioctl, 1, shared_controls, COUNT(shared_controls), ONAIR_DENY, ONAIR_ALLOW);
  // For the process of a plug-in, `confine_to_computing` adds a second list later.
  onair_rules_decide_by_argument(SYS_prctl, 0, final_settings, execs ? 2 : 1, ONAIR_DENY, ONAIR_ALLOW);
  onair_rules_decide_by_argument(SYS_kill, 0, own + 1, 1, ONAIR_ALLOW, ONAIR_DENY);
  onair_rules_decide_by_argument(SYS_tgkill, 0, own + 1, 1, ONAIR_ALLOW, ONAIR_DENY);
  onair_rules_decide_by_argument(SYS_prlimit64, 0, own, 2, ONAIR_ALLOW, ONAIR_DENY);
  onair_rules_decide_by_argument(SYS_sched_setaffinity, 0, own, 2, ONAIR_ALLOW, ONAIR_DENY);
  return onair_rules_apply(ONAIR_ALLOW);
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
  onair_rules_begin();
  onair_rules_decide_all(computing, COUNT(computing), ONAIR_ALLOW);
  onair_rules_allow_threads();
  return onair_rules_apply(ONAIR_DENY);
}

// --- Files and limits -----------------------------------------------------------------------------

// The files and folders that a filter may read. /etc as a whole is not one of them: onair.toml may have the stream key.
static const char *const readable[] = {
  "/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/dev/null", "/dev/zero",
  "/dev/urandom", "/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu",
};

static void set_limits(int execs) {
  const uint64_t mebibyte = 1 << 20;
  // RLIMIT_DATA counts private memory; RLIMIT_AS also counts shared memory and libraries.
  onair_limit(RLIMIT_DATA, 512 * mebibyte);
  onair_limit(RLIMIT_AS, (execs ? 1536 : 768) * mebibyte);
  onair_limit(RLIMIT_FSIZE, 0);
  onair_limit(RLIMIT_CORE, 0);
  onair_limit(RLIMIT_NOFILE, 64);
  onair_limit(RLIMIT_NPROC, 512);
  onair_limit(RLIMIT_MEMLOCK, 0);
  onair_limit(RLIMIT_MSGQUEUE, 0);
  onair_limit(RLIMIT_RTPRIO, 0);
  onair_limit(RLIMIT_NICE, 0);
}

int confine(pid_t parent, const char *folder, int execs, const char **reason) {
  // Descriptors 0 to 2 and those of the protocol, 3 to 5, stay open.
  if (onair_end_with_parent(parent, reason) != 0 || onair_give_up_rights(6, reason) != 0) return -1;
  set_limits(execs);
  const char *files[COUNT(readable) + 1] = {folder};
  memcpy(files + 1, readable, sizeof readable);
  // Without Landlock in the kernel, OnAir warns the box's owner, and hides its memory from this process.
  if (onair_forbid_files(files, COUNT(files)) != 0) {
    *reason = "cannot be confined: the kernel has Landlock and refuses it";
    return -1;
  }
  if (forbid_calls(execs) != 0) {
    *reason = "cannot be confined: the kernel has no filter for system calls (CONFIG_SECCOMP_FILTER)";
    return -1;
  }
  return 0;
}
