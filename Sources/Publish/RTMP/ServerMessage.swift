// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Mux

/// A message from the server, reduced to what a publisher needs (RTMP specification 1.0, sections 5.4, 7.1 and 7.2).
enum ServerMessage: Equatable {
  /// The information object of an `onStatus` or `_error` command; a missing property is "".
  struct Status: Equatable {
    var level = ""
    var code = ""
    var description = ""
    /// The address to which the server redirects the publisher; `nil` if it does not.
    var redirect: String?

    init(
      level: String = "", code: String = "", description: String = "", redirect: String? = nil
    ) {
      self.level = level
      self.code = code
      self.description = description
      self.redirect = redirect
    }

    init(_ values: some Sequence<AMF0>) {
      guard let object = values.first(where: { $0["code"] != nil || $0["description"] != nil })
      else { return }
      level = object["level"]?.string ?? ""
      code = object["code"]?.string ?? ""
      description = object["description"]?.string ?? ""
      redirect = object["ex"]?["redirect"]?.string
    }
  }

  /// Set Chunk Size: the size in bytes of the chunks that the server sends from now on.
  case chunkSize(Int)
  /// Acknowledgement: how many bytes the server has received, as the server counts them (`AcknowledgementMeter`).
  case acknowledgement(UInt32)
  /// A ping request; its timestamp has to be returned.
  case ping(UInt32)
  /// Set Peer Bandwidth: the server wants an acknowledgement after this many bytes.
  case peerBandwidth(UInt32)
  /// `_result`, the reply to a command with this transaction id.
  /// - number: the number after the command object, which is a stream id; `nil` if there is none.
  case result(transaction: Int, number: Double?)
  /// `_error`, the refusal of a command with this transaction id.
  case error(transaction: Int, Status)
  /// `onStatus`: the server accepts, refuses or ends the connection or the stream.
  case status(Status)
  /// A command of the server that expects a reply: `onBWDone`, `ping` or `_onbwcheck`.
  case call(name: String, transaction: Int)
  /// The command `close`: the server ends the stream.
  case close
  /// A message that a publisher need not react to.
  case ignored
  /// A message that violates the protocol.
  case malformed

  /// The names of the server's commands that expect a reply.
  private static let answeredCalls = ["onBWDone", "ping", "_onbwcheck"]

  /// - Parameters:
  ///   - type: the message type id.
  ///   - body: the complete body of the message, without headers.
  init(type: UInt8, body: [UInt8]) {
    switch type {
    case 0x01:
      // The top bit must be 0, and with a chunk size of 0 no message would ever be complete.
      guard let size = ServerMessage.integer32(body, at: 0), (1...0x7FFF_FFFF).contains(size)
      else {
        self = .malformed
        return
      }
      self = .chunkSize(Int(size))
    case 0x03:
      self = ServerMessage.integer32(body, at: 0).map { .acknowledgement($0) } ?? .malformed
    case 0x04:
      // Of all User Control events, only number 6, a ping request, expects a reply.
      guard body.count >= 2, body[0] == 0, body[1] == 6 else {
        self = .ignored
        return
      }
      self = ServerMessage.integer32(body, at: 2).map { .ping($0) } ?? .malformed
    case 0x06:
      self = ServerMessage.integer32(body, at: 0).map { .peerBandwidth($0) } ?? .malformed
    case 0x14: self = ServerMessage.command(body[...])
    // The body of an AMF3 command is nearly always a byte 0 followed by AMF0.
    case 0x11: self = ServerMessage.command(body.dropFirst(body.first == 0 ? 1 : 0))
    default: self = .ignored
    }
  }

  /// Parses the body of a command in AMF0.
  private static func command(_ body: ArraySlice<UInt8>) -> ServerMessage {
    let values = AMF0Reader.values(body)
    guard let name = values.first?.string else { return .ignored }
    // Some servers send onStatus without a transaction id.
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

  /// The big-endian integer in the four bytes from `index` on; `nil` if the body is too short.
  private static func integer32(_ body: [UInt8], at index: Int) -> UInt32? {
    guard body.count >= index + 4 else { return nil }
    return body[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }
}
