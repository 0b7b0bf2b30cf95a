/* SPDX-FileCopyrightText: 2026 The OnAir authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * toml++ (https://marzer.github.io/tomlplusplus/) behind a C interface: reads a TOML text and hands out each value with
 * its key and its position. The texts of toml++'s errors quote the source, which may hold a secret: only the kind and
 * the position of an error leave this target. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A text of `count` bytes in UTF-8, which may contain NUL. */
typedef struct {
  const char *bytes;
  size_t count;
} ctoml_text;

typedef enum {
  CTOML_STRING,
  CTOML_INTEGER,
  CTOML_FLOAT,
  CTOML_BOOLEAN,
  CTOML_DATE,
  CTOML_TIME,
  CTOML_DATE_TIME,
  CTOML_ARRAY,
  /* An empty table. For any other table, each of its values is handed out. */
  CTOML_TABLE,
} ctoml_kind;

typedef enum {
  CTOML_OK,
  /* A name is set twice, or is a value and a table. */
  CTOML_DUPLICATE,
  CTOML_TOO_DEEP,
  /* The closing quote of a string is missing: the position is that of the opening quote. */
  CTOML_UNFINISHED_STRING,
  CTOML_STRING_ERROR,
  CTOML_CONTROL_CHARACTER,
  CTOML_KEY_ERROR,
  CTOML_HEADER_ERROR,
  CTOML_LINE_ERROR,
  CTOML_NUMBER_ERROR,
  CTOML_DATE_ERROR,
  CTOML_ARRAY_ERROR,
  CTOML_INLINE_TABLE_ERROR,
  CTOML_VALUE_ERROR,
  CTOML_NO_MEMORY,
} ctoml_status;

/* A position in the text. Both numbers begin at 1; columns count Unicode scalars. */
typedef struct {
  uint32_t line, column;
} ctoml_position;

typedef struct {
  /* The names of the key, from the root: "video", "size". */
  const ctoml_text *path;
  size_t path_count;
  /* The number of the list's table ([[NAME]]) that contains the value, counted from 0 over all lists, or -1. The first
   * name of the path is then that of the list. */
  int32_t table;
  /* The position of the last name of the path. */
  ctoml_position position;
  /* Whether the value is in an inline table: { NAME = VALUE }. */
  bool is_inline;
  ctoml_kind kind;
  /* The value, in the member that `kind` names. */
  ctoml_text string;
  int64_t integer;
  double number;
  bool boolean;
} ctoml_value;

/* The maximum number of names in one key, and the maximum depth of nested brackets and braces. */
#define CTOML_MAX_DEPTH 32

/* Reads `text`, and calls `visit` for each value. The arguments of `visit` are valid until it returns. The values in
 * the tables of a list ([[NAME]]) are handed out one by one if `is_list` returns true for its name; other lists are
 * single values. Returns CTOML_OK; otherwise the kind of the error, with its position in `error`, and `visit` was not
 * called. */
ctoml_status ctoml_read(
    ctoml_text text, bool (*is_list)(ctoml_text name), void *context, void (*visit)(void *context, const ctoml_value *value),
    ctoml_position *error);

#ifdef __cplusplus
}
#endif
