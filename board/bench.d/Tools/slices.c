// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What it costs and gains to divide each frame among 1 to 8 threads of x264. Reads raw I420 frames from standard input,
// encodes them with each number of threads, and prints a line for each: the processor time of a frame; the processor
// time of its longest part, which is how long a frame takes where each thread has a processor of its own; how many times
// shorter that is than with one thread; the bit rate; and the similarity (SSIM of the luma, in dB).
//
// No thread waits for a free processor in this measurement, so it needs no more processors than the machine has.
//
// Usage: slices WIDTH HEIGHT FPS VIDEO_KBPS PRESET

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <x264.h>

enum { most_threads = 8, most_frames = 240, rounds = 3 };

// The processor time of this thread when its last slice ended.
static _Thread_local int64_t slice_begun;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
// Of the slices of this frame, in nanoseconds.
static int64_t longest, together;

struct result {
  double frame, path;  // milliseconds
  double kbps, similarity;
};

static void require(int holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "slices: %s\n", what);
  exit(70);
}

static int64_t nanos(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

// x264 calls this at the end of a slice, on the thread that has encoded it.
static void end_slice(x264_t *encoder, x264_nal_t *unit, void *context) {
  (void)context;
  // At most as long as x264.h says, and kept by each thread for its next slice.
  static _Thread_local uint8_t *bytes;
  static _Thread_local size_t room;
  size_t need = (size_t)unit->i_payload * 3 / 2 + 5 + 64;
  if (need > room) {
    free(bytes);
    bytes = malloc(room = need);
    require(bytes != NULL, "out of memory");
  }
  x264_nal_encode(encoder, bytes, unit);
  if (unit->i_type != NAL_SLICE && unit->i_type != NAL_SLICE_IDR) return;
  int64_t now = nanos(CLOCK_THREAD_CPUTIME_ID), time = now - slice_begun;
  slice_begun = now;
  pthread_mutex_lock(&lock);
  together += time;
  if (time > longest) longest = time;
  pthread_mutex_unlock(&lock);
}

static void be_quiet(void *context, int level, const char *format, va_list values) {
  (void)context, (void)level, (void)format, (void)values;
}

// - measure: the similarity; it takes time, and x264 does it only if it may log it.
static x264_t *open_x264(char **words, int threads, int measure) {
  x264_param_t p;
  require(x264_param_default_preset(&p, words[5], "zerolatency") == 0, "no such preset");
  p.i_log_level = measure ? X264_LOG_INFO : X264_LOG_ERROR;
  p.pf_log = be_quiet;
  p.i_width = atoi(words[1]);
  p.i_height = atoi(words[2]);
  p.i_csp = X264_CSP_I420;
  p.i_fps_num = (uint32_t)atoi(words[3]);
  p.i_fps_den = 1;
  p.b_vfr_input = 0;
  p.i_keyint_max = X264_KEYINT_MAX_INFINITE;
  p.i_scenecut_threshold = 0;
  p.rc.i_rc_method = X264_RC_ABR;
  p.rc.i_bitrate = p.rc.i_vbv_max_bitrate = p.rc.i_vbv_buffer_size = atoi(words[4]);
  p.i_threads = threads;
  p.analyse.b_ssim = measure;
  if (!measure) p.nalu_process = end_slice;
  require(x264_param_apply_profile(&p, "high") == 0, "no profile high");
  x264_t *encoder = x264_encoder_open(&p);
  require(encoder != NULL, "x264 does not open");
  return encoder;
}

// Encodes all frames; `measure` as above. Returns 0 if x264 does not divide such a frame among so many threads.
static int encode(char **words, int threads, int measure, uint8_t *frames, int count, struct result *result) {
  x264_t *encoder = open_x264(words, threads, measure);
  x264_param_t actual;
  x264_encoder_parameters(encoder, &actual);
  if (actual.i_threads != threads) {
    x264_encoder_close(encoder);
    return 0;
  }
  size_t luma = (size_t)actual.i_width * (size_t)actual.i_height;
  x264_picture_t in, out;
  x264_picture_init(&in);
  in.img.i_csp = X264_CSP_I420;
  in.img.i_plane = 3;
  in.img.i_stride[0] = actual.i_width;
  in.img.i_stride[1] = in.img.i_stride[2] = actual.i_width / 2;
  double total = 0, path = 0, bytes = 0, similarity = 0;
  for (int number = 0; number < count; number++) {
    uint8_t *frame = frames + luma * 3 / 2 * (size_t)number;
    in.img.plane[0] = frame;
    in.img.plane[1] = frame + luma;
    in.img.plane[2] = frame + luma + luma / 4;
    in.i_type = number == 0 ? X264_TYPE_IDR : X264_TYPE_AUTO;
    in.i_pts = number;
    longest = together = 0;
    int64_t all = nanos(CLOCK_PROCESS_CPUTIME_ID), own = nanos(CLOCK_THREAD_CPUTIME_ID);
    slice_begun = own;
    x264_nal_t *units;
    int unit_count;
    int size = x264_encoder_encode(encoder, &units, &unit_count, &in, &out);
    require(size > 0, "x264 failed");
    all = nanos(CLOCK_PROCESS_CPUTIME_ID) - all;
    own = nanos(CLOCK_THREAD_CPUTIME_ID) - own;
    bytes += size;
    similarity += out.prop.f_ssim;
    if (number == 0) continue;  // a keyframe, and the threads have just begun
    total += (double)all;
    // This thread works alone, then the slices' threads, and before them others on the frame's cost, equally long.
    int64_t rest = all - own - together;
    path += threads == 1 ? (double)all : (double)(own + longest) + (double)(rest > 0 ? rest : 0) / threads;
  }
  x264_encoder_close(encoder);
  if (measure) {
    result->kbps = bytes * 8 / 1000 * actual.i_fps_num / count;
    result->similarity = -10 * log10(1 - similarity / count);
    return 1;
  }
  // The quickest round is the one that other programs disturbed least.
  double frame = total / 1e6 / (count - 1);
  if (result->frame == 0 || frame < result->frame) {
    result->frame = frame;
    result->path = path / 1e6 / (count - 1);
  }
  return 1;
}

int main(int count, char **words) {
  require(count == 6, "WIDTH HEIGHT FPS VIDEO_KBPS PRESET");
  size_t bytes = (size_t)atoi(words[1]) * (size_t)atoi(words[2]) * 3 / 2;
  uint8_t *frames = malloc(bytes * most_frames);
  require(frames != NULL, "out of memory");
  int read_frames = (int)fread(frames, bytes, most_frames, stdin);
  require(read_frames > 1, "no frames");
  struct result results[most_threads + 1] = {0};
  for (int round = 0; round < rounds; round++)
    for (int threads = 1; threads <= most_threads; threads++)
      encode(words, threads, 0, frames, read_frames, &results[threads]);
  for (int threads = 1; threads <= most_threads; threads++) {
    struct result *result = &results[threads];
    if (!encode(words, threads, 1, frames, read_frames, result)) break;
    printf("%4sx%-5s%8d%11.2f%11.2f%10.2f%9.0f%9.2f\n", words[1], words[2], threads, result->frame, result->path,
           results[1].path / result->path, result->kbps, result->similarity);
  }
}
