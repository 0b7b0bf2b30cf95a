// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <pango/pango.h>

/* Lets this thread's font map use the font files that onair_fonts_use has set. */
void onair_fonts_apply(PangoFontMap *map);
