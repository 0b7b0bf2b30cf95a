// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Where a request comes from.
public enum Caller: Hashable, Sendable {
  /// A process on the Unix socket that runs as root or as the user of OnAir, according to the kernel. Trusted without a
  /// password.
  case owner
  /// A client over TCP.
  /// - address: the client's address. If a proxy on the box, under `page.proxy_name`, has passed the request on, this
  ///   is the address that the proxy gives.
  /// - isForwarded: whether a proxy has passed the request on, as the header fields or the host name of the request
  ///   show. If so, the address of the connection says nothing about who is asking.
  case remote(Address, isForwarded: Bool)

  /// Whether the caller is on the local network, from which the first password may be set without the code: whoever is
  /// there could as well press the box's buttons.
  var isOnLocalNetwork: Bool {
    switch self {
    case .owner: true
    case .remote(let address, let isForwarded): address.isLocal && !isForwarded
    }
  }

  /// The address of the client; `nil` for the owner, whose attempts are not limited.
  public var address: Address? {
    switch self {
    case .owner: nil
    case .remote(let address, _): address
    }
  }
}
