// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/* An example of a filter that is a program of its own: it makes a poster of the picture, with few steps of brightness, and
 * thin lines between them. <onair/filter.h> says how it talks to OnAir, board/README.md how to build and use it. */

#include <onair/filter.h>
#include <stdio.h>
#include <stdlib.h>

/* Counts steps of brightness: the setting `parameters` of the filter, as "steps=4". Returns 0 if it says something else. */
static int read_steps(const char *text) {
  int steps = 4;
  char rest;
  if (*text == 0) return steps;
  if (sscanf(text, " steps = %d %c", &steps, &rest) != 1) return 0;
  return steps >= 2 && steps <= 32 ? steps : 0;
}

/* Computes what each brightness becomes. */
static void make_table(uint8_t table[256], int steps, int full_range) {
  const int black = full_range ? 0 : 16, white = full_range ? 255 : 235;
  for (int value = 0; value < 256; value++) {
    int light = value < black ? black : value > white ? white : value;
    int step = (light - black) * steps / (white - black + 1);
    table[value] = (uint8_t)(black + step * (white - black) / (steps - 1));
  }
}

/* Fills the output's luma: the step of each pixel, or black where the next pixel is of another step. */
static void draw(const struct onair_filter *filter, const uint8_t table[256]) {
  const struct onair_filter_request *request = filter->request;
  const int black = request->full_range ? 0 : 16;
  for (uint32_t row = 0; row < request->height; row++) {
    const uint8_t *in = filter->memory + request->input.y + (size_t)row * request->y_stride;
    const uint8_t *below = row + 1 < request->height ? in + request->y_stride : in;
    uint8_t *out = filter->memory + request->output.y + (size_t)row * request->y_stride;
    for (uint32_t column = 0; column < request->width; column++) {
      const uint32_t next = column + 1 < request->width ? column + 1 : column;
      const uint8_t step = table[in[column]];
      out[column] = step == table[in[next]] && step == table[below[column]] ? step : (uint8_t)black;
    }
  }
}

/* Copies a plane of Cb or Cr as it is. */
static void copy_chroma(const struct onair_filter *filter, uint32_t in, uint32_t out) {
  const struct onair_filter_request *request = filter->request;
  const uint32_t rows = (request->height + 1) / 2;
  memcpy(filter->memory + out, filter->memory + in, (size_t)request->chroma_stride * rows);
}

int main(void) {
  struct onair_filter filter;
  if (onair_filter_open(&filter) != 0) {
    fprintf(stderr, "This program is a filter: OnAir starts it. See board/README.md.\n");
    return EXIT_FAILURE;
  }
  const struct onair_filter_request *request = filter.request;
  uint8_t table[256];
  /* None, so that the first frame makes the table. */
  uint32_t parameters = request->parameters - 1, full_range = 0;

  onair_filter_ready(&filter);
  while (onair_filter_wait(&filter) == 0) {
    if (request->parameters != parameters || request->full_range != full_range) {
      parameters = request->parameters;
      full_range = request->full_range;
      const int steps = read_steps(request->text);
      if (steps == 0) {
        onair_filter_tell(&filter, "takes the parameters \"steps=2\" to \"steps=32\", and no other");
        return EXIT_FAILURE;
      }
      make_table(table, steps, (int)full_range);
    }
    draw(&filter, table);
    copy_chroma(&filter, request->input.cb, request->output.cb);
    copy_chroma(&filter, request->input.cr, request->output.cr);
    onair_filter_done(&filter, 0);
  }
  return EXIT_FAILURE;
}
