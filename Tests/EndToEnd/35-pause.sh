#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A pause is private: during it the server receives the still and silence, checked frame by frame and sample by
# sample; it needs little bandwidth; and it survives a power cut.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# kbit/s of video and audio in a recording, as RTMP carries them, between two times.
payload() { # FILE FROM TO
  ffprobe -v error -show_entries packet=codec_type,pts_time,size -of csv=p=0 "$1" |
    awk -F, -v from="$2" -v to="$3" '
      # An RTMP message has about 8 bytes of header, then 5 bytes before the video or 2 before the audio.
      $2 >= from && $2 < to { bytes += $3 + ($1 == "video" ? 13 : 10) }
      END { printf "%d", bytes * 8 / (to - from) / 1000 + 1 }'
}

ssim() { # FILE SECONDS IMAGE
  ffmpeg -v info -ss "$2" -i "$1" -i "$3" -frames:v 1 -filter_complex \
    '[1:v]format=yuv420p[image];[0:v][image]ssim' -f null - 2>&1 | sed -n 's/.*All:\([0-9.]*\).*/\1/p'
}

# Sends a command, waits until the lamp shows its result, and records how long that took.
command_until() { # KEY COMMAND LAMP LIMIT-MS
  local since
  since=$(milliseconds)
  ask "$1" "$2" >/dev/null
  expect_status "$1" "\"lamp\":\"$3\""
  figure "$1: ms from $2 to the lamp" $(($(milliseconds) - since)) 0 "$4"
}

minus() { awk -v a="$1" -v b="$2" 'BEGIN { print a - b }'; }

# When the still begins and ends, and when the first silence after the first second does.
read_scenes() { # KEY
  from='' to='' silent='' heard=''
  read -r from to < <(awk '$1 == "still" { print $2, $3 }' "$work/$1.scenes") || true
  read -r silent heard < <(awk '$1 == "silence" && $2 > 1 { print $2, $3 }' "$work/$1.scenes") || true
}

start_server
own=$root/Sources/Video/Stills/pause.png
# Audio that never stops, and an image as rich in detail as a photograph.
ffmpeg -v error -f lavfi -i anoisesrc=d=60:a=0.5 -ac 1 "$work/noise.wav"
ffmpeg -v error -f lavfi -i mandelbrot=size=1600x1200:start_scale=0.01 -vf gblur=sigma=2.5 -frames:v 1 -q:v 2 "$work/photo.jpg"
ffmpeg -v error -i "$work/photo.jpg" -vf scale=-1:720:flags=area,pad=1280:720:-1:-1 "$work/fitted.png"
noise="audio.source=file:$work/noise.wav"

# Live, paused, live again.
go_on_air pause video.source=pattern "$noise"
expect_delivered pause
sleep 3
command_until pause pause paused 800
sleep 9
command_until pause resume live 1500
sleep 3
go_off_air
expect_scenes pause "$own" 'camera still camera sound silence sound'
read_scenes pause
# On the stream's own timeline: no sample of the room after the first frame of the still. Tests/scenes looks at the
# audio in blocks of 10 ms.
expect_at_most 'the silence begins, seconds after the still' "$(minus "$silent" "$from")" 0.01
figure 'audio is back, seconds after the camera' "$(minus "$heard" "$to")" -0.1 0.5
expect_received pause --max-av-ms 1000
figure 'longest step ms' "$(received_value pause longest_step_ms)" 0 400
expect_at_most 'kbit/s of a pause' "$(payload "$(recording pause)" "$from" "$(minus "$from" -7.9)")" 48
expect_at_least 'likeness (SSIM) of the still' "$(ssim "$(recording pause)" "$(minus "$from" -1)" "$own")" 0.97

# The user's own image with another aspect ratio; a power cut during the pause.
go_on_air photo video.source=pattern "$noise" "pause.image=$work/photo.jpg"
expect_delivered photo
sleep 1
command_until photo pause paused 800
sleep 9
end_group "$program" KILL 1
sleep 0.5
expect_scenes photo "$work/fitted.png" 'camera still sound silence'
read_scenes photo
expect_at_most 'kbit/s of a detailed photograph' "$(payload "$(recording photo)" "$from" "$(minus "$from" -7.9)")" 80
expect_at_least 'likeness (SSIM) of the photograph' "$(ssim "$(recording photo)" "$(minus "$from" -1)" "$work/fitted.png")" 0.90
go_on_air photo video.source=pattern "$noise" "pause.image=$work/photo.jpg"
expect_delivered photo
expect_status photo '"lamp":"paused"'
sleep 2
go_off_air
expect_scenes photo "$work/fitted.png" 'still silence'

# Muted: video continues, and audio is silent at once. An unusable image is reported, and OnAir's own is shown instead.
# pause.sound=keep keeps the audio during a pause.
echo 'no image' >"$work/broken.png"
go_on_air mute video.source=pattern "$noise" "pause.image=$work/broken.png" pause.sound=keep
expect_delivered mute
sleep 2
ask mute mute >/dev/null
sleep 2
ask mute unmute >/dev/null
sleep 2
ask mute pause >/dev/null
expect_status mute '"lamp":"paused"'
sleep 2
go_off_air
expect_scenes mute "$own" 'camera still sound silence sound'
expect_line "$work/mute.log" 'pause.image: .*broken.png .*still_unusable'

# Switched off: first the picture, which becomes the camera's still, while the sound goes on; then all sound, while the
# still stays. After a power cut both stay off, until each is switched on.
none=$root/Sources/Video/Stills/no-camera.png
go_on_air half video.source=pattern "$noise"
expect_delivered half
sleep 2
ask half video_off >/dev/null
expect_status half '"state":"live_video_off"'
sleep 3
ask half audio_off >/dev/null
expect_status half '"state":"live_both_off"'
sleep 2
end_group "$program" KILL 1
sleep 0.5
expect_scenes half "$none" 'camera still sound silence'
read_scenes half
expect_at_least 'seconds of sound beside the still' "$(minus "$silent" "$from")" 2.5
go_on_air half video.source=pattern "$noise"
expect_delivered half
expect_status half '"state":"live_both_off"'
sleep 2
ask half video_on >/dev/null
expect_status half '"state":"live_audio_off"'
sleep 2
ask half audio_on >/dev/null
expect_status half '"state":"live"'
sleep 2
go_off_air
expect_scenes half "$none" 'still camera sound'
expect_at_least 'seconds of silence before the sound' "$(awk '$1 == "silence" { print $3 - $2; exit }' "$work/half.scenes")" 3.5

# Settings that change during a pause uncover nothing: other sources, other sizes, other encoders.
ffmpeg -v error -f lavfi -i testsrc2=s=320x180:r=30:d=20 -f lavfi -i sine=d=20 -c:v libx264 -preset ultrafast -c:a aac "$work/film.mp4"
go_on_air changes video.source=pattern "$noise"
expect_delivered changes
sleep 3
command_until changes pause paused 800
for change in video.size=640x360 "video.source=file:$work/film.mp4" audio.source=tone video.rotate=180 video.fps=20 \
  video.size=1280x720 video.speed=superfast "audio.source=file:$work/film.mp4" audio.gain_db=6 video.source=pattern \
  video.mirror=true slate.fps=10 pause.image="$root/Sources/Video/Stills/pause.png" audio.bitrate_kbps=64 video.gop_seconds=1; do
  ask changes set "$change" >/dev/null || miss "$change was not taken"
  sleep 0.4
done
command_until changes resume live 1500
sleep 3
go_off_air
expect_scenes changes "$own" 'camera still camera sound silence sound'

# The frames of a pipe stop and come again: the no-camera still, then the camera again, on one timeline.
know_speed "$work/state-lost"
# shellcheck disable=SC2016  # expanded by the inner shell
start "$work/lost.log" bash -c '
  frames() { ffmpeg -v error -re -f lavfi -i testsrc2=s=320x180:r=30 -t "$1" -pix_fmt yuv420p -f rawvideo -; }
  { frames 3; until [ -e "$3" ]; do sleep 0.1; done; frames 4; } |
    "$0" run --set "publish.url=rtmp://127.0.0.1:$1/live" --set publish.key=lost --set publish.autostart=always \
      --set state.directory="$2" --set video.source=pipe --set audio.source=tone --set video.size=320x180 \
      --set page.listen=' \
  "$onair" "$rtmp_port" "$work/state-lost" "$work/go-on"
lost=$started
expect_status lost '"lamp":"no_camera"'
sleep 2
: >"$work/go-on"
wait_until is_gone "$lost" || miss 'it did not end with the pipe'
end_group "$lost" KILL 1
sleep 0.3
ffmpeg -v error -i "$root/Sources/Video/Stills/no-camera.png" -vf scale=320:180:flags=area "$work/small.png"
expect_scenes lost "$work/small.png" 'camera still camera' video
expect_received lost
figure 'longest step ms without frames' "$(received_value lost longest_step_ms)" 0 900

# Commands that are not possible in the current state are refused with a sentence.
go_on_air off video.source=pattern publish.autostart=never
expect_status off '"lamp":"off_air"'
if said=$(ask off pause 2>&1); then miss 'a pause off air'; elif (($? == 1)) && grep -q 'off air' <<<"$said"; then ok "$said"; else miss "$said"; fi
ask off start >/dev/null
expect_delivered off
ask off stop >/dev/null
expect_status off '"lamp":"off_air"'
[[ $(<"$work/state-off/intent") == off* ]] || miss "the saved state is $(<"$work/state-off/intent")"
go_off_air
if said=$(ask off status 2>&1); then miss 'a status without a running OnAir'; elif (($? == 69)); then ok "$said"; else miss "$said"; fi
conclude
