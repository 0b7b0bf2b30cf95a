// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The minimum cost of the work: a simple loop that encodes raw I420 frames from standard input with x264, and a beep
// with libavcodec's AAC encoder. It sends the packets to a server on loopback. Each packet has a header of nine bytes:
// its type (9 video, 8 audio), its length, and the microseconds that it spent in x264, both big endian.
//
// Usage: floor PORT WIDTH HEIGHT FPS VIDEO_KBPS GOP_FRAMES AUDIO_KBPS PRESET

#include <arpa/inet.h>
#include <math.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <libavcodec/avcodec.h>
#include <x264.h>

enum { rate = 48000, block = 1024, picture = 9, sound = 8 };

static int server = -1;

static void require(int holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "floor: %s\n", what);
  exit(70);
}

static int64_t now_nanos(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void send_all(const void *bytes, size_t count) {
  const char *rest = bytes;
  while (count > 0) {
    ssize_t sent = send(server, rest, count, MSG_NOSIGNAL);
    if (sent <= 0) exit(0);  // the server has closed the connection
    rest += sent;
    count -= (size_t)sent;
  }
}

static void put(uint8_t type, const void *bytes, uint32_t count, uint32_t micros) {
  uint8_t head[9] = {type};
  uint32_t numbers[2] = {htonl(count), htonl(micros)};
  __builtin_memcpy(head + 1, numbers, sizeof numbers);
  send_all(head, sizeof head);
  send_all(bytes, count);
}

static x264_t *open_x264(int width, int height, int fps, int kbps, const char *preset) {
  x264_param_t p;
  require(x264_param_default_preset(&p, preset, "zerolatency") == 0, "no such preset");
  p.i_log_level = X264_LOG_ERROR;
  p.i_width = width;
  p.i_height = height;
  p.i_csp = X264_CSP_I420;
  p.i_fps_num = (uint32_t)fps;
  p.i_fps_den = 1;
  p.b_vfr_input = 0;
  p.i_keyint_max = X264_KEYINT_MAX_INFINITE;
  p.i_scenecut_threshold = 0;
  p.rc.i_rc_method = X264_RC_ABR;
  p.rc.i_bitrate = p.rc.i_vbv_max_bitrate = p.rc.i_vbv_buffer_size = kbps;
  p.b_annexb = 1;
  p.b_repeat_headers = 1;
  require(x264_param_apply_profile(&p, "high") == 0, "no profile high");
  x264_t *encoder = x264_encoder_open(&p);
  require(encoder != NULL, "x264 does not open");
  return encoder;
}

static AVCodecContext *open_aac(int kbps) {
  const AVCodec *codec = avcodec_find_encoder_by_name("aac");
  require(codec != NULL, "no AAC encoder");
  AVCodecContext *encoder = avcodec_alloc_context3(codec);
  encoder->sample_fmt = AV_SAMPLE_FMT_FLTP;
  encoder->sample_rate = rate;
  encoder->time_base = (AVRational){1, rate};
  encoder->bit_rate = kbps * 1000;
  encoder->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  av_channel_layout_default(&encoder->ch_layout, 2);
  require(avcodec_open2(encoder, codec, NULL) == 0, "AAC does not open");
  return encoder;
}

static AVFrame *make_block(const AVCodecContext *encoder) {
  AVFrame *frame = av_frame_alloc();
  frame->format = encoder->sample_fmt;
  frame->sample_rate = rate;
  frame->nb_samples = block;
  av_channel_layout_copy(&frame->ch_layout, &encoder->ch_layout);
  require(av_frame_get_buffer(frame, 0) == 0, "out of memory");
  return frame;
}

// The same audio as for the other programs: 1 kHz in the first 100 ms of each second.
static void encode_sound(AVCodecContext *encoder, AVFrame *frame, AVPacket *packet) {
  static int64_t done = 0;
  require(av_frame_make_writable(frame) == 0, "out of memory");
  for (int index = 0; index < block; index++) {
    int64_t place = (done + index) % rate;
    float value = place < rate / 10 ? 0.1f * sinf((float)(2 * M_PI * 1000 / rate) * place) : 0;
    ((float *)frame->data[0])[index] = ((float *)frame->data[1])[index] = value;
  }
  frame->pts = done;
  done += block;
  require(avcodec_send_frame(encoder, frame) == 0, "AAC failed");
  while (avcodec_receive_packet(encoder, packet) == 0) {
    put(sound, packet->data, (uint32_t)packet->size, 0);
    av_packet_unref(packet);
  }
}

int main(int count, char **words) {
  require(count == 9, "PORT WIDTH HEIGHT FPS VIDEO_KBPS GOP_FRAMES AUDIO_KBPS PRESET");
  int width = atoi(words[2]), height = atoi(words[3]), gop = atoi(words[6]);

  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(words[1]))};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  require(connect(server, (struct sockaddr *)&address, sizeof address) == 0, "no server");
  int one = 1;
  setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);

  x264_t *x264 = open_x264(width, height, atoi(words[4]), atoi(words[5]), words[8]);
  AVCodecContext *aac = open_aac(atoi(words[7]));
  AVFrame *samples = make_block(aac);
  AVPacket *packet = av_packet_alloc();

  size_t luma = (size_t)width * height, bytes = luma * 3 / 2;
  uint8_t *frame = malloc(bytes);
  x264_picture_t in, out;
  x264_picture_init(&in);
  in.img.i_csp = X264_CSP_I420;
  in.img.i_plane = 3;
  in.img.plane[0] = frame;
  in.img.plane[1] = frame + luma;
  in.img.plane[2] = frame + luma + luma / 4;
  in.img.i_stride[0] = width;
  in.img.i_stride[1] = in.img.i_stride[2] = width / 2;

  int64_t begun = 0, heard = 0;
  for (int64_t number = 0;; number++) {
    for (size_t filled = 0; filled < bytes;) {
      ssize_t more = read(STDIN_FILENO, frame + filled, bytes - filled);
      if (more <= 0) return 0;
      filled += (size_t)more;
    }
    int64_t before = now_nanos();
    if (number == 0) begun = before;
    in.i_type = number % gop == 0 ? X264_TYPE_IDR : X264_TYPE_AUTO;
    in.i_pts = number;
    x264_nal_t *units;
    int unit_count;
    int size = x264_encoder_encode(x264, &units, &unit_count, &in, &out);
    require(size > 0, "x264 failed");
    int64_t after = now_nanos();
    put(picture, units[0].p_payload, (uint32_t)size, (uint32_t)((after - before) / 1000));
    for (; (heard + 1) * block <= (after - begun) * rate / 1000000000; heard++)
      encode_sound(aac, samples, packet);
  }
}
