// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import CRTMP
import Glibc
import Media

@testable import Publish

// What libFuzzer calls (https://llvm.org/docs/LibFuzzer.html). One input is all that a server says
// on one connection; it meets a whole session, as a destination runs it, at the other end.

/// Longer than any conversation; the kernel's buffer of a socket holds it.
let longestInput = 20_000

@_cdecl("LLVMFuzzerInitialize")
public func initialize(
  _ count: UnsafeMutablePointer<Int32>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>
) -> Int32 {
  // As on the destination's thread.
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

/// What the first byte of an input chooses.
struct Choices: OptionSet {
  let rawValue: UInt8
  /// The input has a handshake; else it begins behind one.
  static let ownHandshake = Choices(rawValue: 1)
  /// The server takes little, the less the smaller the second byte is, so that answers fail.
  static let deaf = Choices(rawValue: 2)
  /// The session says good-bye as soon as it publishes.
  static let goodbye = Choices(rawValue: 4)
  /// Only the reader of messages, against another one.
  static let messagesOnly = Choices(rawValue: 8)
  /// Only what makes sense of one message: its type, then its body.
  static let parsersOnly = Choices(rawValue: 16)
}

/// A connection at whose other end everything was said at once, and which then ended.
///
/// Packets, so that a read gets one piece, however fast they were written.
private struct Wire {
  /// The session's end.
  let own: Int32
  private let other: Int32

  /// - Parameter pieces: 0 for few and long ones, else what their lengths are drawn from.
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
    // With nobody to read at the other end a full buffer stays full.
    _ = fcntl(own, F_SETFL, O_NONBLOCK)
    _ = fcntl(other, F_SETFL, O_NONBLOCK)
    var random = UInt32(pieces) &* 0x9E37_79B9
    var position = 0
    while position < said.count {
      // Half of librtmp's buffer: what does not fit into a read is lost with a packet.
      var length = 8_000
      if pieces > 0 {
        random = random &* 1_664_525 &+ 1_013_904_223
        // Short ones more often than long ones, so that headers are cut.
        length = 1 + Int((random >> 8) & 0xFFFF) >> Int(random >> 28)
      }
      length = min(length, 8_000, said.count - position)
      let sent = unsafe said.withUnsafeBytes { bytes in
        unsafe send(
          other, bytes.baseAddress.map { unsafe $0 + position }, length, Int32(MSG_NOSIGNAL))
      }
      // Very many short pieces fill the buffer: the connection ends earlier.
      guard sent == length else { break }
      position += length
    }
    shutdown(other, Int32(SHUT_WR))
  }

  func end() { close(other) }
}

private func makeSession(_ control: ConnectionControl, _ wakeup: Wakeup) -> RTMPSession {
  guard
    let target = try? RTMPTarget(
      host: "127.0.0.1", app: "live?token=sesame", streamKey: "swordfish?auth=xyzzy")
  else { preconditionFailure("the target is good") }
  return RTMPSession(
    target: target, deadlines: RTMPDeadlines(), control: control, wakeup: wakeup,
    stopping: { false })
}

private func converse(_ said: [UInt8], pieces: UInt8, _ choices: Choices) {
  let wire = Wire(said, pieces: pieces, deaf: choices.contains(.deaf))
  defer { wire.end() }
  let control = ConnectionControl()
  let wakeup = Wakeup()
  let session = makeSession(control, wakeup)
  do throws(PublishEnd) {
    try session.open(over: wire.own)
    if !choices.contains(.goodbye) { try feed(session, wakeup) }
  } catch .failed(let cause, let told) {
    precondition(!told.contains("swordfish") && !told.contains("\n"), "\(cause): \(told)")
    return session.close(reset: true)
  } catch {}
  session.sayGoodbye(by: MediaTime.now() + .milliseconds(20))
  session.close(reset: false)
}

/// A stream's messages between those of the server, to the end of the connection.
private func feed(_ session: RTMPSession, _ wakeup: Wakeup) throws(PublishEnd) {
  var whole = [UInt8](repeating: 0, count: RingLayout.headroom + 300)
  var time: UInt32 = 0
  while true {
    let events = wakeup.wait(
      milliseconds: 0, socket: session.descriptor, for: [.readable, .ended])
    if !events.isEmpty { try session.serve() }
    time += 1
    guard time % 8 == 1 else { continue }
    let result: Result<Void, PublishEnd> = unsafe whole.withUnsafeMutableBytes { bytes in
      let body = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[RingLayout.headroom...])
      do throws(PublishEnd) {
        let message = QueuedMessage(
          kind: time == 1 ? .metadata : .audio, bodyBytes: body.count, time: time,
          capturedAt: time == 1 ? nil : .now())
        unsafe try session.send(message, body: body)
        session.lookAtTransport()
        return .success(())
      } catch { return .failure(error) }
    }
    try result.get()
  }
}

/// The messages that a session takes have to be those that the bytes say.
private func compare(_ said: [UInt8], pieces: UInt8) {
  let wire = Wire(said, pieces: pieces, deaf: false)
  defer { wire.end() }
  let control = ConnectionControl()
  let session = makeSession(control, Wakeup())
  defer { session.close(reset: false) }
  unsafe session.rtmp.pointee.m_sb.sb_socket = wire.own
  var reader = ChunkReader(said)
  do throws(PublishEnd) {
    while true {
      while let message = try session.nextMessage(.send) {
        switch message {
        case .chunkSize, .malformed: try session.take(message, .send)
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

/// What makes sense of a message's bytes has to bear any.
private func parse(_ said: [UInt8]) {
  guard let type = said.first else { return }
  let body = said[1...]
  // What was read has to be the same once written and read again.
  let written = AMF0.encode(AMF0Reader.values(body))
  let again = AMF0.encode(AMF0Reader.values(written[...]))
  precondition(written == again, "\(written), then \(again)")
  _ = ServerMessage(type: type, body: Array(body))
}
