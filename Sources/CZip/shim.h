// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// libzip 1.7 (Debian 12) to 1.11 (Debian 13), for reading alone.

#pragma once

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zip.h>

typedef enum { onair_zip_small, onair_zip_many_entries, onair_zip_many_bytes } onair_zip_size;

// Judges an archive by its end record (APPNOTE.TXT, 4.3.16), since libzip reads the whole directory when it opens it.
static inline onair_zip_size onair_zip_judge(int descriptor, int most_entries, off_t most_bytes) {
  struct stat status;
  if (fstat(descriptor, &status) != 0 || status.st_size > most_bytes) return onair_zip_many_bytes;
  // The record has 22 bytes and a comment of up to 65,535. That of zip64 stands 20 bytes before it.
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

// Opens an archive that was judged small. Takes the descriptor over, also when it fails.
static inline zip_t *onair_zip_open(int descriptor) {
  int error = 0;
  zip_t *zip = zip_fdopen(descriptor, 0, &error);
  if (!zip) close(descriptor);
  return zip;
}

static inline void onair_zip_close(zip_t *zip) { zip_discard(zip); }

static inline int64_t onair_zip_count(zip_t *zip) { return zip_get_num_entries(zip, 0); }

// The name of an entry, valid while the archive is open, and its size; NULL if they are not known.
static inline const char *onair_zip_entry(zip_t *zip, int64_t index, uint64_t *size) {
  zip_stat_t entry;
  zip_stat_init(&entry);
  if (zip_stat_index(zip, (zip_uint64_t)index, 0, &entry) != 0) return NULL;
  if (!(entry.valid & ZIP_STAT_SIZE) || !(entry.valid & ZIP_STAT_NAME)) return NULL;
  *size = entry.size;
  return entry.name;
}

// Whether an entry is neither a file nor a folder, such as a symbolic link.
static inline int onair_zip_is_special(zip_t *zip, int64_t index) {
  zip_uint8_t system = 0;
  zip_uint32_t attributes = 0;
  if (zip_file_get_external_attributes(zip, (zip_uint64_t)index, 0, &system, &attributes) != 0)
    return 1;
  if (system != ZIP_OPSYS_UNIX && system != ZIP_OPSYS_OS_X) return 0;
  const mode_t kind = (attributes >> 16) & S_IFMT;
  return kind != 0 && kind != S_IFREG && kind != S_IFDIR;
}

// Reads an entry. Returns 0 unless it has exactly that size, and its checksum is right.
static inline int onair_zip_read(zip_t *zip, int64_t index, uint8_t *bytes, uint64_t size) {
  zip_file_t *file = zip_fopen_index(zip, (zip_uint64_t)index, 0);
  if (!file) return 0;
  uint64_t done = 0;
  while (done < size) {
    const zip_int64_t count = zip_fread(file, bytes + done, size - done);
    if (count <= 0) break;
    done += (uint64_t)count;
  }
  uint8_t more;
  // The checksum is compared when the end is read.
  const int is_whole = done == size && zip_fread(file, &more, 1) == 0;
  return zip_fclose(file) == 0 && is_whole;
}
