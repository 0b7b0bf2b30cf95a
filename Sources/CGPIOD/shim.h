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
#include <stdlib.h>
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

/// How a line is to be used.
struct onair_gpio_use {
  bool output;
  /// Low stands for a pressed button, or a lit lamp.
  bool active_low;
  /// Of an input: 'u' pulled up, 'd' pulled down, 'n' neither, 0 as it is.
  char bias;
  /// Of an input: how long a level must last to count, in microseconds.
  uint32_t debounce;
};

/// A line that is held.
struct onair_gpio_held {
#ifdef ONAIR_GPIOD_1
  struct gpiod_chip *chip;
  struct gpiod_line *line;
#else
  struct gpiod_line_request *request;
  struct gpiod_edge_event_buffer *buffer;
#endif
  uint32_t offset;
  /// The kernel debounces; else whoever reads the edges has to.
  bool debounces;
};

/// A change of an input.
struct onair_gpio_edge {
  /// On CLOCK_MONOTONIC.
  int64_t nanos;
  bool active;
};

enum { ONAIR_GPIO_EDGES = 16 };

static inline void onair_gpio_release(struct onair_gpio_held *held) {
#ifdef ONAIR_GPIOD_1
  if (held->chip) gpiod_chip_close(held->chip);
#else
  if (held->buffer) gpiod_edge_event_buffer_free(held->buffer);
  if (held->request) gpiod_line_request_release(held->request);
#endif
  memset(held, 0, sizeof *held);
}

/// Takes the line at `offset` of the chip at `path`; an output begins inactive. 0 or errno.
static inline int onair_gpio_hold(
    const char *path, uint32_t offset, struct onair_gpio_use use, struct onair_gpio_held *held) {
  memset(held, 0, sizeof *held);
  held->offset = offset;
  int error = 0;
#ifdef ONAIR_GPIOD_1
  held->chip = gpiod_chip_open(path);
  if (!held->chip) return errno;
  held->line = gpiod_chip_get_line(held->chip, offset);
  struct gpiod_line_request_config config = {
      .consumer = "onair",
      .request_type = use.output ? GPIOD_LINE_REQUEST_DIRECTION_OUTPUT : GPIOD_LINE_REQUEST_EVENT_BOTH_EDGES,
      .flags = use.active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0,
  };
  if (use.bias == 'u') config.flags |= GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP;
  if (use.bias == 'd') config.flags |= GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_DOWN;
  if (use.bias == 'n') config.flags |= GPIOD_LINE_REQUEST_FLAG_BIAS_DISABLE;
  if (!held->line || gpiod_line_request(held->line, &config, 0) != 0) error = errno;
#else
  struct gpiod_chip *chip = gpiod_chip_open(path);
  if (!chip) return errno;
  struct gpiod_line_settings *settings = gpiod_line_settings_new();
  struct gpiod_line_config *lines = gpiod_line_config_new();
  struct gpiod_request_config *request = gpiod_request_config_new();
  if (settings && lines && request) {
    gpiod_request_config_set_consumer(request, "onair");
    gpiod_line_settings_set_active_low(settings, use.active_low);
    if (use.output) {
      gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_OUTPUT);
    } else {
      gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_INPUT);
      gpiod_line_settings_set_edge_detection(settings, GPIOD_LINE_EDGE_BOTH);
      gpiod_line_settings_set_debounce_period_us(settings, use.debounce);
      held->debounces = true;
      if (use.bias == 'u') gpiod_line_settings_set_bias(settings, GPIOD_LINE_BIAS_PULL_UP);
      if (use.bias == 'd') gpiod_line_settings_set_bias(settings, GPIOD_LINE_BIAS_PULL_DOWN);
      if (use.bias == 'n') gpiod_line_settings_set_bias(settings, GPIOD_LINE_BIAS_DISABLED);
      held->buffer = gpiod_edge_event_buffer_new(ONAIR_GPIO_EDGES);
    }
    if (gpiod_line_config_add_line_settings(lines, &offset, 1, settings) == 0) {
      held->request = gpiod_chip_request_lines(chip, request, lines);
    }
  }
  if (!held->request || (!use.output && !held->buffer)) error = errno ? errno : ENOMEM;
  if (request) gpiod_request_config_free(request);
  if (lines) gpiod_line_config_free(lines);
  if (settings) gpiod_line_settings_free(settings);
  gpiod_chip_close(chip);
#endif
  if (error) onair_gpio_release(held);
  return error;
}

/// Readable when there are edges; of an input.
static inline int onair_gpio_descriptor(const struct onair_gpio_held *held) {
#ifdef ONAIR_GPIOD_1
  return gpiod_line_event_get_fd(held->line);
#else
  return gpiod_line_request_get_fd(held->request);
#endif
}

/// 1 active, 0 not, or -errno.
static inline int onair_gpio_get(const struct onair_gpio_held *held) {
#ifdef ONAIR_GPIOD_1
  int value = gpiod_line_get_value(held->line);
#else
  int value = gpiod_line_request_get_value(held->request, held->offset);
#endif
  return value < 0 ? -errno : value;
}

/// 0 or errno.
static inline int onair_gpio_set(const struct onair_gpio_held *held, bool active) {
#ifdef ONAIR_GPIOD_1
  int status = gpiod_line_set_value(held->line, active);
#else
  int status = gpiod_line_request_set_value(
      held->request, held->offset, active ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE);
#endif
  return status != 0 ? errno : 0;
}

/// Reads the edges that are there; waits for one if there is none. Their number, or -errno.
static inline int onair_gpio_edges(
    struct onair_gpio_held *held, struct onair_gpio_edge edges[ONAIR_GPIO_EDGES]) {
#ifdef ONAIR_GPIOD_1
  struct gpiod_line_event events[ONAIR_GPIO_EDGES];
  int count = gpiod_line_event_read_multiple(held->line, events, ONAIR_GPIO_EDGES);
  for (int i = 0; i < count; ++i) {
    edges[i].nanos = (int64_t)events[i].ts.tv_sec * 1000000000 + events[i].ts.tv_nsec;
    edges[i].active = events[i].event_type == GPIOD_LINE_EVENT_RISING_EDGE;
  }
#else
  int count = gpiod_line_request_read_edge_events(held->request, held->buffer, ONAIR_GPIO_EDGES);
  for (int i = 0; i < count; ++i) {
    struct gpiod_edge_event *event = gpiod_edge_event_buffer_get_event(held->buffer, (unsigned long)i);
    edges[i].nanos = (int64_t)gpiod_edge_event_get_timestamp_ns(event);
    edges[i].active = gpiod_edge_event_get_event_type(event) == GPIOD_EDGE_EVENT_RISING_EDGE;
  }
#endif
  return count < 0 ? -errno : count;
}
