// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Publish
internal import Settings

extension RTMPTarget {
  init(_ address: RTMPAddress, caFile: String) throws(Invalid) {
    try self.init(
      transport: address.isSecure ? .tls(authorities: caFile) : .plain, host: address.host,
      port: Int(address.port), app: address.app.reveal(),
      streamKey: address.playpath.reveal(), tcURL: address.tcURL.reveal())
  }
}
