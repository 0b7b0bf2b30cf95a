// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Box
internal import Events
internal import Figures
internal import Hummingbird
internal import Networking
internal import Preview

/// The API, the same on the Unix socket and on `page.listen`: JSON, with names in snake_case. openapi.yaml describes it.
struct Routes: Sendable {
  let desk: SettingsDesk
  let access: Access
  let log: LogTail
  let preview: Preview
  let uploads: StillUploads
  let media: MediaFiles
  let network: Network
  let update: SystemUpdate
  /// `nil` if the machine is not OnAir's to restart.
  let power: MachinePower?
  let events = EventStreams()
  var station: Station { desk.station }
  /// Of the listener.
  private(set) var cookies = Cookies(mark: "", port: nil)

  func responder(guarding address: HTTPListener.Address) -> any HTTPResponder<APIContext> {
    var routes = self
    if case .tcp(_, let port) = address {
      routes.cookies = Cookies(mark: access.cookieMark, port: port)
    }
    let table = routes.table
    switch address {
    case .tcp(let host, _):
      let isLocal = host.hasPrefix("127.") || host == "::1"
      let gate = Gatekeeper(
        requestGuard: .here(proxyName: station.settings.page.proxyName, isLocal: isLocal),
        cookies: routes.cookies, access: access, network: network)
      return table.responder(after: gate, budget: ChangeBudget(), places: LongAnswers())
    case .unix: return table.responder(after: OwnerGate(), budget: nil, places: nil)
    }
  }

  /// All routes.
  var table: RouteTable {
    var table = RouteTable()
    addAccess(to: &table)
    addUplink(to: &table)
    addNetwork(to: &table)
    addWork(to: &table)
    addLooks(to: &table)
    addPreview(to: &table)
    addSettings(to: &table)
    addSettingsFile(to: &table)
    addRelays(to: &table)
    addStills(to: &table)
    addMedia(to: &table)
    addUpdate(to: &table)
    addBox(to: &table)
    addPage(to: &table)
    return table
  }

  /// The whole body of a request.
  static func body(of request: Request) async throws -> [UInt8] {
    Array(buffer: try await request.body.collect(upTo: RouteTable.longestBody))
  }

  /// The JSON object in a request's body. A field that is not understood is a mistake: whoever misspells "url" must not
  /// go live to another server.
  static func decode<Value: RequestBody>(
    _ type: Value.Type, _ request: Request
  ) async throws -> Value {
    try decode(type, await body(of: request))
  }

  static func decode<Value: RequestBody>(
    _ type: Value.Type, _ bytes: [UInt8]
  ) throws -> Value {
    do {
      let names = try JSON.decode([String: AnyField].self, bytes).keys
      guard names.allSatisfy(type.fields.contains) else { throw HTTPError(.badRequest) }
      return try JSON.decode(type, bytes)
    } catch {
      throw HTTPError(.badRequest)
    }
  }
}

/// A JSON object that a client sends.
protocol RequestBody: Decodable {
  /// The fields that it may have.
  static var fields: Set<String> { get }
}

/// A value of any type.
struct AnyField: Decodable {
  init(from decoder: any Decoder) {}
}
