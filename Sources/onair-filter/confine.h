// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Takes from this process what a filter does not need, for good. OnAir's own user runs it, so without that it could read the
// stream key, end OnAir, or talk to the network.
#pragma once

#include <sys/types.h>

// To be called before any code of a filter runs. Limits memory and files, and takes away other processes, the network,
// and all files outside of /usr, `folder` and a few more that programs need. Where the kernel has no Landlock, other
// files can still be read. From then on this process ends with the OnAir that has started it. Returns 0; -1 with a
// sentence in `*reason` if one of these is not possible, and then no filter may run.
// - parent: the number of OnAir's process.
// - folder: one more folder that may be read; NULL for none.
// - execs: whether this process may still become another program (execve(2)).
int confine(pid_t parent, const char *folder, int execs, const char **reason);

// To be called after a plug-in is loaded: then no file can be opened any more, and no system call is left but those for
// computing, threads, memory and the descriptors that are open. Returns 0; -1 if that is not possible.
int confine_to_computing(void);
