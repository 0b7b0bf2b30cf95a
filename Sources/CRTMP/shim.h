// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Debian's librtmp, and what Swift cannot reach in it.

#pragma once

#include <librtmp/log.h>
#include <librtmp/rtmp.h>
#include <string.h>

static inline void onair_rtmp_log_nothing(int level, const char *format, va_list values) {
  (void)level;
  (void)format;
  (void)values;
}

// At its debug level librtmp prints the playpath, which is the stream key. So it prints nothing, ever.
static inline void onair_rtmp_silence(void) {
  RTMP_LogSetLevel(RTMP_LOGCRIT);
  RTMP_LogSetCallback(onair_rtmp_log_nothing);
}

// The room behind what is unread in the input buffer, an array too large for Swift to import. What is
// unread moves to the front first.
static inline char *onair_rtmp_input_space(RTMP *rtmp, size_t *room) {
  RTMPSockBuf *buffer = &rtmp->m_sb;
  if (buffer->sb_size > 0 && buffer->sb_start != buffer->sb_buf)
    memmove(buffer->sb_buf, buffer->sb_start, (size_t)buffer->sb_size);
  buffer->sb_start = buffer->sb_buf;
  *room = sizeof buffer->sb_buf - (size_t)buffer->sb_size;
  return buffer->sb_buf + buffer->sb_size;
}
