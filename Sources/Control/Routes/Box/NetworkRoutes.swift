// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Box
internal import HTTPTypes
internal import Hummingbird
internal import Networking

extension Routes {
  /// The body of `POST /api/network/wifi/join`.
  private struct Join: RequestBody {
    static let fields: Set = ["name", "password", "hidden"]
    var name: String
    var password: String?
    var hidden: Bool?
  }
  /// The body of `POST /api/network/wifi/forget`.
  private struct Forget: RequestBody {
    static let fields: Set = ["name"]
    var name: String
  }
  /// The body of `PUT /api/network/address`.
  private struct NewAddress: RequestBody {
    static let fields: Set = ["interface", "method", "address", "gateway", "dns"]
    enum Method: String, Decodable { case dhcp, fixed = "static" }
    var interface: String
    var method: Method
    var address: String?
    var gateway: String?
    var dns: [String]?
  }
  /// The body of `POST /api/network/confirm`.
  private struct Confirm: RequestBody {
    static let fields: Set = ["number"]
    var number: Int?
  }
  /// The body of `POST /api/network/hotspot`, which switches the box's own Wi-Fi on or off.
  private struct HotspotSwitch: RequestBody {
    static let fields: Set = ["on"]
    var on: Bool
  }

  /// Adds the routes for the box's network: its state, Wi-Fis, addresses, and the Wi-Fi that the box itself makes.
  func addNetwork(to table: inout RouteTable) {
    table.on(.get, "api/network", needs: .read) { [network] _, _ in
      Answer.json(await network.look())
    }
    table.on(.post, "api/network/wifi/scan", needs: .control) { [network] request, _ in
      _ = try await Routes.body(of: request)
      return await Routes.reply { () throws(NetworkError) in try await network.scan() }
    }
    table.on(.post, "api/network/wifi/join", needs: .admin) { [network] request, _ in
      let wanted = try await Routes.decode(Join.self, request)
      return await Routes.reply { () throws(NetworkError) in
        try await network.join(
          WiFiRequest(
            name: wanted.name, password: wanted.password ?? "", isHidden: wanted.hidden ?? false))
      }
    }
    table.on(.post, "api/network/wifi/forget", needs: .admin) { [network] request, _ in
      let name = try await Routes.decode(Forget.self, request).name
      return await Routes.reply { () throws(NetworkError) in try await network.forget(wifi: name) }
    }
    table.on(.put, "api/network/address", needs: .admin) { [network] request, _ in
      let wanted = try await Routes.decode(NewAddress.self, request)
      return await Routes.reply { () throws(NetworkError) in
        let request: AddressRequest =
          switch wanted.method {
          case .dhcp: .dhcp
          case .fixed:
            try .fixed(
              address: wanted.address ?? "", gateway: wanted.gateway ?? "", dns: wanted.dns ?? [])
          }
        return try await network.setAddress(of: wanted.interface, request)
      }
    }
    // Needs no login: at a new address nobody is logged in yet, and the confirmation only has to prove that a page can
    // reach the box. The number proves that the page was loaded after the change.
    table.on(.post, "api/network/confirm", needs: nil) { [network] request, context in
      let number = try await Routes.decode(Confirm.self, request).number
      guard number != nil || context.caller == .owner else {
        return Answer.fault(
          "not_understood",
          "Send the number of the change, as \"network_change\" of GET /api/session has it.",
          .badRequest)
      }
      guard network.state.unconfirmed != nil else {
        let fault = NetworkError.nothingToConfirm
        return Answer.fault(fault.code, fault.sentence, .conflict)
      }
      return await Routes.reply { () throws(NetworkError) in try await network.confirm(number) }
    }
    table.on(.post, "api/network/hotspot", needs: .admin) { [network] request, _ in
      let isOn = try await Routes.decode(HotspotSwitch.self, request).on
      return await Routes.reply { () throws(NetworkError) in try await network.setHotspot(isOn) }
    }
  }

  /// Answers with the sentence that `body` returns, or with the error that it throws.
  private static func reply(_ body: () async throws(NetworkError) -> String) async -> Response {
    do throws(NetworkError) {
      return Answer.reply(ControlReply(changed: true, try await body()))
    } catch {
      return Answer.fault(error.code, error.sentence, .conflict)
    }
  }
}
