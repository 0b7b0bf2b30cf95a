// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Base
internal import Box
internal import Figures
internal import FoundationEssentials
internal import HTTPTypes
internal import Hummingbird
internal import Settings

extension Routes {
  /// A relay in the body of a request. A field that is left out keeps its value.
  private struct Wanted: RequestBody {
    static let fields: Set = [
      "name", "url", "key", "enabled", "key_file", "user", "password", "password_file", "ca_file",
    ]
    var name: String?
    var url: String?
    var key: String?
    var enabled: Bool?
    var keyFile: String?
    var user: String?
    var password: String?
    var passwordFile: String?
    var caFile: String?

    /// The change of settings that gives the relay `name` the values of the fields.
    func values(_ name: String) -> [String: SettingsPatch.Value?] {
      let texts = [
        "url": url, "key": key, "key_file": keyFile, "user": user, "password": password,
        "password_file": passwordFile, "ca_file": caFile,
      ]
      var fields = texts.mapValues { $0.map(SettingsPatch.Value.text) }
      fields["enabled"] = enabled.map(SettingsPatch.Value.flag)
      return RelaySettings.list.values(of: name, fields)
    }

    /// The change of settings that adds the relay. Address, secrets and `enabled` are always set, even if the request
    /// leaves them out: the settings file may still have the ones of a removed relay of the same name.
    func addition(_ name: String) -> [String: SettingsPatch.Value?] {
      var new = self
      new.url = url ?? ""
      // An empty key would take precedence over the key file.
      if keyFile == nil { new.key = key ?? "" }
      new.user = user ?? ""
      new.enabled = enabled ?? true
      var values = new.values(name)
      values["relay.\(name).removed"] = .some(nil)
      let key = "relay.\(name).key"
      for secret in Settings.secretKeys(of: key)
      where secret != key && values[secret] == nil && values["\(secret)_file"] == nil {
        values[secret] = .text("")
      }
      return values
    }
  }

  /// Adds the routes that list and change relays, and that start, stop, pause and resume them.
  func addRelays(to table: inout RouteTable) {
    table.on(.get, "api/relays", needs: .read) { [station] _, _ in Answer.json(station.relays) }
    table.on(.put, "api/relays", needs: .admin) { [self] request, context in
      let body = try await Routes.body(of: request)
      guard let wanted = try? JSON.decode([Wanted].self, body), Routes.areKnown(body) else {
        return Answer.fault(
          "not_understood",
          "The body must be a list, as in [{\"name\": \"second\", \"url\": \"rtmp://…\", \"key\": \"…\"}].",
          .badRequest)
      }
      guard wanted.count <= RelaySettings.list.most else {
        return Answer.fault(
          "unfit_settings", "There are at most \(RelaySettings.list.most) relays.",
          .unprocessableContent)
      }
      return try await change(context) { (present) throws(StationError) in
        var patch: [String: SettingsPatch.Value?] = [:]
        var names: Set<String> = []
        for relay in wanted {
          guard let name = relay.name, RelaySettings.list.isName(name), names.insert(name).inserted
          else { throw .unfitRelayName }
          let isNew = !present.contains { $0.name == name }
          patch.merge(isNew ? relay.addition(name) : relay.values(name)) { $1 }
        }
        for relay in present where !names.contains(relay.name) {
          patch.merge(RelaySettings.list.removal(of: relay)) { $1 }
        }
        return patch
      }
    }
    table.on(.post, "api/relays", needs: .admin) { [self] request, context in
      let relay = try await Routes.decode(Wanted.self, request)
      return try await change(context) { (present) throws(StationError) in
        guard let name = relay.name, RelaySettings.list.isName(name) else { throw .unfitRelayName }
        if present.contains(where: { $0.name == name }) { throw .relayNameTaken(name) }
        return relay.addition(name)
      }
    }
    table.on(.patch, "api/relays/:name", needs: .admin) { [self] request, context in
      let name = context.parameters.get("name") ?? ""
      let relay = try await Routes.decode(Wanted.self, request)
      return try await change(context) { (present) throws(StationError) in
        guard present.contains(where: { $0.name == name }), relay.name ?? name == name else {
          throw .unknownRelay(name)
        }
        return relay.values(name)
      }
    }
    table.on(.delete, "api/relays/:name", needs: .admin) { [self] _, context in
      let name = context.parameters.get("name") ?? ""
      return try await change(context) { (present) throws(StationError) in
        guard let relay = present.first(where: { $0.name == name }) else {
          throw .unknownRelay(name)
        }
        return RelaySettings.list.removal(of: relay)
      }
    }
    for action in RelayAction.allCases {
      table.on(.post, "api/relays/\(action.rawValue)", needs: .control) { [self] request, context in
        _ = try await Routes.body(of: request)
        return try await act(action, nil, context)
      }
      table.on(.post, "api/relays/:name/\(action.rawValue)", needs: .control) {
        [self] request, context in
        _ = try await Routes.body(of: request)
        return try await act(action, context.parameters.get("name") ?? "", context)
      }
    }
  }

  private static func areKnown(_ body: [UInt8]) -> Bool {
    guard let objects = try? JSON.decode([[String: AnyField]].self, body) else { return false }
    return objects.allSatisfy { $0.keys.allSatisfy(Wanted.fields.contains) }
  }

  /// Changes the settings of relays.
  /// - Parameter patch: returns the change for the relays that there are now.
  private func change(
    _ context: APIContext,
    _ patch:
      @escaping @Sendable ([ListEntry]) throws(StationError) -> [String: SettingsPatch.Value?]
  ) async throws -> Response {
    let (origin, isRemote) = (context.origin, context.caller != .owner)
    let reply = try await station.jobs.run { [desk] in
      do throws(StationError) {
        var reply = try desk.change(by: origin, isRemote: isRemote) {
          (configuration) throws(StationError) in
          SettingsPatch(
            try patch(configuration.entries.filter { $0.list == RelaySettings.list.section }))
        }
        if reply.ok { Routes.addHints(to: &reply, desk.station.relays) }
        return reply
      } catch {
        return ControlReply(error)
      }
    }
    return Routes.answer(reply)
  }

  /// Adds sentences about what a person may not expect: a relay has no stream key, a removed one is still in the
  /// settings file, or one goes on because it was started by hand.
  private static func addHints(to reply: inout ControlReply, _ relays: [RelayStatus]) {
    let keys = reply.changes?.map(\.key) ?? []
    func isChanged(_ name: String) -> Bool { keys.contains { $0.hasPrefix("relay.\(name).") } }
    var hints = relays.filter { $0.code == "no_destination" && isChanged($0.name) }.map {
      "The relay \($0.name) has no stream key, so nothing is sent: copy it from the platform's page (onair relay set "
        + "\($0.name) key -)."
    }
    for key in keys where key.hasSuffix(".removed") {
      let name = key.dropFirst("relay.".count).dropLast(".removed".count)
      if !relays.contains(where: { $0.name == name }) {
        hints.append(
          "The settings file still has the relay \(name): \"onair unset \(key)\" brings it back.")
      }
    }
    if keys.isEmpty {
      hints += relays.filter { !$0.enabled && $0.state != "idle" }.map {
        "The relay \($0.name) was begun by hand and goes on: \"onair relay stop \($0.name)\" ends it."
      }
    }
    guard !hints.isEmpty else { return }
    reply.sentence = ([reply.sentence].compactMap(\.self) + hints).joined(separator: " ")
  }

  private static func answer(_ reply: ControlReply) -> Response {
    let status: HTTPResponse.Status? =
      switch reply.code {
      case "unknown_relay": .notFound
      case "name_taken": .conflict
      case "unfit_name": .badRequest
      default: nil
      }
    return Answer.reply(reply, status)
  }

  private func act(
    _ action: RelayAction, _ name: String?, _ context: APIContext
  ) async throws -> Response {
    let origin = context.origin
    let reply = try await station.jobs.run { [station] in
      do throws(StationError) {
        let changed = try station.relay(action, name, by: origin)
        return ControlReply(
          changed: !changed.isEmpty,
          changed.isEmpty ? "Nothing has changed." : "\(action.past) \(RelayAction.words(changed))."
        )
      } catch {
        return ControlReply(error)
      }
    }
    return Routes.answer(reply)
  }
}
