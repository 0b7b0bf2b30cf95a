// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The plug-ins of frei0r that may be used. Tests/Nightly/55-frei0r.sh checks that each answers in time, stays within
// its memory, and works the same after a thousand frames. Some of the other plug-ins hang, leak, or write beyond the
// frame.
#pragma once

static const char *const plugins[] = {
  "balanc0r", "brightness", "bw0r", "coloradj_RGB", "contrast0r", "equaliz0r", "flippo", "gamma", "glow", "hueshift0r",
  "invert0r", "lenscorrection", "levels", "luminance", "pixeliz0r", "posterize", "saturat0r", "sharpness", "tint0r", "vignette",
};
