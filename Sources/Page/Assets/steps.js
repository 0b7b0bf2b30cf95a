// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The steps of the first set-up.

import { h } from "./dom.js";
import { t } from "./words.js";

/**
 * All steps. `now`: the name of the present one; `hasNetwork`: whether joining a network is one of them; `skipped`: those
 * before the present one that are not done.
 */
export function steps(now, hasNetwork = false, skipped = []) {
  const names = ["password", ...(hasNetwork ? ["network"] : []), "platform", "key", "check"];
  return h("ol", { class: "steps", "aria-label": t("guide.steps") }, names.map((name, i) =>
    h("li", { "aria-current": name === now && "step", class: i < names.indexOf(now) && !skipped.includes(name) ? "done" : "" },
      h("span", null, t(`guide.${name}`)))));
}
