// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <alsa/asoundlib.h>
#include <poll.h>

static inline void onair_alsa_discard(
    const char *file, int line, const char *function, int error, const char *format, ...) {
  (void)file, (void)line, (void)function, (void)error, (void)format;
}

// Discards alsa-lib's messages, which go to stderr by default. Their handler is variadic, so it cannot be written in
// Swift.
static inline void onair_alsa_be_quiet(void) { snd_lib_error_set_handler(onair_alsa_discard); }
