// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/* Runs a program, and all that it starts, as on a kernel without Landlock: its system calls are not there (ENOSYS). The program
 * is that of its first argument, or PROGRAM if it was compiled with that. */

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int count, char **arguments) {
  /* landlock_create_ruleset, landlock_add_rule and landlock_restrict_self. */
  struct sock_filter rules[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 444, 0, 2),
    BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, 446, 1, 0),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) return 1;
#ifdef PROGRAM
  (void)count;
  execv(PROGRAM, arguments);
#else
  if (count > 1) execv(arguments[1], arguments + 1);
#endif
  return 127;
}
