/*
 * SPDX-FileCopyrightText: 2026 The OnAir authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "cpng.h"

#include <stdlib.h>
#include <string.h>

/* Maximum size, in bytes, of a chunk other than those of the picture; larger ones are skipped. */
enum { MOST_CHUNK = 1 << 20 };
/* The gamma of an sRGB file and of an sRGB display, times 100,000, as libpng expects them. */
enum { SRGB_FILE = 45455, SRGB_SCREEN = 220000 };

struct onair_png {
  png_structp reader;
  png_infop info;
  const uint8_t *next;
  size_t left;
};

static void fail(png_structp reader, png_const_charp message) {
  (void)message;
  png_longjmp(reader, 1);
}

static void ignore(png_structp reader, png_const_charp message) {
  (void)reader;
  (void)message;
}

static void read_bytes(png_structp reader, png_bytep out, size_t count) {
  onair_png *png = png_get_io_ptr(reader);
  if (count > png->left) png_error(reader, "the file ends");
  memcpy(out, png->next, count);
  png->next += count;
  png->left -= count;
}

onair_png *onair_png_new(const uint8_t *bytes, size_t count) {
  onair_png *png = calloc(1, sizeof *png);
  if (!png) return NULL;
  png->next = bytes;
  png->left = count;
  png->reader = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, fail, ignore);
  if (png->reader) png->info = png_create_info_struct(png->reader);
  if (!png->info) {
    onair_png_free(png);
    return NULL;
  }
  png_set_read_fn(png->reader, png, read_bytes);
  return png;
}

void onair_png_free(onair_png *png) {
  if (!png) return;
  png_destroy_read_struct(&png->reader, &png->info, NULL);
  free(png);
}

int onair_png_begin(onair_png *png, uint32_t *width, uint32_t *height, int *passes) {
  png_structp reader = png->reader;
  if (setjmp(png_jmpbuf(reader))) return 0;
  png_set_benign_errors(reader, 1);
  png_set_chunk_malloc_max(reader, MOST_CHUNK);
  png_read_info(reader, png->info);
  *width = png_get_image_width(reader, png->info);
  *height = png_get_image_height(reader, png->info);
  png_set_expand(reader);
  png_set_scale_16(reader);
  png_set_gray_to_rgb(reader);
  png_set_bgr(reader);
  png_set_add_alpha(reader, 255, PNG_FILLER_AFTER);
  /* Without a gAMA or sRGB chunk the values count as sRGB, whatever their depth. */
  png_fixed_point gamma = SRGB_FILE;
  png_get_gAMA_fixed(reader, png->info, &gamma);
  png_set_gamma_fixed(reader, SRGB_SCREEN, gamma);
  *passes = png_set_interlace_handling(reader);
  png_read_update_info(reader, png->info);
  return png_get_rowbytes(reader, png->info) == (size_t)*width * 4;
}

int onair_png_row(onair_png *png, uint8_t *row) {
  if (setjmp(png_jmpbuf(png->reader))) return 0;
  png_read_row(png->reader, row, NULL);
  return 1;
}
