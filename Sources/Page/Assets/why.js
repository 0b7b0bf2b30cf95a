// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Why the box refuses something, in the page's own words. What it has no words for is said as the box says it.

import { box } from "./box.js";
import { isSmallest } from "./missed.js";
import { setting } from "./settings.js";
import { isGone } from "./state.js";
import { joint, number, sentences, t, tryWord } from "./words.js";

/** Whether the server of an address is of no platform. The list of platforms tells it, once it is loaded. */
export const known = { isOwn: () => false };

/** Whether the settings have the smallest picture. */
const isLeast = () => isSmallest({ size: setting("video.size")?.value, fps: setting("video.fps")?.value });

/**
 * The box's own sentence, with the page's names for settings and their choices: “Server address” for publish.url. What is no setting
 * there keeps its name: a credential, and what is to be written into a file.
 */
export const plain = (sentence) => sentence?.replace(/smaller video\.size( or a lower video\.fps)?/g, (settings) =>
  (isLeast() ? settings : `smaller picture under “${t("setup.quality")}”`)).replace(/(?<!credential |凭据 )\b([a-z]+\.[a-z_]+)\b(?! = )( "(\w+)")?/g, (all, key, rest, value) => {
  const name = tryWord(`set.${key}`, null);
  return name ? `“${name}”${rest ? ` “${tryWord(`choice.${key}.${value}`, value)}”` : ""}` : all;
});

/** The box's own sentence of an event. It sends everybody to the service's own page: a server of no platform has none. */
export const asking = ({ sentence, destination }) => (!known.isOwn(addressOfServer(destination)) ? sentence
  : sentence.replace(/(see |that the broadcast is open on )?the service's own page(, or ask the operator of the server)?/, (_, verb) =>
    `ask whoever runs the server${/^that/.test(verb) ? " whether it expects a broadcast" : ""}`));

/** The address of the first server ("main") or of a relay, by its name. */
const addressOfServer = (name) => setting(!name || name === "main" ? "publish.url" : `relay.${name}.url`)?.value;

/** Causes with the same words. */
const SAME = { closed_by_server_connect: "closed_by_server_handshake", not_saved: "state_not_saved" };

/** Settings with the same rule as another one. */
const ALIKE = [
  [/^panel\.(second_button|lamp|lamp_red|lamp_green|lamp_blue|buzzer)$/, "panel.button"],
  [/^guests\.listen$/, "playout.listen"],
  [/_(image|file)$|^state\.directory$/, "pause.image"],
];

/** What a setting is called. */
export function labelOf(key) {
  const name = key.split(".").at(-1);
  return tryWord(`set.${key}`, tryWord(`${key.startsWith("track.") ? "set.audio" : "layer"}.${name}`, name.replaceAll("_", " ")));
}

/** What a value of a setting has to be; null if only the box has words for it. */
export function rule({ key, type, choices, minimum, maximum }) {
  const own = tryWord(`rule.${ALIKE.find(([keys]) => keys.test(key))?.[1] ?? key}`, null);
  if (own) return own;
  if (choices.length) return t("problem.choice");
  if (minimum === null || !/integer|number/.test(type)) return null;
  return t(type === "integer" ? "problem.whole" : "problem.number", { low: number(minimum), high: number(maximum) });
}

/** One mistake of a change. */
export function problemText({ key, code, other, sentence }, isOwn) {
  // Who has a server of their own has no platform's page to copy an address from.
  const [, own] = isOwn && /^address_(scheme|path|example|missing)$/.exec(code) || [];
  if (own) return t(/scheme|path/.test(own) ? `problem.own_${own}` : "problem.own_address");
  const found = key && setting(key);
  if (code === "not_allowed") return (found && rule(found)) || sentence;
  // What kind of file it is, only the box knows.
  if (code === "unfit_file") return `${t("problem.unfit_file")} (${sentence})`;
  return tryWord(`problem.${code}`, null) ? t(`problem.${code}`, { other: other && nameOfOther(other) }) : sentence;
}

/** Another setting, or a server that the stream goes to already. */
function nameOfOther(key) {
  const [section, name, field] = key.split(".");
  if (section === "relay" && !field) return name;
  return /^publish\.(backup_)?url$/.test(key) ? t("setup.platform") : labelOf(key);
}

/** Why a request was refused. */
export function why(refusal) {
  if (refusal.status === 0) return t("banner.lost_short");
  if (refusal.problems?.length) {
    return sentences(refusal.problems.map((one) => joint([one.key && labelOf(one.key), problemText(one)])));
  }
  const own = tryWord(`refused.${refusal.code}`, null);
  return own ? t(`refused.${refusal.code}`, { seconds: refusal.retryAfter }) : refusal.message || t("error.other");
}

/**
 * Shows each mistake at its field, and says the rest in one text. `fields`: by the last part of the setting's name, as
 * "url". The first field with a mistake gets the focus. `isOwn`: the server is of no platform.
 */
export function blame(refusal, fields, isOwn) {
  const rest = [];
  for (const field of Object.values(fields)) field.problem("");
  for (const one of refusal.problems ?? []) {
    const field = fields[one.key?.split(".").at(-1)];
    if (field) field.problem(problemText(one, isOwn));
    else rest.push(problemText(one));
  }
  document.querySelector("[aria-invalid=true]")?.focus();
  return refusal.problems?.length ? sentences(rest) : why(refusal);
}

/** A trouble or an event in the page's words, if it has some for its cause. `server`: what its server is called. */
export function causeText(one, server) {
  const { subject = "" } = one;
  const cause = SAME[one.cause] ?? one.cause;
  const [, track, source] = /^track\.([^.]+)(\.source)?$/.exec(subject) ?? [];
  const half = source ? "audio" : subject;
  const isSource = half === "video" || half === "audio";
  const kind = isSource && /^\w*/.exec(setting(source ? subject : `${subject}.source`)?.value)[0];
  // A file or a pipe has the same causes as a device, which mean something else.
  if (!cause || isSource && !/^(camera|microphone)$/.test(kind)) {
    return /^(lost|stalled)$/.test(cause) ? tryWord(`cause.${kind}_lost`, null) : null;
  }
  if (cause === "no_inputs") return t("trouble.no_inputs");
  // A station has the same causes as a server that the stream goes to, which mean something else.
  if (subject === "music") return tryWord(`event.music_${cause}`, null);
  const relay = /^relay (.*)/.exec(subject)?.[1];
  const url = addressOfServer(relay);
  const ask = t(known.isOwn(url) ? "trouble.ask_own" : "trouble.ask_platform");
  if (isGone(one)) {
    return t(cause === "connection_refused" ? "trouble.stopped" : "trouble.worked", { server: server ?? hostOf(subject), ask });
  }
  // What helps a relay is not what helps all viewers.
  const relays = subject.startsWith("relay ") && `cause.relay_${cause}`;
  const key = relays && tryWord(relays, null) ? relays : `cause.${isSource ? `${half}_` : ""}${cause}`;
  const text = tryWord(key, "");
  // An event may be of an address that has been mended since: the box has kept what it was.
  if (one.number && text.includes("{path}")) return null;
  // The port is told once.
  const name = text.includes("{port}") ? (server ?? hostOf(subject)).replace(/:\d+$/, "") : server ?? placeIn(subject);
  // A person who has chosen another preset has to take that back as well.
  const speed = setting("video.speed")?.value;
  const preset = !speed || speed === "auto" ? "" : t("trouble.preset");
  if (/^too_slow/.test(cause) && (one.code === "frame_budget_missed" ? isSmallest(one) : isLeast())) return sentences([t("event.ended_box"), preset]);
  return text ? joint([track !== "main" && track, t(key, { server: name, ask, preset, ...addressOf(subject) }).trim()]) : null;
}

/** Port and application of a server, as its address has them: "1935" and "/live". */
function addressOf(subject) {
  const relay = /^relay (.*)/.exec(subject)?.[1];
  const url = relay ? setting(`relay.${relay}.url`)?.value
    : box.status?.destinations?.find(({ name }) => name === "main")?.url ?? setting("publish.url")?.value;
  const [, tls, port, path] = /^rtmp(s?):\/\/(?:\[[^\]]*\]|[^/:?]*)(?::(\d+))?([^?]*)/i.exec(url ?? "") ?? [];
  return { port: / port (\d+)$/.exec(subject)?.[1] ?? port ?? (tls ? 443 : 1935), path: path?.replace(/\/\*\*\*$|\/$/, "") || "/" };
}

/** "live.example.org" of "live.example.org port 1935". */
export const hostOf = (subject = "") => subject.replace(/^relay | port \d+$/g, "");

/** The same with its port, where that is not the usual one: "live.example.org:1936". */
export function placeIn(subject = "") {
  const [, host, port] = /^(?!relay )(.*) port (\d+)$/.exec(subject) ?? [];
  const isUsual = !port || port === (/^rtmps:/i.test(setting("publish.url")?.value) ? "443" : "1935");
  return isUsual ? hostOf(subject) : `${/:/.test(host) && !host.startsWith("[") ? `[${host}]` : host}:${port}`;
}

/** Troubles with one in place of two where there is neither camera nor microphone. */
export function joined(troubles) {
  const none = troubles.filter(({ subject, cause }) => /^(video|audio)$/.test(subject) && cause === "missing");
  if (none.length < 2 || none.some((one) => !causeText(one))) return troubles;
  const one = { ...none.find(({ subject }) => subject === "video"), cause: "no_inputs" };
  return [one, ...troubles.filter((other) => !none.includes(other))];
}

/** What is wrong with the camera, or else with the microphone, for a picture that stays black and a bar that does not move. */
export function missingText(status) {
  const troubles = joined(status.troubles);
  const one = troubles.find(({ subject }) => subject === "video") ?? troubles.find(({ subject }) => subject === "audio");
  return one ? causeText(one) ?? one.sentence : "";
}

/** "Saved", and when it counts: `changes` as the box answers. */
export function savedText(changes = []) {
  const counting = changes.filter((one) => one.counts !== "overridden");
  if (changes.length && !counting.length) return sentences([t("form.saved"), t("problem.overridden")]);
  const effect = ["next_start", "next_broadcast"].find((late) => counting.some((one) => one.counts === late)) ?? "immediate";
  return sentences([t("form.saved"), t(`saved.${effect}`)]);
}
