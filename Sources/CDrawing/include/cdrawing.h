// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/* Draws images with Cairo and text with Pango. Only the C files include the headers of both, whose folders differ from
 * processor to processor. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A drawing: rows of blue, green, red and alpha, premultiplied, at first transparent. */
typedef struct onair_drawing onair_drawing;

/* Makes a drawing. Returns NULL without memory, or if a side is longer than Cairo's limit of 32,767 pixels. */
onair_drawing *onair_drawing_new(int width, int height);
void onair_drawing_free(onair_drawing *drawing);
/* The pixels, valid until something else is drawn. stride: bytes from row to row. */
const uint8_t *onair_drawing_pixels(onair_drawing *drawing, int *stride);

/* Draws an image over the whole drawing, scaled. quarters: how often the image is turned clockwise by 90 degrees.
 * mirror: whether left and right are swapped after that. pixels: in the format of a drawing, with 4 * width bytes a
 * row. */
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
  /* The font height of all lines after the first, in pixels; 0 for the same height. */
  double second_size;
  onair_colour colour;
  /* No outline if its alpha is 0. */
  onair_colour outline;
  /* No box if its alpha is 0. */
  onair_colour box;
  /* The width in pixels at which lines are wrapped; 0 for no wrapping. */
  int width;
  /* 0 left, 1 centre, 2 right. */
  int alignment;
} onair_text;

typedef struct onair_layout onair_layout;

/* Lays out a text. The pointers in `text` are not kept. Used by one thread at a time. */
onair_layout *onair_layout_new(const onair_text *text);
void onair_layout_free(onair_layout *layout);
/* The size of the drawing that the text needs, with outline and box. */
void onair_layout_size(const onair_layout *layout, int *width, int *height);
/* Writes the characters that no font has, at most `most` of them, to `characters`. Returns their number. */
int onair_layout_unknown(const onair_layout *layout, uint32_t *characters, int most);
/* The name of the script that a character belongs to, in small letters: "thai"; for a rare script its code of ISO
 * 15924. Empty if the character has no script; "common" for signs. */
void onair_script_name(uint32_t character, char *name, size_t size);
/* Draws the text in the upper left corner, without its first `left` columns. */
void onair_drawing_text(onair_drawing *drawing, const onair_layout *layout, int left);

/* Sets the font files that texts laid out from now on can use, besides the system's fonts. Replaces those of an earlier
 * call. Returns 0 without memory. */
int onair_fonts_use(const char *const *paths, int count);
/* Whether a file is a font; writes the name of its family. */
int onair_font_family(const char *path, char *family, size_t size);

#ifdef __cplusplus
}
#endif
