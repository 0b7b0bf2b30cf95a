// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc

/// How music is fetched from the network.
struct MusicNet: Sendable {
  /// The value of the field User-Agent.
  var agent = "OnAir"
  var rules = AddressRules()
  /// Seconds until a server has to answer.
  var openingSeconds = 10
  /// Seconds without a byte after which a connection has failed.
  var stallSeconds = 5
  /// A PEM file with certificate authorities; "" for the system's.
  var rootsFile = ""
}

/// The body of an HTTP response, as it arrives. Used by one thread.
///
/// It is OnAir's own client and not FFmpeg's, which follows redirects to the box itself, has no deadline for looking up
/// a name, and verifies no certificate unless asked to.
final class HTTPStream {
  private static let maxRedirects = 8

  /// The address of the response, after redirects.
  private(set) var address: MusicAddress
  private(set) var head: HTTPHead
  /// Whether the host is on the box's own network.
  let isLocal: Bool
  /// Called with each title that the station sends.
  var hearTitle: (String) -> Void = { _ in }

  private let net: MusicNet
  private let worker: Worker
  private let connection: Connection
  private var chunks: ChunkedBody?
  private var metadata: StationMetadata?
  /// Bytes of the body that have arrived and have not been read.
  private var waiting: ArraySlice<UInt8> = []
  /// Bytes of the body that are still to come; `nil` if the length is not known.
  private var left: Int64?
  private var hasEnded = false

  /// Sends the request, follows redirects, and reads the head of the response.
  /// - Parameters:
  ///   - allowsLocal: whether the host may be on the box's own network.
  ///   - noteHost: called after the first connection: whether that host is on the box's own network.
  init(
    _ first: MusicAddress, _ net: MusicNet, allowsLocal: Bool, worker: Worker,
    noteHost: (Bool) -> Void = { _ in }
  ) throws(MusicTrouble) {
    var address = first
    var allowsLocal = allowsLocal
    let deadline = worker.clock.now + .seconds(Int64(net.openingSeconds))
    for count in 0...HTTPStream.maxRedirects {
      let connection = try Connection(
        address, net, allowsLocal: allowsLocal, worker: worker, by: deadline)
      if count == 0 { noteHost(connection.isLocal) }
      let (head, rest) = try connection.ask(by: deadline)
      if [301, 302, 303, 307, 308].contains(head.status), let location = head["location"] {
        guard let next = address.resolve(location) else {
          throw .entryRefused(of: "\(location.onOneLine.prefix(200))")
        }
        address = next
        // A server on the Internet may not lead into the box's own network.
        allowsLocal = connection.isLocal
        continue
      }
      guard head.status == 200 else {
        throw .status(of: "\(first)", code: head.status, retrySeconds: head.retrySeconds)
      }
      self.address = address
      self.head = head
      self.net = net
      self.worker = worker
      self.connection = connection
      isLocal = connection.isLocal
      left = head.length
      if head.isChunked { chunks = ChunkedBody() }
      metadata = head.metadataInterval.map { StationMetadata(interval: $0) }
      guard take(rest) else { throw .ended(of: "\(address)") }
      return
    }
    throw .tooManyRedirects(of: "\(first)")
  }

  /// Whether the body has no known end, as that of a station.
  var isLive: Bool { head.length == nil || head.metadataInterval != nil }

  /// The next bytes of the body, at most `count`, without taking them. Waits until so many have arrived.
  /// - Returns: fewer only if the body is shorter, or the connection stalls.
  func peek(_ count: Int) throws(MusicTrouble) -> [UInt8] {
    while waiting.count < count, !hasEnded {
      do throws(MusicTrouble) {
        try receive()
      } catch {
        if error == .interrupted || waiting.isEmpty { throw error }
        break
      }
    }
    return Array(waiting.prefix(count))
  }

  /// Whether the whole body has arrived.
  var isComplete: Bool { hasEnded && left ?? 0 <= 0 && chunks?.hasEnded ?? true }

  /// Reads at least one byte, waiting for it for `MusicNet.stallSeconds` at most.
  /// - Returns: the number of bytes; 0 at the end of the body.
  @unsafe func read(
    into space: UnsafeMutablePointer<UInt8>, _ room: Int
  ) throws(MusicTrouble) -> Int {
    while waiting.isEmpty {
      guard !hasEnded else {
        // A body that is shorter than announced has been cut off.
        guard left ?? 0 <= 0, chunks?.hasEnded ?? true else { throw .ended(of: "\(address)") }
        return 0
      }
      try receive()
    }
    let count = min(room, waiting.count)
    for (index, byte) in waiting.prefix(count).enumerated() { unsafe space[index] = byte }
    waiting = waiting.dropFirst(count)
    return count
  }

  private func receive() throws(MusicTrouble) {
    let deadline = worker.clock.now + .seconds(Int64(net.stallSeconds))
    guard let bytes = try connection.receive(by: deadline, seconds: net.stallSeconds) else {
      hasEnded = true
      return
    }
    guard take(bytes) else { throw .notHTTP(of: "\(address)") }
  }

  /// Takes bytes from the connection.
  /// - Returns: `false` if they do not fit the head of the response.
  private func take(_ received: [UInt8]) -> Bool {
    var bytes = received
    if let left {
      bytes = Array(bytes.prefix(Int(min(left, Int64(bytes.count)))))
      self.left = left - Int64(bytes.count)
      if self.left == 0 { hasEnded = true }
    }
    if var chunks {
      guard let body = chunks.take(bytes) else { return false }
      bytes = body
      self.chunks = chunks
      if chunks.hasEnded { hasEnded = true }
    }
    if var metadata {
      bytes = metadata.take(bytes) { block in
        if let title = StreamTitle.parse(block) { hearTitle(title) }
      }
      self.metadata = metadata
    }
    waiting += bytes
    return true
  }
}

/// Closes a socket, however its use ends.
private final class Socket {
  let descriptor: Int32

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }
}

/// A connection to a server of music, over TCP or TLS. Used by one thread.
private final class Connection {
  private static let readBytes = 16_384

  let isLocal: Bool
  private let address: MusicAddress
  private let net: MusicNet
  private let worker: Worker
  private let socket: Socket
  private let tls: MusicTLS?
  private var room = [UInt8](repeating: 0, count: Connection.readBytes)

  init(
    _ address: MusicAddress, _ net: MusicNet, allowsLocal: Bool, worker: Worker,
    by deadline: MediaTime
  ) throws(MusicTrouble) {
    (self.address, self.net, self.worker) = (address, net, worker)
    let (descriptor, isLocal) = try MusicDialer(rules: net.rules, worker: worker).connect(
      to: address, allowsLocal: allowsLocal, by: deadline, seconds: net.openingSeconds)
    (socket, self.isLocal) = (Socket(descriptor), isLocal)
    tls =
      address.isSecure
      ? try MusicTLS(address, socket: descriptor, rootsFile: net.rootsFile) : nil
    try tls?.shakeHands(address, worker, by: deadline, seconds: net.openingSeconds)
  }

  /// Sends the request, and reads until the head of the response is complete.
  /// - Returns: the head, and the bytes of the body that came with it.
  func ask(by deadline: MediaTime) throws(MusicTrouble) -> (HTTPHead, [UInt8]) {
    let request = Array(
      """
      GET \(address.target) HTTP/1.1\r
      Host: \(address.hostField)\r
      User-Agent: \(net.agent)\r
      Accept: */*\r
      Icy-MetaData: 1\r
      Connection: close\r
      \r

      """.utf8)
    let isSent =
      unsafe tls?.write(request)
      ?? (send(socket.descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count)
    guard isSent else { throw .noConnection(of: "\(address)") }
    var bytes: [UInt8] = []
    while true {
      guard let more = try receive(by: deadline, seconds: net.openingSeconds) else {
        throw bytes.isEmpty ? .ended(of: "\(address)") : .notHTTP(of: "\(address)")
      }
      bytes += more
      let start = bytes.prefix(5)
      let isHTTP = Array("HTTP/".utf8).starts(with: start) || bytes.starts(with: "HTTP/".utf8)
      guard isHTTP || bytes.starts(with: "ICY ".utf8) || Array("ICY ".utf8).starts(with: start)
      else { throw .notHTTP(of: "\(address)") }
      guard let end = HTTPHead.end(in: bytes) else {
        guard bytes.count < HTTPHead.longest else { throw .notHTTP(of: "\(address)") }
        continue
      }
      guard let head = HTTPHead(Array(bytes.prefix(end))) else {
        throw .notHTTP(of: "\(address)")
      }
      return (head, Array(bytes.dropFirst(end)))
    }
  }

  /// Waits for bytes.
  /// - Returns: `nil` if the connection has ended.
  func receive(by deadline: MediaTime, seconds: Int) throws(MusicTrouble) -> [UInt8]? {
    while true {
      if worker.isStopping { throw .interrupted }
      if let tls {
        switch unsafe room.withUnsafeMutableBytes({ unsafe read(tls, $0) }) {
        case .bytes(let count): return Array(room.prefix(count))
        case .ended: return nil
        case .nothing: break
        }
      } else {
        let count = unsafe recv(
          socket.descriptor, &room, room.count, Int32(MSG_DONTWAIT))
        if count > 0 { return Array(room.prefix(count)) }
        if count == 0 { return nil }
        guard errno == EAGAIN || errno == EINTR else { return nil }
      }
      guard worker.clock.now < deadline else {
        throw .timedOut(of: "\(address)", seconds: seconds)
      }
      if !(tls?.hasPending ?? false) { worker.wait(until: deadline, for: socket.descriptor) }
    }
  }

  private func read(_ tls: MusicTLS, _ space: UnsafeMutableRawBufferPointer) -> MusicTLS.Input {
    guard let start = space.baseAddress else { return .nothing }
    return unsafe tls.read(into: start, space.count)
  }
}
