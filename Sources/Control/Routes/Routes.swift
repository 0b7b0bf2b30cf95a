// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Hummingbird
internal import Preview

/// The API, the same on the Unix socket and on `page.listen`: JSON, with names in snake_case. openapi.yaml describes it.
struct Routes: Sendable {
  let station: Station
  let access: Access
  let log: LogTail
  let preview: Preview
  let uploads: StillUploads
  let events = EventStreams()

  func responder(guarding address: HTTPListener.Address) -> any HTTPResponder<APIContext> {
    var table = RouteTable()
    addAccess(to: &table)
    addWork(to: &table)
    addLooks(to: &table)
    addPreview(to: &table)
    addSettings(to: &table)
    addStills(to: &table)
    addPage(to: &table)
    switch address {
    case .tcp(let host, _):
      let isLocal = host.hasPrefix("127.") || host == "::1"
      let gate = Gatekeeper(
        requestGuard: .here(proxyName: station.settings.page.proxyName, isLocal: isLocal),
        access: access)
      return table.responder(after: gate, budget: ChangeBudget())
    case .unix: return table.responder(after: OwnerGate(), budget: nil)
    }
  }

  /// The whole body of a request.
  static func body(of request: Request) async throws -> [UInt8] {
    Array(buffer: try await request.body.collect(upTo: RouteTable.longestBody))
  }

  /// - Returns: `nil` if the body is no such object.
  static func decode<Value: Decodable>(_ type: Value.Type, _ request: Request) async throws -> Value
  {
    let bytes = try await body(of: request)
    do {
      return try JSON.decode(type, bytes)
    } catch {
      throw HTTPError(.badRequest)
    }
  }
}
