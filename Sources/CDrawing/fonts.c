// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "cdrawing.h"
#include "fonts.h"

#include <pthread.h>

#include <fontconfig/fontconfig.h>
#include <fontconfig/fcfreetype.h>
#include <pango/pangofc-fontmap.h>

/* A configuration is never changed once threads use it: a new one replaces it. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static FcConfig *fonts;
static unsigned version;

/* The version that this thread's font map uses; 0 for the system's fonts alone. */
static _Thread_local unsigned used;

int onair_fonts_use(const char *const *paths, int count) {
  FcConfig *config = FcInitLoadConfigAndFonts();
  if (!config) return 0;
  for (int i = 0; i < count; i++) FcConfigAppFontAddFile(config, (const FcChar8 *)paths[i]);
  pthread_mutex_lock(&mutex);
  FcConfig *old = fonts;
  fonts = config;
  version++;
  pthread_mutex_unlock(&mutex);
  if (old) FcConfigDestroy(old);
  return 1;
}

void onair_fonts_apply(PangoFontMap *map) {
  pthread_mutex_lock(&mutex);
  if (fonts && used != version) {
    /* The font map keeps a reference of its own to the configuration. */
    pango_fc_font_map_set_config(PANGO_FC_FONT_MAP(map), fonts);
    used = version;
  }
  pthread_mutex_unlock(&mutex);
}

int onair_font_family(const char *path, char *family, size_t size) {
  int count = 0;
  FcPattern *pattern = FcFreeTypeQuery((const FcChar8 *)path, 0, NULL, &count);
  if (!pattern) return 0;
  FcChar8 *name = NULL;
  const int found = FcPatternGetString(pattern, FC_FAMILY, 0, &name) == FcResultMatch && name[0];
  if (found) g_strlcpy(family, (const char *)name, size);
  FcPatternDestroy(pattern);
  return found;
}
