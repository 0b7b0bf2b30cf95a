// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Base
internal import Box
internal import HTTPTypes
internal import Hummingbird
internal import Settings

extension Routes {
  /// The body of `POST /api/settings/export`.
  private struct Export: RequestBody {
    static let fields: Set = ["passphrase", "password"]
    var passphrase: String
    var password: String?
  }
  /// The body of `POST /api/settings/import`.
  private struct Import: RequestBody {
    static let fields: Set = ["text", "passphrase"]
    var text: String
    var passphrase: String?
  }

  /// Adds the routes that export the settings as a file, and import them from one.
  func addSettingsFile(to table: inout RouteTable) {
    table.on(.get, "api/settings/export", needs: .read) { [desk] _, _ in
      Routes.file(
        desk.exportedSettings(withSecrets: false), "application/toml", "onair-settings.toml")
    }
    table.on(.post, "api/settings/export", needs: .admin) { [self] request, context in
      let wanted = try await Routes.decode(Export.self, request)
      if let caller = context.caller, caller != .owner {
        // An export with the stream key needs the password: whoever finds a browser that is logged in must not get it.
        guard let password = wanted.password else {
          return Answer.fault(
            "password_needed",
            "With its secrets the box gives its settings for its password alone.",
            .forbidden)
        }
        do {
          try await access.confirm(
            password: password, session: context.session, from: caller)
        } catch AccessError.wrongPassword {
          return Answer.fault(
            AccessError.wrongPassword.code, AccessError.wrongPassword.sentence, .forbidden)
        }
      }
      let sealed = try await access.seal(
        desk.exportedSettings(withSecrets: true), passphrase: wanted.passphrase)
      station.events.note(
        .notice, "The settings were saved to a file with their secrets, \(context.origin).")
      return Routes.file(sealed, "text/plain", "onair-settings-secret.txt")
    }
    table.on(.post, "api/settings/import", needs: .admin, query: ["check"]) {
      [self] request, context in
      let wanted = try await Routes.decode(Import.self, request)
      var text = wanted.text
      if Access.isSealed(text) {
        guard let passphrase = wanted.passphrase else {
          return Answer.fault(
            "passphrase_needed",
            "This file is encrypted: give the passphrase that it was saved with.",
            .badRequest)
        }
        text = try await access.open(text, passphrase: passphrase)
      }
      let (plain, origin, isRemote) = (text, context.origin, context.caller != .owner)
      let isCheck = request.uri.queryParameters["check"] == "true"
      let change: SettingsPatch
      do {
        change = try await station.jobs.run { [desk] in
          try desk.configuration.change(toImported: plain)
        }
      } catch let error as ConfigurationError {
        return Answer.reply(ControlReply(.mistakes(error.problems)))
      }
      try await checkImages(of: change, isRemote: isRemote)
      return Answer.reply(
        try await station.jobs.run { [desk] in
          isCheck
            ? desk.check(change, isRemote: isRemote)
            : desk.answer(change, by: origin, isRemote: isRemote)
        })
    }
  }

  /// A response that browsers save as a file with this name.
  private static func file(_ text: String, _ type: String, _ name: String) -> Response {
    Answer.bytes(
      Array(text.utf8),
      headers: [
        .contentType: "\(type); charset=utf-8",
        .contentDisposition: "attachment; filename=\"\(name)\"",
      ])
  }
}

extension SettingsDesk {
  /// The text of a settings file with all settings that differ from their defaults.
  func exportedSettings(withSecrets: Bool) -> String {
    let active = configuration
    let time = WallClock.text(station.events.wallClock.milliseconds)
    return active.exported(
      withSecrets: withSecrets,
      title: "Settings of the OnAir box \"\(active.settings.box.shownName.onOneLine)\" at \(time).")
  }
}
