// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A server and the stream on it, in the protocol that it speaks. No description contains the stream key.
public enum PublishTarget: Sendable, Hashable, CustomStringConvertible {
  case rtmp(RTMPTarget)

  /// A name, or an address without brackets.
  public var host: String {
    switch self {
    case .rtmp(let target): target.host
    }
  }

  /// 1 to 65,535.
  public var port: Int {
    switch self {
    case .rtmp(let target): target.port
    }
  }

  /// The URL without what may be secret.
  package var maskedURL: String {
    switch self {
    case .rtmp(let target): target.maskedURL
    }
  }

  /// Host and port.
  public var description: String {
    switch self {
    case .rtmp(let target): target.description
    }
  }

  /// Whether both name the same port of the same host, whatever the stream.
  func isSameServer(as other: PublishTarget) -> Bool {
    switch (self, other) {
    case (.rtmp(let target), .rtmp(let other)): target.isSameServer(as: other)
    }
  }
}
