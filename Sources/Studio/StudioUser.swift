// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Media
internal import Synchronization

/// What a user of a studio needs: video, audio or both.
public struct StudioNeeds: OptionSet, Sendable {
  /// One bit for each kind of need: 1 for video, 2 for audio.
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The user needs video.
  public static let video = StudioNeeds(rawValue: 1)
  /// The user needs audio.
  public static let audio = StudioNeeds(rawValue: 2)
}

/// A user of a studio: a broadcast, a preview or a recording. The studio keeps video or audio open, as the user needs,
/// until the user leaves.
public final class StudioUser: Sendable {
  /// Identifies the user among all users of the studio.
  let number: Int
  /// The studio that the user has entered.
  private let studio: Studio
  /// The sinks that the user has added; `nil` after the user has left.
  private let sinks = Mutex<[any PacketSink]?>([])

  init(number: Int, studio: Studio) {
    self.number = number
    self.studio = studio
  }

  /// Passes the studio's packets to a sink from now on. Before its first packet, the sink gets the present headers and
  /// scenes.
  public func add(_ sink: any PacketSink) { add(sink, isMain: false) }

  /// Adds a sink behind a switch between the video of the broadcast and the second rendition: the programme as it is
  /// before a weak network reduces it.
  public func addSwitched(_ sink: any PacketSink) -> VideoSwitch {
    let videoSwitch = VideoSwitch(sink, studio.secondAvailability)
    let (sent, second) = videoSwitch.entrances
    add(sent, isMain: false)
    add(second, isMain: false, choice: RenditionChoice(video: .secondVideo, audio: nil))
    return videoSwitch
  }

  /// Adds a sink, which gets the renditions (video and audio) of `choice`. `isMain`: whether the sink's keyframe
  /// requests are met at once.
  func add(_ sink: any PacketSink, isMain: Bool, choice: RenditionChoice = .programme) {
    guard
      sinks.withLock({ sinks in
        sinks?.append(sink)
        return sinks != nil
      })
    else { return }
    studio.renditions.add(sink, isMain: isMain, choice: choice)
    // The pipeline sends the current frame again at once, so that the sink need not wait for the next frame.
    studio.wake()
  }

  /// Offers no more packets to a sink that will be removed later. Until then, the sink is still told to discard packets
  /// that a new scene hides.
  public func silence(_ sink: any PacketSink) { studio.renditions.silence(sink) }

  /// Encodes each audio track by itself, besides the sum of all, for the sinks that `makeSink` makes; `nil` for none. Only
  /// one user can have them: the last one that asks.
  public func addTracks(_ makeSink: TrackSinkMaker?) {
    studio.state.withLock { state in
      guard sinks.withLock({ $0 != nil }) else { return }
      if makeSink != nil || state.trackSinks?.user == number {
        state.trackSinks = makeSink.map { (TrackSinks($0), number) }
      }
    }
  }

  /// Offers no more packets to any sink of the user.
  public func silence() {
    studio.state.withLock { state in
      if state.trackSinks?.user == number { state.audio?.silenceSeparate() }
    }
    addTracks(nil)
    for sink in sinks.withLock({ $0 ?? [] }) { silence(sink) }
  }

  /// Removes a sink. A packet that is being offered at this moment may still reach the sink.
  public func remove(_ sink: any PacketSink) {
    sinks.withLock { $0?.removeAll { $0 === sink } }
    studio.renditions.remove(sink)
  }

  /// Removes all sinks of the user, and the user itself. The next `Studio.adjust` closes what no other user needs.
  public func leave() {
    let sinks = sinks.withLock { sinks in
      defer { sinks = nil }
      return sinks ?? []
    }
    for sink in sinks { studio.renditions.remove(sink) }
    studio.forget(self)
  }
}
