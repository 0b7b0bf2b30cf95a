// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string.h>

#include <turbojpeg.h>

// Whether the last error was only a surplus byte before a marker, which some cameras send in every frame.
static inline int onair_jpeg_is_only_padded(tjhandle handle) {
  return tjGetErrorCode(handle) == TJERR_WARNING &&
         strstr(tjGetErrorStr2(handle), "extraneous bytes") != NULL;
}
