// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Where a request comes from.
public enum Caller: Hashable, Sendable {
  /// The Unix socket, where the kernel has named the user: root or OnAir's own. Trusted without a password.
  case owner
  /// TCP.
  /// - address: the client's. If a proxy on the box, under `page.proxy_name`, has passed the request on, the address that
  ///   the proxy names.
  /// - isForwarded: a proxy has passed the request on (its headers, or the name that it has, say so), so that the
  ///   address of the connection says nothing about who is asking.
  case remote(Address, isForwarded: Bool)

  /// Whether the first password may be set from here without the code: whoever is on the local network could as well
  /// press the box's buttons.
  var isOnLocalNetwork: Bool {
    switch self {
    case .owner: true
    case .remote(let address, let isForwarded): address.isLocal && !isForwarded
    }
  }

  /// `nil` for the owner, whose attempts are not limited.
  public var address: Address? {
    switch self {
    case .owner: nil
    case .remote(let address, _): address
    }
  }
}
