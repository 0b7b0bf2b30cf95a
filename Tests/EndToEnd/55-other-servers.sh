#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Two more servers that share no code with nginx's module or with librtmp: ffmpeg's own, and pyrtmp
# (https://pypi.org/project/pyrtmp/) in a virtual environment that is kept in .lab.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# Checks the stream that a server has written to a file.
check() { # NAME
  local said
  if said=$("$root/board/received" "$work/$1.flv" --check --min-seconds 4 --max-gap-ms 150 --max-av-ms 60 --size 320x180 2>&1); then
    ok "$1: $(head -n 1 <<<"$said")"
  else
    miss "$1: $said"
  fi
}

publish() { # NAME
  go_on_air "$1" video.source=pattern audio.source=tone video.size=320x180 video.fps=15 video.bitrate_kbps=500
  expect_line "$work/$1.log" '127.0.0.1 takes the stream' 10
  sleep 6
  if grep 'warning: ' "$work/$1.log" | grep -v 'publish.key on the command line'; then miss "$1: there was trouble"; fi
  go_off_air
}

rtmp_port=$(free_port 19360)
start "$work/ffmpeg.said" ffmpeg -nostdin -v error -y -listen 1 -i "rtmp://127.0.0.1:$rtmp_port/live/ffmpeg" \
  -c copy "$work/ffmpeg.flv"
server=$started
# Do not connect to it for this: it accepts only one connection.
listening=$(printf ':%04X ' "$rtmp_port")
for _ in {1..100}; do
  grep -q " 0100007F$listening.* 0A " /proc/net/tcp && break
  sleep 0.05
done
publish ffmpeg
for _ in {1..100}; do is_running "$server" && sleep 0.05; done
end_group "$server" INT 5
check ffmpeg

need_pyrtmp
cat >"$work/server.py" <<'END'
import asyncio
import sys

from pyrtmp.flv import FLVFileWriter, FLVMediaType
from pyrtmp.rtmp import RTMPProtocol, SimpleRTMPController


class Recorder(SimpleRTMPController):
    async def on_ns_publish(self, session, message):
        session.state = FLVFileWriter(output=f"{sys.argv[2]}/{message.publishing_name}.flv")
        await super().on_ns_publish(session, message)

    async def on_metadata(self, session, message):
        session.state.write(0, message.to_raw_meta(), FLVMediaType.OBJECT)

    async def on_video_message(self, session, message):
        session.state.write(message.timestamp, message.payload, FLVMediaType.VIDEO)

    async def on_audio_message(self, session, message):
        session.state.write(message.timestamp, message.payload, FLVMediaType.AUDIO)

    async def on_stream_closed(self, session, exception):
        session.state.close()


async def main():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: RTMPProtocol(Recorder()), "127.0.0.1", int(sys.argv[1]))
    print("listening", flush=True)
    await server.serve_forever()


asyncio.run(main())
END
rtmp_port=$(free_port 19370)
start "$work/pyrtmp.said" "$pyrtmp/bin/python" "$work/server.py" "$rtmp_port" "$work"
server=$started
wait_for_line "$work/pyrtmp.said" listening 10 || miss "pyrtmp does not start: $(<"$work/pyrtmp.said")"
publish pyrtmp
end_group "$server" TERM 5
check pyrtmp
conclude
