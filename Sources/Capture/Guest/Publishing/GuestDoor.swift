// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import CGuest
internal import CProcess
internal import Glibc
internal import Posix

/// Where guests who send arrive: by RTMP at one TCP port for all, by SRT at a UDP port for each. OnAir itself reads nothing
/// that they send, but for the first packet of SRT: each connection gets a reader, which nobody knows until it has got the
/// key of a guest. Then it belongs to that guest's line.
///
/// Strangers cannot keep guests out: of one IP address there are few readers at a time, and further connections wait. The
/// next reader is for the address that has the fewest.
public final class GuestDoor: Sendable {
  /// Most readers that have no guest yet: altogether, and of one IP address.
  static let (mostStrangers, mostOfOne) = (8, 4)
  /// Most connections that wait for a reader: altogether, and of one IP address.
  static let (mostWaiting, mostWaitingOfOne) = (64, 16)
  /// The least nanoseconds from one reader's start to the next one's: each takes some of the processor's time.
  static let paceNanos = Int64.milliseconds(150)
  /// The same, if the service manager starts them, which takes more.
  private static let servicePaceNanos = Int64.milliseconds(500)
  /// How many packets of SRT are looked at in one go, and how long none is after that, in nanoseconds: a flood must take
  /// little of the processor's time. The kernel drops the rest.
  private static let (mostPackets, floodNanos) = (64, Int64.milliseconds(10))
  /// How long a reader may be without a guest, in nanoseconds. A slow machine loads libavformat for long.
  static let strangerNanos = Int64.seconds(20)
  /// How long a connection may wait for a reader, in nanoseconds.
  private static let waitingNanos = Int64.seconds(30)
  /// How long a reader whose sender has a wrong key may take to tell it, in nanoseconds.
  private static let refusalNanos = Int64.seconds(3)
  /// How long a port that is in use is left alone, in nanoseconds.
  private static let retryNanos = Int64.seconds(3)
  /// The least nanoseconds between two reports of the same sender's refusal.
  private static let reportNanos = Int64.seconds(60)
  /// The longest time between two looks at the readers, in nanoseconds.
  private static let checkNanos = Int64.milliseconds(250)

  private let place: GuestSender.Place
  private let tools: GuestTools
  private let lines: @Sendable () -> [GuestLine]
  private let report: @Sendable (String) -> Void
  private let worker: Worker

  /// - Parameters:
  ///   - lines: the lines of the guests who may come. Called on the door's thread.
  ///   - report: receives a sentence about a sender who was refused. Called on the door's thread.
  public init(
    at place: GuestSender.Place, clock: MediaClock = .system, tools: GuestTools = GuestTools(),
    lines: @escaping @Sendable () -> [GuestLine], report: @escaping @Sendable (String) -> Void
  ) {
    (self.place, self.tools, self.lines, self.report) = (place, tools, lines, report)
    worker = Worker(name: "guest-door", clock: clock)
  }

  /// Starts the thread. If the system cannot create one, nobody is let in, and the lines say so.
  public func start() {
    do throws(MediaThread.NoThreadError) {
      try worker.tryStart { [self] in Visitors(self).run() }
    } catch {
      for line in lines() { line.note(door: SystemError(error.code)) }
    }
  }

  /// Looks at the lines again.
  public func wake() { worker.wake() }

  /// Asks the thread to end. The readers of all guests that have come in end with it.
  public func requestStop() { worker.requestStop() }

  /// Asks the thread to end, and waits for its end.
  /// - Returns: `false` if it had not ended by `deadline`.
  @discardableResult public func stop(by deadline: MediaTime) -> Bool {
    requestStop()
    return worker.stop(by: deadline)
  }

  /// A reader that has no guest yet.
  private struct Stranger {
    let session: GuestSession
    let peer: Endpoint
    /// The guest at whose port of SRT it came; `nil` with RTMP.
    let line: GuestLine?
    var vigil: GuestVigil
    var deadline: MediaTime
    /// Whether its key was refused.
    var isRefused = false
  }

  /// A connection that waits for a reader.
  private struct Waiting {
    let socket: Int32
    let peer: Endpoint
    let deadline: MediaTime
  }

  /// What the door's thread has.
  private final class Visitors {
    private let door: GuestDoor
    private let clock: MediaClock
    private var listening: Int32?
    /// The sockets for SRT, by their ports.
    private var receiving: [UInt16: Int32] = [:]
    private var waiting: [Waiting] = []
    private var strangers: [Stranger] = []
    private var openAgainAt = MediaTime.distantPast
    private var nextStartAt = MediaTime.distantPast
    /// When the refusal of a sender was reported last, by the sender's IP address.
    private var reported: [String: MediaTime] = [:]
    private var packet = [UInt8](repeating: 0, count: 2_048)

    init(_ door: GuestDoor) { (self.door, clock) = (door, door.worker.clock) }

    deinit {
      for socket in Array(receiving.values) + waiting.map(\.socket) { close(socket) }
      if let listening { close(listening) }
    }

    func run() {
      while !door.worker.isStopping {
        let lines = door.lines().filter { $0.sender?.place == door.place }
        openSockets(for: lines)
        let mayStart = clock.now >= nextStartAt
        let callers = mayStart ? Array(receiving.values) : []
        door.worker.wait(
          until: mayStart ? clock.now + GuestDoor.checkNanos : nextStartAt,
          forAnyOf: [listening].compactMap(\.self) + callers + strangers.map(\.session.watch))
        acceptConnections()
        strangers = strangers.compactMap { follow($0, lines) }
        if clock.now >= nextStartAt, !startNext() { startCall(lines) }
      }
    }

    /// Opens what is not open, and closes the ports of guests who are gone.
    private func openSockets(for lines: [GuestLine]) {
      let ports = Set(lines.compactMap(\.sender?.srtPort))
      for (port, socket) in receiving where !ports.contains(port) {
        close(socket)
        receiving[port] = nil
      }
      guard clock.now >= openAgainAt else { return }
      openAgainAt = clock.now + GuestDoor.retryNanos
      var failure: SystemError?
      func open(_ port: UInt16, _ make: (Endpoint) throws(SystemError) -> Int32) -> Int32? {
        guard let endpoint = Endpoint(host: door.place.host, port: port) else { return nil }
        do throws(SystemError) {
          return try make(endpoint)
        } catch {
          failure = error
          return nil
        }
      }
      listening = listening ?? open(door.place.port, DoorSockets.listening)
      for line in lines {
        if let port = line.sender?.srtPort, receiving[port] == nil {
          receiving[port] = open(port, DoorSockets.receiving)
        }
        let isOpen = listening != nil && line.sender?.srtPort.map { receiving[$0] != nil } ?? true
        line.note(door: isOpen ? nil : failure)
      }
    }

    // MARK: Who comes

    /// Accepts the connections that have come, and closes those that have waited for too long.
    private func acceptConnections() {
      let now = clock.now
      for one in waiting where now >= one.deadline { close(one.socket) }
      waiting.removeAll { now >= $0.deadline }
      while let listening, let (socket, peer) = DoorSockets.accept(listening) {
        let ofOne = waiting.count { $0.peer.address == peer.address }
        guard waiting.count < GuestDoor.mostWaiting, ofOne < GuestDoor.mostWaitingOfOne else {
          close(socket)
          continue
        }
        waiting.append(
          Waiting(socket: socket, peer: peer, deadline: now + GuestDoor.waitingNanos))
      }
    }

    /// Starts the reader of a connection that waits: of the address that has the fewest readers.
    /// - Returns: `false` if none waits, or there are too many readers.
    private func startNext() -> Bool {
      let counts = waiting.map { count(of: $0.peer) }
      guard let fewest = counts.min(), fewest < GuestDoor.mostOfOne, hasRoom(isRTMP: true),
        let index = counts.firstIndex(of: fewest)
      else { return false }
      let next = waiting.remove(at: index)
      begin(next.socket, next.peer, nil)
      close(next.socket)
      return true
    }

    /// Starts a reader for the next caller of SRT, if one waits.
    private func startCall(_ lines: [GuestLine]) {
      for line in lines {
        guard let sender = line.sender, let port = sender.srtPort, let socket = receiving[port]
        else { continue }
        for _ in 0..<GuestDoor.mostPackets {
          guard let (size, peer) = DoorSockets.receive(socket, into: &packet) else { break }
          nextStartAt = clock.now + GuestDoor.floodNanos
          // A caller sends its first packet again and again. The reader gets the next one.
          guard SRTPacket.isFirst(packet.prefix(size)), hasRoom(isRTMP: false),
            count(of: peer) < GuestDoor.mostOfOne,
            !strangers.contains(where: { $0.peer == peer }),
            let here = Endpoint(host: sender.place.host, port: port),
            let connected = try? DoorSockets.connected(to: peer, at: here)
          else { continue }
          begin(connected, peer, line)
          close(connected)
          return
        }
      }
    }

    /// Whether one more reader may be started. Whoever fills the places with RTMP leaves those for SRT free, and the
    /// other way round.
    private func hasRoom(isRTMP: Bool) -> Bool {
      strangers.count { ($0.line == nil) == isRTMP } < GuestDoor.mostStrangers
    }

    /// The readers of an IP address.
    private func count(of peer: Endpoint) -> Int {
      strangers.count { $0.peer.address == peer.address }
    }

    private func begin(_ socket: Int32, _ peer: Endpoint, _ line: GuestLine?) {
      let isService = door.tools.usedService != nil
      nextStartAt = clock.now + (isService ? GuestDoor.servicePaceNanos : GuestDoor.paceNanos)
      do {
        let memory = try GuestMemory()
        memory.describe(line?.sender)
        let session = try GuestSession(memory, endpoints: [], socket: socket, tools: door.tools)
        strangers.append(
          Stranger(
            session: session, peer: peer, line: line, vigil: GuestVigil(startedAt: clock.now),
            deadline: clock.now + GuestDoor.strangerNanos))
      } catch {
        tell(peer, "this machine cannot start its reader (\(error))")
      }
    }

    // MARK: Who is it

    /// Serves a reader that has no guest yet.
    /// - Returns: `nil` if it has got one, or has ended.
    private func follow(_ stranger: Stranger, _ lines: [GuestLine]) -> Stranger? {
      var stranger = stranger
      let signs = stranger.session.takeSigns()
      while let message = stranger.session.broker.receive() {
        guard stranger.vigil.allows(message, clock.now) else { return nil }
        switch message {
        case .publish(let number, let key):
          // All keys are compared, so that the time tells nothing.
          let owners = lines.filter { $0.sender?.hasKey(key) == true }
          guard let line = stranger.line ?? owners.first, lines.contains(where: { $0 === line })
          else {
            onair_guest_answer(stranger.session.broker.control, number, EACCES)
            // An honest reader asks once.
            guard !stranger.isRefused else { return nil }
            stranger.isRefused = true
            stranger.deadline = min(stranger.deadline, clock.now + GuestDoor.refusalNanos)
            tell(stranger.peer, "no guest has the key")
            continue
          }
          line.take(stranger.session, asking: number)
          return nil
        case .state(.failed(let fault, let detail)):
          if fault == .badData {
            tell(stranger.peer, detail.isEmpty ? "it sends nonsense" : detail)
          }
          return nil
        case .state(.connecting), .connection: break
        case .state(.open), .state(.ended), .end: return nil
        }
      }
      return signs & ONAIR_WATCH_END != 0 || clock.now >= stranger.deadline ? nil : stranger
    }

    /// Reports that a sender was refused; not often, since it may come again and again.
    private func tell(_ peer: Endpoint, _ reason: String) {
      let now = clock.now
      reported = reported.filter { now - $0.value < GuestDoor.reportNanos }
      guard reported[peer.host] == nil, reported.count < 16 else { return }
      reported[peer.host] = now
      let text = reason.onOneLine.prefix(160)
      door.report("A sender at \(peer.host) was refused as a guest: \(text).")
    }
  }
}

/// Packets of SRT (draft-sharabayko-srt-01, section 3).
enum SRTPacket {
  /// Whether a packet is the first one of a caller: the handshake "induction" (3.2.1), of at least 64 bytes.
  static func isFirst(_ packet: ArraySlice<UInt8>) -> Bool {
    let bytes = Array(packet)
    guard bytes.count >= 64 else { return false }
    // A control packet of type 0, for no socket; the version of the handshake is 4, its type 1.
    return bytes[0..<4] == [0x80, 0, 0, 0] && bytes[12..<16] == [0, 0, 0, 0]
      && bytes[16..<20] == [0, 0, 0, 4] && bytes[36..<40] == [0, 0, 0, 1]
  }
}
