// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Logging
internal import Media
internal import Synchronization

/// Takes commands on a Unix socket in the state directory, from the user that runs the box and from root.
///
/// A client sends one word and a newline; it gets one line of JSON (`ControlReply`). One client at a time.
final class ControlSocket: Sendable {
  /// A client sends its word at once.
  private static let patience = Int64.milliseconds(300)
  /// For what is wanted to be on the disk, and for the answer.
  private static let answerPatience = Int64.seconds(1)
  /// Bytes of a request at most.
  private static let longestRequest = 64

  private let station: Station
  private let path: String
  private let listener: Int32
  private let waker = Waker()
  private let isStopping = Atomic(false)
  private let thread = Mutex<MediaThread?>(nil)

  /// - Returns: `nil` when there can be none, which is told; the box works on.
  init?(directory: String, station: Station) {
    self.station = station
    path = ControlPath.socket(in: directory)
    do {
      listener = try ControlPath.listen(at: path)
    } catch {
      station.events.note(
        .warning,
        "There will be no commands through \(path): \(error.reason). Choose another state.directory.",
        code: "no_control")
      return nil
    }
  }

  func start() {
    thread.withLock {
      $0 = MediaThread(name: "control", urgency: .ordinary) { [self] in run() }
    }
  }

  func stop(by deadline: MediaTime) -> Bool {
    isStopping.store(true, ordering: .relaxed)
    waker.wake()
    let ended = thread.withLock { $0 }?.join(until: deadline) ?? true
    _ = unsafe unlink(path)
    return ended
  }

  private func run() {
    defer { close(listener) }
    while !isStopping.load(ordering: .relaxed) {
      let (events, _) = waker.wait(for: listener, until: .now() + .seconds(60))
      guard !events.isEmpty else { continue }
      let client = accept(listener, nil, nil)
      guard client >= 0 else {
        // Without descriptors it would be asked again at once, for ever.
        (MediaTime.now() + .milliseconds(100)).sleepUntil()
        continue
      }
      _ = fcntl(client, F_SETFD, FD_CLOEXEC)
      _ = fcntl(client, F_SETFL, O_NONBLOCK)
      serve(client)
      close(client)
    }
  }

  private func serve(_ client: Int32) {
    let deadline = MediaTime.now() + ControlSocket.patience
    guard let user = ControlPath.user(of: client) else { return }
    let reply: ControlReply
    if user != 0, user != geteuid() {
      reply = ControlReply(
        fault: "forbidden",
        "Only root and the user that OnAir runs as may command it: try with sudo.")
    } else if let request = read(client, until: deadline), isThere(client) {
      reply = answer(request, user)
    } else {
      return
    }
    write(
      JSON.encode(reply) + [UInt8(ascii: "\n")], to: client,
      until: .now() + ControlSocket.answerPatience)
  }

  /// What a client asked for that has given up in the meantime is not done behind its back. One that only says
  /// no more still waits for the answer.
  private func isThere(_ client: Int32) -> Bool {
    var look = pollfd(fd: client, events: 0, revents: 0)
    return unsafe poll(&look, 1, 0) >= 0 && look.revents & Int16(POLLHUP | POLLERR) == 0
  }

  private func answer(_ request: String, _ user: uid_t) -> ControlReply {
    if request == "status" { return ControlReply(changed: false, status: station.status) }
    var reply = station.answer(request, by: user == 0 ? "root, by command" : "by command")
    if reply.changed { station.settle(by: .now() + ControlSocket.answerPatience) }
    station.complete(&reply)
    return reply
  }

  private func read(_ client: Int32, until deadline: MediaTime) -> String? {
    var request: [UInt8] = []
    while request.count < ControlSocket.longestRequest {
      let (events, _) = waker.wait(for: client, until: deadline)
      guard !events.isEmpty, !isStopping.load(ordering: .relaxed) else { return nil }
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

  private func write(_ bytes: [UInt8], to client: Int32, until deadline: MediaTime) {
    var rest = bytes[...]
    while !rest.isEmpty, MediaTime.now() < deadline {
      let count = unsafe rest.withUnsafeBytes {
        unsafe send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        (MediaTime.now() + .milliseconds(5)).sleepUntil()
      } else {
        return
      }
    }
  }
}
