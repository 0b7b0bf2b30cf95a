// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Base
internal import Box
internal import Figures
internal import Hummingbird
internal import Settings

extension ListRoutes {
  /// The routes of the list of relays. `GET` returns the status of each relay (`RelayStatus`) instead of its settings.
  static let relays = ListRoutes(
    list: RelaySettings.list, entries: { JSON.encode($0.relays) }, readOnly: RelayStatus.readOnly,
    nullKeeps: true, hints: relayHints)

  /// Returns a sentence for each relay that has no stream key, that was removed but is still in the settings file, or
  /// that is not enabled but still runs because it was started by hand.
  @Sendable private static func relayHints(_ reply: ControlReply, _ station: Station) -> [String] {
    let relays = station.relays
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
    return hints
  }
}

extension Routes {
  /// Adds the routes that start, stop, pause and resume relays. The routes that list and change relays are in
  /// `addLists`.
  func addRelays(to table: inout RouteTable) {
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

  /// Carries out an action on a relay, or on all relays if `name` is `nil`.
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
    return Routes.answer(reply, of: RelaySettings.list)
  }
}
