// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string.h>

#include <turbojpeg.h>

// Some cameras put a byte too many before a marker, in every picture. It does no harm.
static inline int onair_jpeg_is_only_padded(tjhandle handle) {
  return tjGetErrorCode(handle) == TJERR_WARNING &&
         strstr(tjGetErrorStr2(handle), "extraneous bytes") != NULL;
}
