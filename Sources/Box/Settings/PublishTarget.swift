// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Publish
internal import Settings
internal import Studio

extension RTMPTarget {
  init(_ address: RTMPAddress, caFile: String, redirect: Redirect) throws(RTMPTargetError) {
    // Send a user name only together with its password, since alone it is useless.
    let hasLogin = !address.user.isEmpty && address.password.isSet
    let login = Login(user: address.user, password: address.password.reveal())
    try self.init(
      transport: address.isSecure ? .tls(authorities: caFile) : .plain, host: address.host,
      port: Int(address.port), app: address.app.reveal(),
      streamKey: address.playpath.reveal(), tcURL: address.tcURL.reveal(),
      login: hasLogin ? login : nil,
      redirects: redirect == .any ? .any : .sameHost)
  }
}

extension Station {
  /// The main server of the settings and its backup, or why the broadcast has no server.
  static func main(_ configuration: Configuration) -> Result<BroadcastTarget, StationError> {
    target(configuration.destination, configuration).map { main in
      BroadcastTarget(
        target: main, backup: try? target(configuration.backup, configuration).get())
    }
  }

  /// The server and the stream key that belong to an address of the settings, or why they cannot be used.
  private static func target(
    _ address: RTMPAddress?, _ configuration: Configuration
  ) -> Result<RTMPTarget, StationError> {
    if configuration.standIn?.source == .faultlessLines {
      return .failure(
        .noDestination("The settings have mistakes, and none that worked are kept: correct them."))
    }
    guard let address else {
      return .failure(
        .noDestination(
          configuration.settings.publish.url == nil
            ? "publish.url is not set: copy the server's address from the platform's page."
            : "The stream key is not set: copy it from the platform's page, as publish.key or in publish.key_file."
        ))
    }
    do {
      let publish = configuration.settings.publish
      return .success(
        try RTMPTarget(address, caFile: publish.caFile, redirect: publish.redirect))
    } catch {
      return .failure(
        .noDestination("publish.url and publish.key cannot be used: the \(error) is too long."))
    }
  }
}
