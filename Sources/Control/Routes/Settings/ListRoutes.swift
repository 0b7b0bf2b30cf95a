// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Base
internal import Box
internal import FoundationEssentials
internal import HTTPTypes
internal import Hummingbird
internal import Settings

/// Describes the routes of one list of the settings, such as `[[overlay]]`: the list, and how its routes differ from
/// the routes of other lists.
struct ListRoutes: Sendable {
  /// The list of the settings that the routes serve.
  let list: NamedList
  /// The value of `state` for an entry that is enabled and works.
  var on = "on"
  /// The value of `state` for an entry that is not enabled.
  var off = "off"
  /// Returns the JSON array with which `GET` answers; `nil` if `GET` answers with the settings and the state of each
  /// entry.
  var entries: (@Sendable (Station) -> [UInt8])?
  /// Returns the JSON with which `GET` answers instead, for a list that is a part of its answer.
  var answer: (@Sendable (Station, Scope?) -> [UInt8])?
  /// The fields that `GET` returns besides the settings of an entry. A request may contain them, and they are ignored.
  var readOnly: Set<String> = ["state", "sentence"]
  /// Whether a field that a request sends as `null` keeps its value; otherwise `null` unsets the field.
  var nullKeeps = false
  /// Returns sentences about unexpected consequences of a change that was made, for the person who made it.
  var hints: @Sendable (ControlReply, Station) -> [String] = { _, _ in [] }

  /// The last component of the URL path, such as "overlays".
  var path: String { list.path }

  /// The least scope with which a client may change an entry. Fields outside the list's `operable` ones need "admin".
  fileprivate var scopeOfChange: Scope { list.operable.isEmpty ? .admin : .operate }

  /// The fields of an entry in the body of a request.
  struct Entry: Sendable {
    var name: String?
    var fields: NamedList.Fields
  }

  /// Why the body of a request is refused: a sentence for the user.
  struct BodyError: Error {
    var sentence: String
  }

  /// The fields of a request that change something: all fields or, if `nullKeeps`, those that are not `null`.
  fileprivate func effectiveFields(_ fields: NamedList.Fields) -> NamedList.Fields {
    nullKeeps ? fields.filter { $0.value != nil } : fields
  }

  /// The entries with which `GET` answers, without their read-only fields.
  fileprivate func shown(_ configuration: Configuration, _ station: Station) -> [Entry] {
    let json =
      entries.map { $0(station) }
      ?? Array(configuration.json(of: list) { _, _ in ("", nil) }.utf8)
    return (try? read(list: json)) ?? []
  }

  /// Reads the fields of an entry, without the read-only ones. An unknown field is an error: a misspelt name must not
  /// be ignored.
  private func read(_ json: [String: PatchValue]) throws(BodyError) -> Entry {
    var entry = Entry(fields: [:])
    for (field, value) in json.sorted(by: { $0.key < $1.key }) {
      if field == "name" {
        guard case .text(let name)? = value.value else {
          throw BodyError(sentence: "The name must be text.")
        }
        entry.name = name
      } else if list.fieldNames.contains(field) {
        entry.fields[field] = .some(value.value)
      } else if !readOnly.contains(field) {
        let meant = Settings.nearestWord(to: field, among: list.fieldNames)
        throw BodyError(
          sentence: "There is no field \"\(field.onOneLine.prefix(32))\" here"
            + (meant.map { "; did you mean \"\($0)\"?" }
              ?? "; there are \(list.fieldNames.joined(separator: ", "))."))
      }
    }
    return entry
  }

  /// Reads the JSON object of one entry.
  func read(entry body: [UInt8]) throws(BodyError) -> Entry {
    guard let json = try? JSONDecoder().decode([String: PatchValue].self, from: Data(body)) else {
      throw BodyError(sentence: "The body must be a JSON object, as in {\"enabled\": false}.")
    }
    return try read(json)
  }

  /// Reads a JSON array of entries.
  func read(list body: [UInt8]) throws(BodyError) -> [Entry] {
    guard let json = try? JSONDecoder().decode([[String: PatchValue]].self, from: Data(body)) else {
      throw BodyError(
        sentence:
          "The body must be a list, as in [{\"name\": \"second\", \"\(list.essential)\": …}].")
    }
    return try json.map { (one) throws(BodyError) in try read(one) }
  }
}

extension Routes {
  /// The lists of the settings that have routes. A further list is added here.
  static let lists = [
    ListRoutes.relays, ListRoutes(list: OverlaySettings.list, on: "shown", off: "hidden"),
    ListRoutes(list: FilterSettings.list), ListRoutes(list: TrackSettings.list),
    ListRoutes.guests, ListRoutes.schedule,
  ]

  /// Adds the routes of all lists: GET and PUT of the whole list, POST to add an entry, PATCH and DELETE of one.
  func addLists(to table: inout RouteTable) {
    for routes in Routes.lists { add(routes, to: &table) }
  }

  /// Adds the routes of one list.
  private func add(_ routes: ListRoutes, to table: inout RouteTable) {
    let list = routes.list
    table.on(.get, "api/\(routes.path)", needs: .read) { [desk] _, context in
      let scope = context.scope
      return Answer.json(
        try await desk.station.jobs.run {
          routes.answer?(desk.station, scope) ?? routes.entries.map { $0(desk.station) }
            ?? desk.list(list, on: routes.on, off: routes.off)
        })
    }
    table.on(.put, "api/\(routes.path)", needs: .admin) { [self] request, context in
      try await Routes.withBody(request, routes.read(list:)) { wanted in
        guard wanted.count <= list.maxEntries else {
          return Answer.fault(
            "unfit_settings", "There are at most \(list.maxEntries) \(routes.path).",
            .unprocessableContent)
        }
        return try await answer(routes) { [desk, station] () throws(StationError) in
          try desk.change(by: context.origin, isRemote: context.isRemote) {
            (old) throws(StationError) in
            try Routes.patch(old, to: wanted, routes, station)
          }
        }
      }
    }
    table.on(.post, "api/\(routes.path)", needs: .admin) { [self] request, context in
      try await Routes.withBody(request, routes.read(entry:)) { entry in
        try await answer(routes) { [desk] () throws(StationError) in
          try desk.add(
            entry.name, to: list, routes.effectiveFields(entry.fields), by: context.origin,
            isRemote: context.isRemote)
        }
      }
    }
    table.on(.patch, "api/\(routes.path)/:name", needs: routes.scopeOfChange) {
      [self] request, context in
      try await Routes.withBody(request, routes.read(entry:)) { entry in
        let isOperation = Set(entry.fields.keys).isSubset(of: list.operable)
        guard isOperation || context.scope == .admin else {
          return Answer.fault(
            "scope_too_small",
            "Only \(list.operable.sorted().joined(separator: ", ")) may be changed with this scope: the rest needs \"admin\".",
            .forbidden)
        }
        let name = context.parameters.get("name") ?? ""
        return try await answer(routes) { [desk] () throws(StationError) in
          // A name cannot be changed.
          if let other = entry.name, other != name {
            throw .unknownEntry(list.entry(other), meant: nil)
          }
          return try desk.change(name, in: list, by: context.origin, isRemote: context.isRemote) {
            _ in
            list.values(of: name, routes.effectiveFields(entry.fields))
          }
        }
      }
    }
    table.on(.delete, "api/\(routes.path)/:name", needs: .admin) { [self] _, context in
      let name = context.parameters.get("name") ?? ""
      return try await answer(routes) { [desk] () throws(StationError) in
        try desk.change(name, in: list, by: context.origin, isRemote: context.isRemote) {
          list.removal(of: $0)
        }
      }
    }
  }

  /// The change that makes a list consist of the entries `wanted`. Entries that are not in `wanted` are removed. In an
  /// entry that stays, a field is changed only if `wanted` has another value than `GET` shows: `GET` may show less than
  /// is set, such as an address without its key.
  /// - Parameter old: the settings before the change.
  private static func patch(
    _ old: Configuration, to wanted: [ListRoutes.Entry], _ routes: ListRoutes, _ station: Station
  ) throws(StationError) -> SettingsPatch {
    let list = routes.list
    let present = old.entries(of: list)
    let shown = routes.shown(old, station)
    var values: [String: SettingsPatch.Value?] = [:]
    var names: Set<String> = []
    for entry in wanted {
      guard let name = entry.name, list.isName(name), names.insert(name).inserted else {
        throw .unfitName(list)
      }
      let fields = routes.effectiveFields(entry.fields)
      guard present.contains(where: { $0.name == name }) else {
        values.merge(old.addition(of: name, to: list, fields)) { $1 }
        continue
      }
      let before = shown.first { $0.name == name }?.fields ?? [:]
      values.merge(list.values(of: name, fields.filter { before[$0.key] != .some($0.value) })) {
        $1
      }
    }
    for entry in present where !names.contains(entry.name) {
      values.merge(list.removal(of: entry)) { $1 }
    }
    return SettingsPatch(values)
  }

  /// Reads the body of a request and passes it to `answer`. A body that cannot be read is answered with the reason.
  private static func withBody<Body>(
    _ request: Request, _ read: (_ body: [UInt8]) throws(ListRoutes.BodyError) -> Body,
    _ answer: (Body) async throws -> Response
  ) async throws -> Response {
    let bytes = try await Routes.body(of: request)
    let body: Body
    do throws(ListRoutes.BodyError) {
      body = try read(bytes)
    } catch {
      return Answer.fault("not_understood", error.sentence, .badRequest)
    }
    return try await answer(body)
  }

  /// Makes a change of a list, and answers with the reply to the change.
  private func answer(
    _ routes: ListRoutes, _ change: @escaping @Sendable () throws(StationError) -> ControlReply
  ) async throws -> Response {
    let reply = try await station.jobs.run { [station] in
      do throws(StationError) {
        var reply = try change()
        let hints = reply.ok ? routes.hints(reply, station) : []
        if !hints.isEmpty {
          reply.sentence = ([reply.sentence].compactMap(\.self) + hints).joined(separator: " ")
        }
        return reply
      } catch {
        return ControlReply(error)
      }
    }
    return Routes.answer(reply, of: routes.list)
  }

  /// The answer to a request about an entry of a list.
  static func answer(_ reply: ControlReply, of list: NamedList) -> Response {
    let status: HTTPResponse.Status? =
      switch reply.code {
      case "unknown_\(list.section)": .notFound
      case "name_taken": .conflict
      case "unfit_name": .badRequest
      default: nil
      }
    return Answer.reply(reply, status)
  }
}

extension APIContext {
  /// Whether the request comes from elsewhere than the box.
  var isRemote: Bool { caller != .owner }
}
