// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cguest.h>

void tell(uint32_t kind, uint32_t number, const char *detail);
// `sample_rate` may be another number that a test wants to know.
void tell_open(uint32_t sample_rate);

// Whether the kernel has Landlock: without it, files that this user may read can be read.
extern int has_landlock;

// Tries all that a confined reader must not do, and tells what was possible: as the detail of a fault, or "ended" if nothing was.
// Before, the number of things tried is told as a sample rate.
void try_all(void);

// Connects to the host of an address with TCP and with UDP, as libraries do, sends "hello", and tells "ended" if the same comes
// back and another address is refused; otherwise a fault with the step that went wrong.
void reach(const char *address);
