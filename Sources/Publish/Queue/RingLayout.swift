// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// The kinds of queued messages.
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
  /// Offset of its headroom in the ring.
  var offset = 0
  /// Bytes of its body, which starts `RingLayout.headroom` bytes after `offset`.
  var bodyBytes = 0
  /// RTMP timestamp: milliseconds since the start of the publish.
  var time: UInt32 = 0
  /// Capture time; `nil` for metadata and sequence headers.
  var capturedAt: MediaTime?
  /// Whether `DeliveryMeter` tracks it: frames, or audio packets if there is no video.
  var counts = false
  /// When it was queued.
  var offeredAt = MediaTime.distantPast
  /// The first keyframe of a new scene. It is sent however late it is.
  var isFirstOfScene = false
  /// It was dropped; its place in the ring stays until it is passed.
  var isDropped = false

  var isVideo: Bool { kind == .frame || kind == .keyframe }
  /// The start of its age. Not the capture time for audio, because an audio source may itself be late.
  var ageSince: MediaTime? { kind == .audio ? offeredAt : capturedAt }
}

/// Allocates messages in a ring of bytes, in order and each in one piece. It only computes offsets.
struct RingLayout {
  /// Bytes before each body, into which librtmp writes chunk headers: RTMP_MAX_HEADER_SIZE.
  static let headroom = 18
  /// The most messages; at 60 frames and 47 audio packets a second these are 9.5 s.
  static let maxMessages = 1_024

  let capacity: Int
  private var messages = [QueuedMessage](repeating: QueuedMessage(), count: maxMessages)
  private var head = 0
  private(set) var count = 0
  /// Bytes of all bodies that are queued.
  private(set) var bytes = 0

  /// - Parameter capacity: bytes of the ring.
  init(capacity: Int) { self.capacity = capacity }

  /// The oldest message.
  var first: QueuedMessage? { count > 0 ? messages[head] : nil }

  /// Whether there is a message of `kind` after the first `passed` ones.
  func contains(_ kind: MessageKind, after passed: Int) -> Bool {
    (0..<count).dropFirst(passed).contains {
      let message = messages[(head + $0) % RingLayout.maxMessages]
      return message.kind == kind && !message.isDropped
    }
  }

  /// Adds a message.
  /// - Returns: the message with its offset; `nil` if there is no room.
  mutating func add(
    _ kind: MessageKind, bodyBytes: Int, time: UInt32, capturedAt: MediaTime? = nil,
    counts: Bool = false, offeredAt: MediaTime, isFirstOfScene: Bool = false
  ) -> QueuedMessage? {
    guard count < RingLayout.maxMessages,
      let offset = room(for: RingLayout.headroom + bodyBytes)
    else { return nil }
    let message = QueuedMessage(
      kind: kind, offset: offset, bodyBytes: bodyBytes, time: time, capturedAt: capturedAt,
      counts: counts, offeredAt: offeredAt, isFirstOfScene: isFirstOfScene)
    messages[(head + count) % RingLayout.maxMessages] = message
    count += 1
    bytes += bodyBytes
    return message
  }

  mutating func removeFirst() {
    guard count > 0 else { return }
    if !messages[head].isDropped { bytes -= messages[head].bodyBytes }
    head = (head + 1) % RingLayout.maxMessages
    count -= 1
  }

  /// Removes all messages but the first `kept`.
  /// - Parameter each: called for each removed message.
  mutating func removeAll(keepingFirst kept: Int, each: (QueuedMessage) -> Void) {
    while count > kept {
      count -= 1
      let message = messages[(head + count) % RingLayout.maxMessages]
      if message.isDropped { continue }
      bytes -= message.bodyBytes
      each(message)
    }
  }

  /// Drops the messages after the first `passed` ones that match. Their places stay until they are passed.
  /// - Returns: how many.
  @discardableResult
  mutating func drop(after passed: Int, where matches: (QueuedMessage) -> Bool) -> Int {
    var sum = 0
    for index in passed..<max(passed, count) {
      let place = (head + index) % RingLayout.maxMessages
      guard !messages[place].isDropped, matches(messages[place]) else { continue }
      messages[place].isDropped = true
      bytes -= messages[place].bodyBytes
      sum += 1
    }
    return sum
  }

  /// The oldest message that matches and was not dropped.
  func first(where matches: (QueuedMessage) -> Bool) -> QueuedMessage? {
    for index in 0..<count {
      let message = messages[(head + index) % RingLayout.maxMessages]
      if !message.isDropped, matches(message) { return message }
    }
    return nil
  }

  private func room(for length: Int) -> Int? {
    guard count > 0 else { return length <= capacity ? 0 : nil }
    let begin = messages[head].offset
    let last = messages[(head + count - 1) % RingLayout.maxMessages]
    let end = last.offset + RingLayout.headroom + last.bodyBytes
    if last.offset >= begin {
      if capacity - end >= length { return end }
      return begin >= length ? 0 : nil
    }
    return begin - end >= length ? end : nil
  }
}
