// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// What the status means for a person: pure functions of a Status.

/** The grade of each lamp pattern. A pause in which viewers hear the room is not "private". */
const GRADES = {
  off_air: "off", starting: "starting", live: "good", unconfirmed: "weak", weak: "weak", paused: "private",
  reconnecting: "poor", no_camera: "poor", fault: "poor",
};
/** The colour of each lamp pattern, as that of a lamp of the box. Green and blue mean nothing else. */
const COLOURS = {
  off_air: "white", starting: "yellow", live: "green", unconfirmed: "yellow", weak: "yellow", paused: "blue",
  reconnecting: "red", no_camera: "red", fault: "red",
};

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

/** Whether viewers hear anything. */
const isHeard = (status) => status.audio !== "silence" && status.audio !== "none";

/**
 * The state in a few keys for texts: "grade", "colour" (of the lamp), "word" (one word), "sentence" (a key), and
 * "ribbon" (a key of what stands over the pause still; null if viewers do not see it).
 */
export function reading(status) {
  const { broadcast } = status.intent;
  const lamp = status.lamp;
  const paused = broadcast === "paused";
  const heard = isHeard(status);
  const pause = heard ? "paused" : "private";
  let grade = broadcast === "off" ? "off" : (GRADES[lamp] ?? "weak");
  if (grade === "private") grade = pause;
  const colour = COLOURS[lamp] ?? "white";
  let sentence = `state.${lamp}`;
  if (broadcast === "off") sentence = lamp === "fault" ? "state.off_fault" : "state.off_air";
  else if (lamp === "off_air") sentence = "state.starting";
  else if (paused) {
    sentence = heard ? "state.heard" : "state.paused";
    if (lamp !== "paused") sentence += grade === "poor" ? "_poor" : "_weak";
  } else if (lamp === "live" && !heard) sentence = "state.live_muted";
  else if (lamp === "weak" && status.video === "poor_network_still") sentence = "state.weak_still";
  return {
    grade, colour, sentence, word: broadcast === "off" ? "off" : paused ? pause : "live",
    ribbon: status.video !== "pause_still" ? null : heard ? "monitor.still_heard" : "monitor.still",
  };
}

/** Whether the server has the stream: a key, and values for it. The age is of the figures, which come each second. */
export function delivery(status, figures) {
  const server = mainServer(status);
  if (status.intent.broadcast === "off" || !server) return null;
  const values = { server: server.server.replace(/ port \d+$/, "") };
  if (server.state === "delivering") {
    const age = behind(figures?.destinations.find((one) => one.name === server.name)) ?? server.delivered_ms_ago;
    if (age === undefined) return { good: true, key: "delivery.has", values };
    return { good: true, key: "delivery.has_age", values: { ...values, seconds: Math.max(1, Math.round(age / 1000)) } };
  }
  const key = { publishing: "takes", connected: "connected", connecting: "connecting", stopped: "stopped" };
  return { good: false, key: `delivery.${key[server.state] ?? "waiting"}`, values };
}
