// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Media

/// What a running OnAir answers to a command.
public struct ControlReply: Codable, Sendable, Equatable {
  /// The command was done, or needed no doing.
  public var ok: Bool
  /// Whether what is wanted has changed by it.
  public var changed: Bool
  /// Why it was not done, for programs.
  public var code: String?
  /// Why it was not done, and what to do.
  public var sentence: String?
  public var status: Status?
  /// What is wanted would outlast a power cut by now.
  public var kept: Bool?

  init(changed: Bool, status: Status? = nil) {
    ok = true
    self.changed = changed
    self.status = status
  }

  static let unknown = "unknown_command"

  init(fault code: String, _ sentence: String) {
    ok = false
    changed = false
    self.code = code
    self.sentence = sentence
  }
}

/// Why a running OnAir cannot be spoken to.
public struct ControlError: Error, Sendable {
  /// The system's, or ours.
  public var reason: String
  /// Nobody listens there.
  public var isNotRunning = false
}

/// Speaks to a running OnAir.
public enum ControlClient {
  /// A command is done in milliseconds, and a box that hangs is not waited for.
  private static let patience = Int64.seconds(5)

  /// - Parameters:
  ///   - word: a command, or "status".
  ///   - directory: the state directory of the one that is meant.
  public static func ask(
    _ word: String, directory: String
  ) throws(ControlError) -> ControlReply {
    let descriptor = try ControlPath.connect(to: ControlPath.socket(in: directory))
    defer { close(descriptor) }
    let request = Array("\(word)\n".utf8)
    guard
      unsafe send(descriptor, request, request.count, Int32(MSG_NOSIGNAL))
        == request.count
    else { throw ControlError(reason: systemError()) }
    let deadline = MediaTime.now() + patience
    var reply: [UInt8] = []
    while reply.last != UInt8(ascii: "\n") {
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let left = Int32(max(0, (deadline - MediaTime.now()) / 1_000_000))
      guard unsafe poll(&waiting, 1, left) > 0 else {
        throw ControlError(reason: "it does not answer")
      }
      var bytes = [UInt8](repeating: 0, count: 16_384)
      let count = unsafe read(descriptor, &bytes, bytes.count)
      guard count > 0, reply.count < 1 << 20 else {
        throw ControlError(reason: "it has closed the connection")
      }
      reply += bytes.prefix(count)
    }
    do {
      return try JSON.decode(ControlReply.self, reply)
    } catch {
      throw ControlError(reason: "its answer is not understood: is it of another version?")
    }
  }
}

/// The control socket's place, and the system calls around it.
enum ControlPath {
  static func socket(in directory: String) -> String { "\(directory)/control" }

  static func listen(at path: String) throws(ControlError) -> Int32 {
    let descriptor = try open()
    // The state directory is held, so whoever left it there is gone.
    _ = unsafe unlink(path)
    var result = try unsafe withAddress(path) { unsafe bind(descriptor, $0, $1) }
    if result == 0, unsafe chmod(path, 0o600) != 0 { result = errno }
    if result == 0, Glibc.listen(descriptor, 8) != 0 { result = errno }
    guard result == 0 else {
      close(descriptor)
      throw ControlError(reason: systemError(result))
    }
    return descriptor
  }

  static func connect(to path: String) throws(ControlError) -> Int32 {
    let descriptor = try open()
    let result = try unsafe withAddress(path) { unsafe Glibc.connect(descriptor, $0, $1) }
    guard result == 0 else {
      close(descriptor)
      throw ControlError(
        reason: result == EACCES
          ? "only root and the user that it runs as may: try with sudo" : systemError(result),
        isNotRunning: result == ENOENT || result == ECONNREFUSED)
    }
    return descriptor
  }

  private static func open() throws(ControlError) -> Int32 {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = Glibc.socket(AF_UNIX, type, 0)
    guard descriptor >= 0 else { throw ControlError(reason: systemError()) }
    return descriptor
  }

  /// - Returns: 0 or errno.
  private static func withAddress(
    _ path: String, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) throws(ControlError) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw ControlError(reason: "the path is too long for a socket")
    }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    return unsafe withUnsafePointer(to: &address) { pointer in
      let generic = unsafe UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self)
      return unsafe call(generic, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 ? 0 : errno
    }
  }

  /// Who is at the other end, by the kernel's word (unix(7), SO_PEERCRED).
  static func user(of client: Int32) -> uid_t? {
    // struct ucred, which glibc declares only under _GNU_SOURCE: process, user, group.
    var credentials: [UInt32] = [0, 0, 0]
    var length = socklen_t(12)
    guard
      unsafe getsockopt(client, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0, length == 12
    else { return nil }
    return credentials[1]
  }
}
