// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CGuest
internal import Glibc

/// OnAir's end of the control socket of a reader: receives its states, and makes the connections that it requests, to
/// the guest's own address alone.
struct GuestBroker {
  /// What a reader has sent.
  enum Message: Equatable {
    case state(GuestState)
    /// A request for a connection, which was answered with an error number, or 0.
    case connection(Int32)
    /// A guest who sends has named its key; empty with SRT. The reader waits for an answer with this number.
    case publish(number: UInt32, key: String)
    /// The reader has closed the socket, or has broken the protocol.
    case end
  }

  let control: Int32
  /// The addresses that the reader may reach, with their ports.
  let endpoints: [Endpoint]

  /// Receives a message, without waiting.
  /// - Returns: `nil` if there is none.
  func receive() -> Message? {
    var message = onair_guest_message()
    var descriptor: Int32 = -1
    let status = unsafe onair_guest_receive(control, &message, &descriptor)
    defer { if descriptor >= 0 { close(descriptor) } }
    guard status != 0 else { return nil }
    guard status > 0 else { return .end }
    switch message.kind {
    case ONAIR_GUEST_CONNECTING: return .state(.connecting)
    case ONAIR_GUEST_OPEN: return .state(.open(GuestTracks(message)))
    case ONAIR_GUEST_ENDED: return .state(.ended)
    case ONAIR_GUEST_FAILED:
      guard let fault = UInt8(exactly: message.number).flatMap(GuestFault.init) else { return .end }
      return .state(.failed(fault, detail: text(message.detail)))
    case ONAIR_GUEST_CONNECT:
      let error = connect(descriptor, to: message.endpoint)
      onair_guest_answer(control, message.number, error)
      return .connection(error)
    case ONAIR_GUEST_PUBLISH: return .publish(number: message.number, key: text(message.detail))
    default: return .end
    }
  }

  /// Connects a socket of the reader, if the address is one of the guest's.
  /// - Returns: 0 or an error number, such as EINPROGRESS.
  private func connect(_ descriptor: Int32, to place: onair_guest_endpoint) -> Int32 {
    guard descriptor >= 0, let wanted = Endpoint(place) else { return EINVAL }
    guard let endpoint = endpoints.first(where: { $0.isSame(as: wanted) }) else { return EACCES }
    // What the reader has written into the rest of the address is not used.
    return unsafe withUnsafePointer(to: endpoint.inC) {
      unsafe onair_guest_connect(descriptor, $0)
    }
  }
}

/// A text of a reader: the bytes before the first zero.
private func text<Bytes>(_ bytes: Bytes) -> String {
  unsafe withUnsafeBytes(of: bytes) {
    unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
  }.onOneLine
}

extension GuestTracks {
  /// The largest side of a picture and the highest frame rate that a reader may tell.
  private static let largestSide = 65_536
  private static let highestFrameRate = 1_000.0

  /// The tracks in a message of a reader.
  fileprivate init(_ message: onair_guest_message) {
    let (video, audio) = (text(message.video_codec), text(message.audio_codec))
    self.init(
      video: video.isEmpty
        ? nil
        : Video(
          codec: video,
          size: PictureSize(
            width: min(Int(message.width), GuestTracks.largestSide),
            height: min(Int(message.height), GuestTracks.largestSide)),
          frameRate: min(
            Double(message.frames_per_kilosecond) / 1_000, GuestTracks.highestFrameRate)),
      audio: audio.isEmpty
        ? nil
        : Audio(
          codec: audio, sampleRate: Int(min(message.sample_rate, 1_000_000)),
          channels: Int(min(message.channels, 256))))
  }
}
