// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Whether `host` is reserved for examples by RFC 2606, so that no server can have it.
func isExample(_ host: String) -> Bool {
  let labels = host.lowercased().split(separator: ".")
  if let last = labels.last, last == "example" || last == "invalid" { return true }
  return labels.count >= 2 && labels[labels.count - 2] == "example"
    && ["com", "net", "org"].contains(labels[labels.count - 1])
}
