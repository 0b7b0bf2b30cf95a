// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CGuest
internal import CProcess
internal import Media

/// The output of a reader in the process of a guest: memory and a socket that it shares with OnAir.
@safe final class GuestMemoryOutput: GuestOutput, @unchecked Sendable {
  private let memory: UnsafeMutableRawPointer
  /// The socket to OnAir.
  private let control: Int32
  /// The eventfd that tells OnAir of a frame.
  private let event: Int32
  /// The size of the frame that was begun; used by the thread that writes frames.
  private var begun = PictureSize(width: 0, height: 0)

  /// - Parameter memory: mapped memory of `onair_guest_memory_size()` bytes, which outlives this object.
  @unsafe init(memory: UnsafeMutableRawPointer, control: Int32, event: Int32) {
    unsafe self.memory = memory
    (self.control, self.event) = (control, event)
  }

  /// What the reader has to open.
  var request: GuestInputRequest {
    let options = unsafe onair_guest_options_of(memory)
    return GuestInputRequest(
      address: unsafe String(cString: onair_guest_address(memory)),
      socket: options.receives != 0 ? ONAIR_GUEST_SOCKET : nil,
      verifiesTLS: options.verifies_tls != 0, srtLatencyNanos: options.srt_latency_nanos,
      delayNanos: options.delay_nanos)
  }

  var wants: GuestWants {
    unsafe onair_guest_beat(memory)
    let wants = unsafe onair_guest_wants_of(memory)
    return GuestWants(
      pictures: GuestWants.Pictures(rawValue: wants.pictures) ?? .none,
      largest: PictureSize(width: Int(wants.width), height: Int(wants.height)),
      framesPerSecond: Int(wants.frames_per_second), sound: wants.sound != 0)
  }

  var isStopping: Bool {
    unsafe onair_guest_beat(memory)
    return unsafe onair_guest_is_stopping(memory) != 0
  }

  @unsafe func beginPicture(_ size: PictureSize) -> UnsafeMutableRawBufferPointer? {
    guard wants.pictures != .none,
      let planes = unsafe onair_guest_begin_frame(
        memory, UInt32(clamping: size.width), UInt32(clamping: size.height))
    else { return nil }
    begun = size
    return unsafe UnsafeMutableRawBufferPointer(
      start: planes, count: size.width * size.height * 3 / 2)
  }

  func endPicture(dueAt: MediaTime, colour: Colour) {
    unsafe onair_guest_end_frame(
      memory,
      onair_guest_frame(
        number: 0, due_at: dueAt.nanos, width: UInt32(begun.width), height: UInt32(begun.height),
        full_range: colour.fullRange ? 1 : 0, primaries: colour.primaries,
        transfer: colour.transfer, matrix: colour.matrix))
    _ = eventfd_write(event, 1)
  }

  @unsafe func put(_ samples: UnsafePointer<Float>, frames: Int, startsAt: MediaTime) {
    unsafe onair_guest_put_block(memory, samples, UInt32(clamping: frames), startsAt.nanos)
  }

  func publish(_ key: String) -> Int64? {
    guard unsafe onair_guest_ask_to_publish(key) == 0 else { return nil }
    return unsafe max(0, onair_guest_options_of(memory).delay_nanos)
  }

  func tell(_ state: GuestState) {
    var message = onair_guest_message()
    switch state {
    case .connecting: message.kind = ONAIR_GUEST_CONNECTING
    case .open(let tracks):
      message.kind = ONAIR_GUEST_OPEN
      if let video = tracks.video {
        unsafe write(video.codec, to: &message.video_codec)
        message.width = UInt32(clamping: video.size.width)
        message.height = UInt32(clamping: video.size.height)
        message.frames_per_kilosecond =
          video.frameRate.isFinite ? UInt32(min(max(0, video.frameRate * 1_000), 1e9)) : 0
      }
      if let audio = tracks.audio {
        unsafe write(audio.codec, to: &message.audio_codec)
        message.sample_rate = UInt32(clamping: audio.sampleRate)
        message.channels = UInt32(clamping: audio.channels)
      }
    case .ended: message.kind = ONAIR_GUEST_ENDED
    case .failed(let fault, let detail):
      message.kind = ONAIR_GUEST_FAILED
      message.number = UInt32(fault.rawValue)
      unsafe write(detail, to: &message.detail)
    }
    unsafe onair_guest_tell(control, &message)
  }

  /// Writes as much of a text as there is room for, before a zero byte. A text that is empty becomes "?": an empty one
  /// means that there is no such track.
  @unsafe private func write<Room>(_ text: String, to room: inout Room) {
    let text = text.isEmpty ? "?" : text
    unsafe withUnsafeMutableBytes(of: &room) { bytes in
      unsafe bytes.copyBytes(from: text.utf8.prefix(bytes.count - 1))
    }
  }
}
