// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// minizip 1.1 (Debian 12) to 1.3 (Debian 13), for reading only. minizip needs only zlib; a library that can decrypt
// would load libcrypto, which takes 1.5 MB of memory from the start.

#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <minizip/unzip.h>

typedef enum { onair_zip_small, onair_zip_many_entries, onair_zip_many_bytes } onair_zip_size;

// Checks the size of an archive by its end record (APPNOTE.TXT, 4.3.16) before its directory is read, since the
// directory can be far larger than the unpacked files.
static inline onair_zip_size onair_zip_judge(int descriptor, int most_entries, off_t most_bytes) {
  struct stat status;
  if (fstat(descriptor, &status) != 0 || status.st_size > most_bytes) return onair_zip_many_bytes;
  // The record has 22 bytes and a comment of up to 65,535. The locator of zip64 is in the 20 bytes before the record.
  const size_t longest = 22 + 65535 + 20;
  const size_t length = status.st_size < (off_t)longest ? (size_t)status.st_size : longest;
  uint8_t *tail = malloc(length + 1);
  if (!tail) return onair_zip_many_bytes;
  const ssize_t got = pread(descriptor, tail, length, status.st_size - (off_t)length);
  onair_zip_size size = onair_zip_small;
  for (ssize_t at = 0; at + 20 <= got && size == onair_zip_small; at++) {
    if (tail[at] != 'P' || tail[at + 1] != 'K' || tail[at + 3] != tail[at + 2] + 1) continue;
    if (tail[at + 2] == 6) size = onair_zip_many_entries;
    if (tail[at + 2] == 5 && tail[at + 10] + 256 * tail[at + 11] > most_entries)
      size = onair_zip_many_entries;
  }
  free(tail);
  return size;
}

// Gives minizip the stream that is already open, in place of the file at `path`.
static inline voidpf onair_zip_stream(voidpf stream, const void *path, int mode) {
  (void)path;
  (void)mode;
  return stream;
}

// Opens an archive that `onair_zip_judge` has found small. Closes the descriptor later, or at once on failure.
static inline unzFile onair_zip_open(int descriptor) {
  FILE *stream = fdopen(descriptor, "rb");
  if (!stream) {
    close(descriptor);
    return NULL;
  }
  zlib_filefunc64_def functions;
  fill_fopen64_filefunc(&functions);
  functions.zopen64_file = onair_zip_stream;
  functions.opaque = stream;
  return unzOpen2_64(NULL, &functions);
}

static inline void onair_zip_close(unzFile zip) { unzClose(zip); }

static inline int onair_zip_count(unzFile zip) {
  unz_global_info64 archive;
  return unzGetGlobalInfo64(zip, &archive) == UNZ_OK ? (int)archive.number_entry : 0;
}

typedef struct {
  unz64_file_pos place;
  // The name, without a terminating zero byte.
  char name[512];
  int name_length;
  uint64_t size;
  // Whether the entry is neither a file nor a folder, but a symbolic link for example.
  int is_special;
} onair_zip_entry;

// Whether an entry was made on a Unix and is neither a file nor a folder (APPNOTE.TXT, 4.4.2 and 4.4.15).
static inline int onair_zip_is_special(const unz_file_info64 *info) {
  const uLong made_on = info->version >> 8, unix_system = 3, macos = 19;
  if (made_on != unix_system && made_on != macos) return 0;
  const mode_t kind = (info->external_fa >> 16) & S_IFMT;
  return kind != 0 && kind != S_IFREG && kind != S_IFDIR;
}

// Goes to the first entry, or to the one after `entry`, and describes it. Returns 0 if there is none that can be read.
static inline int onair_zip_next(unzFile zip, int is_first, onair_zip_entry *entry) {
  if ((is_first ? unzGoToFirstFile(zip) : unzGoToNextFile(zip)) != UNZ_OK) return 0;
  unz_file_info64 info;
  if (unzGetCurrentFileInfo64(zip, &info, NULL, 0, NULL, 0, NULL, 0) != UNZ_OK) return 0;
  if (info.size_filename > sizeof entry->name) return 0;
  if (unzGetCurrentFileInfo64(zip, NULL, entry->name, info.size_filename, NULL, 0, NULL, 0) != UNZ_OK) return 0;
  entry->name_length = (int)info.size_filename;
  entry->size = info.uncompressed_size;
  entry->is_special = onair_zip_is_special(&info);
  return unzGetFilePos64(zip, &entry->place) == UNZ_OK;
}

// Reads an entry. Returns 0 unless the entry has exactly `size` bytes, and its checksum is right.
static inline int onair_zip_read(unzFile zip, unz64_file_pos place, uint8_t *bytes, uint64_t size) {
  if (unzGoToFilePos64(zip, &place) != UNZ_OK || unzOpenCurrentFile(zip) != UNZ_OK) return 0;
  uint64_t done = 0;
  while (done < size) {
    const int count = unzReadCurrentFile(zip, bytes + done, (unsigned)(size - done));
    if (count <= 0) break;
    done += (uint64_t)count;
  }
  // The checksum is compared here, once all bytes were read.
  const int is_right = unzCloseCurrentFile(zip) == UNZ_OK;
  return done == size && is_right;
}
