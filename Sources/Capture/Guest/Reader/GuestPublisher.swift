// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CFFmpeg
internal import Glibc

/// A guest who sends by RTMP, as FFmpeg's input: an FLV file that has no end. Used by one thread.
@safe final class GuestPublisher {
  /// The time until the guest must have said what it sends, in nanoseconds.
  private static let greetingNanos = Int64.seconds(8)
  /// How long the last answers may take to be sent, in nanoseconds.
  private static let farewellNanos = Int64.milliseconds(500)
  /// The size of FFmpeg's buffer in bytes: a small one, since nothing is to wait in it.
  private static let bufferBytes: Int32 = 4_096
  private static let portionBytes = 65_536
  /// How often it is looked whether to go on, in nanoseconds.
  private static let lookNanos = Int64.milliseconds(100)

  /// Why nothing more comes; `nil` if the guest has ended its stream, or goes on.
  private(set) var failure: GuestInput.Failure?
  /// The extra delay of the guest that has the key, in nanoseconds.
  private(set) var delayNanos: Int64 = 0
  /// FFmpeg's input.
  private(set) var context: UnsafeMutablePointer<AVIOContext>?

  private let socket: Int32
  private let patience: GuestPatience
  private let library: onair_avformat
  private var receiver = RTMPReceiver()
  /// Answers that the guest has not taken yet.
  private var unsent: [UInt8] = []
  private var portion = [UInt8](repeating: 0, count: GuestPublisher.portionBytes)
  /// The part of the file that FFmpeg has not read yet.
  private var media: ArraySlice<UInt8> = []
  private var hasEnded = false

  /// Receives until the guest has named its key, and asks whether a guest has it.
  /// - Parameter socket: a TCP connection that does not block. It stays open until the process ends.
  init(_ socket: Int32, output: any GuestOutput) throws(GuestInput.Failure) {
    guard let library = MediaFile.library else {
      throw GuestInput.Failure(fault: .noReader, detail: "libavformat is missing")
    }
    (self.socket, self.library) = (socket, library)
    patience = GuestPatience(output)
    unsafe context = nil
    let key = try receiveKey()
    guard let delayNanos = output.publish(key) else {
      receiver.refuse("No guest of this box has this key.")
      unsent += receiver.takeAnswers()
      throw GuestInput.Failure(fault: .unauthorized, detail: "")
    }
    self.delayNanos = delayNanos
    take(receiver.accept())
    let buffer = unsafe av_malloc(Int(GuestPublisher.bufferBytes))
    unsafe context = library.alloc_io(
      buffer?.assumingMemoryBound(to: UInt8.self), GuestPublisher.bufferBytes, 0,
      Unmanaged.passUnretained(self).toOpaque(),
      { own, space, room in
        guard let own = unsafe own, let space = unsafe space else { return onair_averror_unfit }
        let publisher = unsafe Unmanaged<GuestPublisher>.fromOpaque(own).takeUnretainedValue()
        return unsafe publisher.read(into: space, Int(room))
      }, nil, nil)
  }

  deinit {
    finishSending()
    if let context = unsafe context {
      unsafe av_free(context.pointee.buffer)
      var freed: UnsafeMutablePointer<AVIOContext>? = unsafe context
      unsafe library.free_io(&freed)
    }
  }

  private func receiveKey() throws(GuestInput.Failure) -> String {
    patience.begin(nanos: GuestPublisher.greetingNanos)
    var hasSent = false
    while true {
      let part = try receive()
      guard !part.isEmpty else {
        // Whoever only looks whether somebody listens has done nothing wrong.
        throw GuestInput.Failure(fault: hasSent ? .badData : .lost, detail: "it sends no stream")
      }
      hasSent = true
      let events = receiver.receive(part)
      unsent += receiver.takeAnswers()
      switch events.last {
      // Parameters may follow the key.
      case .wantsToPublish(_, let name): return String(name.prefix { $0 != "?" })
      case .refused(let reason): throw GuestInput.Failure(fault: .badData, detail: reason)
      case .media, .ended, nil: break
      }
    }
  }

  /// Allows so much time for the bytes that are read next.
  func begin(nanos: Int64) { patience.begin(nanos: nanos) }

  /// Gives FFmpeg what comes next.
  /// - Returns: the number of bytes, or an error of FFmpeg.
  private func read(into space: UnsafeMutablePointer<UInt8>, _ room: Int) -> Int32 {
    while media.isEmpty {
      guard !hasEnded, failure == nil else { return onair_averror_eof }
      do throws(GuestInput.Failure) {
        let part = try receive()
        // A sender that only closes its connection has ended, too.
        if part.isEmpty { hasEnded = true } else { take(receiver.receive(part)) }
      } catch {
        failure = error
      }
    }
    let next = media.prefix(room)
    _ = unsafe UnsafeMutableBufferPointer(start: space, count: room).update(fromContentsOf: next)
    media = media.dropFirst(next.count)
    return Int32(next.count)
  }

  private func take(_ events: [RTMPReceiver.Event]) {
    media = []
    for event in events {
      switch event {
      case .media(let bytes): media += bytes
      case .ended: hasEnded = true
      case .refused(let reason):
        failure = GuestInput.Failure(fault: .badData, detail: reason)
      case .wantsToPublish: break
      }
    }
    unsent += receiver.takeAnswers()
  }

  /// Sends answers, as far as that goes at once.
  private func sendAnswers() {
    while !unsent.isEmpty {
      let count = unsafe send(
        socket, unsent, unsent.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      guard count > 0 else { return }
      unsent.removeFirst(count)
    }
  }

  /// Sends the last answers.
  private func finishSending() {
    let deadline = MediaTime.now() + GuestPublisher.farewellNanos
    sendAnswers()
    while !unsent.isEmpty, .now() < deadline {
      var waiting = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
      guard unsafe poll(&waiting, 1, 100) >= 0, waiting.revents & Int16(POLLERR | POLLHUP) == 0
      else { break }
      sendAnswers()
    }
    shutdown(socket, Int32(SHUT_WR))
  }

  /// Sends answers, and waits for bytes.
  /// - Returns: the bytes; none if the guest has closed the connection.
  private func receive() throws(GuestInput.Failure) -> ArraySlice<UInt8> {
    while !patience.mustEnd {
      sendAnswers()
      var waiting = pollfd(
        fd: socket, events: Int16(unsent.isEmpty ? POLLIN : POLLIN | POLLOUT), revents: 0)
      let ready = unsafe poll(&waiting, 1, Int32(GuestPublisher.lookNanos / 1_000_000))
      guard ready > 0, waiting.revents & ~Int16(POLLOUT) != 0 else { continue }
      let count = unsafe recv(socket, &portion, portion.count, Int32(MSG_DONTWAIT))
      if count >= 0 { return portion[..<count] }
      guard errno == EAGAIN || errno == EINTR else {
        throw GuestInput.Failure(fault: .lost, detail: "")
      }
    }
    throw GuestInput.Failure(fault: .lost, detail: "nothing comes any more")
  }
}
