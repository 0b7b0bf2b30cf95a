// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Makes a flash and a beep at the same instants on the emulated board: beat CAMERA PCM SECONDS
//
// The camera is vivid, made bright and dark with V4L2_CID_BRIGHTNESS; PCM is the playback end of
// snd-aloop. Both happen at instants of CLOCK_MONOTONIC, independently of the sound device's clock:
// the driver's position (snd_pcm_status: time stamp and delay) gives the sample that is heard then.
//
// With "-" as CAMERA it only beeps, with each second of the wall clock, as OnAir's test picture flashes.

#include <alsa/asoundlib.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

enum { RATE = 48000, PERIOD = RATE / 100, BUFFER = RATE / 2, BEEP = RATE / 10 };

// The interval between beats: a second plus the golden section of a frame interval at 30 frames a second, so that the
// beats are spread evenly over the phases of a frame interval.
static double interval = 1.0 + 0.618034 / 30;
// How much later the clock of the beats is than CLOCK_MONOTONIC.
static double offset = 0;
static const double LENGTH = (double)BEEP / RATE;

static double seconds(struct timespec time) { return time.tv_sec + time.tv_nsec / 1e9; }

static double read_clock(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return seconds(time);
}

static double now(void) { return read_clock(CLOCK_MONOTONIC); }

// The first beat at or after an instant.
static double next_beat(double instant) {
  return ceil((instant + offset) / interval) * interval - offset;
}

// Beats with the seconds of the wall clock.
static void follow_wall_clock(void) {
  double best = 1;
  interval = 1;
  for (int i = 0; i < 8; i++) {
    double before = now(), wall = read_clock(CLOCK_REALTIME), after = now();
    if (after - before < best) {
      best = after - before;
      offset = fmod(wall, 1) - fmod((before + after) / 2, 1);
    }
  }
}

static void sleep_until(double instant) {
  struct timespec time = {(time_t)instant, (long)(fmod(instant, 1) * 1e9)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR) {
  }
}

static void fail(const char *what, const char *why) {
  fprintf(stderr, "beat: %s: %s\n", what, why);
  exit(1);
}

static void check(int result, const char *what) {
  if (result < 0) fail(what, snd_strerror(result));
}

static int camera;

static void set_brightness(int value) {
  struct v4l2_control control = {.id = V4L2_CID_BRIGHTNESS, .value = value};
  if (ioctl(camera, VIDIOC_S_CTRL, &control) < 0) fail("brightness", strerror(errno));
}

static void *flash(void *unused) {
  (void)unused;
  struct v4l2_queryctrl range = {.id = V4L2_CID_BRIGHTNESS};
  if (ioctl(camera, VIDIOC_QUERYCTRL, &range) < 0) fail("brightness", strerror(errno));
  set_brightness(range.minimum);
  for (double beat = next_beat(now());; beat += interval) {
    sleep_until(beat);
    set_brightness(range.maximum);
    sleep_until(beat + LENGTH);
    set_brightness(range.minimum);
  }
}

static snd_pcm_t *open_sound(const char *name) {
  snd_pcm_t *pcm;
  snd_pcm_sw_params_t *software;
  check(snd_pcm_open(&pcm, name, SND_PCM_STREAM_PLAYBACK, 0), name);
  check(snd_pcm_set_params(pcm, SND_PCM_FORMAT_S16_LE, SND_PCM_ACCESS_RW_INTERLEAVED, 1, RATE, 0,
                           BUFFER * 1000000LL / RATE), "parameters");
  snd_pcm_sw_params_alloca(&software);
  check(snd_pcm_sw_params_current(pcm, software), "parameters");
  snd_pcm_sw_params_set_start_threshold(pcm, software, BUFFER / 2);
  snd_pcm_sw_params_set_tstamp_mode(pcm, software, SND_PCM_TSTAMP_ENABLE);
  snd_pcm_sw_params_set_tstamp_type(pcm, software, SND_PCM_TSTAMP_TYPE_MONOTONIC);
  check(snd_pcm_sw_params(pcm, software), "parameters");
  return pcm;
}

// The time at which the next sample that is written will be heard: the minimum of the times that the driver reports,
// which are late because the driver updates its position only at each tick. The minimum may rise by 1,000 ppm, to
// follow the device's clock. After a step of more than a tick it starts again: the device or this machine has stalled.
static double next_heard(snd_pcm_t *pcm, double expected) {
  snd_pcm_status_t *status;
  snd_htimestamp_t stamp;
  snd_pcm_status_alloca(&status);
  if (snd_pcm_status(pcm, status) < 0 || snd_pcm_status_get_state(status) != SND_PCM_STATE_RUNNING)
    return -1;
  snd_pcm_status_get_htstamp(status, &stamp);
  if (stamp.tv_sec == 0) return -1;  // just started, and not yet stamped
  double told = seconds(stamp) + (double)snd_pcm_status_get_delay(status) / RATE;
  if (expected < 0) return told;
  if (fabs(told - expected) > 0.02) {
    fprintf(stderr, "beat: heard at %.3f, not at %.3f\n", told, expected);
    return told;
  }
  return fmin(told, expected + 1e-3 * PERIOD / RATE);
}

static void play(snd_pcm_t *pcm, double end) {
  short samples[PERIOD];
  int left = 0;  // of the beep that is on
  double heard = -1, beat = -1;
  while (now() < end) {
    heard = next_heard(pcm, heard);
    // A beat just passed is still played: between two periods `heard` may have risen past it.
    if (beat < heard - 1e-3 || beat > heard + interval) beat = next_beat(heard);
    for (int i = 0; i < PERIOD; i++) {
      if (left == 0 && heard >= 0 && heard + (double)i / RATE >= beat) {
        left = BEEP;
        beat += interval;
      }
      samples[i] = left > 0 ? (short)(16000 * sin(2 * M_PI * (BEEP - left) / 48)) : 0;
      left -= left > 0;
    }
    snd_pcm_sframes_t written = snd_pcm_writei(pcm, samples, PERIOD);
    if (written < 0) {
      fprintf(stderr, "beat: %s\n", snd_strerror((int)written));
      check(snd_pcm_recover(pcm, (int)written, 1), "recover");
      heard = -1;
    } else if (heard >= 0) {
      heard += (double)PERIOD / RATE;
    }
  }
}

int main(int count, char **arguments) {
  pthread_t thread;
  if (count != 4) fail("usage", "beat CAMERA PCM SECONDS");
  snd_pcm_t *pcm = open_sound(arguments[2]);
  if (strcmp(arguments[1], "-") == 0) {
    follow_wall_clock();
  } else {
    camera = open(arguments[1], O_RDWR);
    if (camera < 0) fail(arguments[1], strerror(errno));
    if (pthread_create(&thread, NULL, flash, NULL) != 0) fail("thread", "not started");
  }
  play(pcm, now() + atof(arguments[3]));
  return 0;
}
