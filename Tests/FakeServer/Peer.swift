// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
package import Mux
internal import Publish

/// One connection at the fake server.
package final class Peer {
  package struct Message: Equatable {
    package var channel: Int
    package var type: UInt8
    package var time: UInt32
    package var body: [UInt8]

    package init(channel: Int, type: UInt8, time: UInt32, body: [UInt8]) {
      self.channel = channel
      self.type = type
      self.time = time
      self.body = body
    }
  }

  package let socket: Int32
  /// Everything received after the handshake.
  package private(set) var received: [UInt8] = []
  /// Bytes written, including the handshake.
  package private(set) var sent = 0
  private var chunkSize = 128
  private var channels: [Int: (last: Message, delta: UInt32, length: Int, extended: Bool)] = [:]

  package init(socket: Int32) {
    self.socket = socket
    // Longer than any test takes, so that the server never gives up first.
    var time = timeval(tv_sec: 300, tv_usec: 0)
    unsafe setsockopt(
      socket, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    // Otherwise the second of two short replies waits for a delayed acknowledgement.
    var on: Int32 = 1
    unsafe setsockopt(
      socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  package func read(_ count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let more = unsafe bytes.withUnsafeMutableBytes {
        unsafe recv(socket, $0.baseAddress.map { unsafe $0 + done }, count - done, 0)
      }
      guard more > 0 else { throw ScriptEndedError() }
      done += more
    }
    return bytes
  }

  package func write(_ bytes: [UInt8]) throws {
    let count = unsafe bytes.withUnsafeBytes {
      unsafe Glibc.send(socket, $0.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    }
    guard count == bytes.count else { throw ScriptEndedError() }
    sent += bytes.count
  }

  /// Reads until the other side closes the connection.
  /// - Returns: `false` if it was a reset.
  @discardableResult package func readToEnd() -> Bool {
    var block = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe block.withUnsafeMutableBytes {
        unsafe recv(socket, $0.baseAddress, $0.count, 0)
      }
      if count <= 0 { return count == 0 }
      received += block[..<count]
    }
  }

  /// Limits the kernel's receive buffer to about this many bytes.
  package func limitReceiving(to bytes: Int32) {
    var bytes = bytes
    _ = unsafe setsockopt(
      socket, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Reads nothing until the other side resets the connection, or for five minutes.
  package func freeze() {
    // Without requested events poll(2) waits for POLLERR and POLLHUP, and ignores a FIN.
    var waiting = pollfd(fd: socket, events: 0, revents: 0)
    _ = unsafe poll(&waiting, 1, 300_000)
  }

  /// Makes close(2) send a RST.
  package func resetOnClose() {
    var choice = linger(l_onoff: 1, l_linger: 0)
    _ = unsafe setsockopt(
      socket, SOL_SOCKET, SO_LINGER, &choice, socklen_t(MemoryLayout<linger>.size))
  }

  /// The simple handshake (specification 5.2).
  package func greet() throws {
    let client = try read(1_537)
    try write([3] + [UInt8](repeating: 0, count: 1_536) + client.dropFirst())
    _ = try read(1_536)
  }

  private func take(_ count: Int) throws -> [UInt8] {
    let bytes = try read(count)
    received += bytes
    return bytes
  }

  private static func integer(_ bytes: some Sequence<UInt8>) -> Int {
    bytes.reduce(0) { $0 << 8 | Int($1) }
  }

  /// Reads the next whole message, strictly by the specification (5.3.1).
  package func message() throws -> Message {
    while true {
      let basic = try take(1)[0]
      let format = basic >> 6
      let id = Int(basic & 0x3F)
      guard id >= 2 else { throw ScriptEndedError() }
      var channel =
        channels[id] ?? (Message(channel: id, type: 0, time: 0, body: []), 0, 0, false)
      let isNew = channel.last.body.count == channel.length
      guard isNew || format == 3 else { throw ScriptEndedError() }
      var time = 0
      if format <= 2 {
        time = Peer.integer(try take(3))
        channel.extended = time == 0xFF_FFFF
      }
      if format <= 1 {
        channel.length = Peer.integer(try take(3))
        channel.last.type = try take(1)[0]
      }
      if format == 0 { _ = try take(4) }
      if channel.extended { time = Peer.integer(try take(4)) }
      if isNew {
        channel.last.body = []
        switch format {
        case 0:
          channel.last.time = UInt32(time)
          channel.delta = UInt32(time)
        case 3: channel.last.time &+= channel.delta
        default:
          channel.delta = UInt32(time)
          channel.last.time &+= channel.delta
        }
      }
      channel.last.body += try take(min(chunkSize, channel.length - channel.last.body.count))
      channels[id] = channel
      if channel.last.body.count == channel.length {
        if channel.last.type == 1 { chunkSize = Peer.integer(channel.last.body) }
        return channel.last
      }
    }
  }

  package func send(type: UInt8, channel: UInt8 = 3, stream: UInt8 = 0, _ body: [UInt8]) throws {
    try write(Peer.chunks(type: type, channel: channel, stream: stream, body))
  }

  /// A message in chunks of 128 bytes.
  package static func chunks(
    type: UInt8, channel: UInt8 = 3, stream: UInt8 = 0, _ body: [UInt8]
  ) -> [UInt8] {
    let size = [UInt8(body.count >> 16), UInt8(body.count >> 8 & 0xFF), UInt8(body.count & 0xFF)]
    var bytes = [channel, 0, 0, 0] + size + [type, stream, 0, 0, 0]
    for start in stride(from: 0, to: max(1, body.count), by: 128) {
      if start > 0 { bytes.append(0xC0 | channel) }
      bytes += body[start..<min(start + 128, body.count)]
    }
    return bytes
  }

  package func send(_ command: [AMF0], stream: UInt8 = 0) throws {
    try send(type: 0x14, stream: stream, AMF0.encode(command))
  }

  package func status(level: String = "status", _ code: String, _ description: String = "") throws {
    try write(Peer.status(level: level, code, description))
  }

  /// An onStatus in chunks.
  package static func status(
    level: String, _ code: String, _ description: String = ""
  ) -> [UInt8] {
    let status: [AMF0] = [
      .string("onStatus"), .number(0), .null,
      .object([
        .init("level", .string(level)), .init("code", .string(code)),
        .init("description", .string(description)),
      ]),
    ]
    return chunks(type: 0x14, stream: 1, AMF0.encode(status))
  }

  /// Replies to commands until `name` is received, to which it does not reply.
  /// - Returns: the values of that command.
  @discardableResult package func answer(upTo name: String) throws -> [AMF0] {
    while true {
      let message = try message()
      guard message.type == 0x14 else { continue }
      let values = AMF0Reader.values(message.body[...])
      guard let command = values.first?.string, let transaction = values[1].number else {
        throw ScriptEndedError()
      }
      if command == name { return values }
      switch command {
      case "connect": try send([.string("_result"), .number(transaction), .null, .null])
      case "createStream":
        try send([.string("_result"), .number(transaction), .null, .number(1)])
      default: break
      }
    }
  }

  /// Everything up to an accepted stream.
  package func accept() throws {
    try greet()
    try answer(upTo: "publish")
    try status("NetStream.Publish.Start")
  }
}
