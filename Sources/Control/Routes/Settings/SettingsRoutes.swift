// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Base
internal import Box
internal import HTTPTypes
internal import Hummingbird
internal import Settings
internal import Studio

extension Routes {
  /// Adds the routes for the settings and the list of devices.
  func addSettings(to table: inout RouteTable) {
    table.on(.get, "api/settings", needs: .read) { [desk] _, _ in
      Answer.json(try await desk.station.jobs.run { desk.settingsList })
    }
    table.on(.patch, "api/settings", needs: .admin, query: ["check", "trial"]) {
      [self] request, context in
      let body = try await Routes.body(of: request)
      let patch: SettingsPatch
      do throws(PatchError) {
        patch = try SettingsPatch(json: body)
      } catch {
        return Answer.fault("not_understood", error.sentence, .badRequest)
      }
      let origin = context.origin
      let isRemote = context.caller != .owner
      let isCheck = request.uri.queryParameters["check"] == "true"
      let isTrial = request.uri.queryParameters["trial"] == "true"
      try await checkImages(of: patch, isRemote: isRemote)
      return Answer.reply(
        try await station.jobs.run { [desk] in
          isCheck
            ? desk.check(patch, isRemote: isRemote)
            : isTrial
              ? desk.answerOnTrial(patch, by: origin, isRemote: isRemote)
              : desk.answer(patch, by: origin, isRemote: isRemote)
        })
    }
    table.on(.get, "api/devices", needs: .read) { _, _ in
      Answer.json(try await station.jobs.run { DeviceList.present })
    }
  }

  /// Decodes the still images that a change of settings names, on the thread for images, before the change begins. The
  /// change then uses these results, and does not delay other changes by decoding.
  func checkImages(of patch: SettingsPatch, isRemote: Bool) async throws {
    let keys = Set(StillName.allCases.map(\.setting))
    guard !keys.isDisjoint(with: patch.values.keys) else { return }
    let paths = try await station.jobs.run { [desk] in
      desk.images(after: patch, isRemote: isRemote)
    }
    for path in paths {
      try await JobThread.images.run { try? StillImages.shared.check(path) }
    }
  }
}
