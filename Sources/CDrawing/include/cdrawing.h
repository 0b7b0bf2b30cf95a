// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/* Draws images with Cairo and text with Pango. Their headers are included by the C file alone: they lie in folders that
 * differ from processor to processor. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A drawing: rows of blue, green, red and alpha, premultiplied, at first transparent. */
typedef struct onair_drawing onair_drawing;

/* NULL without memory, or beyond Cairo's 32,767 pixels a side. */
onair_drawing *onair_drawing_new(int width, int height);
void onair_drawing_free(onair_drawing *drawing);
/* The pixels, valid until something else is drawn. stride: bytes from row to row. */
const uint8_t *onair_drawing_pixels(onair_drawing *drawing, int *stride);

/* Draws an image over the whole drawing, scaled.
 * quarters: how often it is turned clockwise by 90 degrees. mirror: then left and right are swapped.
 * pixels: as those of a drawing, with 4 * width bytes a row. */
void onair_drawing_image(
    onair_drawing *drawing, const uint8_t *pixels, int width, int height, int quarters, int mirror);

/* A colour: red, green, blue and alpha, 0 to 1, not premultiplied. */
typedef struct {
  double red, green, blue, alpha;
} onair_colour;

typedef struct {
  /* UTF-8. */
  const char *text;
  size_t bytes;
  /* As Pango describes fonts, without a size: "DejaVu Sans Bold". */
  const char *font;
  /* Height of the font (em) in pixels. */
  double size;
  /* That of the lines after the first; 0 if it is the same. */
  double second_size;
  onair_colour colour;
  /* No outline if its alpha is 0. */
  onair_colour outline;
  /* No box if its alpha is 0. */
  onair_colour box;
  /* Pixels to wrap at; 0 for lines as they are. */
  int width;
  /* 0 left, 1 centre, 2 right. */
  int alignment;
} onair_text;

typedef struct onair_layout onair_layout;

/* Lays out a text. The pointers in it are not kept. Used by one thread at a time. */
onair_layout *onair_layout_new(const onair_text *text);
void onair_layout_free(onair_layout *layout);
/* The size of the drawing that the text needs, with outline and box. */
void onair_layout_size(const onair_layout *layout, int *width, int *height);
/* The characters that no font has, at most so many of them. Returns how many it has written. */
int onair_layout_unknown(const onair_layout *layout, uint32_t *characters, int most);
/* The name of the script that a character belongs to, in small letters: "thai"; of a rare one its code of ISO 15924. Empty
 * if it has none; "common" for signs. */
void onair_script_name(uint32_t character, char *name, size_t size);
/* Draws the text in the upper left corner, without the first columns. */
void onair_drawing_text(onair_drawing *drawing, const onair_layout *layout, int left);

/* Lets texts that are laid out from now on use these font files, too, and no other own ones. Returns 0 without memory. */
int onair_fonts_use(const char *const *paths, int count);
/* Whether a file is a font; writes the name of its family. */
int onair_font_family(const char *path, char *family, size_t size);

#ifdef __cplusplus
}
#endif
