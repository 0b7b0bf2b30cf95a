// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One interface to libgpiod 1.6 (Debian 12) and 2.x (Debian 13), whose APIs are incompatible although their header has
// the same name.

#pragma once

#include <errno.h>
#include <gpiod.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Neither version defines a macro with its number, but only 1.x has line bulks.
#ifdef GPIOD_LINE_BULK_MAX_LINES
#define ONAIR_GPIOD_1 1
#endif

struct onair_gpio_chip {
  /// "gpiochip0". The number may change at each boot.
  char name[33];
  /// The chip's name from its driver; the same at each boot.
  char label[33];
  uint32_t lines;
};

struct onair_gpio_line {
  /// Empty if the device tree names no lines.
  char name[33];
  /// The program or driver that has requested the line; may be empty even if `used` is set.
  char consumer[33];
  bool used;
  bool output;
};

static inline void onair_gpio_copy(char destination[33], const char *source) {
  memset(destination, 0, 33);
  if (source) strncpy(destination, source, 32);
}

/// Reads a chip's properties. Returns 0 or errno.
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

/// Reads a line's properties without requesting it. Returns 0 or errno.
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

/// The configuration of a line request.
struct onair_gpio_config {
  bool output;
  bool active_low;
  /// Inputs only: 'u' pull-up, 'd' pull-down, 'n' no bias, 0 leaves the bias unchanged.
  char bias;
  /// Inputs only: debounce period in microseconds. libgpiod 1.x does not support it.
  uint32_t debounce;
};

/// A requested line.
struct onair_gpio_request {
#ifdef ONAIR_GPIOD_1
  struct gpiod_chip *chip;
  struct gpiod_line *line;
#else
  struct gpiod_line_request *request;
  struct gpiod_edge_event_buffer *buffer;
#endif
  uint32_t offset;
  /// Whether the kernel debounces this input. If not, the reader of its edges must.
  bool debounces;
};

struct onair_gpio_edge {
  /// When the edge occurred, on CLOCK_MONOTONIC.
  int64_t nanos;
  bool active;
};

enum { ONAIR_GPIO_EDGES = 16 };

static inline void onair_gpio_release(struct onair_gpio_request *request) {
#ifdef ONAIR_GPIOD_1
  if (request->chip) gpiod_chip_close(request->chip);
#else
  if (request->buffer) gpiod_edge_event_buffer_free(request->buffer);
  if (request->request) gpiod_line_request_release(request->request);
#endif
  memset(request, 0, sizeof *request);
}

/// Requests the line at `offset` of the chip at `path`. An output starts inactive. Returns 0 or errno.
static inline int onair_gpio_request_line(
    const char *path, uint32_t offset, struct onair_gpio_config use, struct onair_gpio_request *request) {
  memset(request, 0, sizeof *request);
  request->offset = offset;
  int error = 0;
#ifdef ONAIR_GPIOD_1
  request->chip = gpiod_chip_open(path);
  if (!request->chip) return errno;
  request->line = gpiod_chip_get_line(request->chip, offset);
  struct gpiod_line_request_config config = {
      .consumer = "onair",
      .request_type = use.output ? GPIOD_LINE_REQUEST_DIRECTION_OUTPUT : GPIOD_LINE_REQUEST_EVENT_BOTH_EDGES,
      .flags = use.active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0,
  };
  if (use.bias == 'u') config.flags |= GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP;
  if (use.bias == 'd') config.flags |= GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_DOWN;
  if (use.bias == 'n') config.flags |= GPIOD_LINE_REQUEST_FLAG_BIAS_DISABLE;
  if (!request->line || gpiod_line_request(request->line, &config, 0) != 0) error = errno;
#else
  struct gpiod_chip *chip = gpiod_chip_open(path);
  if (!chip) return errno;
  struct gpiod_line_settings *settings = gpiod_line_settings_new();
  struct gpiod_line_config *lines = gpiod_line_config_new();
  struct gpiod_request_config *options = gpiod_request_config_new();
  if (settings && lines && options) {
    gpiod_request_config_set_consumer(options, "onair");
    gpiod_line_settings_set_active_low(settings, use.active_low);
    if (use.output) {
      gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_OUTPUT);
    } else {
      gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_INPUT);
      gpiod_line_settings_set_edge_detection(settings, GPIOD_LINE_EDGE_BOTH);
      gpiod_line_settings_set_debounce_period_us(settings, use.debounce);
      request->debounces = true;
      if (use.bias == 'u') gpiod_line_settings_set_bias(settings, GPIOD_LINE_BIAS_PULL_UP);
      if (use.bias == 'd') gpiod_line_settings_set_bias(settings, GPIOD_LINE_BIAS_PULL_DOWN);
      if (use.bias == 'n') gpiod_line_settings_set_bias(settings, GPIOD_LINE_BIAS_DISABLED);
      request->buffer = gpiod_edge_event_buffer_new(ONAIR_GPIO_EDGES);
    }
    if (gpiod_line_config_add_line_settings(lines, &offset, 1, settings) == 0) {
      request->request = gpiod_chip_request_lines(chip, options, lines);
    }
  }
  if (!request->request || (!use.output && !request->buffer)) error = errno ? errno : ENOMEM;
  if (options) gpiod_request_config_free(options);
  if (lines) gpiod_line_config_free(lines);
  if (settings) gpiod_line_settings_free(settings);
  gpiod_chip_close(chip);
#endif
  if (error) onair_gpio_release(request);
  return error;
}

/// The descriptor of an input, which is readable while edges are queued.
static inline int onair_gpio_descriptor(const struct onair_gpio_request *request) {
#ifdef ONAIR_GPIOD_1
  return gpiod_line_event_get_fd(request->line);
#else
  return gpiod_line_request_get_fd(request->request);
#endif
}

/// Reads the level of a line. Returns 1 if active, 0 if inactive, or -errno.
static inline int onair_gpio_get(const struct onair_gpio_request *request) {
#ifdef ONAIR_GPIOD_1
  int value = gpiod_line_get_value(request->line);
#else
  int value = gpiod_line_request_get_value(request->request, request->offset);
#endif
  return value < 0 ? -errno : value;
}

/// Sets the level of an output. Returns 0 or errno.
static inline int onair_gpio_set(const struct onair_gpio_request *request, bool active) {
#ifdef ONAIR_GPIOD_1
  int status = gpiod_line_set_value(request->line, active);
#else
  int status = gpiod_line_request_set_value(
      request->request, request->offset, active ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE);
#endif
  return status != 0 ? errno : 0;
}

/// Reads the queued edges, and waits for one if there is none. Returns their number or -errno.
static inline int onair_gpio_edges(
    struct onair_gpio_request *request, struct onair_gpio_edge edges[ONAIR_GPIO_EDGES]) {
#ifdef ONAIR_GPIOD_1
  struct gpiod_line_event events[ONAIR_GPIO_EDGES];
  int count = gpiod_line_event_read_multiple(request->line, events, ONAIR_GPIO_EDGES);
  for (int i = 0; i < count; ++i) {
    edges[i].nanos = (int64_t)events[i].ts.tv_sec * 1000000000 + events[i].ts.tv_nsec;
    edges[i].active = events[i].event_type == GPIOD_LINE_EVENT_RISING_EDGE;
  }
#else
  int count = gpiod_line_request_read_edge_events(request->request, request->buffer, ONAIR_GPIO_EDGES);
  for (int i = 0; i < count; ++i) {
    struct gpiod_edge_event *event = gpiod_edge_event_buffer_get_event(request->buffer, (unsigned long)i);
    edges[i].nanos = (int64_t)gpiod_edge_event_get_timestamp_ns(event);
    edges[i].active = gpiod_edge_event_get_event_type(event) == GPIOD_EDGE_EVENT_RISING_EDGE;
  }
#endif
  return count < 0 ? -errno : count;
}
