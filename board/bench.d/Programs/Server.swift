// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import FakeServer
internal import Glibc
internal import Mux
internal import Publish
internal import Synchronization

/// A message that the server received.
struct Arrival: Sendable {
  enum Kind: Sendable { case picture, sound, videoHeader, other }
  var kind: Kind
  /// Arrival time of its last byte.
  var time: MediaTime
  /// The body without the FLV header: NAL units or the decoder configuration.
  var bytes: [UInt8]
  /// Time that the frame spent in x264, if the program reports it.
  var encodeMicros: Int?
}

/// A server on loopback that records the arrival time of each message.
final class Server: Sendable {
  enum Language: Sendable {
    case rtmp
    /// The format of Tools/floor.c: type, length and encode time before each packet.
    case pieces
  }

  /// How a server treats its publisher.
  enum Manner: Sendable {
    case prompt
    /// It reads so many kbit/s.
    case slow(kbps: Int)
    /// It accepts the stream, and reads nothing more after a hundred messages, as if it were stopped.
    case frozen
    /// It accepts the connection, and says nothing.
    case mute
    /// It reads for two seconds and does not for three, in turn.
    case halting
  }

  private let fake: FakeServer
  private let arrivals: Record

  var port: Int { fake.port }

  init(_ language: Language, _ manner: Manner = .prompt) throws {
    let arrivals = Record()
    self.arrivals = arrivals
    // The same priority as the feeder, so that the server's own scheduling delay is not measured. The server's threads
    // inherit it from this thread.
    var (before, urgent) = (
      sched_param(), sched_param(sched_priority: MediaThread.Urgency.devicePriority)
    )
    unsafe pthread_setschedparam(pthread_self(), SCHED_FIFO, &urgent)
    defer { unsafe pthread_setschedparam(pthread_self(), SCHED_OTHER, &before) }
    fake = try FakeServer { peer in
      // As real servers do. Otherwise each short reply but the first would wait 40 ms for an acknowledgement (tcp(7)).
      var on: Int32 = 1
      unsafe setsockopt(
        peer.socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
      switch language {
      case .rtmp: try Server.serve(peer, arrivals, manner)
      case .pieces: try Server.take(peer, arrivals)
      }
    }
  }

  func end() { fake.end() }

  var received: [Arrival] { arrivals.all }

  /// The number of audio packets that have arrived.
  var soundCount: Int { arrivals.count(of: .sound) }

  /// Arrival time of the first frame.
  var firstPictureAt: MediaTime? { arrivals.firstPictureAt }

  private static func serve(_ peer: Peer, _ arrivals: Record, _ manner: Manner) throws {
    if case .mute = manner {
      peer.freeze()
      return
    }
    if case .slow = manner { peer.limitReceiving(to: 8_192) }
    try peer.greet()
    var messages = 0
    var halt = MediaTime.now() + .seconds(2)
    while true {
      let message = try peer.message()
      let now = MediaTime.now()
      switch message.type {
      case 0x14: try answer(AMF0Reader.values(message.body[...]), peer)
      case 9 where message.body.count > 5:
        arrivals.add(
          Arrival(
            kind: message.body[1] == 0 ? .videoHeader : .picture, time: now,
            bytes: Array(message.body[5...])))
      case 8: arrivals.add(Arrival(kind: .sound, time: now, bytes: message.body))
      default: break
      }
      messages += 1
      switch manner {
      case .prompt, .mute: break
      case .slow(let kbps):
        (MediaTime.now() + Int64(message.body.count) * 8_000_000 / Int64(kbps)).sleepUntil()
      case .frozen:
        if messages == 100 {
          peer.freeze()
          return
        }
      case .halting:
        if .now() > halt {
          (MediaTime.now() + .seconds(3)).sleepUntil()
          halt = .now() + .seconds(2)
        }
      }
    }
  }

  private static func answer(_ command: [AMF0], _ peer: Peer) throws {
    guard command.count >= 2, let name = command[0].string, let transaction = command[1].number
    else { return }
    switch name {
    case "connect":
      try peer.send([
        .string("_result"), .number(transaction), .object([]),
        .object([
          .init("level", .string("status")),
          .init("code", .string("NetConnection.Connect.Success")),
        ]),
      ])
    case "createStream":
      try peer.send([.string("_result"), .number(transaction), .null, .number(1)])
    case "publish": try peer.status("NetStream.Publish.Start")
    case "releaseStream", "FCPublish", "_checkbw":
      try peer.send([.string("_result"), .number(transaction), .null, .null])
    default: break
    }
  }

  private static func take(_ peer: Peer, _ arrivals: Record) throws {
    while true {
      let head = try peer.read(9)
      let length = head[1...4].reduce(0) { $0 << 8 | Int($1) }
      let bytes = try peer.read(length)
      let now = MediaTime.now()
      arrivals.add(
        Arrival(
          kind: head[0] == 9 ? .picture : .sound, time: now, bytes: bytes,
          encodeMicros: head[5...8].reduce(0) { $0 << 8 | Int($1) }))
    }
  }
}

private final class Record: Sendable {
  private let list = Mutex<[Arrival]>([])

  func add(_ arrival: Arrival) { list.withLock { $0.append(arrival) } }

  var all: [Arrival] { list.withLock { $0 } }

  func count(of kind: Arrival.Kind) -> Int {
    list.withLock { $0.count { $0.kind == kind } }
  }

  var firstPictureAt: MediaTime? {
    list.withLock { $0.first { $0.kind == .picture }?.time }
  }
}
