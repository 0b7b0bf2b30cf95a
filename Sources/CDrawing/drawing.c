// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "cdrawing.h"

#include "fonts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pango/pangocairo.h>

struct onair_drawing {
  cairo_surface_t *surface;
  cairo_t *cairo;
};

onair_drawing *onair_drawing_new(int width, int height) {
  onair_drawing *drawing = calloc(1, sizeof *drawing);
  if (!drawing) return NULL;
  drawing->surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
  drawing->cairo = cairo_create(drawing->surface);
  if (cairo_status(drawing->cairo) == CAIRO_STATUS_SUCCESS) return drawing;
  onair_drawing_free(drawing);
  return NULL;
}

void onair_drawing_free(onair_drawing *drawing) {
  if (!drawing) return;
  cairo_destroy(drawing->cairo);
  cairo_surface_destroy(drawing->surface);
  free(drawing);
}

const uint8_t *onair_drawing_pixels(onair_drawing *drawing, int *stride) {
  cairo_surface_flush(drawing->surface);
  *stride = cairo_image_surface_get_stride(drawing->surface);
  return cairo_image_surface_get_data(drawing->surface);
}

void onair_drawing_image(
    onair_drawing *drawing, const uint8_t *pixels, int width, int height, int quarters, int mirror) {
  /* Cairo only reads the pixels, so the cast is safe. */
  cairo_surface_t *image = cairo_image_surface_create_for_data(
      (uint8_t *)pixels, CAIRO_FORMAT_ARGB32, width, height, width * 4);
  const double across = cairo_image_surface_get_width(drawing->surface);
  const double down = cairo_image_surface_get_height(drawing->surface);
  const int is_turned = quarters % 2;
  cairo_t *cairo = drawing->cairo;
  cairo_save(cairo);
  cairo_translate(cairo, across / 2, down / 2);
  /* The transformations apply to the image in reverse order of these calls. */
  if (mirror) cairo_scale(cairo, -1, 1);
  cairo_rotate(cairo, quarters * M_PI / 2);
  cairo_scale(cairo, (is_turned ? down : across) / width, (is_turned ? across : down) / height);
  cairo_set_source_surface(cairo, image, -width / 2.0, -height / 2.0);
  cairo_pattern_t *pattern = cairo_get_source(cairo);
  /* When the image is scaled down, each pixel is the mean of the pixels that it covers. Beyond the edge the outermost
   * pixels are repeated: otherwise the image would fade at its edge. */
  cairo_pattern_set_filter(pattern, CAIRO_FILTER_GOOD);
  cairo_pattern_set_extend(pattern, CAIRO_EXTEND_PAD);
  cairo_set_operator(cairo, CAIRO_OPERATOR_SOURCE);
  cairo_paint(cairo);
  cairo_restore(cairo);
  cairo_surface_destroy(image);
}

struct onair_layout {
  PangoLayout *layout;
  onair_colour colour, outline, box;
  double stroke, padding;
  /* The rectangle around the ink and the lines, in pixels, without padding. */
  int left, top, width, height;
};

static PangoContext *new_context(void) {
  /* This font map belongs to the present thread. */
  PangoFontMap *fonts = pango_cairo_font_map_get_default();
  onair_fonts_apply(fonts);
  PangoContext *context = pango_font_map_create_context(fonts);
  cairo_font_options_t *options = cairo_font_options_create();
  /* Antialias in grey, without hinting: subpixel rendering would add colours, and hinting makes moving text jump. */
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  pango_cairo_context_set_font_options(context, options);
  cairo_font_options_destroy(options);
  return context;
}

/* The line height of the fonts that every box has, as a multiple of the font size. The page draws frames around texts
 * by the same number. */
static const double line_height = (1901 + 483) / 2048.0;

/* Whether some letters may come from another font than the one that is named: those of East Asia, signs and emoji, from
 * U+2E80 on. Such fonts have other line heights, which differ from system to system. */
static int has_other_font(const onair_text *text, const char *family) {
  static const char *const own[] = {"sans", "serif", "monospace", "dejavu"};
  int is_own = 0;
  for (size_t i = 0; i < sizeof own / sizeof *own && !is_own; i++)
    is_own = family && g_ascii_strncasecmp(family, own[i], strlen(own[i])) == 0;
  for (size_t i = 0; is_own && i + 1 < text->bytes; i++) {
    const uint8_t first = (uint8_t)text->text[i];
    if (first > 0xE2 || (first == 0xE2 && (uint8_t)text->text[i + 1] >= 0xBA)) return 1;
  }
  return 0;
}

/* Gives all lines from the byte `start` on the line height of the usual fonts. */
static void set_line_height(PangoAttrList *attributes, double size, guint start) {
  PangoAttribute *height = pango_attr_line_height_new_absolute((int)(size * line_height * PANGO_SCALE));
  height->start_index = start;
  pango_attr_list_change(attributes, height);
}

onair_layout *onair_layout_new(const onair_text *text) {
  onair_layout *result = calloc(1, sizeof *result);
  if (!result) return NULL;
  PangoContext *fonts = new_context();
  PangoLayout *layout = pango_layout_new(fonts);
  g_object_unref(fonts);
  PangoFontDescription *font = pango_font_description_from_string(text->font);
  pango_font_description_set_absolute_size(font, text->size * PANGO_SCALE);
  pango_layout_set_font_description(layout, font);
  const int is_mixed = has_other_font(text, pango_font_description_get_family(font));
  pango_font_description_free(font);
  /* Give all digits the same width: otherwise the text of a clock would tremble. */
  PangoAttrList *attributes = pango_attr_list_new();
  pango_attr_list_insert(attributes, pango_attr_font_features_new("tnum=1"));
  if (is_mixed) set_line_height(attributes, text->size, 0);
  const char *line_end = memchr(text->text, '\n', text->bytes);
  if (line_end && text->second_size > 0) {
    PangoAttribute *size = pango_attr_size_new_absolute((int)(text->second_size * PANGO_SCALE));
    size->start_index = (guint)(line_end - text->text) + 1;
    pango_attr_list_insert(attributes, size);
    if (is_mixed) set_line_height(attributes, text->second_size, size->start_index);
  }
  pango_layout_set_attributes(layout, attributes);
  pango_attr_list_unref(attributes);
  pango_layout_set_text(layout, text->text, (int)text->bytes);
  if (text->width > 0) {
    pango_layout_set_width(layout, text->width * PANGO_SCALE);
    pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
  }
  pango_layout_set_alignment(
      layout, text->alignment == 1 ? PANGO_ALIGN_CENTER
              : text->alignment == 2 ? PANGO_ALIGN_RIGHT
                                     : PANGO_ALIGN_LEFT);
  PangoRectangle ink, lines;
  pango_layout_get_pixel_extents(layout, &ink, &lines);
  const int right = MAX(ink.x + ink.width, lines.x + lines.width);
  const int bottom = MAX(ink.y + ink.height, lines.y + lines.height);
  result->layout = layout;
  result->colour = text->colour;
  result->outline = text->outline;
  result->box = text->box;
  result->left = MIN(ink.x, lines.x);
  result->top = MIN(ink.y, lines.y);
  result->width = right - result->left;
  result->height = bottom - result->top;
  result->stroke = text->outline.alpha > 0 ? MAX(1, text->size / 18) : 0;
  result->padding = text->box.alpha > 0 ? text->size / 3 : 1;
  return result;
}

void onair_layout_free(onair_layout *layout) {
  if (!layout) return;
  g_object_unref(layout->layout);
  free(layout);
}

static double margin(const onair_layout *layout) { return ceil(layout->stroke + layout->padding); }

void onair_layout_size(const onair_layout *layout, int *width, int *height) {
  *width = layout->width + 2 * (int)margin(layout);
  *height = layout->height + 2 * (int)margin(layout);
}

int onair_layout_unknown(const onair_layout *layout, uint32_t *characters, int most) {
  if (pango_layout_get_unknown_glyphs_count(layout->layout) == 0) return 0;
  int count = 0;
  for (GSList *line = pango_layout_get_lines_readonly(layout->layout); line; line = line->next) {
    for (GSList *run = ((PangoLayoutLine *)line->data)->runs; run; run = run->next) {
      const PangoGlyphString *glyphs = ((PangoLayoutRun *)run->data)->glyphs;
      for (int i = 0; i < glyphs->num_glyphs && count < most; i++) {
        const PangoGlyph glyph = glyphs->glyphs[i].glyph;
        const uint32_t character = glyph & ~PANGO_GLYPH_UNKNOWN_FLAG;
        if (glyph & PANGO_GLYPH_UNKNOWN_FLAG && character <= 0x10FFFF) characters[count++] = character;
      }
    }
  }
  return count;
}

void onair_script_name(uint32_t character, char *name, size_t size) {
  /* Pango has names for scripts by number. Its numbers equal GLib's only up to Unicode 5.1. */
  _Static_assert((int)PANGO_SCRIPT_LYDIAN == (int)G_UNICODE_SCRIPT_LYDIAN, "the scripts of Unicode 5.1");
  const GUnicodeScript script = g_unichar_get_script(character);
  if (script <= G_UNICODE_SCRIPT_LYDIAN) {
    GEnumClass *scripts = g_type_class_ref(PANGO_TYPE_SCRIPT);
    const GEnumValue *value = g_enum_get_value(scripts, (int)script);
    g_strlcpy(name, value ? value->value_nick : "", size);
    g_type_class_unref(scripts);
  } else {
    const guint32 code = g_unicode_script_to_iso15924(script);
    const char letters[] = {(char)(code >> 24), (char)(code >> 16), (char)(code >> 8), (char)code, 0};
    g_strlcpy(name, letters, size);
  }
}

static void set(cairo_t *cairo, onair_colour colour) {
  cairo_set_source_rgba(cairo, colour.red, colour.green, colour.blue, colour.alpha);
}

void onair_drawing_text(onair_drawing *drawing, const onair_layout *layout, int left) {
  cairo_t *cairo = drawing->cairo;
  int width, height;
  onair_layout_size(layout, &width, &height);
  cairo_save(cairo);
  cairo_translate(cairo, -left, 0);
  if (layout->box.alpha > 0) {
    set(cairo, layout->box);
    cairo_rectangle(cairo, 0, 0, width, height);
    cairo_fill(cairo);
  }
  cairo_translate(cairo, margin(layout) - layout->left, margin(layout) - layout->top);
  if (layout->stroke > 0) {
    set(cairo, layout->outline);
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    /* Half of the stroke is covered by the letters. */
    cairo_set_line_width(cairo, layout->stroke * 2);
    cairo_move_to(cairo, 0, 0);
    pango_cairo_layout_path(cairo, layout->layout);
    cairo_stroke(cairo);
  }
  set(cairo, layout->colour);
  cairo_move_to(cairo, 0, 0);
  pango_cairo_show_layout(cairo, layout->layout);
  cairo_restore(cairo);
}
