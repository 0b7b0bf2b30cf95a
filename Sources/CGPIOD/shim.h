// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// libgpiod 1.6 (Debian 12) and 2.x (Debian 13) behind one face: the two share a header name and
// little else.

#pragma once

#include <errno.h>
#include <gpiod.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// 1.x alone has bulks of lines; neither version tells its number to the preprocessor.
#ifdef GPIOD_LINE_BULK_MAX_LINES
#define ONAIR_GPIOD_1 1
#endif

struct onair_gpio_chip {
  /// "gpiochip0": the kernel's number, which may change at each boot.
  char name[33];
  /// The driver's word for it, which stays.
  char label[33];
  uint32_t lines;
};

struct onair_gpio_line {
  /// Empty when the board gives it none.
  char name[33];
  /// Who holds it; may be empty though `used`.
  char consumer[33];
  bool used;
  bool output;
};

static inline void onair_gpio_copy(char destination[33], const char *source) {
  memset(destination, 0, 33);
  if (source) strncpy(destination, source, 32);
}

/// Describes a chip. 0 or errno.
static inline int onair_gpio_describe_chip(struct gpiod_chip *chip, struct onair_gpio_chip *out) {
  memset(out, 0, sizeof *out);
#ifdef ONAIR_GPIOD_1
  onair_gpio_copy(out->name, gpiod_chip_name(chip));
  onair_gpio_copy(out->label, gpiod_chip_label(chip));
  out->lines = gpiod_chip_num_lines(chip);
#else
  struct gpiod_chip_info *info = gpiod_chip_get_info(chip);
  if (!info) return errno;
  onair_gpio_copy(out->name, gpiod_chip_info_get_name(info));
  onair_gpio_copy(out->label, gpiod_chip_info_get_label(info));
  out->lines = (uint32_t)gpiod_chip_info_get_num_lines(info);
  gpiod_chip_info_free(info);
#endif
  return 0;
}

/// Describes the line at `offset`, without taking it. 0 or errno.
static inline int onair_gpio_describe_line(
    struct gpiod_chip *chip, uint32_t offset, struct onair_gpio_line *out) {
  memset(out, 0, sizeof *out);
#ifdef ONAIR_GPIOD_1
  struct gpiod_line *line = gpiod_chip_get_line(chip, offset);
  if (!line) return errno;
  onair_gpio_copy(out->name, gpiod_line_name(line));
  onair_gpio_copy(out->consumer, gpiod_line_consumer(line));
  out->used = gpiod_line_is_used(line);
  out->output = gpiod_line_direction(line) == GPIOD_LINE_DIRECTION_OUTPUT;
#else
  struct gpiod_line_info *info = gpiod_chip_get_line_info(chip, offset);
  if (!info) return errno;
  onair_gpio_copy(out->name, gpiod_line_info_get_name(info));
  onair_gpio_copy(out->consumer, gpiod_line_info_get_consumer(info));
  out->used = gpiod_line_info_is_used(info);
  out->output = gpiod_line_info_get_direction(info) == GPIOD_LINE_DIRECTION_OUTPUT;
  gpiod_line_info_free(info);
#endif
  return 0;
}
