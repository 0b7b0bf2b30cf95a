/* SPDX-FileCopyrightText: 2026 The OnAir authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * toml++ (https://marzer.github.io/tomlplusplus/) behind a C interface: reads a TOML text and hands out each value with
 * its key and its place. The texts of toml++'s errors quote the source, which may hold a secret: only the kind and the
 * place of an error leave this target. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* UTF-8; may hold NUL; ends after `count` bytes. */
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
  /* A table that holds nothing. Of any other table each value is handed out. */
  CTOML_TABLE,
} ctoml_kind;

typedef enum {
  CTOML_OK,
  /* A name is set twice, or is a value and a table. */
  CTOML_DUPLICATE,
  CTOML_TOO_DEEP,
  /* A text's closing quote is missing: the place is that of the opening one. */
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

/* Both from 1; a column is a Unicode scalar. */
typedef struct {
  uint32_t line, column;
} ctoml_position;

typedef struct {
  /* The names of the key, from the root: "video", "size". */
  const ctoml_text *path;
  size_t path_count;
  /* The table of a list in which it stands, from 0 over all lists, where the first name is that of the list; or -1. */
  int32_t table;
  /* Where the last of these names stands. */
  ctoml_position position;
  /* Whether it stands inside an inline table: { NAME = VALUE }. */
  bool is_inline;
  ctoml_kind kind;
  /* The value, in the member that `kind` names. */
  ctoml_text string;
  int64_t integer;
  double number;
  bool boolean;
} ctoml_value;

/* The most names in one key, and the most brackets and braces inside each other. */
#define CTOML_MAX_DEPTH 32

/* Reads `text`, and calls `visit` for each value. What `visit` gets lasts until it returns. Of the tables of a list
 * ([[NAME]]) each value is handed out where `is_list` says so of its name; other lists are values.
 * Returns CTOML_OK; or what is wrong, with its place in `error`, and `visit` was not called. */
ctoml_status ctoml_read(
    ctoml_text text, bool (*is_list)(ctoml_text name), void *context, void (*visit)(void *context, const ctoml_value *value),
    ctoml_position *error);

#ifdef __cplusplus
}
#endif
