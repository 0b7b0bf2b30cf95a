// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Takes from this process what a filter does not need, for good. OnAir's own user runs it, so without that it could read the
// stream key, end OnAir, or talk to the network.
#pragma once

#include <sys/types.h>

// Before any code of a filter runs: limits of memory and files, no other process, no network, no file outside of /usr and
// `folder`. Files can be read where the kernel has no Landlock. The process ends with the OnAir that has started it. Returns 0; -1 with a sentence in `*reason` if that cannot
// be had, and then no filter may run.
// - parent: the process number of that OnAir.
// - folder: one more folder that may be read; NULL for none.
// - execs: whether this process becomes another program: no more may be started afterwards.
int confine(pid_t parent, const char *folder, int execs, const char **reason);

// After a plug-in is loaded: no file can be opened any more, and no system call is left but those for computing, threads,
// memory and the descriptors that are open. Returns 0, or -1.
int confine_to_computing(void);
