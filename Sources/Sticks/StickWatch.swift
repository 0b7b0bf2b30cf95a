// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Glibc
internal import Synchronization

/// Tells when sticks come and go. A thread waits for the kernel's notice (inotify(7)).
public final class StickWatch: Sendable {
  /// Nanoseconds between two attempts to watch a folder that does not exist.
  private static let retryNanos: Int64 = .seconds(30)

  private let places: StickPlaces
  private let listener: @Sendable ([Stick]) -> Void
  private let worker: Worker
  private let known = Mutex<[Stick]>([])

  /// - Parameter listener: called on the thread of this object with all sticks whenever one of them has changed. None
  ///   are plugged in before the first call.
  public init(
    _ places: StickPlaces, clock: MediaClock = .system,
    listener: @escaping @Sendable ([Stick]) -> Void
  ) {
    (self.places, self.listener) = (places, listener)
    worker = Worker(name: "sticks", clock: clock)
  }

  /// The sticks that were plugged in when `listener` was last called.
  public var sticks: [Stick] { known.withLock { $0 } }

  public func start() { worker.start { [self] in watch() } }

  /// - Returns: `false` if the thread still runs at `deadline`.
  public func stop(by deadline: MediaTime) -> Bool { worker.stop(by: deadline) }

  private func watch() {
    let notices = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    defer { if notices >= 0 { close(notices) } }
    var isWatched = false
    while !worker.isStopping {
      // Watch before looking, so that nothing is missed in between.
      if !isWatched { isWatched = addWatch(notices) }
      look()
      worker.wait(
        until: isWatched ? .distantFuture : worker.clock.now + StickWatch.retryNanos,
        for: isWatched ? notices : -1)
      if isWatched, hasLostFolder(notices) { isWatched = false }
    }
  }

  /// Files are replaced by renaming, and removed.
  private func addWatch(_ notices: Int32) -> Bool {
    let events = UInt32(IN_MOVED_TO | IN_DELETE | IN_DELETE_SELF | IN_ONLYDIR)
    return unsafe inotify_add_watch(notices, places.list, events) >= 0
  }

  /// Takes all notices.
  /// - Returns: whether the folder is not watched any more, as it was removed.
  private func hasLostFolder(_ notices: Int32) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    var isLost = false
    while true {
      let count = unsafe read(notices, &buffer, buffer.count)
      guard count > 0 else { return isLost }
      var offset = 0
      while offset + MemoryLayout<inotify_event>.size <= count {
        let event = unsafe buffer.withUnsafeBytes {
          unsafe $0.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
        }
        if event.mask & UInt32(IN_IGNORED) != 0 { isLost = true }
        offset += MemoryLayout<inotify_event>.size + Int(event.len)
      }
    }
  }

  private func look() {
    let sticks = places.sticks
    let isNew = known.withLock { known in
      defer { known = sticks }
      return known != sticks
    }
    if isNew { listener(sticks) }
  }
}
