// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// The video and audio formats of the queued packets, by number. A format is kept for as long as a queued packet may
/// need it.
struct PacketFormats {
  /// The video formats that are kept, with their numbers, the newest last.
  private var videos: [(number: UInt32, header: VideoHeader)] = []
  /// The audio formats that are kept, with their numbers, the newest last.
  private var audios: [(number: UInt32, header: AudioHeader)] = []
  /// The numbers of the present formats, which apply to the packets that are queued from now on.
  private(set) var current = FormatNumbers()

  /// The present audio format, which applies to the packets that are queued from now on; `nil` if there is none.
  var audio: AudioHeader? { audios.last?.header }

  /// Whether only sound follows the first keyframe of the present video format.
  var isSoundOnly: Bool { videos.last?.header.isSoundOnly ?? false }

  /// Sets the present video format.
  /// - Parameter needed: the format numbers of the oldest queued packet; `nil` if the queue is empty. Earlier formats
  ///   are removed.
  mutating func setVideo(_ header: VideoHeader, needed: FormatNumbers?) {
    let oldest = needed?.video ?? .max
    videos.removeAll { $0.number < oldest }
    current.video += 1
    videos.append((current.video, header))
  }

  /// Sets the present audio format.
  /// - Parameter needed: the format numbers of the oldest queued packet; `nil` if the queue is empty. Earlier formats
  ///   are removed.
  mutating func setAudio(_ header: AudioHeader, needed: FormatNumbers?) {
    let oldest = needed?.audio ?? .max
    audios.removeAll { $0.number < oldest }
    current.audio += 1
    audios.append((current.audio, header))
  }

  /// The video format with this number; `nil` if it is not kept.
  func video(_ number: UInt32) -> VideoHeader? { videos.last { $0.number == number }?.header }

  /// The audio format with this number; `nil` if it is not kept.
  func audio(_ number: UInt32) -> AudioHeader? { audios.last { $0.number == number }?.header }
}
