// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Takes all rights that a filter does not need from this process, for good. The process runs as OnAir's user, and could
// otherwise read the stream key, end OnAir, or use the network.
#pragma once

#include <sys/types.h>

// Confines this process. To be called before any code of a filter runs. Limits memory, and forbids other processes, the
// network, and all files except those of /usr, `folder` and a few more that programs need. Where the kernel has no
// Landlock, other files can still be read. From then on this process ends with the OnAir that has started it. Returns
// 0; -1 with a sentence in `*reason` if one of these is not possible, and then no filter may run.
// - parent: the number of OnAir's process.
// - folder: one more folder that may be read; NULL for none.
// - execs: whether this process may still become another program (execve(2)).
int confine(pid_t parent, const char *folder, int execs, const char **reason);

// Confines this process further, after a plug-in was loaded: forbids opening files, and all system calls except those
// for computing, threads, memory and the open descriptors. Returns 0; -1 if that is not possible.
int confine_to_computing(void);
