// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// What is wrong: what the state is about comes first, and each with the key that leads to where it is mended.

import { box } from "./box.js";
import { h, icon, repaint, say } from "./dom.js";
import { isGone } from "./state.js";
import { change, setting } from "./settings.js";
import { causeText, hostOf, joined, placeIn, plain, why } from "./why.js";
import { number, sentences, t, timeOfDay } from "./words.js";

/** Causes that are mended in a part of the Set-up. */
const PLACES = [
  ["platform", new RegExp("^(name_not_found|no_destination|connection_refused|url_expir(ing|ed)|handshake_failed|tls_expected"
    + "|not_tls|refused\\w*|closed_after_start|(timed_out|closed_by_server)_(connect|tls|handshake|\\w+_reply))$")],
  ["network", /^(no_route|no_connection|name_server_unreachable|timed_out_resolve|link_box)$/],
  ["quality", /^(link_too_slow|too_slow\w*|encoder_failed)$/],
  ["stills", /^still_unusable$/],
];

/** Subjects that states are about; other states are about the first server. */
const ABOUT = {
  no_camera: /^video$/, no_inputs: /^(video|audio)$/, no_microphone: /^audio$/, relay_fails: /^relay /, audio_alarm: /^track\./,
  off_air: /^(video|audio)$/,
};
export const FIRST_SERVER = /^(?!relay ).* port \d+$|^destination$/;

/** What is wrong with address or key of the first server, in words; "" for nothing. */
export function complaint(status) {
  const one = status?.troubles.find(({ subject }) => FIRST_SERVER.test(subject));
  return one && placeOf(one) === "platform" ? causeText(one, placeIn(one.subject)) ?? plain(one.sentence) : "";
}

/** The part of the Set-up where a trouble is mended; undefined if it is somewhere else. */
export function placeOf(one) {
  const { subject, cause } = one;
  if (subject.startsWith("relay ")) return "relays";
  if (/^(overlay|filter)\b/.test(subject)) return "picture";
  if (/^(track|music)\b/.test(subject)) return "sound";
  if (isGone(one)) return undefined;
  return PLACES.find(([, causes]) => causes.test(cause))?.[0] ?? (/^(video|audio)$/.test(subject) ? "sources" : undefined);
}

/** Troubles in two parts: what a state is about, and the others. */
function parted(state, troubles) {
  // A picture that is reduced since the machine is too slow has the same words as its overload.
  const all = joined(troubles).filter(({ subject, cause }, i, every) =>
    subject !== "processor" || !every.some((one) => one.subject === "overload" && one.cause === cause));
  const about = ABOUT[state] ?? FIRST_SERVER;
  const meant = all.filter(({ subject }) => about.test(subject));
  const first = !meant.length ? all.slice(0, 1) : about === FIRST_SERVER ? meant.slice(0, 1) : meant;
  return [first, all.filter((one) => !first.includes(one))];
}

/** Why the state is as it is, in a sentence or two; "" for no reason. */
export const reasonOf = ({ presence, troubles }) => sentences(parted(presence.state, troubles)[0]
  .map((one) => causeText(one, placeIn(one.subject)) ?? plain(one.sentence)));

/** Two lists: what the state is about, and the others. `nameOf`: what a server is called. */
export function reasons(page, nameOf) {
  const lists = [h("ul", { class: "troubles" }), h("ul", { class: "troubles" })];
  let shown = [];

  function line(one, text, places) {
    const place = page.session.scope === "operate" ? undefined : placeOf(one);
    const isNew = place && !places.has(place);
    places.add(place);
    const lacksMicrophone = place === "sources" && (one.cause === "no_inputs" || one.subject === "audio" && one.cause === "missing");
    const problem = h("p", { class: "problem", role: "alert" });
    const isView = /^(picture|sound)$/.test(place);
    const silence = lacksMicrophone && setting("audio.source")?.value !== "silence" && h("button", { class: "button", onclick: () =>
      change({ "audio.source": "silence" }).catch((refusal) => say(problem, why(refusal))) }, t("trouble.silence"));
    return h("li", null, h("p", { lang: text ? undefined : "en" }, text ?? plain(one.sentence)),
      one.since && h("small", null, t("trouble.since", { time: timeOfDay(one.since) }), " ", h("span", { class: "retry" })),
      isNew && h("button", { class: "button", onclick: () => (isView ? page.go(place) : page.go("setup", place)) }, icon(isView ? place : "setup"),
        t(place === "platform" ? "trouble.mend" : isView ? `nav.${place}` : `setup.${place}`)),
      silence, silence && problem);
  }

  /** With its port, if that may be what is wrong. */
  function named(subject) {
    const [host, place] = [hostOf(subject), placeIn(subject)];
    return host === place ? nameOf(host) : place;
  }

  /** The time until each next attempt. */
  function tick() {
    const waiting = shown.filter((one) => one.since);
    lists.flatMap((list) => [...list.querySelectorAll(".retry")]).forEach((retry, i) => {
      const seconds = Math.ceil(waiting[i].retry_in_seconds - box.sinceStatus());
      say(retry, seconds > 0 ? t("trouble.retry", { seconds: number(seconds) }) : "");
    });
  }

  return {
    lists,
    tick,
    /** Shows these troubles of a state. */
    update(state, troubles) {
      const parts = parted(state, troubles);
      shown = parts.flat();
      // One key leads to each place.
      const places = new Set();
      parts.forEach((some, i) => {
        const texts = some.map((one) => causeText(one, named(one.subject)));
        const shows = some.map(({ subject, cause, since, sentence }) => [subject, cause, since, sentence]);
        repaint(lists[i], [texts, shows, [...places]], some.map((one, n) => line(one, texts[n], places)));
        lists[i].hidden = !some.length;
      });
      tick();
    },
  };
}
