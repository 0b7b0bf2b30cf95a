// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// What the status means for a person: pure functions of a Status.

/** The grade of each lamp pattern. */
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

/**
 * The state in a few keys for texts: "grade", "colour" (of the lamp), "word" (one word), "sentence" (a key), and
 * "delivery" (whether the server has it).
 */
export function reading(status) {
  const { broadcast } = status.intent;
  const lamp = status.lamp;
  const paused = broadcast === "paused";
  const grade = broadcast === "off" ? "off" : (GRADES[lamp] ?? "weak");
  const colour = COLOURS[lamp] ?? "white";
  let sentence = `state.${lamp}`;
  if (broadcast === "off") sentence = lamp === "fault" ? "state.off_fault" : "state.off_air";
  else if (lamp === "off_air") sentence = "state.starting";
  else if (paused && lamp !== "paused") sentence = `state.paused_${grade === "poor" ? "poor" : "weak"}`;
  else if (lamp === "live" && status.intent.muted) sentence = "state.live_muted";
  else if (lamp === "weak" && status.video === "poor_network_still") sentence = "state.weak_still";
  return { grade, colour, sentence, word: broadcast === "off" ? "off" : paused ? "private" : "live" };
}

/** Whether the server has the stream: a key, and values for it. */
export function delivery(status) {
  const server = mainServer(status);
  if (status.intent.broadcast === "off" || !server) return null;
  const values = { server: server.server.replace(/:\d+$/, "") };
  if (server.state === "delivering") {
    const age = server.delivered_ms_ago;
    if (age === undefined) return { good: true, key: "delivery.has", values };
    return { good: true, key: "delivery.has_age", values: { ...values, seconds: Math.max(1, Math.round(age / 1000)) } };
  }
  const key = { publishing: "takes", connected: "connected", connecting: "connecting", stopped: "stopped" };
  return { good: false, key: `delivery.${key[server.state] ?? "waiting"}`, values };
}
