// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// What the status means for a person. The box says it in codes (`presence`); here they become words. Pure functions of a
// status. One that the page makes up while the box does not answer has a `presence` of its own: see `withoutAnswer`.

import { clock, listed, sentences, t, timeOfDay } from "./words.js";

/** Words of a broadcast whose time is shown: the first server has it, or takes it. */
const TIMED = ["live", "unconfirmed", "paused", "private"];
/** Words beside which a mute, and a half that is off, are told: in a private pause they change nothing. */
const MUTED = ["going_live", "live", "unconfirmed", "connecting"];

/** Causes of a server that accepts the connection and does not take the stream. */
const ACCEPTED = new RegExp("^(refused|closed_after_start|handshake_failed|tls_expected|not_tls|certificate"
  + "|(timed_out|closed_by_server)_(tls|handshake|\\w+_reply))");

/**
 * Whether a server takes nothing any more that has taken the stream, with this address and key: nothing of these is known to
 * be wrong, nor the bit rate.
 */
export const isGone = ({ cause, has_worked: worked }) => cause === "timed_out_send"
  || worked && /^(connection_refused|(timed_out|closed_by_server)_(connect|tls|handshake|connect_reply))$/.test(cause);

/** The server that the lamp is about. */
const mainServer = (status) =>
  status.destinations.find((server) => server.name === "main") ?? status.destinations[0];

/**
 * How far a server is behind the camera in milliseconds, by the figures of a second as the box's own history has it;
 * undefined while the server does not take the stream.
 */
export function behind(server) {
  const age = server?.capture_to_acknowledged_ms ?? server?.capture_to_sent_ms;
  // When nothing arrives any more, the newest packet that has arrived tells nothing. What waits then grows older.
  return age === undefined ? undefined : Math.max(age, server.queue_ms ?? 0);
}

/** What a page knows that gets no answer: when it got the last one, and what that said. It claims nothing more. */
export const withoutAnswer = (status, at) => ({
  ...status, troubles: [], destinations: [], relays: [], delivered_seconds: undefined, watched: undefined,
  presence: { state: "no_answer", word: "no_answer", grade: "unknown", colour: "grey", audience: "unknown", relays: [],
    advice: "check_box" },
  last: { at, word: title(status) },
});

/**
 * The state in a few keys for texts: "grade", "colour" (of the lamp, or "muted"), "word", "sentence" (a key), and "ribbon" (a key of
 * what stands over the picture of a pause; null without one). "onAir": whether the box shows its picture by itself. "also": keys of texts
 * about what a person has silenced or switched off, where the sentence is about something else.
 */
export function reading(status) {
  const { state, word } = status.presence;
  // A trouble is told in red below: nothing above it may say that all is good.
  const grade = isQuiet(status) ? "silent"
    : status.presence.grade === "good" && status.troubles.length ? "trouble" : status.presence.grade;
  // The lamp is green then, but nobody hears the room, or sees it.
  const colour = /^(muted|silent|part_off)$/.test(grade) ? "muted" : status.presence.colour;
  const over = { pause_still: isSilent(status.audio) ? "monitor.still" : "monitor.still_heard", last_frame: "monitor.frozen",
    sound_only: "monitor.sound_only" }[status.video];
  // The box's word for it tells whether a person has to mend something; the sentence, whether a server was there at all.
  const isThere = status.troubles.some((one) => !one.subject.startsWith("relay ") && ACCEPTED.test(one.cause) && !isGone(one));
  const isMissed = state === "refused" || state === "not_on_air";
  return {
    grade, colour, word, state, sentence: isMissed ? (isThere ? "state.refused" : "state.not_on_air") : grade === "silent" ? "state.live_silent" : `state.${state}`,
    also: [isOff("video", status) && !/^live_(video|both)_off$/.test(state) && "state.and_video_off",
      isOff("audio", status) && !/^live_(audio|both)_off$/.test(state) && "state.and_audio_off",
      isMuted(status) && state !== "live_muted" && "state.and_muted"].filter(Boolean),
    onAir: status.intent.broadcast !== "off" && state !== "no_answer" || state === "ending",
    ribbon: state !== "no_answer" && over || null,
  };
}

/** The state in a word or two: "Live, muted". */
export function title(status) {
  const alone = t(`word.${status.presence.word}`);
  const word = isOff("video", status) ? t("word.and_video_off", { word: alone }) : alone;
  const heard = isOff("audio", status) || isQuiet(status) ? t("word.and_silent", { word }) : isMuted(status) ? t("word.and_muted", { word }) : word;
  const isPoor = status.presence.word === "live" && status.presence.grade === "poor";
  return isPoor ? t("word.and_poor", { word: heard }) : heard;
}

const isMuted = ({ intent, presence }) => intent.muted && MUTED.includes(presence.word);

/** Whether a person has switched a half off: "video" or "audio". */
const isOff = (half, { intent, presence }) => intent[`${half}_off`] && MUTED.includes(presence.word);

/** What viewers would see and hear of these sources with what a person has silenced or switched off: for `what`. */
export const left = ({ muted, video_off: isUnseen, audio_off: isUnheard }, video, audio) =>
  [isUnseen ? "video_off_still" : video, muted || isUnheard ? "silence" : audio];

/** Whether all is well and nothing is heard: a person has chosen silence, or no sound. */
const isQuiet = ({ presence, audio, capture }) => presence.state === "live"
  && (audio === "none" || audio === "silence" && capture.microphone === "good");

/** The time of the broadcast; "" where it has none to show. */
export const timeOf = (status, seconds) =>
  seconds !== null && TIMED.includes(status.presence.word) ? clock(seconds) : "";

const isSilent = (audio) => audio === "silence" || audio === "none";

/** What viewers see and hear, in words: "see the room and hear nothing". `hasMusic`: besides that. */
export function what(video, audio, hasMusic = false) {
  if (hasMusic) return t("view.with_music", { what: what(video, audio) });
  if (video === "camera" && audio === "microphone") return t("view.room");
  if (video === "file" && audio === "file") return t("view.file");
  return t("view.each", {
    sees: t(`seen.${video.endsWith("_still") ? "still" : video}`),
    hears: t(`heard.${isSilent(audio) ? "silence" : audio}`),
  });
}

/** Who sees what is switched on on the picture, by who gets the stream: a name of a text. */
const SHOWN = { all: "picture.on", relays: "picture.on_relays", perhaps: "picture.on_perhaps", soon: "picture.on_soon", nobody: "picture.on_nobody",
  none: "picture.on_off_air" };

/** Whether viewers see what is switched on on the picture, in words. `isOnStill`: whether it is on the stills, too. */
export function shownTo(status, isOnStill) {
  const { audience, relays } = status?.presence ?? {};
  const isMissing = /^(all|relays|perhaps|soon)$/.test(audience) && /_still$|^sound_only$/.test(status.video) && !isOnStill;
  return t(isMissing ? "picture.not_still" : SHOWN[audience] ?? "picture.filter_on", { relays: listed(relays ?? []) });
}

/** Whether the box is off the air and does not know where to send, or with which key. */
export const lacksServer = ({ intent, troubles }) => intent.broadcast === "off"
  && troubles.some(({ subject }) => subject === "destination");

/** What viewers see and hear; "" where the state tells enough. `hasLamp`: of the box. */
export function view(status, hasLamp) {
  const { audience, state, relays } = status.presence;
  if (audience === "unknown") {
    const { at, word } = status.last;
    return sentences([t("last.known", { time: timeOfDay(at), word }), status.intent.broadcast !== "off" && t("last.goes_on"),
      hasLamp && t("last.lamp")]);
  }
  if (audience === "none") return state === "ending" ? "" : t("view.none");
  const seen = audience === "nobody" ? t("view.nobody")
    : audience !== "soon" ? t(`view.${audience}`, { what: what(status.video, status.audio, status.music), relays: listed(relays) })
    : state === "pausing" && isSilent(status.audio) && status.video !== "last_frame" ? t("view.kept") : "";
  return sentences([seen, status.capture.camera === "released" && t("view.released")]);
}

/**
 * Who sees the room off air: a sentence; "" for nobody. The box names them in English. `video`, `audio`: the sources that
 * are open, as the status calls them. `isOwn`: this page shows them, or has until a moment ago.
 */
export function watching({ watched }, video, audio, isOwn) {
  if (!watched) return "";
  const [sees, hears] = [video === "camera", audio === "microphone"];
  // The box tells each viewer once.
  const isAlone = isOwn && !watched.by.includes(", ");
  if (isAlone && (isOwn === "before" || !sees && !hears)) return "";
  const who = isAlone ? t("watched.own") : watched.by.replace(/\bthe (page|token|command)( line)?\b/g, (_, kind) => t(`watched.${kind}`));
  return t(`watched.open_${sees && hears ? "both" : sees ? "camera" : hears ? "microphone" : "other"}`, { who, time: timeOfDay(watched.since) });
}

/** What a person can do now: a sentence; "" for nothing, and where a trouble tells it. `isLong`: it has been so for long; `isOwn`: the first server is of no platform. */
export function advice({ presence }, isLong, isOwn) {
  if (!presence.advice || presence.advice === "see_below") return "";
  return isOwn && presence.advice === "look_at_platform" ? t("advice.ask_owner") : t(presence.advice === "wait" && isLong ? "advice.wait_long" : `advice.${presence.advice}`);
}

/** Events of a server that has been lost. */
const LOST = ["connect_failed", "send_timed_out", "refused", "replaced", "ended_by_server"];

/**
 * What the last new connection to the first server means: its event, a key, and the length of the outage; undefined if it is
 * no more than what a person wanted. One after a change of address or key is no return of the old one.
 */
export function renewal(events) {
  const at = events.findLastIndex(({ code }) => code === "started" || code === "reconnect_succeeded");
  const event = events[at];
  if (event?.code !== "reconnect_succeeded" || !event.elapsed_ms) return undefined;
  const before = events.findLastIndex(({ code }, i) => i < at - 1 && /^(started|publishing|delivered|reconnect_succeeded)$/.test(code));
  const since = events.slice(before + 1, at);
  const changed = since.filter(({ code }) => code === "settings_changed").map(({ sentence }) => sentence).join();
  const key = /publish\.(backup_)?url/.test(changed) ? "live.new_address" : /publish\.key/.test(changed) ? "live.new_key"
    : since.some(({ code }) => LOST.includes(code)) ? "live.after" : null;
  return key && { event, key, seconds: Math.max(1, Math.round(event.elapsed_ms / 1000)) };
}

/** Whether an update of the system is under way, by the events since the start. */
export const isUpdating = (events) => events.findLast(({ code }) => /^updat/.test(code))?.code === "updating";

/** Whether the first server has the stream: a key, and values for it. The age is of the figures, which come each second. */
export function delivery(status, figures) {
  const server = mainServer(status);
  if (status.intent.broadcast === "off" || !server) return null;
  const values = { server: server.server.replace(/ port \d+$/, "") };
  if (server.state === "delivering") {
    const age = behind(figures?.destinations.find((one) => one.name === server.name)) ?? server.delivered_ms_ago;
    if (age === undefined) return { sign: "good", key: "delivery.has", values };
    const seconds = Math.round(age / 1000);
    // In a pause nothing comes from the room.
    if (status.intent.broadcast === "paused") return { sign: "good", key: "delivery.has", values };
    if (seconds < 1) return { sign: "good", key: "delivery.has_now", values };
    return { sign: "good", key: "delivery.has_age", values: { ...values, seconds } };
  }
  const key = { publishing: "takes", connected: "connected", connecting: "connecting", stopped: "stopped" };
  const sign = server.state === "waiting" || server.state === "stopped" ? "bad" : "wait";
  return { sign, key: `delivery.${key[server.state] ?? "waiting"}`, values };
}

/** A line for each server: "sign" ("good", "wait", "bad" or "off"), a key, and values for it. `name`: of the first server. */
export function servers(status, figures, name) {
  const first = delivery(status, figures);
  if (!first) return [];
  const relays = status.relays.filter((relay) => relay.paused || relay.state !== "idle").map((relay) => {
    const [sign, key] =
      relay.paused ? ["off", "paused"] : relay.state === "connecting" ? ["wait", "connecting"]
      : relay.gets === "nothing" ? ["bad", "held"] : relay.state !== "running" ? ["bad", "stopped"]
      : relay.gets === "keyframes" ? ["wait", "part"] : ["good", "has"];
    return { sign, key: `delivery.${key}`, values: { server: relay.name } };
  });
  return [{ ...first, values: { ...first.values, server: name(first.values.server) } }, ...relays];
}
