#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Music beside the voice: a file reaches the server as a track of its own, and commands, settings and volumes count.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

start_server

# A tone of 440 Hz beside the voice's beeps of 1,000 Hz, and another of 660 Hz.
mkdir "$work/songs"
ffmpeg -v error -f lavfi -i "sine=440:d=120:r=44100" -ac 2 -c:a libmp3lame "$work/songs/2.mp3" </dev/null
ffmpeg -v error -f lavfi -i "sine=660:d=4" -metadata title='The Second' -c:a flac "$work/songs/10.flac" </dev/null
printf '#EXTM3U\n#EXTINF:4,From a list\n10.flac\n/etc/hostname\n' >"$work/songs/list.m3u"

# The level in dB of a band of 40 Hz around a frequency, in the last 2 s of the recording.
band() { # KEY HERTZ
  local file
  file=$(recording "$1")
  ffmpeg -nostdin -v info -sseof -2.5 -i "$file" -vn -af "bandpass=f=$2:width_type=h:w=40,volumedetect" -f null - 2>&1 |
    sed -nE 's/.*mean_volume: (-?[0-9.]+) dB.*/\1/p'
}
is_loud() { awk -v a="$(band "$1" "$2")" -v b="$3" 'BEGIN { exit !(a != "" && a >= b) }'; }
is_quiet() { awk -v a="$(band "$1" "$2")" -v b="$3" 'BEGIN { exit !(a != "" && a <= b) }'; }
expect_band() { # KEY HERTZ loud|quiet LEVEL TEXT
  if wait_until "is_$3" "$1" "$2" "$4"; then ok "$5: $2 Hz at $(band "$1" "$2") dB"; else
    miss "$5: $2 Hz at $(band "$1" "$2") dB, not $3"; fi
}
say_of() { curl -s --max-time "$patience" --unix-socket "$work/state-box/control" "http://onair$1"; }
music_has() { [[ $(say_of /api/music) == *"$1"* ]]; }

# The beeps are a voice, which would lower the music.
go_on_air box video.source=pattern audio.source=tone video.size=320x180 music.duck_db=0
expect_delivered box
expect_band box 440 quiet -50 'without music'

# Events and progress of the whole run.
start "$work/events" curl -sN --unix-socket "$work/state-box/control" 'http://onair/api/events?with=music'

for word in pause resume; do
  if ask box music "$word" >"$work/said" 2>&1; then miss "music $word without music"; else ok "$(<"$work/said")"; fi
done
if ask box music start "file:$work/songs/none.mp3" >"$work/said" 2>&1; then miss 'a file that is missing'; else ok "$(<"$work/said")"; fi
if ask box music start >"$work/said" 2>&1; then miss 'no source'; else ok "$(<"$work/said")"; fi

ask box music start "file:$work/songs/2.mp3" --loop
# 24 dB below full scale: half of that as soon as all of the last seconds have it.
expect_band box 440 loud -26 'music'
expect_band box 1000 loud -45 'the voice beside it'
full=$(band box 440)
wait_until music_has '"state":"playing"' || miss "the music does not play: $(say_of /api/music)"
ok "$(ask box music)"

ask box set music.volume=25
quieter() { awk -v a="$(band box 440)" -v b="$full" 'BEGIN { exit !(a < b - 4 && a > b - 8) }'; }
if wait_until quieter; then ok "half the amplitude: from $full to $(band box 440) dB"; else miss "the volume: from $full to $(band box 440) dB"; fi
curl -s --unix-socket "$work/state-box/control" -X POST -d '{"voice": 0, "music": 50}' http://onair/api/volumes >/dev/null
expect_band box 1000 quiet -45 'the voice at 0'
curl -s --unix-socket "$work/state-box/control" -X POST -d '{"voice": 50}' http://onair/api/volumes >/dev/null

ask box music pause
expect_band box 440 quiet -50 'paused'
ask box music resume
expect_band box 440 loud -26 'resumed'

ask box music start "file:$work/songs/list.m3u"
expect_band box 660 loud -40 'a list'
wait_until music_has '"state":"stopped"' || miss "the list does not end: $(say_of /api/music)"
ask box music start "folder:$work/songs"
wait_until music_has '"piece":"2.mp3"' || miss "the folder: $(say_of /api/music)"
ask box music stop
expect_band box 440 quiet -50 'stopped'

for code in music_started music_paused music_resumed music_stopped music_completed music_failed; do
  if wait_until grep -q "^event: $code$" "$work/events"; then ok "event $code"; else miss "no event $code"; fi
done
if grep -A1 '^event: music$' "$work/events" | holds '"position_seconds":[1-9]'; then ok 'progress'; else miss 'no progress'; fi
if grep -B1 '^event: music$' "$work/events" | holds '^id:'; then miss 'progress has a number'; else ok 'progress has no number'; fi
go_off_air
expect_received box --min-seconds 12 --max-av-ms 1000

# With a broadcast, and no longer than it.
go_on_air auto video.source=none audio.source=tone "music.source=folder:$work/songs" music.autostart=true
expect_delivered auto
expect_band auto 440 loud -40 'autostart'
ask auto stop
ended() { curl -s --unix-socket "$work/state-auto/control" http://onair/api/music | grep -q '"state":"stopped"'; }
if wait_until ended; then ok 'it ends with the broadcast'; else miss 'it does not end with the broadcast'; fi
go_off_air
conclude
