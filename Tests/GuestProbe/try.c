// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "probe.h"

// What was possible although it must not be, and what was not although it must be.
static char wrong[ONAIR_GUEST_DETAIL + 1];
static uint32_t tried;

static void note(const char *what) {
  const size_t used = strlen(wrong);
  snprintf(wrong + used, sizeof wrong - used, "%s%s", used ? ", " : "", what);
}

// Each counts as tried; it is noted if it succeeds, or if it fails for another reason than that it is forbidden.
#define FORBIDDEN(what, call)                                                             \
  do {                                                                                    \
    errno = 0;                                                                            \
    tried++;                                                                              \
    if ((call) >= 0 || (errno != EPERM && errno != EACCES && errno != ENOSYS)) note(what); \
  } while (0)
#define ALLOWED(what, is_so) \
  do {                       \
    tried++;                 \
    if (!(is_so)) note(what); \
  } while (0)

static void *return_at_once(void *argument) { return argument; }

static int open_of(pid_t process, const char *file) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", (int)process, file);
  return open(path, O_RDONLY);
}

static void try_files(pid_t parent) {
  struct {
    uint64_t flags, mode, resolve;
  } how = {O_RDONLY, 0, 0};
  if (has_landlock) {
    FORBIDDEN("reading /etc", open("/etc/passwd", O_RDONLY));
    FORBIDDEN("reading /tmp", open("/tmp", O_RDONLY | O_DIRECTORY));
    FORBIDDEN("reading /", open("/", O_RDONLY | O_DIRECTORY));
    FORBIDDEN("a device", open("/dev/zero", O_RDONLY));
    FORBIDDEN("its own /proc", open("/proc/self/maps", O_RDONLY));
    FORBIDDEN("memory of OnAir", open_of(parent, "mem"));
    FORBIDDEN("environment of OnAir", open_of(parent, "environ"));
    FORBIDDEN("descriptors of OnAir", open_of(parent, "fd"));
  }
  FORBIDDEN("writing a file", open("/tmp/onair-guest-was-here", O_WRONLY | O_CREAT, 0600));
  FORBIDDEN("writing a device", open("/dev/null", O_RDWR));
  FORBIDDEN("openat2", syscall(SYS_openat2, AT_FDCWD, "/usr", &how, sizeof how));
  FORBIDDEN("making a folder", mkdir("/tmp/onair-guest-was-here", 0700));
  FORBIDDEN("removing a file", unlink("/tmp/onair-guest"));
  FORBIDDEN("making a link", symlink("/", "/tmp/onair-guest-was-here"));
  FORBIDDEN("another root", chroot("/usr"));
  FORBIDDEN("another folder", chdir("/usr"));
  FORBIDDEN("mounting", syscall(SYS_mount, "none", "/tmp", "tmpfs", 0, NULL));
  ALLOWED("reading /usr", open("/usr/bin/env", O_RDONLY) >= 0);
  ALLOWED("loading a library", dlopen("libresolv.so.2", RTLD_NOW) != NULL);
}

static void try_processes(pid_t parent) {
  char *const arguments[] = {"true", NULL}, byte = 0;
  struct iovec here = {(void *)(uintptr_t)&byte, 1}, there = here;
  struct rlimit limits = {1, 1};
  const int self = (int)getpid();
  FORBIDDEN("execve", execve("/usr/bin/true", arguments, arguments + 1));
  FORBIDDEN("fork", fork());
  FORBIDDEN("clone", syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
  FORBIDDEN("clone3", syscall(SYS_clone3, NULL, 0));
  FORBIDDEN("a session", setsid());
  FORBIDDEN("signal", kill(parent, 0));
  FORBIDDEN("signal to a thread", syscall(SYS_tgkill, parent, parent, 0));
  FORBIDDEN("signal to the group", kill(0, 0));
  FORBIDDEN("signal with a value", syscall(SYS_rt_sigqueueinfo, parent, SIGTERM, NULL));
  FORBIDDEN("pidfd", syscall(SYS_pidfd_open, parent, 0));
  FORBIDDEN("trace", ptrace(PTRACE_ATTACH, parent, 0, 0));
  FORBIDDEN("reading memory", process_vm_readv(parent, &here, 1, &there, 1, 0));
  FORBIDDEN("writing memory", process_vm_writev(parent, &here, 1, &there, 1, 0));
  FORBIDDEN("limits of OnAir", syscall(SYS_prlimit64, parent, RLIMIT_NOFILE, NULL, &limits));
  FORBIDDEN("priority", setpriority(PRIO_PROCESS, 0, 0));
  FORBIDDEN("outliving OnAir", prctl(PR_SET_PDEATHSIG, 0));
  FORBIDDEN("namespaces", unshare(CLONE_NEWUSER));
  FORBIDDEN("io_uring", syscall(SYS_io_uring_setup, 1, NULL));
  FORBIDDEN("bpf", syscall(SYS_bpf, 0, NULL, 0));
  FORBIDDEN("keys", syscall(SYS_keyctl, 0, 0, 0, 0, 0));
  FORBIDDEN("perf", syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0));
  FORBIDDEN("userfaultfd", syscall(SYS_userfaultfd, 0));
  FORBIDDEN("memory that is not counted", syscall(SYS_memfd_create, "x", 0));
  FORBIDDEN("shared memory", syscall(SYS_shmget, 0, 4096, 0600));
  pthread_t thread;
  ALLOWED("a thread", pthread_create(&thread, NULL, return_at_once, NULL) == 0 && pthread_join(thread, NULL) == 0);
  ALLOWED("signal to itself", kill(self, 0) == 0);
  ALLOWED("its priority", getpriority(PRIO_PROCESS, 0) >= 5);
  void *much = malloc((size_t)500 << 20), *less = malloc((size_t)200 << 20);
  FORBIDDEN("shared memory", (intptr_t)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  struct stat output;
  for (int descriptor = 0; descriptor < 3; descriptor++)
    ALLOWED("no outputs", fstat(descriptor, &output) == 0 && S_ISCHR(output.st_mode));
  ALLOWED("bounded memory", much == NULL && less != NULL);
  free(less);
  // After the lifeline there are the two sockets that were tried.
  for (int descriptor = ONAIR_GUEST_LIFELINE + 3; descriptor < 16; descriptor++)
    ALLOWED("no descriptor of OnAir", fcntl(descriptor, F_GETFD) < 0);
  ALLOWED("no environment", getenv("HOME") == NULL);
}

static void try_sockets(void) {
  const struct sockaddr_in place = {
    .sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  const struct sockaddr *address = (const struct sockaddr *)&place;
  const int tcp = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), udp = socket(AF_INET, SOCK_DGRAM, 0);
  struct iovec byte = {"x", 1};
  struct mmsghdr message = {
    .msg_hdr = {
      .msg_name = (void *)(uintptr_t)&place, .msg_namelen = sizeof place, .msg_iov = &byte, .msg_iovlen = 1}};
  struct sock_filter everything = {BPF_RET | BPF_K, 0, 0, 0xffff};
  const struct sock_fprog program = {1, &everything};
  const uint8_t route[] = {131, 7, 4, 127, 0, 0, 1, 0};
  struct sockaddr_in other = place;
  int zero = 0, process = (int)getppid();
  other.sin_port = htons(10);
  ALLOWED("sockets", tcp >= 0 && udp >= 0);
  FORBIDDEN("connecting", syscall(SYS_connect, tcp, address, sizeof place));
  FORBIDDEN("connecting UDP", syscall(SYS_connect, udp, address, sizeof place));
  FORBIDDEN("connecting by the function", connect(tcp, (struct sockaddr *)&other, sizeof other));
  FORBIDDEN("binding", syscall(SYS_bind, tcp, address, sizeof place));
  FORBIDDEN("listening", listen(tcp, 1));
  FORBIDDEN("accepting", accept4(tcp, NULL, NULL, 0));
  FORBIDDEN("sending to an address", sendto(udp, "x", 1, 0, address, sizeof place));
  FORBIDDEN("fast open", sendto(tcp, "x", 1, MSG_FASTOPEN, address, sizeof place));
  FORBIDDEN("a message to an address", syscall(SYS_sendmsg, udp, &message.msg_hdr, 0));
  FORBIDDEN("messages to an address", syscall(SYS_sendmmsg, udp, &message, 1, 0));
  FORBIDDEN("sockets of files", socket(AF_UNIX, SOCK_STREAM, 0));
  FORBIDDEN("socket pairs", syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, (int[2]){0}));
  FORBIDDEN("netlink", socket(AF_NETLINK, SOCK_RAW, 0));
  FORBIDDEN("raw sockets", socket(AF_INET, SOCK_RAW, IPPROTO_TCP));
  FORBIDDEN("SCTP", socket(AF_INET, SOCK_SEQPACKET, 132));
  FORBIDDEN("MPTCP", socket(AF_INET, SOCK_STREAM, 262));
  FORBIDDEN("a route", setsockopt(udp, IPPROTO_IP, IP_OPTIONS, route, sizeof route));
  FORBIDDEN("a close that waits", setsockopt(tcp, SOL_SOCKET, SO_LINGER, &(struct linger){1, 1000}, sizeof(struct linger)));
  FORBIDDEN("an interface", setsockopt(udp, SOL_SOCKET, SO_BINDTODEVICE, "lo", 3));
  FORBIDDEN("a socket filter", setsockopt(udp, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program));
  FORBIDDEN("a socket that blocks", fcntl(tcp, F_SETFL, 0));
  FORBIDDEN("a socket that blocks again", ioctl(tcp, FIONBIO, &zero));
  FORBIDDEN("signals from a socket", fcntl(tcp, F_SETOWN, process));
  FORBIDDEN("signals from a socket by ioctl", ioctl(tcp, FIOSETOWN, &process));
  // If it could be, sendmsg(2) would be allowed on another socket in its place.
  FORBIDDEN("closing the control socket", close(ONAIR_GUEST_CONTROL));
  FORBIDDEN("closing a range", syscall(SYS_close_range, 3u, 3u, 0));
  FORBIDDEN("replacing the control socket", dup2(udp, ONAIR_GUEST_CONTROL));
  FORBIDDEN("replacing it otherwise", dup3(udp, ONAIR_GUEST_CONTROL, 0));
}

// The pipe by which OnAir ends this process.
static void try_lifeline(void) {
  FORBIDDEN("closing the lifeline", close(ONAIR_GUEST_LIFELINE));
  FORBIDDEN("copying the lifeline", dup(ONAIR_GUEST_LIFELINE));
  FORBIDDEN("copying the lifeline with fcntl", fcntl(ONAIR_GUEST_LIFELINE, F_DUPFD, 0));
  FORBIDDEN("no signal of the lifeline", fcntl(ONAIR_GUEST_LIFELINE, F_SETFL, O_NONBLOCK));
  FORBIDDEN("another signal of the lifeline", fcntl(ONAIR_GUEST_LIFELINE, F_SETSIG, 0));
  FORBIDDEN("another owner of the lifeline", fcntl(ONAIR_GUEST_LIFELINE, F_SETOWN, 0));
  FORBIDDEN("no signal by ioctl", ioctl(ONAIR_GUEST_LIFELINE, FIOASYNC, &(int){0}));
  FORBIDDEN("replacing the lifeline", dup2(ONAIR_GUEST_CONTROL, ONAIR_GUEST_LIFELINE));
}

void try_all(void) {
  try_sockets();
  try_lifeline();
  try_files(getppid());
  try_processes(getppid());
  tell_open(tried);
  if (wrong[0]) tell(ONAIR_GUEST_FAILED, 10, wrong);
  else tell(ONAIR_GUEST_ENDED, 0, "");
}
