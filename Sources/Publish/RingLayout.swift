// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// What one queued message is.
enum MessageKind: UInt8, Sendable {
  case metadata
  case videoHeader
  case audioHeader
  case keyframe
  case frame
  case audio
}

/// A message in the ring.
struct QueuedMessage: Equatable {
  var kind = MessageKind.metadata
  /// Where its headroom begins in the ring.
  var offset = 0
  /// Bytes of its body, which begins `RingLayout.headroom` bytes after `offset`.
  var bodyBytes = 0
  /// Milliseconds since the publish began.
  var time: UInt32 = 0
  /// When it was captured; `nil` for what describes the rest.
  var capturedAt: MediaTime?
  /// Whether its delivery counts: that of pictures, or of sound where there are none.
  var counts = false
  /// When it was queued.
  var offeredAt = MediaTime.distantPast
  /// The first picture of a new scene, which is sent however late it is.
  var isFirst = false
  /// It has been left out: its place is empty.
  var isLeftOut = false

  var isPicture: Bool { kind == .frame || kind == .keyframe }
  /// What its age counts from: a source of sound may be late by itself, or be made so.
  var ageSince: MediaTime? { kind == .audio ? offeredAt : capturedAt }
}

/// Where messages lie in a ring of bytes: each in one piece, in order. Pure bookkeeping.
struct RingLayout {
  /// librtmp writes chunk headers before a body: RTMP_MAX_HEADER_SIZE.
  static let headroom = 18
  /// Messages held at most; 60 pictures and 47 sounds a second are 9.5 s of them.
  static let mostMessages = 1_024

  let capacity: Int
  private var messages = [QueuedMessage](repeating: QueuedMessage(), count: mostMessages)
  private var head = 0
  private(set) var count = 0
  /// Bytes of the bodies that are queued.
  private(set) var bytes = 0

  /// - Parameter capacity: bytes of the ring.
  init(capacity: Int) { self.capacity = capacity }

  /// The oldest message.
  var first: QueuedMessage? { count > 0 ? messages[head] : nil }

  /// Whether a message of `kind` comes after the first `passed`.
  func contains(_ kind: MessageKind, after passed: Int) -> Bool {
    (0..<count).dropFirst(passed).contains {
      let message = messages[(head + $0) % RingLayout.mostMessages]
      return message.kind == kind && !message.isLeftOut
    }
  }

  /// Adds a message.
  /// - Returns: where to write it, or `nil` if there is no room.
  mutating func add(
    _ kind: MessageKind, bodyBytes: Int, time: UInt32, capturedAt: MediaTime? = nil,
    counts: Bool = false, offeredAt: MediaTime, isFirst: Bool = false
  ) -> QueuedMessage? {
    guard count < RingLayout.mostMessages,
      let offset = room(for: RingLayout.headroom + bodyBytes)
    else { return nil }
    let message = QueuedMessage(
      kind: kind, offset: offset, bodyBytes: bodyBytes, time: time, capturedAt: capturedAt,
      counts: counts, offeredAt: offeredAt, isFirst: isFirst)
    messages[(head + count) % RingLayout.mostMessages] = message
    count += 1
    bytes += bodyBytes
    return message
  }

  mutating func removeFirst() {
    guard count > 0 else { return }
    if !messages[head].isLeftOut { bytes -= messages[head].bodyBytes }
    head = (head + 1) % RingLayout.mostMessages
    count -= 1
  }

  /// Empties the ring except for its first `kept` messages.
  /// - Parameter each: told of each message that goes.
  mutating func removeAll(keepingFirst kept: Int, each: (QueuedMessage) -> Void) {
    while count > kept {
      count -= 1
      let message = messages[(head + count) % RingLayout.mostMessages]
      if message.isLeftOut { continue }
      bytes -= message.bodyBytes
      each(message)
    }
  }

  /// Leaves out the messages that fit, after the first `passed`: their places stay until they are passed.
  /// - Returns: how many.
  @discardableResult
  mutating func leaveOut(after passed: Int, where fits: (QueuedMessage) -> Bool) -> Int {
    var sum = 0
    for index in passed..<max(passed, count) {
      let place = (head + index) % RingLayout.mostMessages
      guard !messages[place].isLeftOut, fits(messages[place]) else { continue }
      messages[place].isLeftOut = true
      bytes -= messages[place].bodyBytes
      sum += 1
    }
    return sum
  }

  /// The oldest message that fits.
  func first(where fits: (QueuedMessage) -> Bool) -> QueuedMessage? {
    for index in 0..<count {
      let message = messages[(head + index) % RingLayout.mostMessages]
      if !message.isLeftOut, fits(message) { return message }
    }
    return nil
  }

  private func room(for length: Int) -> Int? {
    guard count > 0 else { return length <= capacity ? 0 : nil }
    let begin = messages[head].offset
    let last = messages[(head + count - 1) % RingLayout.mostMessages]
    let end = last.offset + RingLayout.headroom + last.bodyBytes
    if last.offset >= begin {
      if capacity - end >= length { return end }
      return begin >= length ? 0 : nil
    }
    return begin - end >= length ? end : nil
  }
}
