// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Runs a plug-in of frei0r (https://frei0r.dyne.org), one per process.
#pragma once

#include <stddef.h>
#include <stdint.h>

// The planes of a 4:2:0 frame.
struct planes {
  uint8_t *y, *cb, *cr;
  int y_stride, chroma_stride;
};

struct plugin;

// Whether a plug-in is on the list of tested plug-ins.
int plugin_is_known(const char *name);
// The name with this index in the tested list, which is in alphabetical order; NULL after the last one.
const char *plugin_name(size_t index);

// Loads a plug-in. Returns NULL on failure, with a sentence in `reason`, which has `room` bytes.
struct plugin *plugin_load(const char *name, char *reason, size_t room);
// Makes the plug-in's instance for a size in pixels. Returns 0; -1 with a sentence in `reason`.
int plugin_begin(struct plugin *plugin, int width, int height, char *reason, size_t room);
// Sets parameters, written as "Brightness=0.6, Neutral Color=#ffffff". Parameters that are not named keep their values.
// Returns 0; -1 with a sentence in `reason`.
int plugin_set(struct plugin *plugin, const char *text, char *reason, size_t room);
// Filters one frame: the plug-in reads `in` and writes `out`.
// - seconds: when the frame was captured, on CLOCK_MONOTONIC.
// - full_range: whether luma is 0 to 255.
void plugin_run(
    struct plugin *plugin, const struct planes *in, const struct planes *out, double seconds, int full_range);
// Prints the name of the plug-in and its parameters.
void plugin_describe(struct plugin *plugin);
