// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// onair-filter: the process in which a filter of OnAir's picture runs. OnAir starts it; <onair/filter.h> describes the
// protocol.
//
//   onair-filter frei0r PARENT NAME   runs a plug-in of frei0r
//   onair-filter outside PARENT PATH  confines itself, and becomes another program
//   onair-filter list                 prints the plug-ins of frei0r that may be used and are installed, with their parameters
//
// PARENT is OnAir's process number.

#define _GNU_SOURCE
#include <libgen.h>
#include <onair/filter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

#include "confine.h"
#include "frei0r.h"

static void show_reason(struct onair_filter *filter, const char *reason) {
  if (filter->answer) onair_filter_tell(filter, reason);
  fprintf(stderr, "onair-filter: the filter %s\n", reason);
}

static struct planes planes_of(const struct onair_filter *filter, const struct onair_filter_frame *frame) {
  const struct onair_filter_request *request = filter->request;
  return (struct planes){
    filter->memory + frame->y, filter->memory + frame->cb, filter->memory + frame->cr, (int)request->y_stride,
    (int)request->chroma_stride};
}

static int run_plugin(struct onair_filter *filter, const char *name) {
  char reason[ONAIR_FILTER_MESSAGE] = "";
  const struct onair_filter_request *request = filter->request;
  struct plugin *plugin = plugin_load(name, reason, sizeof reason);
  uint32_t parameters = request->parameters;
  if (!plugin || plugin_begin(plugin, (int)request->width, (int)request->height, reason, sizeof reason) != 0) {
    show_reason(filter, reason);
    return EX_UNAVAILABLE;
  }
  if (confine_to_computing() != 0) {
    show_reason(filter, "cannot be confined");
    return EX_NOPERM;
  }
  if (plugin_set(plugin, request->text, reason, sizeof reason) != 0) {
    show_reason(filter, reason);
    return EX_CONFIG;
  }
  const struct planes in = planes_of(filter, &request->input), out = planes_of(filter, &request->output);
  onair_filter_ready(filter);
  while (onair_filter_wait(filter) == 0) {
    if (request->parameters != parameters) {
      parameters = request->parameters;
      if (plugin_set(plugin, request->text, reason, sizeof reason) != 0) {
        show_reason(filter, reason);
        return EX_CONFIG;
      }
    }
    plugin_run(plugin, &in, &out, (double)request->captured_at / 1e9, (int)request->full_range);
    onair_filter_done(filter, 0);
  }
  return EX_OSERR;
}

// Replaces this process by another program. Returns only on failure.
static int become(struct onair_filter *filter, char *path) {
  char *const arguments[] = {path, NULL};
  execv(path, arguments);
  char reason[ONAIR_FILTER_MESSAGE];
  snprintf(reason, sizeof reason, "cannot be started (%s): make its file executable", strerror(errno));
  show_reason(filter, reason);
  return EX_UNAVAILABLE;
}

// Describes each plug-in in a process of its own, as one of them might not return.
static int list_plugins(void) {
  for (size_t index = 0; plugin_name(index); index++) {
    const pid_t child = fork();
    if (child == 0) {
      char reason[ONAIR_FILTER_MESSAGE];
      struct plugin *plugin = plugin_load(plugin_name(index), reason, sizeof reason);
      if (plugin) plugin_describe(plugin);
      fflush(stdout);
      _exit(plugin ? 0 : EX_UNAVAILABLE);
    }
    if (child > 0) waitpid(child, NULL, 0);
  }
  return 0;
}

int main(int count, char **arguments) {
  if (count == 2 && strcmp(arguments[1], "list") == 0) return list_plugins();
  const int plugs = count == 4 && strcmp(arguments[1], "frei0r") == 0;
  if (!plugs && !(count == 4 && strcmp(arguments[1], "outside") == 0)) {
    fprintf(stderr, "onair-filter is started by onair. \"onair-filter list\" prints the plug-ins of frei0r.\n");
    return EX_USAGE;
  }
  struct onair_filter filter = {0};
  if (onair_filter_open(&filter) != 0) {
    fprintf(stderr, "onair-filter: is started by onair, of the same version\n");
    return EX_PROTOCOL;
  }
  // dirname(3) changes its argument, so it gets a copy of the path, which is needed again.
  char *folder = plugs ? NULL : dirname(strdup(arguments[3]));
  const char *reason = "";
  if (confine((pid_t)atoi(arguments[2]), folder, !plugs, &reason) != 0) {
    show_reason(&filter, reason);
    return EX_NOPERM;
  }
  return plugs ? run_plugin(&filter, arguments[3]) : become(&filter, arguments[3]);
}
