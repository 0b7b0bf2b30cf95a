// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What the network path to the servers carries.
public enum LinkQuality: String, Sendable, CaseIterable {
  case good
  /// It carries the stream at a reduced quality.
  case weak
  /// It cannot carry live video.
  case poor
}
