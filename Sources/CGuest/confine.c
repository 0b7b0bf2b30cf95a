// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

#define _GNU_SOURCE
#include <crules.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "layout.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

// The files and folders that libraries and their data are read from. /etc as a whole is not one of them: onair.toml may have
// the stream key.
static const char *const readable[] = {
  "/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/ssl/certs", "/etc/localtime",
};

// The system calls that the reader may make with any arguments.
static const int allowed[] = {
  // Files that are open.
  SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_lseek, SYS_fstat, SYS_newfstatat, SYS_statx, SYS_faccessat,
  SYS_readlinkat, SYS_getcwd, SYS_getdents64, SYS_dup,
  // Sockets that are connected.
  SYS_recvfrom, SYS_recvmsg, SYS_recvmmsg, SYS_getsockopt, SYS_getsockname, SYS_getpeername, SYS_shutdown,
  // Waiting.
  SYS_ppoll, SYS_pselect6, SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait, SYS_eventfd2, SYS_futex, SYS_restart_syscall,
  SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday,
  // Memory.
  SYS_brk, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise, SYS_membarrier,
  // This process and its threads.
  SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_set_robust_list, SYS_rseq, SYS_getpid,
  SYS_gettid, SYS_getppid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_sched_yield, SYS_sched_getaffinity,
  SYS_sched_getscheduler, SYS_sched_getparam, SYS_getpriority, SYS_getcpu, SYS_getrusage, SYS_times, SYS_getrandom,
  SYS_sysinfo, SYS_uname, SYS_exit, SYS_exit_group,
#if defined(__x86_64__)
  SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_poll, SYS_select, SYS_epoll_create, SYS_epoll_wait, SYS_time,
  SYS_getrlimit,
#endif
};

// The options of sockets that may be set. Others change where packets go (IP_OPTIONS, SO_BINDTODEVICE), let OnAir wait when it
// closes its copy of a socket (SO_LINGER), or have programs run in the kernel.
static const uint32_t socket_options[] = {
  SO_REUSEADDR, SO_REUSEPORT, SO_KEEPALIVE, SO_SNDBUF, SO_RCVBUF, SO_SNDTIMEO, SO_RCVTIMEO,
};
static const uint32_t tcp_options[] = {
  TCP_NODELAY, TCP_MAXSEG, TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT, TCP_QUICKACK, TCP_USER_TIMEOUT,
};
static const uint32_t ip_options[] = {IP_TOS, IP_TTL};
static const uint32_t ipv6_options[] = {IPV6_V6ONLY, IPV6_UNICAST_HOPS, IPV6_TCLASS};

static void allow_sockets(void) {
  const uint32_t families[] = {AF_INET, AF_INET6}, protocols[] = {0, IPPROTO_TCP, IPPROTO_UDP};
  const uint32_t both = SOCK_CLOEXEC | SOCK_NONBLOCK, control = ONAIR_GUEST_CONTROL;
  const uint32_t types[] = {
    SOCK_STREAM, SOCK_STREAM | SOCK_CLOEXEC, SOCK_STREAM | SOCK_NONBLOCK, SOCK_STREAM | both,
    SOCK_DGRAM, SOCK_DGRAM | SOCK_CLOEXEC, SOCK_DGRAM | SOCK_NONBLOCK, SOCK_DGRAM | both};
  onair_rules_require(SYS_socket, 0, families, COUNT(families));
  onair_rules_require(SYS_socket, 1, types, COUNT(types));
  onair_rules_require(SYS_socket, 2, protocols, COUNT(protocols));
  onair_rules_decide(SYS_socket, ONAIR_ALLOW);
  onair_rules_allow_pairs(SYS_setsockopt, 1, SOL_SOCKET, 2, socket_options, COUNT(socket_options));
  onair_rules_allow_pairs(SYS_setsockopt, 1, IPPROTO_TCP, 2, tcp_options, COUNT(tcp_options));
  onair_rules_allow_pairs(SYS_setsockopt, 1, IPPROTO_IP, 2, ip_options, COUNT(ip_options));
  onair_rules_allow_pairs(SYS_setsockopt, 1, IPPROTO_IPV6, 2, ipv6_options, COUNT(ipv6_options));
  // sendto(2) without an address. sendmsg(2), whose address no rule can read, only on the control socket, which has none: it
  // can be neither closed nor replaced.
  onair_rules_require_zero(SYS_sendto, 4);
  onair_rules_decide(SYS_sendto, ONAIR_ALLOW);
  onair_rules_decide_by_argument(SYS_sendmsg, 0, &control, 1, ONAIR_ALLOW, ONAIR_DENY);
  onair_rules_decide_by_argument(SYS_close, 0, &control, 1, ONAIR_DENY, ONAIR_ALLOW);
}

static int forbid_calls(void) {
  const uint32_t own[] = {0, (uint32_t)getpid()};
  const uint32_t names[] = {PR_SET_NAME, PR_GET_NAME, 0x53564d41 /* PR_SET_VMA, which older headers lack */};
  const uint32_t counts[] = {FIONREAD, SIOCOUTQ};
  const uint32_t states[] = {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL};
  onair_rules_begin();
  // The pipe stays as it is: the kernel ends this process by it.
  const int on_descriptors[] = {SYS_dup, SYS_close, SYS_fcntl};
  for (size_t index = 0; index < COUNT(on_descriptors); index++)
    onair_rules_refuse(on_descriptors[index], 0, ONAIR_GUEST_LIFELINE);
  onair_rules_decide_all(allowed, COUNT(allowed), ONAIR_ALLOW);
  onair_rules_allow_threads();
  onair_rules_forbid_writing();
  onair_rules_decide(SYS_faccessat2, ONAIR_MISSING);
  // Memory that is shared is not limited by RLIMIT_DATA.
  onair_rules_deny_by_bits(SYS_mmap, 3, MAP_SHARED);
  allow_sockets();
  // A socket can be made non-blocking, but not blocking again: OnAir connects it, and must not wait.
  onair_rules_require_bits(SYS_fcntl, 1, F_SETFL, 2, O_NONBLOCK);
  onair_rules_decide_by_argument(SYS_fcntl, 1, states, COUNT(states), ONAIR_ALLOW, ONAIR_DENY);
  onair_rules_decide_by_argument(SYS_ioctl, 1, counts, COUNT(counts), ONAIR_ALLOW, ONAIR_DENY);
  onair_rules_decide_by_argument(SYS_prctl, 0, names, COUNT(names), ONAIR_ALLOW, ONAIR_DENY);
  onair_rules_decide_by_argument(SYS_kill, 0, own + 1, 1, ONAIR_ALLOW, ONAIR_DENY);
  onair_rules_decide_by_argument(SYS_tgkill, 0, own + 1, 1, ONAIR_ALLOW, ONAIR_DENY);
  onair_rules_decide_by_argument(SYS_prlimit64, 0, own, 2, ONAIR_ALLOW, ONAIR_DENY);
  return onair_rules_apply(ONAIR_DENY);
}

static void set_limits(void) {
  const uint64_t mebibyte = 1 << 20;
  // RLIMIT_DATA counts private memory that can be written; RLIMIT_AS all, libraries and what is reserved only, too.
  onair_limit(RLIMIT_DATA, 384 * mebibyte);
  onair_limit(RLIMIT_AS, 1024 * mebibyte);
  onair_limit(RLIMIT_CORE, 0);
  onair_limit(RLIMIT_NOFILE, 64);
  // All threads of the user count: in a child OnAir's own ones too, for which this is no limit.
  onair_limit(RLIMIT_NPROC, 512);
  onair_limit(RLIMIT_MEMLOCK, 0);
  onair_limit(RLIMIT_MSGQUEUE, 0);
  onair_limit(RLIMIT_RTPRIO, 0);
  onair_limit(RLIMIT_NICE, 0);
}

static void remember_host(const struct layout *layout) {
  memcpy(onair_guest_host.name, layout->host, sizeof onair_guest_host.name);
  memcpy(onair_guest_host.endpoints, layout->endpoints, sizeof onair_guest_host.endpoints);
  onair_guest_host.count = layout->endpoint_count;
  onair_guest_host.receives = layout->options.receives != 0;
  onair_guest_host.is_confined = 1;
}

int onair_guest_confine(void *memory, const char **reason) {
  // The rules would not apply to other threads. The links of this folder are itself, its parent and a folder a thread.
  struct stat tasks;
  if (stat("/proc/self/task", &tasks) != 0 || tasks.st_nlink != 3) {
    *reason = "cannot be confined: it has other threads";
    return -1;
  }
  const int receives = ((const struct layout *)memory)->options.receives != 0;
  if (onair_end_with_pipe(ONAIR_GUEST_LIFELINE, reason) != 0) return -1;
  if (onair_give_up_rights(receives ? ONAIR_GUEST_SOCKET + 1 : ONAIR_GUEST_LIFELINE + 1, reason) != 0) return -1;
  setpriority(PRIO_PROCESS, 0, 5);
  set_limits();
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  prctl(PR_SET_NAME, "guest-reader", 0, 0, 0);
  signal(SIGPIPE, SIG_IGN);
  if (onair_forbid_files(readable, COUNT(readable)) != 0) {
    *reason = "cannot be confined: the kernel has Landlock and refuses it";
    return -1;
  }
  if (forbid_calls() != 0) {
    *reason = "cannot be confined: the kernel has no filter for system calls (CONFIG_SECCOMP_FILTER)";
    return -1;
  }
  remember_host(memory);
  return 0;
}
