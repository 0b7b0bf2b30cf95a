// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/* The process that reads a guest: what it shares with OnAir, and how it confines itself.
 *
 * OnAir starts the process with these descriptors:
 *
 *   3   a socket to OnAir (AF_UNIX, SOCK_SEQPACKET): the reader tells its state, and requests connections
 *   4   the memory that is shared with OnAir. Its size is fixed.
 *   5   an eventfd(2), to which the reader adds 1 for each video frame
 *   6   a pipe: the kernel kills the reader when OnAir closes the other end
 *   7   the socket of a guest who sends; only in a reader that receives: a TCP connection, or a UDP socket that is connected to
 *       the sender
 *
 * If the service manager starts it, it has 3 alone, on which the others come.
 *
 * OnAir treats each byte that comes from the reader as hostile: it reads it once, checks it and then uses it. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ONAIR_GUEST_CONTROL 3
#define ONAIR_GUEST_MEMORY 4
#define ONAIR_GUEST_EVENT 5
#define ONAIR_GUEST_LIFELINE 6
#define ONAIR_GUEST_SOCKET 7

/* The most bytes of a guest's address, of the name of its host, and of the detail of a fault. */
#define ONAIR_GUEST_ADDRESS 2048
#define ONAIR_GUEST_HOST 255
#define ONAIR_GUEST_DETAIL 200
/* The most IP addresses of a host that are used. */
#define ONAIR_GUEST_ENDPOINTS 8
/* The largest side of a frame in pixels, and the most pixels of a frame. */
#define ONAIR_GUEST_LONGEST_SIDE 1280
#define ONAIR_GUEST_MOST_PIXELS (1280 * 720)
/* How many of the newest video frames and blocks of audio the memory holds. */
#define ONAIR_GUEST_FRAMES 4
#define ONAIR_GUEST_BLOCKS 128
/* The most sample frames of a block: 10 ms. */
#define ONAIR_GUEST_BLOCK_FRAMES 480
/* The most that a sample may be, and its negative. */
#define ONAIR_GUEST_MOST_SAMPLE 4.0f

/* A `sockaddr_in` or `sockaddr_in6` without padding around it. */
struct onair_guest_endpoint {
  uint32_t length;
  uint8_t bytes[28];
};

/* How the guest is read. */
struct onair_guest_options {
  int64_t srt_latency_nanos, delay_nanos;
  uint32_t verifies_tls;
  /* Whether the guest sends, over ONAIR_GUEST_SOCKET. */
  uint32_t receives;
};

/* What OnAir uses of the guest; see GuestWants. */
struct onair_guest_wants {
  uint8_t pictures, frames_per_second, sound;
  uint16_t width, height;
};

/* A video frame: three planes without padding between the rows, both sides even. */
struct onair_guest_frame {
  /* 1 for the first frame, and so on. */
  uint64_t number;
  int64_t due_at;
  uint32_t width, height, full_range;
  int32_t primaries, transfer, matrix;
};

/* A message of the reader. Texts end with a zero byte. */
struct onair_guest_message {
  /* One of ONAIR_GUEST_CONNECTING and so on. */
  uint32_t kind;
  /* ONAIR_GUEST_FAILED: a GuestFault. ONAIR_GUEST_CONNECT, ONAIR_GUEST_PUBLISH: a number that the answer repeats. */
  uint32_t number;
  /* ONAIR_GUEST_OPEN: the tracks. A name of a codec is empty if there is no such track. */
  char video_codec[16], audio_codec[16];
  uint32_t width, height, frames_per_kilosecond, sample_rate, channels;
  /* ONAIR_GUEST_CONNECT: where to. The socket comes with the message (SCM_RIGHTS, unix(7)). */
  struct onair_guest_endpoint endpoint;
  /* ONAIR_GUEST_FAILED: a text for the log. ONAIR_GUEST_PUBLISH: the key. */
  char detail[ONAIR_GUEST_DETAIL + 1];
};
#define ONAIR_GUEST_CONNECTING 1u
#define ONAIR_GUEST_OPEN 2u
#define ONAIR_GUEST_ENDED 3u
#define ONAIR_GUEST_FAILED 4u
#define ONAIR_GUEST_CONNECT 5u
#define ONAIR_GUEST_PUBLISH 6u

/* --- The memory, OnAir's side --- */

/* The size of the memory in bytes. */
size_t onair_guest_memory_size(void);

/* Changes the delay of a reader that receives, before its guest is let in: only then it is known whose it is. */
void onair_guest_set_delay(void *memory, int64_t delay_nanos);

/* Writes what the reader has to know at its start. Returns 0; -1 if a text is too long. `host` is that of the address. */
int onair_guest_describe(
  void *memory, const char *address, const char *host, const struct onair_guest_endpoint *endpoints, size_t count,
  struct onair_guest_options options);

void onair_guest_set_wants(void *memory, struct onair_guest_wants wants);

/* Asks the reader to return. */
void onair_guest_request_stop(void *memory);

/* When the reader has last shown that it has not hung: nanoseconds of CLOCK_MONOTONIC, 0 before the first time. */
int64_t onair_guest_beat_at(const void *memory);

/* The number of the newest video frame; 0 before the first one. */
uint64_t onair_guest_newest_frame(const void *memory);

/* Reads the header of a frame. Returns 0; -1 if the memory does not hold that frame, or its values are impossible. */
int onair_guest_read_frame(const void *memory, uint64_t number, struct onair_guest_frame *frame);

/* Copies the planes of a frame: width * height * 3 / 2 bytes. Returns 0; -1 if the reader has written to them meanwhile. */
int onair_guest_copy_planes(const void *memory, const struct onair_guest_frame *frame, void *to);

/* The number of the newest block of audio; 0 before the first one. */
uint64_t onair_guest_newest_block(const void *memory);

/* Copies a block of audio: interleaved stereo, with samples that are finite and within ONAIR_GUEST_MOST_SAMPLE. Returns the
 * number of sample frames, at least 1; -1 if the memory does not hold that block.
 * - samples: room for ONAIR_GUEST_BLOCK_FRAMES * 2. */
int onair_guest_copy_block(const void *memory, uint64_t number, int64_t *starts_at, float *samples);

/* The largest absolute sample of the blocks that start in a span of time. */
float onair_guest_peak(const void *memory, int64_t from, int64_t until);

/* --- The control socket, OnAir's side --- */

/* Makes the two ends of a control socket, OnAir's first. Returns 0; -1 and sets errno on failure. */
int onair_guest_control(int ends[2]);

/* Has the service manager start a reader, by connecting to a socket of the file system (AF_UNIX, SOCK_SEQPACKET). Returns OnAir's
 * end of the control socket; -1 and sets errno on failure.
 * - descriptors: what the reader gets as 4, 5 and so on; at most ONAIR_GUEST_GIVEN. */
int onair_guest_call(const char *path, const int descriptors[], size_t count);
#define ONAIR_GUEST_GIVEN 4

/* Accepts a connection of a guest who sends. Returns a socket that does not block; -1 if none waits. */
int onair_guest_accept(int listening, struct onair_guest_endpoint *peer);

/* Receives a message, without waiting. Returns 1 if there is one; 0 if there is none; -1 if the reader has closed the socket, or
 * has sent something else. `*descriptor` is then a descriptor of the caller's that came with the message, or -1. */
int onair_guest_receive(int control, struct onair_guest_message *message, int *descriptor);

/* Connects a socket that the reader has made, without waiting. Returns 0 or an error number: EINPROGRESS if the connection is
 * being made; EPERM if it is no TCP socket that never blocks and no UDP socket. */
int onair_guest_connect(int descriptor, const struct onair_guest_endpoint *endpoint);

/* Answers a request for a connection, or to publish, with an error number, or 0. */
void onair_guest_answer(int control, uint32_t number, int error);

/* --- The reader's side --- */

/* Takes the descriptors that come on the control socket, in a process that the service manager has started. Waits for them for
 * some seconds. Returns 0; -1 if they do not come. */
int onair_guest_take_descriptors(void);

/* Maps the memory. Returns NULL if this process was started by no OnAir of this version. */
void *onair_guest_open(void);

/* Confines this process, in which no other thread may run: no file but those of the system, no other process, no connection but
 * those that OnAir makes. From then on the process ends when OnAir closes the pipe. Returns 0; -1 with a sentence in `*reason` if
 * that is not possible, and then nothing of a guest may be read. */
int onair_guest_confine(void *memory, const char **reason);

const char *onair_guest_address(const void *memory);
struct onair_guest_options onair_guest_options_of(const void *memory);
struct onair_guest_wants onair_guest_wants_of(const void *memory);
int onair_guest_is_stopping(const void *memory);

/* Shows that the reader has not hung. */
void onair_guest_beat(void *memory);

/* Room for the planes of a frame; NULL for a size that is not possible. */
uint8_t *onair_guest_begin_frame(void *memory, uint32_t width, uint32_t height);

/* Delivers the frame that was begun. `frame.number` is ignored. */
void onair_guest_end_frame(void *memory, struct onair_guest_frame frame);

/* Delivers a block of audio: interleaved stereo, at most ONAIR_GUEST_BLOCK_FRAMES sample frames. */
void onair_guest_put_block(void *memory, const float *samples, uint32_t frames, int64_t starts_at);

/* Sends a message to OnAir. */
void onair_guest_tell(int control, const struct onair_guest_message *message);

/* Asks OnAir whether a guest may send, and waits for the answer. Returns 0; EACCES if no guest has the key; another error number
 * if OnAir does not answer.
 * - key: at most ONAIR_GUEST_DETAIL bytes; empty if the socket says who sends. */
int onair_guest_ask_to_publish(const char *key);

#ifdef __cplusplus
}
#endif
