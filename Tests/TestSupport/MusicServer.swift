// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc
internal import Synchronization

/// An HTTP server on loopback whose answers a test writes. Each connection has a thread.
package final class MusicServer: Sendable {
  /// What carries the bytes of a connection.
  package struct Wire: Sendable {
    /// Returns how many bytes were sent; 0 or less if the client has gone.
    package let send: @Sendable (ArraySlice<UInt8>) -> Int
    /// Waits for a byte; `nil` if the client has gone.
    let receive: @Sendable () -> UInt8?

    package init(
      send: @escaping @Sendable (ArraySlice<UInt8>) -> Int,
      receive: @escaping @Sendable () -> UInt8?
    ) {
      (self.send, self.receive) = (send, receive)
    }

    package static func plain(_ socket: Int32) -> Wire? {
      Wire(
        send: { bytes in
          unsafe bytes.withUnsafeBytes {
            unsafe Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
          }
        },
        receive: {
          var byte: UInt8 = 0
          return unsafe recv(socket, &byte, 1, 0) == 1 ? byte : nil
        })
    }
  }

  package struct NoServerError: Error {}

  /// A connection, with the request that came on it.
  package final class Connection: Sendable {
    let socket: Int32
    package let path: String
    package let head: String
    /// The number of this connection for its path, from 1 on.
    package let number: Int
    private let wire: Wire
    private let server: MusicServer

    init(socket: Int32, wire: Wire, path: String, head: String, number: Int, server: MusicServer) {
      (self.socket, self.wire, self.path, self.head) = (socket, wire, path, head)
      (self.number, self.server) = (number, server)
    }

    /// - Returns: `false` if the client has gone.
    @discardableResult package func send(_ bytes: [UInt8]) -> Bool {
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = wire.send(rest)
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }

    @discardableResult package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    package func answer(_ body: [UInt8], _ fields: String = "", status: String = "200 OK") {
      send("HTTP/1.1 \(status)\r\nContent-Length: \(body.count)\r\n\(fields)\r\n")
      send(body)
    }

    /// Waits until the client has gone, or the server ends.
    package func hold() {
      var byte: UInt8 = 0
      while !server.isOver.load(ordering: .relaxed) {
        var poll = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        if unsafe Glibc.poll(&poll, 1, 10) > 0, unsafe recv(socket, &byte, 1, 0) <= 0 { return }
      }
    }
  }

  package let port: UInt16
  private let host: String
  fileprivate let isOver = Atomic(false)
  private let listener: Int32
  private let counts = Mutex<[String: Int]>([:])
  private let wire: @Sendable (Int32) -> Wire?
  private let handle: @Sendable (Connection) -> Void

  /// - Parameters:
  ///   - wire: makes what carries the bytes of a connection; `nil` to close it at once.
  ///   - handle: answers a request.
  package init(
    host: String = "127.0.0.2", wire: @escaping @Sendable (Int32) -> Wire? = Wire.plain,
    _ handle: @escaping @Sendable (Connection) -> Void
  ) throws {
    (self.host, self.wire, self.handle) = (host, wire, handle)
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = unsafe inet_addr(host)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = self.listener
    let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(listener, $0, length) == 0 && listen(listener, 64) == 0
          && getsockname(listener, $0, &length) == 0
      }
    }
    guard isBound else { throw NoServerError() }
    port = UInt16(bigEndian: address.sin_port)
    _ = MediaThread(name: "music-server", urgency: .ordinary) { [self] in accept() }
  }

  package func stop() {
    isOver.store(true, ordering: .relaxed)
    shutdown(listener, Int32(SHUT_RDWR))
  }

  package func url(_ path: String) -> String { "http://\(host):\(port)\(path)" }

  /// How many connections have asked for a path.
  package func connections(_ path: String) -> Int { counts.withLock { $0[path] ?? 0 } }

  private func accept() {
    while !isOver.load(ordering: .relaxed) {
      let socket = Glibc.accept(listener, nil, nil)
      guard socket >= 0 else { break }
      _ = MediaThread(name: "music-answer", urgency: .ordinary) { [self] in
        answer(socket)
        close(socket)
      }
    }
    close(listener)
  }

  private func answer(_ socket: Int32) {
    guard let wire = wire(socket) else { return }
    var head: [UInt8] = []
    while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      guard let byte = wire.receive() else { return }
      head.append(byte)
    }
    let text = String(decoding: head, as: UTF8.self)
    let path = text.split(separator: " ").dropFirst().first.map(String.init) ?? ""
    let number = counts.withLock { counts in
      counts[path, default: 0] += 1
      return counts[path] ?? 0
    }
    handle(
      Connection(
        socket: socket, wire: wire, path: path, head: text, number: number, server: self))
    // A reset could overtake the last bytes.
    shutdown(socket, Int32(SHUT_WR))
  }
}

/// A WAV in mono at 8 kHz, in 32-bit float: 32,000 bytes for each second. Of one in 16 bits FFmpeg reads the first 64
/// kB before it says anything, since it could be S/PDIF.
package enum TestSound {
  package static let rate = 8_000

  private static func number(_ value: Int, _ bytes: Int) -> [UInt8] {
    (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// - Parameter bytes: of samples; `nil` for the head of a stream without end.
  package static func head(bytes: Int?) -> [UInt8] {
    let size = bytes ?? 0x7FFF_FF00
    var head = Array("RIFF".utf8) + number(36 + size, 4) + Array("WAVEfmt ".utf8)
    head += number(16, 4) + number(3, 2) + number(1, 2) + number(rate, 4)
    head += number(rate * 4, 4) + number(4, 2) + number(32, 2)
    return head + Array("data".utf8) + number(size, 4)
  }

  /// A tone of 250 Hz, whose period is a whole number of samples. A second of the usual amplitude is made only once:
  /// it takes long in a debug build, while the virtual time goes on.
  package static func samples(seconds: Double, amplitude: Double = 0.5) -> [UInt8] {
    let one = amplitude == 0.5 ? second : makeSecond(amplitude)
    var bytes: [UInt8] = []
    var left = Int(seconds * Double(rate)) * 4
    while left > 0 {
      bytes += one.prefix(left)
      left -= one.count
    }
    return bytes
  }

  private static let second = makeSecond(0.5)

  private static func makeSecond(_ amplitude: Double) -> [UInt8] {
    (0..<rate).flatMap {
      number(Int(Float(sin(Double($0) / 32 * 2 * .pi) * amplitude).bitPattern), 4)
    }
  }

  package static func file(seconds: Double, amplitude: Double = 0.5) -> [UInt8] {
    let samples = samples(seconds: seconds, amplitude: amplitude)
    return head(bytes: samples.count) + samples
  }
}
