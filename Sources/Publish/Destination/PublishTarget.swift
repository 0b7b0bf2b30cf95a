// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A server and the stream on it: one case for each streaming protocol. The description never contains the stream key.
public enum PublishTarget: Sendable, Hashable, CustomStringConvertible {
  case rtmp(RTMPTarget)

  /// The server's name, or its IP address without brackets.
  public var host: String {
    switch self {
    case .rtmp(let target): target.host
    }
  }

  /// The server's port, 1 to 65,535.
  public var port: Int {
    switch self {
    case .rtmp(let target): target.port
    }
  }

  /// The URL with "***" in place of the parts that may be secret.
  package var maskedURL: String {
    switch self {
    case .rtmp(let target): target.maskedURL
    }
  }

  /// The host and the port.
  public var description: String {
    switch self {
    case .rtmp(let target): target.description
    }
  }

  /// Whether both targets have the same host, port and transport; the streams may differ.
  func isSameServer(as other: PublishTarget) -> Bool {
    switch (self, other) {
    case (.rtmp(let target), .rtmp(let other)): target.isSameServer(as: other)
    }
  }
}
