// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Media
internal import Posix

/// The reply of a running OnAir to a command. The names of the fields are a contract.
public struct ControlReply: Codable, Sendable, Equatable {
  /// A setting that `reload` found changed.
  public struct Change: Codable, Sendable, Equatable {
    /// "video.size".
    public var key: String
    /// When it takes effect, for the user: "now", "at the next start".
    public var effect: String
  }

  /// The command was executed, or had no effect because its result was already the case.
  public var ok: Bool
  /// Whether the command changed anything.
  public var changed: Bool
  /// The reason for a failure, for programs.
  public var code: String?
  /// The result for the user, or the reason for a failure and what to do.
  public var sentence: String?
  /// For `reload`: the settings that have changed since the start or the last reload.
  public var changes: [Change]?
  public var status: Status?
  /// Whether the new state is on the disk, so that it survives a power cut.
  public var saved: Bool?

  init(changed: Bool, _ sentence: String? = nil, changes: [Change]? = nil, status: Status? = nil) {
    ok = true
    self.changed = changed
    self.sentence = sentence
    self.changes = changes
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

/// Why a running OnAir cannot be reached.
public struct ControlError: Error, Sendable {
  public var reason: String
  /// Nobody listens there.
  public var isNotRunning = false
}

/// Sends commands to a running OnAir.
public enum ControlClient {
  /// A command takes milliseconds; a program that hangs is not waited for.
  private static let patience = Int64.seconds(5)

  /// - Parameters:
  ///   - word: a command, or "status".
  ///   - directory: the state directory of the OnAir that gets the command.
  public static func ask(
    _ word: String, directory: String
  ) throws(ControlError) -> ControlReply {
    let descriptor = try ControlPath.connect(to: ControlPath.socket(in: directory))
    defer { close(descriptor) }
    let request = Array("\(word)\n".utf8)
    guard
      unsafe send(descriptor, request, request.count, Int32(MSG_NOSIGNAL))
        == request.count
    else { throw ControlError(reason: "\(SystemError())") }
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

/// The path of the control socket, and its system calls.
enum ControlPath {
  static func socket(in directory: String) -> String { "\(directory)/control" }

  /// Listens on a new socket with mode 0600. Replaces a socket that an earlier run has left.
  /// - Parameter path: in the state directory, which this process has locked.
  static func listen(at path: String) throws(ControlError) -> Int32 {
    let descriptor = try open()
    do throws(ControlError) {
      // Before the bind, which gives the file this mode: a chmod by name could be led elsewhere by a link.
      try check(fchmod(descriptor, 0o600))
      if unsafe unlink(path) != 0, errno != ENOENT { try check(-1) }
      let address = try address(of: path)
      do throws(SystemError) {
        try address.bind(descriptor)
      } catch {
        throw ControlError(reason: "\(error)")
      }
      try check(Glibc.listen(descriptor, 8))
      return descriptor
    } catch {
      close(descriptor)
      throw error
    }
  }

  static func connect(to path: String) throws(ControlError) -> Int32 {
    let descriptor = try open()
    do throws(ControlError) {
      let address = try address(of: path)
      do throws(SystemError) {
        try address.connect(descriptor)
      } catch {
        throw ControlError(
          reason: error.code == EACCES
            ? "only root and the user that it runs as may do that: try with sudo" : "\(error)",
          isNotRunning: error.code == ENOENT || error.code == ECONNREFUSED)
      }
      return descriptor
    } catch {
      close(descriptor)
      throw error
    }
  }

  private static func check(_ result: Int32) throws(ControlError) {
    guard result == 0 else { throw ControlError(reason: "\(SystemError())") }
  }

  private static func open() throws(ControlError) -> Int32 {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = Glibc.socket(AF_UNIX, type, 0)
    guard descriptor >= 0 else { throw ControlError(reason: "\(SystemError())") }
    return descriptor
  }

  private static func address(of path: String) throws(ControlError) -> UnixSocketAddress {
    guard !path.hasPrefix("@"), let address = UnixSocketAddress(path) else {
      throw ControlError(reason: "the path is too long for a socket")
    }
    return address
  }

  /// The user at the other end, as the kernel knows it (unix(7), SO_PEERCRED).
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
