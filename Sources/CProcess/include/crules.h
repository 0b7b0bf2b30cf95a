// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/* How a process takes rights from itself, for good, before it runs code or reads data that is not trusted. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes this process end with OnAir's process `parent`. Returns 0; -1 with a sentence in `*reason` if that is not its parent. */
int onair_end_with_parent(pid_t parent, const char **reason);

/* Makes the kernel kill this process when the other end of a pipe is closed, as at the end of OnAir's process, which holds it.
 * - pipe: the end to read from. Whoever can use it with fcntl(2) can undo this: see onair_rules_refuse.
 * Returns 0; -1 with a sentence in `*reason` if that is no pipe, or its other end is closed. */
int onair_end_with_pipe(int pipe, const char **reason);

/* Closes all descriptors from `first_closed` on, gives up all capabilities, forbids gaining rights by execve(2), and makes the
 * kernel end this process first if the machine runs out of memory. Returns 0; -1 with a sentence in `*reason` if one of the
 * important ones is not possible. */
int onair_give_up_rights(unsigned first_closed, const char **reason);

/* Lowers a limit of this process (setrlimit(2)). */
void onair_limit(int resource, uint64_t most);

/* Forbids all files except those of `readable`, which may be read and run (landlock(7)). Paths that do not exist and NULL are
 * left out. Returns 0, also without Landlock in the kernel; -1 if the kernel has Landlock but refuses. */
int onair_forbid_files(const char *const readable[], size_t count);

/* --- System calls (seccomp(2)) ---
 *
 * A list of rules is built by the functions below, and then applied. The first rule that decides about a call counts. One list
 * is built at a time. */

enum onair_verdict {
  ONAIR_ALLOW,
  /* Fails with EPERM. */
  ONAIR_DENY,
  /* Fails with ENOSYS, as on a kernel that does not have the call. */
  ONAIR_MISSING,
};

/* Starts a list. A call of another architecture ends the process. */
void onair_rules_begin(void);

/* Decides about a system call, whatever its arguments. */
void onair_rules_decide(int call, enum onair_verdict verdict);
void onair_rules_decide_all(const int calls[], size_t count, enum onair_verdict verdict);

/* Decides about a system call by the lower 32 bits of an argument: `chosen` if it is one of `values`, `other` if not. */
void onair_rules_decide_by_argument(
  int call, int argument, const uint32_t values[], size_t count, enum onair_verdict chosen, enum onair_verdict other);

/* Denies a system call if one of `bits` is set in an argument, and allows it otherwise. */
void onair_rules_deny_by_bits(int call, int argument, uint32_t bits);

/* Denies a system call unless an argument is one of `values`. If it is, later rules decide. */
void onair_rules_require(int call, int argument, const uint32_t values[], size_t count);

/* Denies a system call if an argument is `value`. If not, later rules decide. */
void onair_rules_refuse(int call, int argument, uint32_t value);

/* Denies a system call unless an argument, with all its 64 bits, is 0. If it is, later rules decide. */
void onair_rules_require_zero(int call, int argument);

/* Allows a system call if one argument is `value` and another is one of `values`. If not, later rules decide. */
void onair_rules_allow_pairs(
  int call, int argument, uint32_t value, int other_argument, const uint32_t values[], size_t count);

/* If an argument of a system call is `value`: allows the call if one of `bits` is set in another argument, and denies it
 * otherwise. If not, later rules decide. */
void onair_rules_require_bits(int call, int argument, uint32_t value, int other_argument, uint32_t bits);

/* Allows files to be opened only for reading, also where the kernel has no Landlock. */
void onair_rules_forbid_writing(void);

/* Allows new threads and denies new processes. */
void onair_rules_allow_threads(void);

/* Applies the list to this thread and those that it starts. `rest` is for the calls that no rule has decided about. Returns -1
 * on failure. */
int onair_rules_apply(enum onair_verdict rest);

#ifdef __cplusplus
}
#endif
