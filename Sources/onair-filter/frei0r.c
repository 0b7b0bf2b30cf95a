// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

#define _GNU_SOURCE
#include "frei0r.h"

#include <ctype.h>
#include <dlfcn.h>
#include <libyuv/convert.h>
#include <libyuv/convert_argb.h>
#include <libyuv/convert_from_argb.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "plugins.h"

// --- frei0r.h, as far as it is needed -------------------------------------------------------------

struct plugin_info {
  const char *name, *author;
  int type, colours, frei0r_version, major, minor, parameters;
  const char *explanation;
};

struct parameter_info {
  const char *name;
  int type;
  const char *explanation;
};

enum { TYPE_FILTER = 0 };
enum { COLOURS_BGRA, COLOURS_RGBA, COLOURS_ANY };
enum { PARAMETER_FLAG, PARAMETER_NUMBER, PARAMETER_COLOUR, PARAMETER_PLACE, PARAMETER_TEXT };

// --------------------------------------------------------------------------------------------------

// The width and height of a picture in frei0r are multiples of this, in pixels.
#define STEP 8
// Bytes before and after a picture: some plug-ins read or write a little beyond its last row.
#define MARGIN 65536

struct plugin {
  char name[64];
  struct plugin_info info;
  void (*parameter_info)(struct parameter_info *, int);
  void *(*construct)(unsigned, unsigned);
  void (*set)(void *, void *, int);
  void (*get)(void *, void *, int);
  void (*update)(void *, double, const uint32_t *, uint32_t *);
  void *instance;
  int width, height, padded_width, padded_height;
  uint8_t *in, *out;
};

int plugin_is_known(const char *name) {
  for (size_t index = 0; plugin_name(index); index++)
    if (strcmp(plugin_name(index), name) == 0) return 1;
  return 0;
}

const char *plugin_name(size_t index) {
  return index < sizeof plugins / sizeof *plugins ? plugins[index] : NULL;
}

static void *open_library(const char *name) {
  static const char *const folders[] = {
    "/usr/lib/frei0r-1",
#if defined(__x86_64__)
    "/usr/lib/x86_64-linux-gnu/frei0r-1",
#elif defined(__aarch64__)
    "/usr/lib/aarch64-linux-gnu/frei0r-1",
#endif
  };
  for (size_t index = 0; index < sizeof folders / sizeof *folders; index++) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s.so", folders[index], name);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library) return library;
  }
  return NULL;
}

// Stores the address of a plug-in's function at `function`, by memcpy, since ISO C cannot convert a data pointer to a
// function pointer.
static void find(void *library, const char *symbol, void *function) {
  void *found = dlsym(library, symbol);
  memcpy(function, &found, sizeof found);
}

struct plugin *plugin_load(const char *name, char *reason, size_t room) {
  if (!plugin_is_known(name)) {
    snprintf(reason, room, "has a plug-in that is not on OnAir's list");
    return NULL;
  }
  struct plugin *plugin = calloc(1, sizeof *plugin);
  void *library = open_library(name);
  if (!plugin || !library) {
    snprintf(
        reason, room, "needs the plug-in %s, which is not installed: install it (sudo apt install frei0r-plugins)", name);
    return NULL;
  }
  snprintf(plugin->name, sizeof plugin->name, "%s", name);
  int (*begin)(void);
  void (*describe)(struct plugin_info *);
  find(library, "f0r_init", &begin);
  find(library, "f0r_get_plugin_info", &describe);
  find(library, "f0r_get_param_info", &plugin->parameter_info);
  find(library, "f0r_construct", &plugin->construct);
  find(library, "f0r_set_param_value", &plugin->set);
  find(library, "f0r_get_param_value", &plugin->get);
  find(library, "f0r_update", &plugin->update);
  if (begin && describe && plugin->parameter_info && plugin->construct && plugin->set && plugin->update) {
    begin();
    describe(&plugin->info);
    if (plugin->info.type == TYPE_FILTER && plugin->info.frei0r_version == 1) return plugin;
  }
  snprintf(reason, room, "has a plug-in that is no filter of frei0r 1: %s", name);
  return NULL;
}

static uint8_t *new_picture(const struct plugin *plugin) {
  const size_t bytes = (size_t)plugin->padded_width * (size_t)plugin->padded_height * 4;
  uint8_t *memory = aligned_alloc(64, (bytes + 2 * MARGIN + 63) & ~(size_t)63);
  if (!memory) return NULL;
  memset(memory, 0, bytes + 2 * MARGIN);
  return memory + MARGIN;
}

int plugin_begin(struct plugin *plugin, int width, int height, char *reason, size_t room) {
  plugin->width = width;
  plugin->height = height;
  plugin->padded_width = (width + STEP - 1) / STEP * STEP;
  plugin->padded_height = (height + STEP - 1) / STEP * STEP;
  plugin->in = new_picture(plugin);
  plugin->out = new_picture(plugin);
  if (plugin->in && plugin->out)
    plugin->instance = plugin->construct((unsigned)plugin->padded_width, (unsigned)plugin->padded_height);
  if (plugin->instance) return 0;
  snprintf(reason, room, "has a plug-in that takes no picture of %dx%d", width, height);
  return -1;
}

// --- Parameters -----------------------------------------------------------------------------------

// Lists the names of the parameters.
static void list_names(const struct plugin *plugin, char *text, size_t room) {
  size_t used = 0;
  if (plugin->info.parameters == 0) snprintf(text, room, "none");
  for (int index = 0; index < plugin->info.parameters && used < room; index++) {
    struct parameter_info info = {0};
    plugin->parameter_info(&info, index);
    used += (size_t)snprintf(text + used, room - used, "%s%s", used ? ", " : "", info.name ? info.name : "");
  }
}

static int read_number(const char *text, double *number) {
  char *end;
  *number = strtod(text, &end);
  return end != text && *end == 0 && isfinite(*number);
}

// Sets a parameter to a value in text form. Returns NULL; if the value does not fit, the kind of value that is
// expected.
static const char *set_value(struct plugin *plugin, int index, int type, const char *text) {
  double number;
  switch (type) {
    case PARAMETER_FLAG:
      if (strcasecmp(text, "true") == 0) number = 1;
      else if (strcasecmp(text, "false") == 0) number = 0;
      else if (!read_number(text, &number)) return "true or false";
      number = number >= 0.5;
      plugin->set(plugin->instance, &number, index);
      return NULL;
    case PARAMETER_NUMBER:
      if (!read_number(text, &number) || number < 0 || number > 1) return "a number from 0 to 1";
      plugin->set(plugin->instance, &number, index);
      return NULL;
    case PARAMETER_COLOUR: {
      unsigned red, green, blue;
      char rest;
      if (sscanf(text, "#%2x%2x%2x%c", &red, &green, &blue, &rest) != 3 || strlen(text) != 7) return "a colour, as #ff8000";
      float colour[3] = {(float)red / 255, (float)green / 255, (float)blue / 255};
      plugin->set(plugin->instance, colour, index);
      return NULL;
    }
    case PARAMETER_PLACE: {
      double place[2];
      char rest;
      if (sscanf(text, "%lf:%lf%c", &place[0], &place[1], &rest) != 2 || !isfinite(place[0]) || !isfinite(place[1]))
        return "a place, as 0.5:0.5";
      plugin->set(plugin->instance, place, index);
      return NULL;
    }
    case PARAMETER_TEXT: {
      const char *value = text;
      plugin->set(plugin->instance, &value, index);
      return NULL;
    }
    default: return "left out: this kind of parameter is not known";
  }
}

static char *trimmed(char *text) {
  while (isspace((unsigned char)*text)) text++;
  size_t length = strlen(text);
  while (length > 0 && isspace((unsigned char)text[length - 1])) text[--length] = 0;
  return text;
}

int plugin_set(struct plugin *plugin, const char *text, char *reason, size_t room) {
  char copy[4096], names[160], *next = copy;
  snprintf(copy, sizeof copy, "%s", text);
  while (next) {
    char *part = trimmed(strsep(&next, ",\n"));
    if (*part == 0) continue;
    char *value = strchr(part, '=');
    if (!value) {
      snprintf(reason, room, "has a parameter without a value, \"%.40s\": write Name=value", part);
      return -1;
    }
    *value++ = 0;
    const char *name = trimmed(part);
    int index = 0;
    struct parameter_info info = {0};
    for (; index < plugin->info.parameters; index++) {
      info = (struct parameter_info){0};
      plugin->parameter_info(&info, index);
      if (info.name && strcasecmp(info.name, name) == 0) break;
    }
    if (index == plugin->info.parameters) {
      list_names(plugin, names, sizeof names);
      snprintf(reason, room, "has no parameter \"%.40s\". Those of %s: %s", name, plugin->name, names);
      return -1;
    }
    const char *wanted = set_value(plugin, index, info.type, trimmed(value));
    if (wanted) {
      snprintf(reason, room, "has a wrong value for \"%.40s\": it must be %s", name, wanted);
      return -1;
    }
  }
  return 0;
}

void plugin_describe(struct plugin *plugin) {
  char names[1024];
  list_names(plugin, names, sizeof names);
  printf("%s\t%s\n", plugin->name, names);
}

// --- Frames ---------------------------------------------------------------------------------------

// Fills the padding, which makes width and height multiples of 8, with the last column and row, so that no edge
// appears.
static void pad(const struct plugin *plugin) {
  const size_t row = (size_t)plugin->padded_width * 4;
  uint32_t *pixels = (uint32_t *)(void *)plugin->in;
  for (int y = 0; y < plugin->height; y++)
    for (int x = plugin->width; x < plugin->padded_width; x++)
      pixels[(size_t)y * (size_t)plugin->padded_width + (size_t)x] =
          pixels[(size_t)y * (size_t)plugin->padded_width + (size_t)plugin->width - 1];
  for (int y = plugin->height; y < plugin->padded_height; y++)
    memcpy(plugin->in + (size_t)y * row, plugin->in + (size_t)(plugin->height - 1) * row, row);
}

// Converts the frame to RGB and back by BT.601, whatever its matrix is: libyuv has no other matrix for both directions,
// and pixels that a plug-in does not change come back unchanged. A plug-in that looks for a colour sees it slightly
// shifted.
void plugin_run(
    struct plugin *plugin, const struct planes *in, const struct planes *out, double seconds, int full_range) {
  const int row = plugin->padded_width * 4, width = plugin->width, height = plugin->height;
  // In libyuv "ARGB" is blue, green, red, alpha in memory.
  (full_range ? J420ToARGB : I420ToARGB)(
      in->y, in->y_stride, in->cb, in->chroma_stride, in->cr, in->chroma_stride, plugin->in, row, width, height);
  const int swaps = plugin->info.colours == COLOURS_RGBA;
  if (swaps) ARGBToABGR(plugin->in, row, plugin->in, row, width, height);
  pad(plugin);
  plugin->update(
      plugin->instance, seconds, (const uint32_t *)(const void *)plugin->in, (uint32_t *)(void *)plugin->out);
  if (swaps) ARGBToABGR(plugin->out, row, plugin->out, row, width, height);
  (full_range ? ARGBToJ420 : ARGBToI420)(
      plugin->out, row, out->y, out->y_stride, out->cb, out->chroma_stride, out->cr, out->chroma_stride, width, height);
}
