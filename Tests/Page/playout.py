#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plays the play-out in Chromium, on a page of another site: with the page's own player, which gets the parts of Low-Latency HLS
as they come, and with the browser's own HLS.

    playout.py PORT
"""

import functools
import http.server
import pathlib
import sys
import threading
import time

from steps import Person

ASSETS = pathlib.Path(__file__).resolve().parents[2] / "Sources/Page/Assets"
# In place of the box's preview, the player gets a stream of the parts.
PAGE = """<!doctype html><title>player</title><video muted playsinline></video><script type="module">
import {{ Player }} from "./player.js";
import {{ codecsOf }} from "./fmp4.js";
const near = "{near}";
const ask = (path) => fetch(new URL(path, near), {{ cache: "no-store" }});
async function* parts() {{
  let last = null, start = "", query = "";
  for (;;) {{
    const answer = await ask("programme.m3u8" + query);
    if (!answer.ok) throw new Error(answer.status);
    let number = 0, index = 0, map = "";
    const found = [];
    for (const line of (await answer.text()).split("\\n")) {{
      const uri = line.match(/URI="([^"]*)"/)?.[1];
      if (line.startsWith("#EXT-X-MEDIA-SEQUENCE:")) number = Number(line.split(":")[1]);
      else if (line.startsWith("#EXT-X-MAP:")) map = uri;
      else if (line.startsWith("#EXT-X-PART:")) found.push({{ number, index: index++, uri, map }});
      else if (line && !line.startsWith("#")) [number, index] = [number + 1, 0];
    }}
    const isNew = (part) => last ? part.number > last.number || part.number === last.number && part.index > last.index
      : part.number === found.at(-1).number;
    for (const part of found.filter(isNew)) {{
      for (const uri of part.map === start ? [part.uri] : [part.map, part.uri]) {{
        yield new Uint8Array(await (await ask(uri)).arrayBuffer());
      }}
      [start, last] = [part.map, part];
    }}
    query = `?_HLS_msn=${{last.number}}&_HLS_part=${{last.index + 1}}`;
  }}
}}
const plain = window.fetch;
window.fetch = async (address, init) => {{
  if (address !== "/api/preview.mp4") return plain(address, init);
  const stream = parts();
  const first = (await stream.next()).value;
  const body = new ReadableStream({{
    start(controller) {{ controller.enqueue(first); }},
    async pull(controller) {{ controller.enqueue((await stream.next()).value); }},
  }});
  return new Response(body, {{ headers: {{ "X-Codecs": codecsOf(first) }} }});
}};
const video = document.querySelector("video");
if (location.hash === "#own") video.crossOrigin = "anonymous", video.src = `${{near}}programme.m3u8`, video.play();
else new Player(video, (state) => document.title = state).start();
</script>"""


class Site(http.server.SimpleHTTPRequestHandler):
    """A site with the page's scripts."""

    def __init__(self, *arguments, near):
        self.near = near
        super().__init__(*arguments, directory=str(ASSETS))

    def do_GET(self):
        if self.path.split("?")[0] != "/player":
            return super().do_GET()
        page = PAGE.format(near=self.near).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *_):
        pass


def ages(person, seconds):
    found, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        age = person.age()
        if age is not None:
            found.append(age)
        time.sleep(0.2)
    return sorted(found)


def main():
    near = f"http://127.0.0.1:{sys.argv[1]}/live/"
    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Site, near=near))
    threading.Thread(target=site.serve_forever, daemon=True).start()
    person = Person(f"http://127.0.0.1:{site.server_port}")
    try:
        for name, path in (("the page's own player", "/player"), ("Chromium's HLS", "/player?own#own")):
            person.open(path)
            try:
                person.picture_plays()
            except Exception as error:
                print(f"WRONG {name}: {error}", flush=True)
                continue
            time.sleep(2)
            begin = person.driver.execute_script("return document.querySelector('video').currentTime")
            found = ages(person, 6)
            end = person.driver.execute_script("return document.querySelector('video').currentTime")
            print(f"{'good' if end > begin + 1 else 'WRONG'} {name} plays in Chromium: {end - begin:.1f} s of 6")
            if found:
                print(f"figure {name}: seconds from the clock in the picture to the screen, median {found[len(found) // 2]:.2f}", flush=True)
        complaints = person.complaints()
        print(f"WRONG the browser complains: {complaints}" if complaints else "good the browser complains of nothing")
    finally:
        person.close()


main()
