# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a viewer gets from the RTMP server at this moment (nginx-rtmp): ffmpeg plays it, and /stat says who publishes."""

import array
import json
import pathlib
import subprocess
import tempfile
import time
import urllib.request
import xml.etree.ElementTree as ElementTree

WAIT_SECONDS = 300
WIDTH, HEIGHT = 32, 18
FRAME_BYTES = WIDTH * HEIGHT * 3


class Look:
    """Two seconds of a stream: small RGB frames, the loudness of the audio, and the size of the video."""

    def __init__(self, frames, samples, size):
        self.size = size
        self.frames = frames
        self.loudness = max((abs(sample) for sample in samples), default=0) / 32768

    @property
    def moves(self):
        return max((self.difference(self.frames[0], frame) for frame in self.frames), default=0) > 4

    @staticmethod
    def difference(one, other):
        return sum(abs(a - b) for a, b in zip(one, other)) / FRAME_BYTES

    @property
    def colour(self):
        """The mean red, green and blue of the last frame."""
        last = self.frames[-1]
        return tuple(sum(last[part::3]) // (WIDTH * HEIGHT) for part in range(3))


class Viewer:
    """
    - rtmp: the server's application, "rtmp://127.0.0.1:1935/live".
    - statistics: the address of its statistics, "http://127.0.0.1:8080/stat".
    """

    def __init__(self, rtmp, statistics):
        self.rtmp = rtmp
        self.statistics = statistics

    def publisher(self, key):
        """The number of the connection that publishes a stream; None if nobody does."""
        with urllib.request.urlopen(self.statistics, timeout=120) as answer:
            tree = ElementTree.fromstring(answer.read())
        for stream in tree.iter("stream"):
            if stream.findtext("name") == key:
                for client in stream.iter("client"):
                    if client.find("publishing") is not None:
                        return client.findtext("id")
        return None

    def look(self, key):
        """Plays two seconds; None if nothing plays."""
        url = f"{self.rtmp}/{key}"
        with tempfile.TemporaryDirectory() as folder:
            video, audio = pathlib.Path(folder) / "video", pathlib.Path(folder) / "audio"
            try:
                shape = subprocess.run(
                    ["ffprobe", "-v", "quiet", "-select_streams", "v", "-show_entries", "stream=width,height",
                     "-of", "json", url], capture_output=True, timeout=300, check=False)
                subprocess.run(
                    ["ffmpeg", "-v", "quiet", "-i", url, "-t", "2",
                     "-map", "0:v", "-vf", f"scale={WIDTH}:{HEIGHT}", "-pix_fmt", "rgb24", "-f", "rawvideo", video,
                     "-map", "0:a", "-t", "2", "-ac", "1", "-f", "s16le", audio],
                    stdin=subprocess.DEVNULL, timeout=300, check=False)
            except subprocess.TimeoutExpired:
                return None
            if not video.exists() or not audio.exists() or video.stat().st_size < 2 * FRAME_BYTES:
                return None
            streams = json.loads(shape.stdout or b"{}").get("streams") or [{}]
            pixels = video.read_bytes()
            samples = array.array("h", audio.read_bytes())
        frames = [pixels[at:at + FRAME_BYTES] for at in range(0, len(pixels) - FRAME_BYTES + 1, FRAME_BYTES)]
        return Look(frames, samples, (streams[0].get("width"), streams[0].get("height")))

    def sees(self, key, condition):
        """Looks until a look fulfils a condition; whether one did."""
        end = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < end:
            look = self.look(key)
            if look and condition(look):
                return True
        return False

    def waits_for(self, condition):
        """Asks until a condition of this viewer's is fulfilled; whether it was."""
        end = time.monotonic() + WAIT_SECONDS
        while not condition():
            if time.monotonic() > end:
                return False
            time.sleep(0.2)
        return True
