// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The quality of the network link to the servers, judged by the video that it can carry.
public enum LinkQuality: String, Sendable, CaseIterable {
  /// The link carries the stream at or near its full bit rate.
  case good
  /// The link carries the stream only at a reduced bit rate, or packets are dropped.
  case weak
  /// The link cannot carry live video even at the lowest bit rate.
  case poor
}
