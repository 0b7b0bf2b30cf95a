#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# pause.picture: the last picture, frozen, and sound alone, at the server, a relay and the preview. Each frame of the room has
# another brightness than its neighbours, so that it tells when it was captured.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

start_server
own=$root/Sources/Video/Stills/pause.png
# The middle rises by 5 from frame to frame, for a second. Two corners stay white: one is masked, on the other lies a black box.
ffmpeg -v error -f lavfi -i color=black:s=64x64 -frames:v 1 "$work/box.png"
ffmpeg -v error -f lavfi -i "color=black:s=320x180:r=30:d=60,format=gray,geq=lum='if(lt(X,64)+gt(X,255),235,40+6*mod(N,30))'" \
  -f lavfi -i sine=d=60 -c:v libx264 -preset ultrafast -qp 1 -pix_fmt yuv420p -c:a aac "$work/room.mp4"

# Each frame of a recording: "SECONDS KEY LUMA BOX MASKED", with the mean luma of the middle and of two places (16 to 235).
cat >"$work/frames" <<'END'
import subprocess, sys
path = sys.argv[1]
def run(*words): return subprocess.run(words, capture_output=True).stdout
rows = [row.split(",") for row in run("ffprobe", "-v", "quiet", "-select_streams", "v", "-show_entries",
        "frame=pts_time,key_frame", "-of", "csv=p=0", path).decode().split()]
pixels = run("ffmpeg", "-v", "quiet", "-i", path, "-fps_mode", "passthrough", "-vf", "scale=320:180,format=yuv420p,extractplanes=y", "-f", "rawvideo", "-")
size = 320 * 180
for index, row in enumerate(rows):
    frame = pixels[index * size:(index + 1) * size]
    if len(frame) < size: break
    mean = lambda x, y: sum(sum(frame[(y + j) * 320 + x:(y + j) * 320 + x + 24]) for j in range(24)) / 576
    key, time = sorted(row[:2], key=lambda word: "." in word)
    print(f"{float(time):.3f} {key} {mean(150, 80):.2f} {mean(20, 20):.2f} {mean(290, 140):.2f}")
END
frames_of() { python3 "$work/frames" "$1"; }
# The number of packets of a kind between two times of a recording.
packets() { # FILE v|a FROM TO
  ffprobe -v quiet -select_streams "$2" -show_entries packet=pts_time -of csv=p=0 "$1" |
    awk -F, -v from="$3" -v to="$4" '$1 > from && $1 < to { n++ } END { print n + 0 }'
}
relay_runs() { ask "$1" relay list --json 2>/dev/null | tr -d ' \n' | holds '"state":"running"'; }
begin() { # KEY SETTING…
  go_on_air "$1" "video.source=file:$work/room.mp4" "audio.source=file:$work/room.mp4" video.size=320x180 video.fps=30 \
    video.speed=superfast video.gop_seconds=1 "${@:2}"
  expect_delivered "$1"
  ask "$1" relay add other "rtmp://127.0.0.1:$rtmp_port/live" <<<"relay-$1" >"$work/relay" || miss "a relay: $(<"$work/relay")"
  wait_until relay_runs "$1" || miss 'the relay does not run'
  start "$work/preview-$1.mp4" curl -sN --unix-socket "$work/state-$1/control" http://onair/api/preview.mp4
  preview=$started
  sleep 4
}
snapshot() { curl -s -o "$2" -w '%{http_code}' --unix-socket "$work/state-$1/control" http://onair/api/snapshot.jpg; }
luma_of() { ffmpeg -v quiet -i "$1" -vf crop=24:24:150:80,scale=2:2:flags=area:out_range=tv,format=yuv420p -f rawvideo - | od -An -N1 -tu1 | tr -d ' '; }

# The longest step between two frames: "FROM TO"; in it lies the pause whose pictures do not come.
gap() { awk 'n++ && $1 - last > most { most = $1 - last; from = last; to = $1 } { last = $1 } END { print from, to }' "$1"; }

# The last picture: masked, with what lies on it, and from before the press; seen by all, and told as not private.
begin last pause.picture=last overlay.note.kind=image "overlay.note.file=$work/box.png" overlay.note.x=0 overlay.note.y=0 \
  overlay.note.width=0.2 filter.cover.kind=mask filter.cover.x=0.85 filter.cover.y=0.6 filter.cover.width=0.15 \
  filter.cover.height=0.4 "filter.cover.cover=#000000"
said=$(ask last pause)
pressed=$(date +%s%N)
if grep -q 'not private' <<<"$said"; then ok "$said"; else miss "$said"; fi
expect_status last '"lamp":"paused"'
figure 'ms from the press to the confirmed last picture' $((($(date +%s%N) - pressed) / 1000000)) 0 3000
expect_status last '"video":"last_frame"'
expect_status last '"state":"paused_seen"'
expect_status last '"word":"paused"'
expect_line "$work/last.log" 'Paused .*not private'
sleep 5
code=$(snapshot last "$work/last.jpg")
if [[ $code == 200 ]]; then ok 'a snapshot'; else miss "a snapshot: $code"; fi
curl -sN --max-time 4 --unix-socket "$work/state-last/control" http://onair/api/preview.mp4 >"$work/joined.mp4" || true
ask last reconnect >/dev/null
expect_status last '"lamp":"paused"'
sleep 3
ask last resume >/dev/null
expect_status last '"state":"live"'
sleep 2
# A restart in a pause: the image, which is private.
ask last pause >/dev/null
expect_status last '"state":"paused_seen"'
ask last restart >/dev/null
expect_status last '"video":"pause_still"'
expect_status last '"word":"private"'
# From a still of another kind: the image.
ask last resume >/dev/null
expect_status last '"state":"live"'
ask last video_off >/dev/null
expect_status last '"state":"live_video_off"'
ask last pause >/dev/null
expect_status last '"video":"pause_still"'
expect_status last '"word":"private"'
end_group "$preview" TERM 5
go_off_air
# The first connection to the server ends in the first pause, the second begins in it.
for key in last relay-last; do
  file=$(find "$work/platform/recorded" -name "$key-*.flv" | sort | head -n 1)
  frames_of "$file" >"$work/$key.frames"
  # The still: the first keyframe after which nothing moves for 20 frames. It may look as the frame before it, or be one that was
  # offered when the pause began and then not sent.
  read -r luma before box masked < <(awk '{ d = $3 - last; run = d < 1.5 && d > -1.5 ? run + 1 : 0
      if (run == 0) { before = last; level = $3 } if (run == 1 && $2) before = last; if (run == 20) { print level, before, $4, $5; exit } last = $3 }' "$work/$key.frames") || true
  later=$(awk -v a="${luma:-0}" -v b="${before:-0}" 'BEGIN { d = a - b; print d < -6.5 ? d + 154.6 : d }')
  expect_at_most "$key: the still ($luma) after the last frame ($before)" "$later" 6.5
  # The frame that was just being sent at the press may be one newer than the still.
  expect_at_least "$key: and not more than one frame before it" "$later" -6.5
  expect_at_most "$key: luma of the box on the still" "${box:-}" 40
  expect_at_most "$key: luma of the mask on the still" "${masked:-}" 40
done
expect_at_most 'the snapshot is the last picture: difference' \
  "$(awk -v a="$(luma_of "$work/last.jpg")" -v b="${luma:-0}" 'BEGIN { d = a - b; print d < 0 ? -d : d }')" 3
frames_of "$work/joined.mp4" >"$work/joined.frames"
expect_at_most 'preview, opened in the pause: brightest less darkest frame' \
  "$(awk 'n++ == 0 { low = high = $3 } { if ($3 < low) low = $3; if ($3 > high) high = $3 } END { if (n) print high - low }' "$work/joined.frames")" 1.5

# Sound alone: the still once, then no frame; the sound goes on, the timeline too, and live video begins with a keyframe.
begin sound pause.picture=none pause.sound=keep
ask sound pause >/dev/null
expect_status sound '"lamp":"paused"'
expect_status sound '"video":"sound_only"'
sleep 12
expect_status sound '"lamp":"paused"'
if status_has sound '"cause"'; then miss "there is a trouble: $(ask sound status)"; else ok 'no trouble after 12 s of sound alone'; fi
code=$(snapshot sound "$work/sound.jpg")
if [[ $code != 200 ]]; then ok "no snapshot: $code"; else miss 'a snapshot of sound alone'; fi
ask sound resume >/dev/null
expect_status sound '"state":"live"'
sleep 3
end_group "$preview" TERM 5
go_off_air
for key in sound relay-sound; do
  file=$(recording "$key")
  frames_of "$file" >"$work/$key.frames"
  read -r from to < <(gap "$work/$key.frames") || true
  expect_at_least "$key: seconds without a frame" "$(awk -v a="${from:-0}" -v b="${to:-0}" 'BEGIN { print b - a }')" 11
  figure "$key: frames in the pause" "$(packets "$file" v "$from" "$to")" 0 0
  expect_at_least "$key: sound packets in the pause" "$(packets "$file" a "$from" "$to")" 500
  key_after=$(awk -v to="$to" '$1 == to { print $2 }' "$work/$key.frames")
  if [[ $key_after == 1 ]]; then ok "$key: live video begins with a keyframe"; else miss "$key: no keyframe after the pause"; fi
  expect_scenes "$key" "$own" 'camera still camera' video
  expect_at_most "$key: frames of the still" "$(awk '$1 == "still" { print $4 }' "$work/$key.scenes")" 1
done

# A connection that begins in such a pause: the still once, then sound.
go_on_air anew "video.source=file:$work/room.mp4" audio.source=tone video.size=320x180 pause.picture=none pause.sound=keep
expect_delivered anew
sleep 1
ask anew pause >/dev/null
expect_status anew '"lamp":"paused"'
ask anew reconnect >/dev/null
sleep 2
expect_status anew '"lamp":"paused"'
sleep 4
ask anew resume >/dev/null
expect_status anew '"state":"live"'
sleep 2
go_off_air
expect_scenes anew "$own" 'still camera' video
expect_at_most 'frames of the still on a new connection' "$(awk '$1 == "still" { print $4 }' "$work/anew.scenes")" 1
conclude
