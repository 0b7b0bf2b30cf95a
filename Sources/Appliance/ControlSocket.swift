// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Logging
internal import Media

/// Takes commands on a Unix socket in the state directory, from the user that OnAir runs as and from root.
///
/// A client sends one word and a newline; it gets one line of JSON (`ControlReply`). One client at a time.
final class ControlSocket: Sendable {
  /// How long a client may take to send its word.
  private static let requestPatience = Int64.milliseconds(300)
  /// How long the new state may take to be written, and a client to read the answer.
  private static let answerPatience = Int64.seconds(1)
  /// Bytes of a request at most.
  private static let longestRequest = 64

  private let station: Station
  private let path: String
  private let listener: Int32
  private let clock: MediaClock
  private let worker: Worker

  /// - Returns: `nil` if the socket cannot be created. This is reported, and OnAir runs without it.
  init?(directory: String, station: Station, clock: MediaClock = .system) {
    self.station = station
    self.clock = clock
    worker = Worker(name: "control", clock: clock)
    path = ControlPath.socket(in: directory)
    do {
      listener = try ControlPath.listen(at: path)
    } catch {
      let sentence =
        "OnAir cannot be commanded from the command line, since \(path) cannot be made (\(error.reason)): choose "
        + "another state.directory."
      station.events.note(.warning, sentence, code: "no_control")
      station.events.beginTrouble("control socket", cause: "no_control", sentence)
      return nil
    }
  }

  func start() { worker.start { [self] in run() } }

  func stop(by deadline: MediaTime) -> Bool {
    let ended = worker.stop(by: deadline)
    _ = unsafe unlink(path)
    return ended
  }

  private func run() {
    defer { close(listener) }
    while !worker.isStopping {
      guard !worker.wait(until: .distantFuture, for: listener).isEmpty, !worker.isStopping else {
        continue
      }
      let client = accept(listener, nil, nil)
      guard client >= 0 else {
        // Out of descriptors: the listener stays readable, so do not try again at once.
        _ = worker.sleep(until: clock.now + .milliseconds(100))
        continue
      }
      _ = fcntl(client, F_SETFD, FD_CLOEXEC)
      _ = fcntl(client, F_SETFL, O_NONBLOCK)
      serve(client)
      close(client)
    }
  }

  private func serve(_ client: Int32) {
    guard let user = ControlPath.user(of: client) else { return }
    let reply: ControlReply
    if user != 0, user != geteuid() {
      reply = ControlReply(
        fault: "forbidden",
        "Only root and the user that OnAir runs as may command it: try with sudo.")
    } else if let request = read(client, until: clock.now + ControlSocket.requestPatience),
      isThere(client)
    {
      reply = answer(request, user)
    } else {
      return
    }
    write(JSON.encode(reply) + [UInt8(ascii: "\n")], to: client)
  }

  /// Whether the client still waits. The command of one that has given up is not done. A client that has only
  /// closed its sending side still waits for the answer.
  private func isThere(_ client: Int32) -> Bool {
    var look = pollfd(fd: client, events: 0, revents: 0)
    return unsafe poll(&look, 1, 0) >= 0 && look.revents & Int16(POLLHUP | POLLERR) == 0
  }

  private func answer(_ request: String, _ user: uid_t) -> ControlReply {
    if request == "status" { return ControlReply(changed: false, status: station.status) }
    var reply = station.answer(request, by: user == 0 ? "by command (root)" : "by command")
    if reply.changed { station.settle(by: clock.now + ControlSocket.answerPatience) }
    station.complete(&reply)
    return reply
  }

  private func read(_ client: Int32, until deadline: MediaTime) -> String? {
    var request: [UInt8] = []
    while request.count < ControlSocket.longestRequest {
      guard !worker.wait(until: deadline, for: client).isEmpty, !worker.isStopping else {
        return nil
      }
      var bytes = [UInt8](repeating: 0, count: ControlSocket.longestRequest)
      let count = unsafe Glibc.read(client, &bytes, bytes.count)
      guard count > 0 else { return nil }
      request += bytes.prefix(count)
      if let end = request.firstIndex(of: UInt8(ascii: "\n")) {
        return String(decoding: request[..<end], as: UTF8.self)
      }
    }
    return nil
  }

  private func write(_ bytes: [UInt8], to client: Int32) {
    let deadline = clock.now + ControlSocket.answerPatience
    var rest = bytes[...]
    while !rest.isEmpty, clock.now < deadline {
      let count = unsafe rest.withUnsafeBytes {
        unsafe send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        worker.wait(until: deadline, for: client, events: .writable)
        if worker.isStopping { return }
      } else {
        return
      }
    }
  }
}
