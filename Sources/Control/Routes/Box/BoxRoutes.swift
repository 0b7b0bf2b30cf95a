// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Base
internal import Box
internal import HTTPTypes
internal import Hummingbird
internal import Networking

extension Routes {
  /// The body of `POST /api/box/restart` and of `POST /api/box/shutdown`.
  private struct Power: RequestBody {
    static let fields: Set = ["even_live"]
    /// Whether the machine is restarted or switched off even during a broadcast; `nil` stands for `false`.
    var evenLive: Bool?
  }

  /// Adds the routes that restart the machine or switch it off, and the QR code of the address where people watch.
  func addBox(to table: inout RouteTable) {
    table.on(.post, "api/box/restart", needs: .admin) { [self] request, context in
      try await begin(.restart, request, context)
    }
    table.on(.post, "api/box/shutdown", needs: .admin) { [self] request, context in
      try await begin(.shutdown, request, context)
    }
    table.on(.get, "api/watch.svg", needs: .read) { [station] _, _ in
      let address = station.settings.publish.playUrl
      guard !address.isEmpty else {
        return Answer.fault(
          "no_play_url",
          "Nobody has said where people watch: set publish.play_url to the address that the platform shows to share.",
          .conflict)
      }
      guard let code = QRCode(address) else {
        return Answer.fault(
          "failed", "The code cannot be made: too little memory is left.", .serviceUnavailable)
      }
      return Answer.bytes(Array(code.svg.utf8), headers: [.contentType: "image/svg+xml"])
    }
  }

  /// Restarts the machine or switches it off. During a broadcast the request must contain "even_live".
  private func begin(
    _ action: MachinePower.Action, _ request: Request, _ context: APIContext
  ) async throws -> Response {
    let body = try await Routes.body(of: request)
    let isForced = body.isEmpty ? false : try Routes.decode(Power.self, body).evenLive ?? false
    guard isForced || !station.isBroadcasting else {
      return Answer.fault(
        "on_air",
        "A broadcast is on the air: end it first, or confirm it with {\"even_live\": true}. It goes on after a restart.",
        .conflict)
    }
    guard let power else {
      let fault = MachinePowerError.notAvailable
      return Answer.fault(fault.code, fault.sentence, .conflict)
    }
    let origin = context.origin
    return Answer.reply(
      try await station.jobs.run { [station] in
        do throws(MachinePowerError) {
          try power.begin(action)
        } catch {
          return ControlReply(fault: error.code, error.sentence)
        }
        station.events.note(.notice, "The machine \(action.presentTense), \(origin).")
        return ControlReply(changed: true, "The machine \(action.presentTense).")
      })
  }
}

extension MachinePower.Action {
  /// The verb for a sentence about this action that begins with "The machine", such as "restarts".
  fileprivate var presentTense: String { self == .restart ? "restarts" : "is switched off" }
}
