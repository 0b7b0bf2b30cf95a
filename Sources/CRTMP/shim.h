// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Debian's librtmp, and helpers for what Swift cannot import.

#pragma once

#include <librtmp/log.h>
#include <librtmp/rtmp.h>
#include <string.h>

static inline void onair_rtmp_log_nothing(int level, const char *format, va_list values) {
  (void)level;
  (void)format;
  (void)values;
}

// librtmp logs the playpath, which is the stream key, at its debug level. So all logging is disabled.
static inline void onair_rtmp_silence(void) {
  RTMP_LogSetLevel(RTMP_LOGCRIT);
  RTMP_LogSetCallback(onair_rtmp_log_nothing);
}

// The free space after the unread bytes of the input buffer, which is an array too large for Swift to import. Moves the
// unread bytes to the front first.
static inline char *onair_rtmp_input_space(RTMP *rtmp, size_t *room) {
  RTMPSockBuf *buffer = &rtmp->m_sb;
  if (buffer->sb_size > 0 && buffer->sb_start != buffer->sb_buf)
    memmove(buffer->sb_buf, buffer->sb_start, (size_t)buffer->sb_size);
  buffer->sb_start = buffer->sb_buf;
  *room = sizeof buffer->sb_buf - (size_t)buffer->sb_size;
  return buffer->sb_buf + buffer->sb_size;
}
