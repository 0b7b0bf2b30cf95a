// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Box
internal import Events
internal import Figures
internal import Hummingbird
internal import Networking
internal import Preview

/// The routes of the HTTP API, the same on the Unix socket and on `page.listen`. Bodies are JSON with names in
/// snake_case; openapi.yaml describes them.
struct Routes: Sendable {
  /// Changes the settings.
  let desk: SettingsDesk
  /// The passwords, sessions and tokens.
  let access: Access
  /// The newest lines of the log.
  let log: LogTail
  /// The preview of what viewers get.
  let preview: Preview
  /// Receives uploaded stills.
  let uploads: StillUploads
  /// The media files, which people upload.
  let media: MediaFiles
  /// The box's network.
  let network: Network
  /// Updates the whole system.
  let update: SystemUpdate
  /// Restarts the machine or switches it off; `nil` if OnAir is not in charge of the machine.
  let power: MachinePower?
  /// The open streams of events.
  let events = EventStreams()
  /// Runs the broadcasts of the box.
  var station: Station { desk.station }
  /// The cookies of the listener that these routes serve; their names depend on its port.
  private(set) var cookies = Cookies(mark: "", port: nil)

  /// The responder for requests that arrive at `address`, which checks the requests as that listener requires.
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

  /// The table with all routes.
  var table: RouteTable {
    var table = RouteTable()
    addAccess(to: &table)
    addUplink(to: &table)
    addLipSync(to: &table)
    addNetwork(to: &table)
    addBroadcast(to: &table)
    addMonitoring(to: &table)
    addPreview(to: &table)
    addSettings(to: &table)
    addSettingsFile(to: &table)
    addLists(to: &table)
    addRelays(to: &table)
    addGuests(to: &table)
    addSchedule(to: &table)
    addTexts(to: &table)
    addMusic(to: &table)
    addAudio(to: &table)
    addRecordings(to: &table)
    addStills(to: &table)
    addMedia(to: &table)
    addUpdate(to: &table)
    addBox(to: &table)
    addPage(to: &table)
    return table
  }

  /// Reads the whole body of a request, at most `RouteTable.longestBody` bytes.
  static func body(of request: Request) async throws -> [UInt8] {
    Array(buffer: try await request.body.collect(upTo: RouteTable.longestBody))
  }

  /// Decodes the JSON object in the body of a request. An unknown field is an error: a misspelt "url" must not begin a
  /// broadcast to another server than the one that was meant.
  static func decode<Value: RequestBody>(
    _ type: Value.Type, _ request: Request
  ) async throws -> Value {
    try decode(type, await body(of: request))
  }

  /// Decodes the JSON object in these bytes, like `decode` for a request; throws the status 400 if that fails.
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

/// The JSON object in the body of a request.
protocol RequestBody: Decodable {
  /// The names of the fields that the object may have. Any other is an error.
  static var fields: Set<String> { get }
}

/// Decodes any JSON value and discards it. Used to read only the names of an object's fields.
struct AnyField: Decodable {
  init(from decoder: any Decoder) {}
}
