// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// What the box says, for all views: one stream of server-sent events, shared.

import { get, post, Refusal } from "./api.js";
import { confirm } from "./network.js";
import { withoutAnswer } from "./state.js";

const CODES = [
  "started", "live", "ended", "paused", "resumed", "muted", "unmuted", "video_off", "video_on", "audio_off",
  "audio_on", "restarted", "settings_undone", "outage_long",
  "reconnect_failing", "device_lost", "device_back", "device_forbidden",
  "device_busy", "file_outdated", "file_current", "connecting", "connected", "publishing", "delivered", "network_poor", "network_recovered",
  "connect_failed", "send_timed_out", "refused", "replaced", "ended_by_server", "reconnect_asked", "reconnect_started",
  "reconnect_succeeded", "url_expiring", "url_expired", "settings_changed", "frame_budget_missed", "frame_budget_met",
  "encoder_failed",
  "settings_unfit", "settings_fit",
  "still_unusable", "overlay_unusable", "filter_off", "state_not_saved", "disk_full", "disk_freed", "button_stuck", "button_released",
  "page_unavailable", "page_back", "playout_unavailable", "playout_back", "playout_started", "playout_ended",
  "too_hot", "heat_gone", "power_weak", "power_good", "picture_reduced", "picture_restored",
  "network_up", "network_down", "network_way", "wifi_failed", "hotspot_started", "hotspot_ended",
  "network_change_undone", "watching_started", "watching_ended", "media_changed", "music_started",
  "music_paused", "music_resumed", "music_stopped", "music_completed", "music_failed", "audio_alarm",
  "audio_alarm_over", "wifi_joined",
  "record_started", "record_stopped", "record_marked", "record_failed", "record_back", "record_gap",
  "record_room_low", "record_room_back", "record_as_sent", "record_as_programme", "recordings_removed", "record_mended", "recordings_changed", "record_after_failed",
  "stick_ready", "stick_unusable", "stick_slow", "stick_removable", "stick_gone",
  "schedule_begun", "schedule_ends", "schedule_ended", "schedule_stopped", "schedule_extended", "schedule_skipped",
  "schedule_missed", "schedule_failed", "schedule_test_failed", "schedule_imported", "forgotten_soon", "forgotten",
  "calendar_failed",
  "updating", "updated", "update_failed", "relay_connecting", "relay_running", "relay_failed", "relay_stopped",
  "guest_waiting", "guest_online", "guest_tracks", "guest_offline", "guest_admitted", "guest_removed", "guest_failed", "guest_back",
  "layout_changed",
];
/** Figures come each second. What is older than this is not known any more. */
const OLD_MS = 3_000;
/** A stream that is quiet for longer than this is dead. */
const SILENCE_MS = 6_000;
/** Between two attempts to open the stream: in between the page would not know whether the box answers. */
const MOST_DELAY_MS = 2_000;
const TICK_MS = 500;
/** Two statuses of one broadcast tell its beginning this exactly. */
const BEGINNING_MS = 1_500;
const KEPT_EVENTS = 300;
const NEW_MS = 15_000;
/** A command has shown its effect after so long. */
const EFFECT_MS = 1_500;
/** Who taps these counts on them: they are given again until the box answers. */
const PRIVATE = ["pause", "mute", "video_off", "audio_off"];

/** Whether a command is carried out however late. */
export const isKept = (name) => PRIVATE.includes(name);

class Box extends EventTarget {
  /** The last status; while the box does not answer one that says so. */
  status = null;
  figures = null;
  /** The newest last. */
  events = [];
  /** "good", "lost" (no answer) or "busy" (too many pages listen). */
  link = "good";
  #source = null;
  /** When the stream was opened, or told something. */
  #heard = 0;
  /** When the box has answered last, for the clock of the page and of the day. */
  #answered = 0;
  #answeredAt = null;
  /** How far the box's time of day is ahead of the page's clock; null while no figures tell it. */
  #ahead = null;
  #received = 0;
  /** When the broadcast began; null off air. */
  #began = null;
  /** How many statuses have come. */
  #told = 0;
  #delay = 500;
  #timer = null;
  /** Commands that the box has not answered, and will be given again. */
  #owed = new Set();

  /** Calls `call` with each value of `name` until `life` is aborted. */
  on(name, call, life) {
    this.addEventListener(name, (event) => call(event.detail), { signal: life });
  }

  /** Begins to listen. */
  open() {
    if (this.#source) return;
    const after = this.events.at(-1)?.number ?? 0;
    const source = new EventSource(`/api/events?with=figures,levels,status,music&after=${after}`);
    this.#source = source;
    this.#heard = performance.now();
    const on = (name, take) =>
      source.addEventListener(name, (event) => {
        this.#heard = performance.now();
        this.#delay = 500;
        this.#note();
        take(JSON.parse(event.data));
        // A status comes only when it changes.
        if (this.link !== "good") this.refresh();
      });
    on("figures", (value) => {
      this.#ahead = Date.parse(value.time) - performance.now();
      this.#tell("figures", (this.figures = value));
    });
    for (const name of ["levels", "music"]) on(name, (value) => this.#tell(name, value));
    on("status", (value) => this.take(value));
    for (const code of CODES) on(code, (value) => this.#keep(value));
    source.onopen = () => {
      this.#heard = performance.now();
      if (this.link === "busy") this.#connected("good");
      this.refresh();
    };
    source.onerror = () => this.#again();
    this.#timer ??= setInterval(() => this.#look(), TICK_MS);
  }

  #look() {
    const now = performance.now();
    if (this.status && now - this.#answered > OLD_MS) this.#connected("lost");
    if (now - this.#heard > SILENCE_MS && !document.hidden) this.#again();
    this.#tell("tick");
  }

  /** The box has just answered. */
  #note() {
    this.#answered = performance.now();
    this.#answeredAt = new Date();
  }

  /** Stops listening. */
  close() {
    this.#source?.close();
    this.#source = null;
    clearInterval(this.#timer);
    this.#timer = null;
    this.#owed.clear();
    this.status = this.figures = this.#began = this.#ahead = null;
    this.events = [];
    this.#connected("good");
  }

  /** Asks for the status. Returns whether it has come. */
  async refresh() {
    try {
      await this.#answer(get("/api/status"), (status) => status);
      return true;
    } catch (refusal) {
      if (refusal.status === 0) this.#connected("lost");
      return false;
    }
  }

  /**
   * Gives a command. Returns the box's answer, or throws a Refusal. One that reaches the box late is not carried out; but
   * those of PRIVATE are, and wait for the box's answer, until another command comes after them.
   */
  async command(name, body) {
    if (isKept(name)) this.#owed.add(name);
    else this.#owed.clear();
    let reply;
    for (;;) {
      const headers = this.#ahead === null ? {} : { "X-OnAir-Seen": Math.round(this.#answered + this.#ahead) };
      try {
        reply = await this.#answer(post(`/api/${name}`, body, headers), (reply) => reply?.status);
        break;
      } catch (refusal) {
        if (refusal.status !== 0) this.#owed.delete(name);
        if (!this.#owed.has(name)) throw refusal;
        this.#connected("lost");
      }
      while (this.link === "lost" && this.#owed.has(name)) await new Promise((done) => setTimeout(done, TICK_MS));
      if (!this.#owed.has(name)) throw new Refusal(0);
    }
    this.#owed.delete(name);
    // Its effect may have come and gone between two events.
    setTimeout(() => this.#timer && this.refresh(), EFFECT_MS);
    return reply;
  }

  /** Whether one of PRIVATE still waits for the box. */
  get owes() {
    return this.#owed.size > 0;
  }

  /** Takes the status of an answer, unless a newer one has come meanwhile. */
  async #answer(answer, statusOf) {
    const told = this.#told;
    const reply = await answer;
    const status = statusOf(reply);
    if (status) this.#note();
    if (status && told === this.#told) this.take(status);
    return reply;
  }

  /** Takes a status. */
  take(status) {
    this.#told++;
    this.#received = performance.now();
    this.#begin(status.delivered_seconds);
    this.status = status;
    // Too many pages may still listen.
    if (this.link === "lost") this.#connected("good");
    this.#tell("status", status);
  }

  /** Whole seconds of a broadcast tell its beginning not later than it was. */
  #begin(seconds) {
    if (seconds === undefined) return void (this.#began = null);
    const began = this.#received - seconds * 1000;
    const isSame = this.#began !== null && Math.abs(began - this.#began) < BEGINNING_MS;
    this.#began = isSame ? Math.min(began, this.#began) : began;
  }

  /** Seconds since the last status has come. */
  sinceStatus() {
    return (performance.now() - this.#received) / 1000;
  }

  /** Seconds since the first server first had the broadcast; null before, off air, and while the box does not answer. */
  elapsed() {
    return this.#began === null || this.link === "lost" ? null : (performance.now() - this.#began) / 1000;
  }

  /** Whether an event has just happened, by the box's own clock; others are those that it remembers. */
  isNew(event, within = NEW_MS) {
    return this.figures !== null && Date.parse(this.figures.time) - Date.parse(event.time) < within;
  }

  /** Opens the stream anew, after longer and longer waits. */
  #again() {
    if (!this.#source) return;
    this.#source.close();
    this.#source = null;
    this.#heard = performance.now();
    const delay = this.#delay;
    this.#delay = Math.min(delay * 2, MOST_DELAY_MS);
    setTimeout(async () => {
      if (!this.#timer) return;
      try {
        const session = await get("/api/session");
        confirm(session.network_change);
        if (!session.logged_in) return this.#tell("session", session);
        // Without the stream the page asks for itself.
        const answers = await this.refresh();
        if (answers && delay >= MOST_DELAY_MS) this.#connected("busy");
      } catch {
        this.#connected("lost");
      }
      if (this.#timer) this.open();
    }, delay);
  }

  #connected(link) {
    if (link === this.link || link === "lost" && !this.status && !this.#timer) return;
    this.link = link;
    document.body.dataset.link = link;
    if (link === "busy") this.#ahead = null;
    if (link === "lost" && this.status) {
      this.status = withoutAnswer(this.status, this.#answeredAt ?? new Date());
      this.figures = null;
      this.#tell("status", this.status);
    }
    this.#tell("link", link);
  }

  #keep(event) {
    // The number starts anew only if the box has forgotten its events.
    if (this.events.some((kept) => kept.number === event.number)) return;
    this.events.push(event);
    if (this.events.length > KEPT_EVENTS) this.events.shift();
    this.#tell("event", event);
  }

  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

export const box = new Box();
