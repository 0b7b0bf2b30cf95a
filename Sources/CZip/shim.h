// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// libzip 1.7 (Debian 12) to 1.11 (Debian 13), for reading alone.

#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <zip.h>

// Opens an archive. Takes the descriptor over, also when it fails.
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
