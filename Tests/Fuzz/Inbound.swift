// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import CRTMP
import Glibc
import Mux

@testable import Publish

// The entry points of libFuzzer (https://llvm.org/docs/LibFuzzer.html). An input is everything that a server sends on
// one connection. A complete session, as a destination runs it, reads it.

/// The longest input. A socket's buffer in the kernel holds it.
let longestInput = 20_000

@_cdecl("LLVMFuzzerInitialize")
public func initialize(
  _ count: UnsafeMutablePointer<Int32>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>
) -> Int32 {
  // The destination's thread blocks SIGPIPE.
  signal(SIGPIPE, SIG_IGN)
  if unsafe count.pointee == 3, let option = unsafe arguments.pointee[1],
    let folder = unsafe arguments.pointee[2], unsafe String(cString: option) == "--seeds"
  {
    exit(writeSeeds(to: unsafe String(cString: folder)) ? 0 : 1)
  }
  return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  guard (2...longestInput).contains(count) else { return -1 }
  let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  let choices = Choices(rawValue: input[0])
  var said = Array(input[2...])
  if choices.contains(.parsersOnly) {
    parse(said)
  } else if choices.contains(.messagesOnly) {
    compare(said, pieces: input[1])
  } else {
    if !choices.contains(.ownHandshake) { said = Conversation.handshake + said }
    converse(said, pieces: input[1], choices)
  }
  return 0
}

/// The meaning of the first byte of an input.
struct Choices: OptionSet {
  let rawValue: UInt8
  /// The input contains the handshake; otherwise it starts after it.
  static let ownHandshake = Choices(rawValue: 1)
  /// The server's receive buffer is small (the second byte), so that replies fail.
  static let deaf = Choices(rawValue: 2)
  /// The session ends with a good-bye as soon as it publishes.
  static let goodbye = Choices(rawValue: 4)
  /// Only compare both readers of messages.
  static let messagesOnly = Choices(rawValue: 8)
  /// Only parse one message: its type, then its body.
  static let parsersOnly = Choices(rawValue: 16)
}

/// A connection on which the server has sent everything at once and then closed.
///
/// A socket of packets, so that each read gets one piece.
private struct Wire {
  /// The session's end of the connection.
  let own: Int32
  private let other: Int32

  /// - Parameter pieces: 0 for few long pieces; otherwise the seed of their lengths.
  init(_ said: [UInt8], pieces: UInt8, deaf: Bool) {
    var ends: [Int32] = [-1, -1]
    let made = unsafe socketpair(
      AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends)
    precondition(made == 0)
    (own, other) = (ends[0], ends[1])
    if deaf {
      // The handshake and "connect" need 4,000, and more with what the kernel adds.
      var few = 2_304 + Int32(pieces) * 128
      unsafe setsockopt(own, SOL_SOCKET, SO_SNDBUF, &few, socklen_t(MemoryLayout<Int32>.size))
    }
    // Nobody reads at the other end, so a full buffer stays full.
    _ = fcntl(own, F_SETFL, O_NONBLOCK)
    _ = fcntl(other, F_SETFL, O_NONBLOCK)
    var random = UInt32(pieces) &* 0x9E37_79B9
    var position = 0
    while position < said.count {
      // Half of librtmp's buffer: what does not fit into a read is lost with a packet.
      var length = 8_000
      if pieces > 0 {
        random = random &* 1_664_525 &+ 1_013_904_223
        // Mostly short pieces, so that headers are split.
        length = 1 + Int((random >> 8) & 0xFFFF) >> Int(random >> 28)
      }
      length = min(length, 8_000, said.count - position)
      let sent = unsafe said.withUnsafeBytes { bytes in
        unsafe send(
          other, bytes.baseAddress.map { unsafe $0 + position }, length, Int32(MSG_NOSIGNAL))
      }
      // Very many short pieces fill the buffer; the rest is not sent.
      guard sent == length else { break }
      position += length
    }
    shutdown(other, Int32(SHUT_WR))
  }

  func end() { close(other) }
}

private func makeSession(_ control: ConnectionControl, _ worker: Worker) -> RTMPSession {
  guard
    let target = try? RTMPTarget(
      host: "127.0.0.1", app: "live?token=sesame", streamKey: "swordfish?auth=xyzzy")
  else { preconditionFailure("the target is good") }
  return RTMPSession(
    target: target, deadlines: RTMPDeadlines(), control: control, worker: worker,
    stopping: { false })
}

private func converse(_ said: [UInt8], pieces: UInt8, _ choices: Choices) {
  let wire = Wire(said, pieces: pieces, deaf: choices.contains(.deaf))
  defer { wire.end() }
  let control = ConnectionControl()
  let worker = Worker(name: "fuzz")
  let session = makeSession(control, worker)
  do throws(PublishError) {
    try session.open(over: wire.own)
    if !choices.contains(.goodbye) { try feed(session, worker) }
  } catch .failed(let cause, let told) {
    precondition(!told.contains("swordfish") && !told.contains("\n"), "\(cause): \(told)")
    session.close(reset: true)
    return
  } catch {}
  session.sayGoodbye(by: MediaTime.now() + .milliseconds(20))
  session.close(reset: false)
}

/// Sends messages and reads the server's, until the connection ends.
private func feed(_ session: RTMPSession, _ worker: Worker) throws(PublishError) {
  var whole = [UInt8](repeating: 0, count: RTMPSession.headroom + 300)
  var time: UInt32 = 0
  while true {
    let events = worker.wait(
      until: .distantPast, for: session.descriptor, events: [.readable, .peerClosed])
    if !events.isEmpty { try session.handleInput() }
    time += 1
    guard time % 8 == 1 else { continue }
    let result: Result<Void, PublishError> = unsafe whole.withUnsafeMutableBytes { bytes in
      let body = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[RTMPSession.headroom...])
      do throws(PublishError) {
        let message = StreamMessage(
          kind: time == 1 ? .metadata : .audio, bodyBytes: body.count, time: time,
          capturedAt: time == 1 ? nil : .now())
        unsafe try session.send(message, body: body)
        try session.measure()
        return .success(())
      } catch { return .failure(error) }
    }
    try result.get()
  }
}

/// The session has to read the same messages as `ChunkReader`.
private func compare(_ said: [UInt8], pieces: UInt8) {
  let wire = Wire(said, pieces: pieces, deaf: false)
  defer { wire.end() }
  let control = ConnectionControl()
  let session = makeSession(control, Worker(name: "fuzz"))
  defer { session.close(reset: false) }
  unsafe session.rtmp.pointee.m_sb.sb_socket = wire.own
  var reader = ChunkReader(said)
  do throws(PublishError) {
    while true {
      while let message = try session.nextMessage(.send) {
        switch message {
        case .chunkSize, .malformed: try session.handle(message, .send)
        default: break
        }
        guard let (type, body) = reader.message() else {
          preconditionFailure("a message that was not said: \(message)")
        }
        let expected = ServerMessage(type: type, body: body)
        // NaN differs from itself.
        precondition(
          message == expected || "\(message)" == "\(expected)", "\(message), not \(expected)")
      }
      try session.fill(.send)
    }
  } catch {}
}

/// The parsers have to survive any bytes.
private func parse(_ said: [UInt8]) {
  guard let type = said.first else { return }
  let body = said[1...]
  // Values that were read have to be equal after writing and reading them again.
  let written = AMF0.encode(AMF0Reader.values(body))
  let again = AMF0.encode(AMF0Reader.values(written[...]))
  precondition(written == again, "\(written), then \(again)")
  _ = ServerMessage(type: type, body: Array(body))
}
