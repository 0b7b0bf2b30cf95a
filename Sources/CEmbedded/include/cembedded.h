/* SPDX-FileCopyrightText: 2026 The OnAir authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The files that are embedded in the program. The C compiler embeds them quickly; as Swift arrays they would add a
 * minute to each build. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct {
  const char *name; /* "app.js" */
  const uint8_t *bytes;
  size_t count;
} onair_file;

/* The files of the page, by name. */
extern const onair_file *const onair_page_files;
extern const size_t onair_page_file_count;

/* The description of the API. */
extern const onair_file onair_openapi;

/* The built-in stills. */
extern const onair_file onair_still_pause, onair_still_no_camera, onair_still_poor_network;
