// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// FFmpeg 5.1 (Debian 12) to 7.1 (Debian 13): macros that Swift cannot import, and calls whose constness differs between
// these versions.

#pragma once

#include <dlfcn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/channel_layout.h>
#include <libavutil/display.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>

static const int onair_averror_again = AVERROR(EAGAIN);
static const int onair_averror_eof = AVERROR_EOF;
static const int onair_averror_no_file = AVERROR(ENOENT);
static const int onair_averror_forbidden = AVERROR(EACCES);
static const int onair_averror_invalid = AVERROR_INVALIDDATA;
static const int onair_averror_unfit = AVERROR(EINVAL);
static const int onair_averror_no_decoder = AVERROR_DECODER_NOT_FOUND;
static const int onair_averror_exit = AVERROR_EXIT;
static const int onair_averror_no_demuxer = AVERROR_DEMUXER_NOT_FOUND;
static const int onair_averror_no_protocol = AVERROR_PROTOCOL_NOT_FOUND;
static const int onair_averror_http_unauthorized = AVERROR_HTTP_UNAUTHORIZED;
static const int onair_averror_http_forbidden = AVERROR_HTTP_FORBIDDEN;
static const int onair_averror_http_not_found = AVERROR_HTTP_NOT_FOUND;
static const int64_t onair_av_nopts = AV_NOPTS_VALUE;

// Turns off FFmpeg's log, which goes to stderr by default.
static inline void onair_av_be_quiet(void) { av_log_set_level(AV_LOG_QUIET); }

// Whether a frame consists of two fields of different times.
static inline bool onair_av_is_interlaced(const AVFrame *frame) {
#ifdef AV_FRAME_FLAG_INTERLACED
  return frame->flags & AV_FRAME_FLAG_INTERLACED;
#else
  return frame->interlaced_frame;
#endif
}

// Whether the field with the first row is the earlier one.
static inline bool onair_av_is_top_first(const AVFrame *frame) {
#ifdef AV_FRAME_FLAG_TOP_FIELD_FIRST
  return frame->flags & AV_FRAME_FLAG_TOP_FIELD_FIRST;
#else
  return frame->top_field_first;
#endif
}

// The 3x3 display matrix of a frame, or else of its stream, which may be NULL; NULL if there is none.
static inline const int32_t *onair_av_display_matrix(const AVFrame *frame, const AVStream *stream) {
  const AVFrameSideData *own = av_frame_get_side_data(frame, AV_FRAME_DATA_DISPLAYMATRIX);
  if (own && own->size >= 9 * sizeof(int32_t)) return (const int32_t *)own->data;
  if (!stream) return NULL;
#if LIBAVCODEC_VERSION_MAJOR >= 61
  const AVPacketSideData *list = stream->codecpar->coded_side_data;
  int count = stream->codecpar->nb_coded_side_data;
#else
  const AVPacketSideData *list = stream->side_data;
  int count = stream->nb_side_data;
#endif
  for (int i = 0; i < count; i++) {
    if (list[i].type == AV_PKT_DATA_DISPLAYMATRIX && list[i].size >= 9 * sizeof(int32_t))
      return (const int32_t *)list[i].data;
  }
  return NULL;
}

// Converts interleaved samples; if `in` is NULL, drains the resampler. The const of swr_convert differs between 5.1 and
// 7.1.
static inline int onair_swr_convert(
    SwrContext *swr, float *out, int out_count, const void *in, int in_count) {
  uint8_t *out_planes[1] = {(uint8_t *)out};
  const uint8_t *in_planes[1] = {(const uint8_t *)in};
  return swr_convert(swr, out_planes, out_count, in ? in_planes : NULL, in_count);
}

// Converts the samples of a decoded frame, planar or interleaved.
static inline int onair_swr_convert_frame(
    SwrContext *swr, float *out, int out_count, const AVFrame *frame) {
  uint8_t *out_planes[1] = {(uint8_t *)out};
  return swr_convert(
      swr, out_planes, out_count, (const uint8_t **)frame->extended_data, frame->nb_samples);
}

// sws_scale from the upper `height` rows of a frame into three planes.
static inline int onair_sws_scale(
    struct SwsContext *sws, const AVFrame *frame, int height, uint8_t *y, uint8_t *u, uint8_t *v,
    int y_stride, int uv_stride) {
  uint8_t *planes[4] = {y, u, v, NULL};
  int strides[4] = {y_stride, uv_stride, uv_stride, 0};
  return sws_scale(
      sws, (const uint8_t *const *)frame->data, frame->linesize, 0, height, planes, strides);
}

// sws_scale from the upper `height` rows of a frame into another frame.
static inline int onair_sws_scale_frame(
    struct SwsContext *sws, const AVFrame *frame, int height, AVFrame *target) {
  return sws_scale(
      sws, (const uint8_t *const *)frame->data, frame->linesize, 0, height, target->data,
      target->linesize);
}

// Sets the matrix (SWS_CS_*) and the range (1: full, 0: limited) of the source and of the target.
static inline int onair_sws_set_colour(
    struct SwsContext *sws, int from_space, int from_full, int to_space, int to_full) {
  return sws_setColorspaceDetails(
      sws, sws_getCoefficients(from_space), from_full, sws_getCoefficients(to_space), to_full, 0,
      1 << 16, 1 << 16);
}

// Limits the memory, in bytes, of a decoder's frames: of its reference frames, and of those that wait to be shown.
typedef struct {
  int64_t most;
  _Atomic int64_t used;
  // Whether a frame was refused because of the limit.
  _Atomic bool exceeded;
} onair_frame_memory;

typedef struct {
  onair_frame_memory *memory;
  AVBufferRef *buffer;
  int64_t bytes;
} onair_counted_frame;

static inline void onair_free_counted_frame(void *opaque, uint8_t *data) {
  (void)data;
  onair_counted_frame *counted = opaque;
  atomic_fetch_sub(&counted->memory->used, counted->bytes);
  av_buffer_unref(&counted->buffer);
  free(counted);
}

// AVCodecContext.get_buffer2: calls that of libavcodec, and counts the memory of the frame.
static inline int onair_get_counted_frame(AVCodecContext *decoder, AVFrame *frame, int flags) {
  onair_frame_memory *memory = decoder->opaque;
  if (decoder->codec_type != AVMEDIA_TYPE_VIDEO)
    return avcodec_default_get_buffer2(decoder, frame, flags);
  int64_t bytes = av_image_get_buffer_size(frame->format, frame->width, frame->height, 1);
  if (bytes < 0) return (int)bytes;
  if (atomic_fetch_add(&memory->used, bytes) + bytes > memory->most) {
    atomic_fetch_sub(&memory->used, bytes);
    atomic_store(&memory->exceeded, true);
    return AVERROR(ENOMEM);
  }
  onair_counted_frame *counted = malloc(sizeof(*counted));
  int result = counted ? avcodec_default_get_buffer2(decoder, frame, flags) : AVERROR(ENOMEM);
  AVBufferRef *outer = NULL;
  if (result >= 0) {
    *counted = (onair_counted_frame){memory, frame->buf[0], bytes};
    outer = av_buffer_create(
        frame->buf[0]->data, frame->buf[0]->size, onair_free_counted_frame, counted, 0);
    if (!outer) {
      av_frame_unref(frame);
      result = AVERROR(ENOMEM);
    }
  }
  if (result < 0) {
    // libavutil also refuses blocks that are larger than the limit of `av_max_alloc`.
    if (result == AVERROR(ENOMEM)) atomic_store(&memory->exceeded, true);
    free(counted);
    atomic_fetch_sub(&memory->used, bytes);
    return result;
  }
  frame->buf[0] = outer;
  return result;
}

// Limits the memory of a decoder's frames by `memory`, which must outlive all frames. To be called before the decoder
// is opened.
static inline void onair_bound_frames(AVCodecContext *decoder, onair_frame_memory *memory) {
  decoder->opaque = memory;
  decoder->get_buffer2 = onair_get_counted_frame;
#if FF_API_THREAD_SAFE_CALLBACKS
  _Pragma("clang diagnostic push")
  _Pragma("clang diagnostic ignored \"-Wdeprecated-declarations\"")
  decoder->thread_safe_callbacks = 1;
  _Pragma("clang diagnostic pop")
#endif
}

static inline onair_frame_memory *onair_frame_memory_alloc(int64_t most) {
  onair_frame_memory *memory = calloc(1, sizeof(*memory));
  if (memory) memory->most = most;
  return memory;
}

static inline bool onair_frame_memory_exceeded(onair_frame_memory *memory) {
  return atomic_load(&memory->exceeded);
}

// Debian's certificates of authorities.
#define ONAIR_AUTHORITIES "/etc/ssl/certs/ca-certificates.crt"

// AVFormatContext.io_open of libavformat, which `onair_open_verified` calls.
typedef struct {
  int (*open)(AVFormatContext *, AVIOContext **, const char *, int, AVDictionary **);
} onair_opener;

static inline int onair_open_verified(
    AVFormatContext *format, AVIOContext **input, const char *url, int flags,
    AVDictionary **options) {
  const onair_opener *opener = format->opaque;
  av_dict_set(options, "tls_verify", "1", 0);
  av_dict_set(options, "ca_file", ONAIR_AUTHORITIES, 0);
  return opener->open(format, input, url, flags, options);
}

// Has the certificates of all servers verified, also of those that a playlist names: libavformat does not hand the
// options of the playlist on to them. `opener` has to outlive the context.
static inline void onair_verify_certificates(AVFormatContext *format, onair_opener *opener) {
  opener->open = format->io_open;
  format->opaque = opener;
  format->io_open = onair_open_verified;
}

// The functions of libavformat that OnAir uses, with the types of its header.
typedef struct {
  __typeof__(avio_open2) *open_io;
  __typeof__(avio_closep) *close_io;
  __typeof__(avformat_alloc_context) *alloc_context;
  __typeof__(avformat_open_input) *open_input;
  __typeof__(av_find_input_format) *find_input_format;
  __typeof__(avformat_close_input) *close_input;
  __typeof__(avformat_find_stream_info) *find_stream_info;
  __typeof__(avformat_seek_file) *seek_file;
  __typeof__(av_find_best_stream) *find_best_stream;
  __typeof__(av_guess_frame_rate) *guess_frame_rate;
  __typeof__(av_read_frame) *read_frame;
  __typeof__(avformat_alloc_output_context2) *alloc_output;
  __typeof__(avformat_free_context) *free_context;
  __typeof__(avformat_new_stream) *new_stream;
  __typeof__(avio_alloc_context) *alloc_io;
  __typeof__(avio_context_free) *free_io;
  __typeof__(avio_flush) *flush_io;
  __typeof__(avformat_write_header) *write_header;
  __typeof__(av_write_frame) *write_frame;
} onair_avformat;

// libavformat is loaded at run time, in the version of its header. If it were linked, it would load forty libraries for
// protocols and containers, which a broadcast from a camera does not need.
static inline bool onair_avformat_load(onair_avformat *format) {
  const char *name = "libavformat.so." AV_STRINGIFY(LIBAVFORMAT_VERSION_MAJOR);
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) return false;
  return (format->open_io = dlsym(library, "avio_open2")) &&
         (format->close_io = dlsym(library, "avio_closep")) &&
         (format->alloc_context = dlsym(library, "avformat_alloc_context")) &&
         (format->open_input = dlsym(library, "avformat_open_input")) &&
         (format->find_input_format = dlsym(library, "av_find_input_format")) &&
         (format->close_input = dlsym(library, "avformat_close_input")) &&
         (format->find_stream_info = dlsym(library, "avformat_find_stream_info")) &&
         (format->seek_file = dlsym(library, "avformat_seek_file")) &&
         (format->find_best_stream = dlsym(library, "av_find_best_stream")) &&
         (format->guess_frame_rate = dlsym(library, "av_guess_frame_rate")) &&
         (format->read_frame = dlsym(library, "av_read_frame")) &&
         (format->alloc_output = dlsym(library, "avformat_alloc_output_context2")) &&
         (format->free_context = dlsym(library, "avformat_free_context")) &&
         (format->new_stream = dlsym(library, "avformat_new_stream")) &&
         (format->alloc_io = dlsym(library, "avio_alloc_context")) &&
         (format->free_io = dlsym(library, "avio_context_free")) &&
         (format->flush_io = dlsym(library, "avio_flush")) &&
         (format->write_header = dlsym(library, "avformat_write_header")) &&
         (format->write_frame = dlsym(library, "av_write_frame"));
}

// --- The log. In C, since Swift 6.2 cannot compile a function that takes a va_list on aarch64.

// Receives the text of an error, which ends with a zero byte after `length` bytes.
typedef void (*onair_av_listener)(const char *text, size_t length);

// Where the listener is kept. A variable outside of a function would not be compiled with Swift.
static inline onair_av_listener *onair_av_errors(void) {
  static onair_av_listener listener;
  return &listener;
}

static inline void onair_av_log(void *object, int level, const char *format, va_list arguments) {
  // The first member of each object that logs points to its AVClass. Damaged frames are not the cause of anything.
  const AVClass *type = object == NULL ? NULL : *(const AVClass **)object;
  if (level > AV_LOG_ERROR || (type != NULL && strcmp(type->class_name, "AVCodecContext") == 0)) return;
  char text[201];
  const int length = vsnprintf(text, sizeof text, format, arguments);
  if (length > 0) (*onair_av_errors())(text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

// Calls `listener` with each error that FFmpeg logs, but those of decoders.
static inline void onair_av_listen(onair_av_listener listener) {
  *onair_av_errors() = listener;
  av_log_set_level(AV_LOG_ERROR);
  av_log_set_callback(onair_av_log);
}
