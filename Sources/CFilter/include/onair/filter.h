// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/* The protocol of filters of OnAir's picture that are separate programs. Such a program needs only this header, which
 * includes nothing else of OnAir. The functions at its end do the work that is common to all filters.
 * board/filter/poster.c is an example.
 *
 * How it goes:
 *
 * 1. OnAir starts the program without arguments, with these descriptors:
 *
 *      0, 1, 2   /dev/null
 *      3         the memory that is shared with OnAir. Its size is fixed.
 *      4         an eventfd(2): becomes readable when there is a frame. Reading never blocks: use poll(2).
 *      5         an eventfd(2): the program adds 1 to it when it is ready, and after each frame.
 *
 * 2. The program maps the memory, checks `magic` and `version`, prepares itself, sets `ready` and writes to 5. It has 5
 *    seconds for that.
 *
 * 3. For each frame OnAir fills the input frame and the request, raises `request.sequence`, and writes to 4. The program
 *    writes the output frame, copies `request.sequence` to `answer.sequence`, and writes to 5. It may change the
 *    input frame. OnAir reads the output frame at once; only one frame is filtered at a time.
 *
 * 4. OnAir waits for at most half the time from one frame to the next (`deadline`). A frame that is late is shown without
 *    the filter, and the next one comes when the late one is answered. A program that is late three times in 10 seconds,
 *    does not answer within a second, or ends is switched off.
 *
 * 5. OnAir ends the program (SIGKILL) when the size of the picture changes, at each pause, when another camera takes over,
 *    and when the filter is switched off or removed. In all but the last case it starts the program anew. So the
 *    program must not need data of earlier frames.
 *
 * The program may use little more than the processor: no network, no files but those of /usr and its own folder, which
 * it may read, no other processes, at most 512 MiB of memory. Threads are allowed. Anything else fails with an error.
 *
 * Frames are 4:2:0 with one byte for each sample: a plane of luma, and Cb and Cr with half as many columns and rows (rounded
 * up). All numbers are in the byte order of the machine.
 *
 * Later versions of OnAir with the same `version` only add fields where there is room, and bits to flags. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "OnAF". */
#define ONAIR_FILTER_MAGIC 0x46416e4fu
#define ONAIR_FILTER_VERSION 1u

/* The descriptors that the program is started with. */
#define ONAIR_FILTER_MEMORY 3
#define ONAIR_FILTER_FRAME 4
#define ONAIR_FILTER_DONE 5

/* The maximum number of points, of bytes in `text`, and of bytes in `message`; both texts end with a zero byte. */
#define ONAIR_FILTER_POINTS 512
#define ONAIR_FILTER_TEXT 4096
#define ONAIR_FILTER_MESSAGE 256

/* Where the answer and the first frame begin in the memory, in bytes. */
#define ONAIR_FILTER_ANSWER_OFFSET 16384
#define ONAIR_FILTER_FRAMES_OFFSET 32768

/* A point that a detector has found, for instance of a face. */
struct onair_filter_point {
  /* The place as fractions of the picture's width and height: 0 is left or top, 1 is right or bottom. */
  float x, y;
  /* Which face, hand or person this point belongs to: 0 is the largest one. */
  uint16_t subject;
  /* The number of the point within its subject, as the detector counts. */
  uint16_t number;
};

/* The parameters of the face filter, 0 (nothing) to 100 each. OnAir's own filter "skin" knows the first three. */
struct onair_filter_face {
  uint32_t white;        /* lightens the skin */
  uint32_t buffing;      /* smooths the skin */
  uint32_t ruddy;        /* reddens the skin */
  uint32_t big_eye;      /* enlarges the eyes */
  uint32_t thin_face;    /* narrows the face */
  uint32_t shorten_face; /* shortens the chin */
  uint32_t cheek_pink;   /* reddens the cheeks */
};

/* Where the planes of a frame begin in the memory, in bytes. */
struct onair_filter_frame {
  uint32_t y, cb, cr;
};

/* The request, at the beginning of the memory. Only OnAir writes it, and never while the program works on a frame. */
struct onair_filter_request {
  uint32_t magic;
  uint32_t version;
  /* The size of the whole memory, in bytes. */
  uint32_t size;

  /* The picture in pixels: as it is shown, upright. */
  uint32_t width, height;
  /* The bytes from one row to the next, of luma, and of Cb and Cr. Both frames have the same. */
  uint32_t y_stride, chroma_stride;
  struct onair_filter_frame input, output;

  /* The colour in the numbers of ITU-T H.273: 1 is BT.709, 5 and 6 are BT.601. It may change from frame to frame. */
  uint32_t primaries, transfer, matrix;
  /* 1: luma is 0 to 255. 0: luma is 16 to 235, and Cb and Cr are 16 to 240. */
  uint32_t full_range;

  /* The number of the frame, from 1 on; 0 before the first one. Read it with onair_filter_wait. */
  uint64_t sequence;
  /* When the frame was captured, and until when OnAir waits: nanoseconds of CLOCK_MONOTONIC. */
  int64_t captured_at, deadline;

  /* A number that changes whenever `face` or `text` has changed. */
  uint32_t parameters;
  struct onair_filter_face face;
  /* The setting `parameters` of the filter, in UTF-8. The filter defines its meaning. */
  char text[ONAIR_FILTER_TEXT];

  /* The points that an earlier filter has found in this frame. */
  uint32_t point_count;
  struct onair_filter_point points[ONAIR_FILTER_POINTS];
};

/* A flag for detectors: the program has not written the output frame, so OnAir shows the input frame. */
#define ONAIR_FILTER_UNCHANGED 1u

/* The answer, at ONAIR_FILTER_ANSWER_OFFSET in the memory. Only the program writes it. */
struct onair_filter_answer {
  /* ONAIR_FILTER_VERSION as soon as the program waits for frames, 0 before. */
  uint32_t ready;
  /* ONAIR_FILTER_UNCHANGED or 0. */
  uint32_t flags;
  /* The `sequence` of the last request whose frame is done. */
  uint64_t sequence;
  /* The points that this program has found in the frame, for the filters after it. */
  uint32_t point_count;
  struct onair_filter_point points[ONAIR_FILTER_POINTS];
  /* A sentence for a person, read when the program ends by itself: why it cannot go on, and what to do. */
  char message[ONAIR_FILTER_MESSAGE];
};

#ifndef ONAIR_FILTER_NO_FUNCTIONS

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A filter's side of the protocol. */
struct onair_filter {
  const struct onair_filter_request *request;
  struct onair_filter_answer *answer;
  uint8_t *memory;
};

/* Maps the memory. Returns 0; -1 if this program was not started by an OnAir of this version. */
static inline int onair_filter_open(struct onair_filter *filter) {
  struct stat status;
  if (fstat(ONAIR_FILTER_MEMORY, &status) != 0 || status.st_size < ONAIR_FILTER_FRAMES_OFFSET) return -1;
  void *memory =
    mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, ONAIR_FILTER_MEMORY, 0);
  if (memory == MAP_FAILED) return -1;
  filter->memory = (uint8_t *)memory;
  filter->request = (const struct onair_filter_request *)memory;
  filter->answer = (struct onair_filter_answer *)(filter->memory + ONAIR_FILTER_ANSWER_OFFSET);
  if (filter->request->magic != ONAIR_FILTER_MAGIC || filter->request->version != ONAIR_FILTER_VERSION) return -1;
  return 0;
}

static inline void onair_filter_signal(void) {
  const uint64_t one = 1;
  while (write(ONAIR_FILTER_DONE, &one, sizeof one) < 0 && errno == EINTR) {}
}

/* Tells OnAir that the program waits for frames from now on. */
static inline void onair_filter_ready(struct onair_filter *filter) {
  __atomic_store_n(&filter->answer->ready, ONAIR_FILTER_VERSION, __ATOMIC_RELEASE);
  onair_filter_signal();
}

/* Waits for the next frame, which is then at `request->input` in the memory. Returns 0; -1 if it cannot wait. */
static inline int onair_filter_wait(struct onair_filter *filter) {
  for (;;) {
    if (__atomic_load_n(&filter->request->sequence, __ATOMIC_ACQUIRE) != filter->answer->sequence) return 0;
    struct pollfd waiting = {ONAIR_FILTER_FRAME, POLLIN, 0};
    uint64_t count;
    if (poll(&waiting, 1, -1) < 0 && errno != EINTR) return -1;
    if (read(ONAIR_FILTER_FRAME, &count, sizeof count) < 0 && errno != EAGAIN && errno != EINTR) return -1;
  }
}

/* Tells OnAir that the output, the flags and the points of the present frame are written. */
static inline void onair_filter_done(struct onair_filter *filter, uint32_t flags) {
  filter->answer->flags = flags;
  __atomic_store_n(&filter->answer->sequence, filter->request->sequence, __ATOMIC_RELEASE);
  onair_filter_signal();
}

/* Leaves a sentence for the person who looks after the box. To be called before the program ends. */
static inline void onair_filter_tell(struct onair_filter *filter, const char *sentence) {
  strncpy(filter->answer->message, sentence, ONAIR_FILTER_MESSAGE - 1);
}

#endif

#ifdef __cplusplus
}
#endif
