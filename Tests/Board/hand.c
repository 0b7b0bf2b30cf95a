// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Presses buttons on the emulated board, and shows something private to its camera and microphone:
//
//   hand CAMERA PCM CLOCKHOST CLOCKPORT NAME=FOLDER…
//
// CAMERA is vivid; PCM is the playback end of snd-aloop. NAME=FOLDER is a line of gpio-sim and its folder in sysfs.
// Standard input has one action per line:
//
//   down NAME, up NAME   pulls the button's line low, high
//   bounce NAME COUNT MS pulls it down and up COUNT times, MS milliseconds each
//   ask PATH WORD        sends the command WORD, or asks for the status, through the socket at PATH, and prints the answer
//   private, public      shows a bright picture and plays 3 kHz; or neither
//   wait MS
//   note WORDS
//
// CAMERA, PCM and CLOCKHOST may be "-" for none. Each action is printed with its time in seconds, and so is each change
// of a line whose NAME begins with "lamp": "12.345678 lamp-red 1". The time is CLOCK_MONOTONIC of CLOCKHOST, which sends
// it when it receives a byte (Tests/arrivals).

#include <alsa/asoundlib.h>
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <math.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { RATE = 48000, PERIOD = RATE / 100, LINES = 8 };

static struct {
  char name[32], folder[256];
} lines[LINES];
static int line_count;
static int camera;
static atomic_bool is_private, is_over;
static double offset;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static void sleep_for(double seconds) {
  struct timespec time = {(time_t)seconds, (long)(fmod(seconds, 1) * 1e9)};
  nanosleep(&time, NULL);
}

static void fail(const char *what, const char *why) {
  fprintf(stderr, "hand: %s: %s\n", what, why);
  exit(1);
}

// Take the offset of the two clocks from the fastest of many replies.
static void compare_clocks(const char *host, int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  inet_pton(AF_INET, host, &address.sin_addr);
  int connection = socket(AF_INET, SOCK_STREAM, 0);
  int one = 1;
  setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  if (connect(connection, (struct sockaddr *)&address, sizeof address) != 0) fail(host, strerror(errno));
  double best = 1e9;
  for (int i = 0; i < 60; i++) {
    char answer[64] = {0};
    double since = now();
    if (write(connection, "?", 1) != 1 || read(connection, answer, sizeof answer - 1) <= 0) fail(host, "no answer");
    double took = now() - since;
    if (took < best) {
      best = took;
      offset = atof(answer) - (since + took / 2);
    }
    sleep_for(0.01);
  }
  close(connection);
  printf("%.6f clock +-%.1f ms\n", now() + offset, best * 500);
}

static void print_action(const char *what) {
  flockfile(stdout);
  printf("%.6f %s\n", now() + offset, what);
  fflush(stdout);
  funlockfile(stdout);
}

static const char *folder_of(const char *name) {
  for (int i = 0; i < line_count; i++)
    if (strcmp(lines[i].name, name) == 0) return lines[i].folder;
  fail(name, "no such line");
  return "";
}

static void pull(const char *name, const char *way) {
  char path[300];
  snprintf(path, sizeof path, "%s/pull", folder_of(name));
  int file = open(path, O_WRONLY);
  if (file < 0 || write(file, way, strlen(way)) < 0) fail(path, strerror(errno));
  close(file);
}

static void *play(void *name) {
  snd_pcm_t *pcm;
  if (snd_pcm_open(&pcm, name, SND_PCM_STREAM_PLAYBACK, 0) < 0) fail(name, "cannot be opened");
  if (snd_pcm_set_params(pcm, SND_PCM_FORMAT_S16_LE, SND_PCM_ACCESS_RW_INTERLEAVED, 2, RATE, 0, 60000) < 0)
    fail(name, "cannot be set up");
  short block[PERIOD * 2];
  double phase = 0;
  while (!is_over) {
    double step = 2 * M_PI * (is_private ? 3000 : 1000) / RATE;
    for (int i = 0; i < PERIOD; i++, phase += step) block[2 * i] = block[2 * i + 1] = (short)(8000 * sin(phase));
    snd_pcm_sframes_t written = snd_pcm_writei(pcm, block, PERIOD);
    if (written < 0) snd_pcm_recover(pcm, (int)written, 1);
  }
  return NULL;
}

static void *watch(void *unused) {
  (void)unused;
  char last[LINES] = {0};
  while (!is_over) {
    for (int i = 0; i < line_count; i++) {
      if (strncmp(lines[i].name, "lamp", 4) != 0) continue;
      char path[300], value = '0', words[64];
      snprintf(path, sizeof path, "%s/value", lines[i].folder);
      int file = open(path, O_RDONLY);
      if (file < 0) continue;
      if (read(file, &value, 1) == 1 && value != last[i]) {
        last[i] = value;
        snprintf(words, sizeof words, "%s %c", lines[i].name, value);
        print_action(words);
      }
      close(file);
    }
    sleep_for(0.01);
  }
  return NULL;
}

static void change_room(bool hidden) {
  is_private = hidden;
  if (camera < 0) return;
  struct v4l2_control control = {.id = V4L2_CID_BRIGHTNESS, .value = hidden ? 255 : 128};
  if (ioctl(camera, VIDIOC_S_CTRL, &control) != 0 && errno != ENODEV) fail("brightness", strerror(errno));
}

// Sends a command like `onair WORD`, but without starting a program, which is slow on this board.
static void ask(const char *path, const char *word) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
  int connection = socket(AF_UNIX, SOCK_STREAM, 0);
  char answer[8192] = {0};
  size_t length = 0;
  if (connect(connection, (struct sockaddr *)&address, sizeof address) == 0) {
    dprintf(connection, "%s /api/%s HTTP/1.1\r\nHost: onair\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
            strcmp(word, "status") == 0 ? "GET" : "POST", word);
    ssize_t count;
    while (length < sizeof answer - 1 && (count = read(connection, answer + length, sizeof answer - 1 - length)) > 0)
      length += (size_t)count;
  }
  close(connection);
  const char *body = strstr(answer, "\r\n\r\n");
  print_action(body ? body + 4 : "no answer");
}

int main(int count, char **words) {
  if (count < 5) fail("usage", "hand CAMERA PCM CLOCKHOST CLOCKPORT NAME=FOLDER...");
  bool has_camera = strcmp(words[1], "-") != 0, has_sound = strcmp(words[2], "-") != 0;
  camera = has_camera ? open(words[1], O_RDWR) : -1;
  if (has_camera && camera < 0) fail(words[1], strerror(errno));
  if (strcmp(words[3], "-") != 0) compare_clocks(words[3], atoi(words[4]));
  for (int i = 5; i < count && line_count < LINES; i++, line_count++)
    if (sscanf(words[i], "%31[^=]=%255s", lines[line_count].name, lines[line_count].folder) != 2) fail(words[i], "?");
  change_room(false);
  pthread_t player, watcher;
  if (has_sound) pthread_create(&player, NULL, play, words[2]);
  pthread_create(&watcher, NULL, watch, NULL);
  char line[200], name[32], path[100];
  while (fgets(line, sizeof line, stdin)) {
    int times, milliseconds;
    line[strcspn(line, "\n")] = 0;
    if (sscanf(line, "wait %d", &milliseconds) == 1) {
      sleep_for(milliseconds / 1e3);
      continue;
    }
    print_action(line);
    if (sscanf(line, "ask %99s %31s", path, name) == 2) {
      ask(path, name);
    } else if (sscanf(line, "down %31s", name) == 1) {
      pull(name, "pull-down");
    } else if (sscanf(line, "up %31s", name) == 1) {
      pull(name, "pull-up");
    } else if (sscanf(line, "bounce %31s %d %d", name, &times, &milliseconds) == 3) {
      for (int i = 0; i < times; i++) {
        pull(name, "pull-down");
        sleep_for(milliseconds / 1e3);
        pull(name, "pull-up");
        sleep_for(milliseconds / 1e3);
      }
    } else if (strcmp(line, "private") == 0 || strcmp(line, "public") == 0) {
      change_room(strcmp(line, "private") == 0);
    }
  }
  is_over = true;
  pthread_join(watcher, NULL);
  if (has_sound) pthread_join(player, NULL);
  return 0;
}
