#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What is paused stays private: what the server has of a pause is the still and silence, decoded picture
# by picture and sample by sample; it costs next to nothing; and a power cut does not end it.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

ask() { # KEY COMMAND…
  local key=$1
  shift
  "$onair" "$@" --set "state.directory=$work/state-$key"
}

# Milliseconds until the lamp says what it should, to 2 s.
lamp_after() { # KEY LAMP
  local begun
  begun=$(date +%s%N)
  until ask "$1" status --json | grep -q "\"lamp\" : \"$2\""; do
    if (($(date +%s%N) - begun > 2000000000)); then break; fi
    sleep 0.01
  done
  echo $((($(date +%s%N) - begun) / 1000000))
}

# Compares the scenes of a recording with those that should be there.
expect_scenes() { # KEY STILL KINDS [pictures]
  local file kinds
  file=$(recording "$1")
  "$root/Tests/scenes" "$file" "$2" >"$work/$1.scenes"
  [[ ${4:-} != pictures ]] || sed -i '/^s[io]/d' "$work/$1.scenes"
  # Until a file is open there is silence.
  kinds=$(awk '!($1 == "silence" && $3 < 0.5) { print $1 }' "$work/$1.scenes" | paste -sd ' ')
  if [[ $kinds == "$3" ]]; then ok "$1: $(paste -sd ';' "$work/$1.scenes")"; else
    miss "$1: not \"$3\" but $(paste -sd ';' "$work/$1.scenes")"; fi
}

# kbit/s of pictures and sound in a recording, as RTMP carries them, between two times.
payload() { # FILE FROM TO
  ffprobe -v error -show_entries packet=codec_type,pts_time,size -of csv=p=0 "$1" |
    awk -F, -v from="$2" -v to="$3" '
      # A message has 5 bytes before the picture, 2 before the sound, and about 8 of RTMP'"'"'s header.
      $2 >= from && $2 < to { bytes += $3 + ($1 == "video" ? 13 : 10) }
      END { printf "%d", bytes * 8 / (to - from) / 1000 + 1 }'
}

ssim() { # FILE SECONDS IMAGE
  ffmpeg -v info -ss "$2" -i "$1" -i "$3" -frames:v 1 -filter_complex \
    '[1:v]format=yuv420p[image];[0:v][image]ssim' -f null - 2>&1 | sed -n 's/.*All:\([0-9.]*\).*/\1/p'
}

at_most() { # NAME FIGURE LIMIT
  if awk -v a="$2" -v b="$3" 'BEGIN { exit !(a != "" && a <= b) }'; then ok "$1: $2, at most $3"; else miss "$1: ${2:-nothing}, not at most $3"; fi
}
at_least() { # NAME FIGURE LIMIT
  if awk -v a="$2" -v b="$3" 'BEGIN { exit !(a != "" && a >= b) }'; then ok "$1: $2, at least $3"; else miss "$1: ${2:-nothing}, not at least $3"; fi
}

begin_platform
own=$root/Sources/Picture/Stills/pause.png
# Sound that never stops, and a picture as full as a photograph.
ffmpeg -v error -f lavfi -i anoisesrc=d=20:a=0.5 -ac 1 "$work/noise.wav"
ffmpeg -v error -f lavfi -i mandelbrot=size=1600x1200:start_scale=0.01 -vf gblur=sigma=2.5 -frames:v 1 -q:v 2 "$work/photo.jpg"
ffmpeg -v error -i "$work/photo.jpg" -vf scale=-1:720:flags=area,pad=1280:720:-1:-1 "$work/fitted.png"

# Live, paused, live again.
go_on_air pause video.source=pattern "audio.source=file:$work/noise.wav"
expect_line "$work/pause.log" 'The stream arrives' 10
sleep 3
ask pause pause >/dev/null
at_most 'milliseconds until the lamp says paused' "$(lamp_after pause paused)" 500
sleep 9
ask pause resume >/dev/null
at_most 'milliseconds until the lamp says live' "$(lamp_after pause live)" 1000
sleep 3
go_off_air
expect_scenes pause "$own" 'camera still camera sound silence sound'
read -r from to < <(awk '$1 == "still" { print $2, $3 }' "$work/pause.scenes")
read -r silent heard < <(awk '$1 == "silence" && $2 > 1 { print $2, $3 }' "$work/pause.scenes")
# On one timeline: not a sample of the room after the first picture of the still; the sound was looked at 10 ms by 10 ms.
at_most 'the silence begins, seconds after the still' "$(awk -v a="$silent" -v b="$from" 'BEGIN { print a - b }')" 0.01
at_most 'the sound is back, seconds after the camera' "$(awk -v a="$heard" -v b="$to" 'BEGIN { print a - b }')" 0.5
expect_received pause --max-gap-ms 400 --max-av-ms 70
at_most 'kbit/s of a pause' "$(payload "$(recording pause)" "$from" "$(awk -v a="$from" 'BEGIN { print a + 7.9 }')")" 48
at_least 'likeness (SSIM) of the still' "$(ssim "$(recording pause)" "$(awk -v a="$from" 'BEGIN { print a + 1 }')" "$own")" 0.97

# A person's own picture, of another shape; the power goes, and comes back.
go_on_air photo video.source=pattern "audio.source=file:$work/noise.wav" "pause.image=$work/photo.jpg"
expect_line "$work/photo.log" 'The stream arrives' 10
sleep 1
ask photo pause >/dev/null
lamp_after photo paused >/dev/null
sleep 9
end_group "$program" KILL 1
sleep 0.5
expect_scenes photo "$work/fitted.png" 'camera still sound silence'
read -r from < <(awk '$1 == "still" { print $2 }' "$work/photo.scenes")
at_most 'kbit/s of a detailed photograph' "$(payload "$(recording photo)" "$from" "$(awk -v a="$from" 'BEGIN { print a + 7.9 }')")" 80
at_least 'likeness (SSIM) of the photograph' "$(ssim "$(recording photo)" "$(awk -v a="$from" 'BEGIN { print a + 1 }')" "$work/fitted.png")" 0.90
go_on_air photo video.source=pattern "audio.source=file:$work/noise.wav" "pause.image=$work/photo.jpg"
expect_line "$work/photo.log" 'The stream arrives' 10
at_most 'milliseconds until the lamp says paused' "$(lamp_after photo paused)" 500
sleep 2
go_off_air
expect_scenes photo "$work/fitted.png" 'still silence'

# Muted: the picture goes on, and the sound is gone at once. An image that is none is told, and the
# program's own takes its place. Sound that a pause is to keep is kept.
echo 'no image' >"$work/broken.png"
go_on_air mute video.source=pattern "audio.source=file:$work/noise.wav" "pause.image=$work/broken.png" pause.sound=keep
expect_line "$work/mute.log" 'The stream arrives' 10
sleep 2
ask mute mute >/dev/null
sleep 2
ask mute unmute >/dev/null
sleep 2
ask mute pause >/dev/null
sleep 2
go_off_air
expect_scenes mute "$own" 'camera still sound silence sound'
expect_line "$work/mute.log" 'pause.image: .*broken.png is neither PNG nor JPEG: .*still_unusable' 1

# Pictures stop, and come again: another still, and the camera by itself, on one timeline.
# shellcheck disable=SC2016  # expanded by the inner shell
start "$work/lost.log" bash -c '
  pictures() { ffmpeg -v error -re -f lavfi -i testsrc2=s=320x180:r=30 -t "$1" -pix_fmt yuv420p -f rawvideo -; }
  { pictures 3; sleep 4; pictures 4; } |
    "$0" run --set "publish.url=rtmp://127.0.0.1:$1/live" --set publish.key=lost --set publish.autostart=always \
      --set state.directory="$2" --set video.source=pipe --set audio.source=tone --set video.size=320x180' \
  "$onair" "$rtmp_port" "$work/state-lost"
lost=$started
expect_line "$work/lost.log" 'The stream arrives' 10
sleep 3.5
if ask lost status --json | grep -q '"lamp" : "no_camera"'; then ok 'the lamp says that there is no camera'; else
  miss "the lamp says $(ask lost status | sed -n 's/^Lamp *//p')"; fi
tries=200
while is_running "$lost" && ((tries-- > 0)); do sleep 0.05; done
end_group "$lost" KILL 1
ffmpeg -v error -i "$root/Sources/Picture/Stills/no-camera.png" -vf scale=320:180:flags=area "$work/small.png"
expect_scenes lost "$work/small.png" 'camera still camera' pictures
expect_received lost --max-gap-ms 900

# What cannot be is said.
go_on_air off video.source=pattern publish.autostart=never
sleep 1
if said=$(ask off pause 2>&1); then miss 'a pause off air'; elif (($? == 1)) && grep -q 'off air' <<<"$said"; then ok "$said"; else miss "$said"; fi
ask off start >/dev/null
expect_line "$work/off.log" 'The stream arrives' 10
ask off stop >/dev/null
expect_line "$work/off.log" 'No longer publishing' 3
[[ $(<"$work/state-off/intent") == off* ]] || miss "what is wanted is kept as $(<"$work/state-off/intent")"
go_off_air
if said=$(ask off status 2>&1); then miss 'a status of nobody'; elif (($? == 69)) && grep -q 'No OnAir runs' <<<"$said"; then ok "$said"; else miss "$said"; fi
conclude
