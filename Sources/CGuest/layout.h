// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/* The memory that OnAir shares with the reader of a guest. Swift does not see it: it would import the arrays as tuples of
 * thousands of elements. */
#pragma once

#include "cguest.h"

/* "OnAG", and a version of this file. */
#define LAYOUT_MAGIC 0x47416e4fu
#define LAYOUT_VERSION 2u

/* A slot for a video frame or a block of audio. `number` is that of what the slot holds, and 0 while it is being written: who
 * copies it compares the number before and after. */
struct frame_slot {
  uint64_t number;
  struct onair_guest_frame frame;
};

struct block_slot {
  uint64_t number;
  int64_t starts_at;
  uint32_t frames;
  float samples[ONAIR_GUEST_BLOCK_FRAMES * 2];
};

struct layout {
  uint32_t magic, version;
  /* Written by OnAir before the start. */
  struct onair_guest_options options;
  uint32_t endpoint_count;
  struct onair_guest_endpoint endpoints[ONAIR_GUEST_ENDPOINTS];
  char address[ONAIR_GUEST_ADDRESS + 1], host[ONAIR_GUEST_HOST + 1];
  /* Written by OnAir at any time. `wants` is a struct onair_guest_wants in one number. */
  uint64_t wants;
  uint32_t is_stopping;

  /* All that follows is written by the reader. */
  int64_t beat_at;
  uint64_t newest_frame, newest_block;
  struct frame_slot frames[ONAIR_GUEST_FRAMES];
  struct block_slot blocks[ONAIR_GUEST_BLOCKS];
  _Alignas(4096) uint8_t planes[ONAIR_GUEST_FRAMES][ONAIR_GUEST_MOST_PIXELS * 3 / 2];
};

/* The host that a confined reader may reach. */
struct onair_guest_host {
  int is_confined;
  /* Whether the guest sends, over ONAIR_GUEST_SOCKET. */
  int receives;
  char name[ONAIR_GUEST_HOST + 1];
  uint32_t count;
  struct onair_guest_endpoint endpoints[ONAIR_GUEST_ENDPOINTS];
};
extern struct onair_guest_host onair_guest_host;
