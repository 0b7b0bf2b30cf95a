// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Encode
import Media
import Synchronization
import TestSupport

@testable import Studio

/// What a packet of a `LateEncoder` shows.
struct Content: Equatable {
  /// The first bytes of each packet's content.
  static let mark = Array("ONAIR LATE FRAME".utf8)
  static let byteCount = mark.count + 8

  /// The number that the test has written into the frame.
  var frame: UInt32
  /// How many frames the encoders had been given, with this one.
  var serial: UInt32

  var bytes: [UInt8] { Content.mark + [frame, serial].flatMap(Content.bytes) }

  private static func bytes(of number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * UInt32($0))) }
  }

  init(frame: UInt32, serial: UInt32) {
    self.frame = frame
    self.serial = serial
  }

  /// - Parameter bytes: that begin with `mark`.
  init(_ bytes: some Collection<UInt8>) {
    let numbers = Array(bytes.dropFirst(Content.mark.count).prefix(8))
    frame = numbers[..<4].reduce(0) { $0 << 8 | UInt32($1) }
    serial = numbers[4...].reduce(0) { $0 << 8 | UInt32($1) }
  }
}

/// How the encoders of a test answer, and what they have been given.
final class LateEncoders: Sendable {
  /// The scene that a packet gets.
  enum Stamping { case ofItsFrame, ofTheNewestFrame }

  struct State {
    var dice: SplitMix64
    var given: UInt32 = 0
    /// The frames that keyframes were asked for, and those that never came out.
    var keyframes: [UInt32] = []
    var lost = 0
    /// To be done once within an encoder's call, before it answers or after its first packet.
    var interruption: (@Sendable () -> Void)?
    var interruptsAnswer = false
  }

  let reorders: Bool
  let stamping: Stamping
  /// Frames that an encoder may hold.
  let delays: ClosedRange<Int>
  let state: Mutex<State>

  init(
    delays: ClosedRange<Int>, reorders: Bool = false, stamping: Stamping = .ofItsFrame,
    seed: UInt64 = 1
  ) {
    self.delays = delays
    self.reorders = reorders
    self.stamping = stamping
    state = Mutex(State(dice: SplitMix64(seed: seed)))
  }

  /// Stills are made by x264.
  var factory: EncoderFactory {
    EncoderFactory(
      video: { [self] (format) throws(EncoderError) in
        format.stillQuantizer == nil
          ? try LateEncoder(format, self) : try EncoderFactory.libraries.video(format)
      }, audio: EncoderFactory.libraries.audio)
  }

  /// Does what is to be done within a call.
  fileprivate func interrupt(answering: Bool) {
    let interruption = state.withLock { state -> (@Sendable () -> Void)? in
      guard state.interruptsAnswer == answering else { return nil }
      return state.interruption.take()
    }
    interruption?()
  }
}

/// An encoder whose packets come up to some frames late, several at once, and in another order. They say what they
/// show. It holds at least one frame.
final class LateEncoder: VideoEncoder {
  private struct Held {
    var tag: FrameTag
    var content: Content
    var isKey: Bool
  }

  let format: VideoFormat
  let header: VideoHeader
  private(set) var rate: VideoRate
  private let encoders: LateEncoders
  private let delay: Int
  private var held: [Held] = []
  private var newest = FrameTag(time: .distantPast)
  /// The presentation time of the frame before the oldest that is held.
  private var before: MediaTime?

  var holdsFrames: Bool { !held.isEmpty }

  init(_ format: VideoFormat, _ encoders: LateEncoders) throws(EncoderError) {
    self.format = format
    self.encoders = encoders
    header = try X264Encoder(format).header
    rate = VideoRate(bitrateKbps: format.bitrateKbps)
    delay = encoders.state.withLock { Int.random(in: encoders.delays, using: &$0.dice) }
  }

  deinit {
    let count = held.count
    encoders.state.withLock { $0.lost += count }
  }

  func change(_ rate: VideoRate) { self.rate = rate }
  func takeRefusal() -> EncoderError? { nil }

  @unsafe func encode(
    _ picture: PlanarPicture, _ tag: FrameTag, key: Bool, introduced: Bool,
    emit: (EncodedFrame) -> Void
  ) {
    var frame: UInt32 = 0
    for index in 0..<4 { frame = unsafe frame << 8 | UInt32(picture.y[index]) }
    // Up to so many frames are held after this call.
    let (serial, kept) = encoders.state.withLock { state in
      state.given += 1
      if key { state.keyframes.append(frame) }
      return (state.given, Int.random(in: 1...delay, using: &state.dice))
    }
    newest = tag
    held.append(Held(tag: tag, content: Content(frame: frame, serial: serial), isKey: key))
    encoders.interrupt(answering: false)
    emitAllBut(kept, emit)
  }

  func finish(emit: (EncodedFrame) -> Void) { emitAllBut(0, emit) }

  private func emitAllBut(_ kept: Int, _ emit: (EncodedFrame) -> Void) {
    while held.count > kept {
      // The last of up to three frames is decoded before the others, which refer to it.
      var group = 1
      if encoders.reorders, !held[0].isKey {
        while group < min(3, held.count - kept), !held[group].isKey { group += 1 }
      }
      let frames = Array(held[..<group])
      held.removeFirst(group)
      for (index, frame) in (frames.suffix(1) + frames.dropLast()).enumerated() {
        let decodedAt = index == 0 ? before : frames[index - 1].tag.time
        self.emit(frame, decodedAt: decodedAt ?? frame.tag.time - .milliseconds(1), emit)
        encoders.interrupt(answering: true)
      }
      before = frames[group - 1].tag.time
    }
  }

  private func emit(_ frame: Held, decodedAt: MediaTime, _ emit: (EncodedFrame) -> Void) {
    var tag = frame.tag
    if encoders.stamping == .ofTheNewestFrame { tag.scene = newest.scene }
    let unit = [frame.isKey ? 0x65 : 0x41] + frame.content.bytes
    let bytes = [0, 0, 0, UInt8(unit.count)] + unit
    unsafe bytes.withUnsafeBytes {
      unsafe emit(
        EncodedFrame(
          frame.isKey ? .keyframe : .frame, tag,
          decodedAt: encoders.reorders ? decodedAt : nil, bytes: $0))
    }
  }
}
