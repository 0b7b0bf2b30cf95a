// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// One message of a server, as far as a publisher cares (RTMP specification 1.0, sections 5.4, 7.1
/// and 7.2).
enum ServerMessage: Equatable {
  struct Status: Equatable {
    var level = ""
    var code = ""
    var description = ""

    init(level: String = "", code: String = "", description: String = "") {
      self.level = level
      self.code = code
      self.description = description
    }

    init(_ values: some Sequence<AMF0>) {
      guard let object = values.first(where: { $0["code"] != nil || $0["description"] != nil })
      else { return }
      level = object["level"]?.string ?? ""
      code = object["code"]?.string ?? ""
      description = object["description"]?.string ?? ""
    }
  }

  case chunkSize(Int)
  /// The server has received so many bytes, as it counts.
  case acknowledgement(UInt32)
  case ping(UInt32)
  /// Set Peer Bandwidth: after how many bytes the server wants to hear that they came.
  case peerBandwidth(UInt32)
  /// - number: the value behind the command object, if it is one: a stream's id.
  case result(transaction: Int, number: Double?)
  case error(transaction: Int, Status)
  case status(Status)
  /// A call that wants an answer: `onBWDone`, `ping`, `_onbwcheck`.
  case call(name: String, transaction: Int)
  /// The server's `close`.
  case close
  case ignored
  case malformed

  private static let answeredCalls = ["onBWDone", "ping", "_onbwcheck"]

  /// - Parameters:
  ///   - type: the message type id.
  ///   - body: the whole message.
  init(type: UInt8, body: [UInt8]) {
    switch type {
    case 0x01:
      // The top bit must be 0; a chunk of none would never end.
      guard let size = ServerMessage.integer32(body, at: 0), (1...0x7FFF_FFFF).contains(size)
      else {
        self = .malformed
        return
      }
      self = .chunkSize(Int(size))
    case 0x03:
      self = ServerMessage.integer32(body, at: 0).map { .acknowledgement($0) } ?? .malformed
    case 0x04:
      // Only the ping request, event 6, wants anything.
      guard body.count >= 2, body[0] == 0, body[1] == 6 else {
        self = .ignored
        return
      }
      self = ServerMessage.integer32(body, at: 2).map { .ping($0) } ?? .malformed
    case 0x06:
      self = ServerMessage.integer32(body, at: 0).map { .peerBandwidth($0) } ?? .malformed
    case 0x14: self = ServerMessage.command(body[...])
    // A command in AMF3 is one in AMF0 behind a byte 0, unless it truly uses AMF3.
    case 0x11: self = ServerMessage.command(body.dropFirst(body.first == 0 ? 1 : 0))
    default: self = .ignored
    }
  }

  private static func command(_ body: ArraySlice<UInt8>) -> ServerMessage {
    let values = AMF0Reader.values(body)
    guard let name = values.first?.string else { return .ignored }
    // Some servers send onStatus without a transaction.
    let transaction = values.dropFirst().first?.number.flatMap { Int(exactly: $0) } ?? 0
    let rest = values.dropFirst(2)
    switch name {
    case "_result":
      return .result(transaction: transaction, number: rest.compactMap(\.number).first)
    case "_error": return .error(transaction: transaction, Status(rest))
    case "onStatus": return .status(Status(values.dropFirst()))
    case "close": return .close
    case _ where answeredCalls.contains(name):
      return .call(name: name, transaction: transaction)
    default: return .ignored
    }
  }

  private static func integer32(_ body: [UInt8], at place: Int) -> UInt32? {
    guard body.count >= place + 4 else { return nil }
    return body[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }
}
