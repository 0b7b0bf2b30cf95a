// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Plays what viewers get, at most a second behind the box.

import { OWN } from "./api.js";
import { Cutter, codecsOf } from "./fmp4.js";

/** How far behind the newest picture the player wants to be, in seconds. A fragment holds about 0.2. */
const AIM = 0.4;
/** Above this it plays a little faster, */
const LATE = 0.7;
/** and above this it jumps. */
const TOO_LATE = 1.0;
const KEEP_SECONDS = 8;
/** So many pieces without a later picture, and the player begins anew. */
const MOST_IDLE = 8;
const Source = globalThis.ManagedMediaSource ?? globalThis.MediaSource;

export class Player {
  #video;
  #tell;
  #stop = null;
  #timer = null;
  #again = false;

  /** `tell` gets "idle", "over", "waiting", "playing", "busy" or "unplayable" at each change. */
  constructor(video, tell) {
    this.#video = video;
    this.#tell = tell;
    video.addEventListener("playing", () => this.#stop && tell("playing"));
  }

  get isOn() {
    return this.#stop !== null;
  }

  /** Off the air the box ends the picture after ten minutes, which is "over"; `again` asks for ten minutes more. */
  start({ again = false } = {}) {
    if (this.#stop) return;
    this.#again = again;
    this.#stop = new AbortController();
    this.#tell("waiting");
    this.#run(this.#stop.signal);
  }

  stop(state = "idle") {
    this.#stop?.abort();
    this.#stop = null;
    clearInterval(this.#timer);
    this.#clear();
    this.#tell(state);
  }

  async #run(signal) {
    let wait = 300;
    while (!signal.aborted) {
      const began = performance.now();
      let state = "waiting";
      try {
        if (Source) await this.#stream(signal);
        else await this.#playlist(signal);
      } catch (error) {
        if (error.message === "over" && !signal.aborted) return this.stop("over");
        if (error.name === "NotSupportedError") state = "unplayable";
        else if (error.message === "busy") state = "busy";
      }
      if (signal.aborted) return;
      clearInterval(this.#timer);
      this.#tell(state);
      wait = performance.now() - began > 5_000 ? 300 : Math.min(wait * 2, 5_000);
      await new Promise((done) => setTimeout(done, wait));
    }
  }

  /** Asks for the picture. Throws "busy", "over" or "refused". */
  async #ask(path, signal) {
    const response = await fetch(this.#again ? `${path}?again=1` : path, 
      { headers: OWN, signal, cache: "no-store" });
    if (response.ok) {
      this.#again = false;
      return response;
    }
    if (response.status === 503) throw new Error("busy");
    const reply = await response.json().catch(() => null);
    throw new Error(reply?.code === "aiming_over" ? "over" : "refused");
  }

  /** Plays one response until it ends. */
  async #stream(signal) {
    const one = new AbortController();
    const stop = () => one.abort();
    signal.addEventListener("abort", stop);
    try {
      const response = await this.#ask("/api/preview.mp4", one.signal);
      const feed = new Feed(this.#video, response.headers.get("X-Codecs"));
      this.#timer = setInterval(() => this.#keepUp(), 250);
      const cutter = new Cutter();
      const reader = response.body.getReader();
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        for (const piece of cutter.take(value)) await feed.append(piece);
      }
    } finally {
      signal.removeEventListener("abort", stop);
      one.abort();
    }
  }

  /** Plays HLS, which phones without Media Source do by themselves. */
  async #playlist(signal) {
    const video = this.#video;
    if (!video.canPlayType("application/vnd.apple.mpegurl")) throw new DOMException("", "NotSupportedError");
    // The player of the phone does not tell why it gets nothing.
    await this.#ask("/api/preview.m3u8", signal);
    video.src = `/api/preview.m3u8?at=${Date.now()}`;
    video.play().catch(() => {});
    await new Promise((done) => {
      for (const name of ["error", "ended"]) video.addEventListener(name, done, { once: true, signal });
      signal.addEventListener("abort", done, { once: true });
    });
  }

  /** Stays close to the newest picture. */
  #keepUp() {
    const video = this.#video;
    const { buffered } = video;
    if (!buffered.length) return;
    const last = buffered.length - 1;
    const late = buffered.end(last) - video.currentTime;
    const isBeforeLast = video.currentTime < buffered.start(last);
    if (late > TOO_LATE || late < 0 || isBeforeLast) {
      video.currentTime = Math.max(buffered.start(last), buffered.end(last) - AIM);
      video.playbackRate = 1;
    } else {
      video.playbackRate = late > LATE ? 1.1 : late < AIM / 2 ? 0.95 : late < AIM ? 1 : video.playbackRate;
    }
    if (video.paused) video.play().catch(() => {});
  }

  #clear() {
    const { src } = this.#video;
    this.#video.removeAttribute("src");
    this.#video.load();
    if (src.startsWith("blob:")) URL.revokeObjectURL(src);
  }
}

/** Feeds pieces of a stream to a video element. */
class Feed {
  #video;
  #source = new Source();
  #buffer = null;
  #codecs;
  #opened;
  #end = 0;
  #idle = 0;

  constructor(video, codecs) {
    this.#video = video;
    this.#codecs = codecs;
    this.#opened = new Promise((done) => this.#source.addEventListener("sourceopen", done, { once: true }));
    // A ManagedMediaSource plays only where AirPlay is off.
    video.disableRemotePlayback = true;
    const old = video.src;
    video.src = URL.createObjectURL(this.#source);
    if (old.startsWith("blob:")) URL.revokeObjectURL(old);
  }

  async append({ start, bytes }) {
    await this.#opened;
    if (this.#source.readyState !== "open") throw new Error("closed");
    if (start) this.#change(codecsOf(bytes) || this.#codecs);
    if (!this.#buffer) return;
    await this.#settled(() => this.#buffer.appendBuffer(bytes));
    const { buffered } = this.#buffer;
    const end = buffered.length ? buffered.end(buffered.length - 1) : 0;
    this.#idle = end > this.#end ? 0 : this.#idle + 1;
    this.#end = end;
    if (this.#idle > MOST_IDLE) throw new Error("times go back");
    const old = this.#video.currentTime - KEEP_SECONDS;
    if (buffered.length && buffered.start(0) < old - KEEP_SECONDS) {
      await this.#settled(() => this.#buffer.remove(0, old));
    }
  }

  #change(codecs) {
    const type = `video/mp4; codecs="${codecs}"`;
    if (!this.#buffer) this.#buffer = this.#source.addSourceBuffer(type);
    // Media Source cannot add or remove a track: begin anew.
    else if (kinds(codecs) !== kinds(this.#codecs)) throw new Error("other tracks");
    else if (codecs !== this.#codecs) this.#buffer.changeType(type);
    this.#codecs = codecs;
  }

  #settled(work) {
    return new Promise((done, fail) => {
      this.#buffer.addEventListener("updateend", done, { once: true });
      this.#buffer.addEventListener("error", () => fail(new Error("not taken")), { once: true });
      work();
    });
  }
}

const kinds = (codecs) => codecs.replace(/\.[^,]*/g, "");
