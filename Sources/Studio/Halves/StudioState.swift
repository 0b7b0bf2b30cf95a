// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Capture
internal import Director
internal import RateControl
internal import Settings
internal import Synchronization

extension Studio {
  /// The settings, the users, the scenes and the open halves (video and audio).
  struct State {
    var settings: Settings
    /// The settings that were last applied to the open sources and pipelines. `adjust` applies `settings`.
    var appliedSettings: Settings
    /// Whether `settings` have been applied; `false` from a change until the next `adjust`.
    var areSettingsApplied = true
    /// The plans of the audio tracks of the settings besides the main one.
    var tracksOfSettings: [TrackPlan] = []
    /// The plans of further audio tracks.
    var tracks: [TrackPlan] = []
    /// The guests in the programme.
    var guests = GuestScene()
    /// Makes sinks for audio tracks that are encoded each by itself, and the number of the user that has asked for it;
    /// `nil` for none.
    var trackSinks: (sinks: TrackSinks, user: Int)?
    /// How loud the voices and the music are.
    var volumes = Volumes()
    /// What each user needs, by the user's number.
    var users: [Int: StudioNeeds] = [:]
    /// The number of the user that entered last.
    var lastUser = 0
    /// The number of the user (a broadcast) that sets the encoders' bit rates, size and speed; `nil` if the settings
    /// alone determine them.
    var leader: Int?
    /// Whether a user sets the encoders' bit rates, size and speed, instead of the settings alone.
    var isLed: Bool { leader != nil }
    /// Whether the next `adjust` closes and reopens the audio half if its number of channels differs from the settings.
    /// Becomes `true` when a user enters who sets the encoders' bit rates, size and speed (a broadcast).
    var reopensStaleAudio = false
    var scenes = Scenes()
    /// Whether the present video scene has been passed to the video pipeline; `false` while the scene's still is being
    /// prepared.
    var isVideoSet = true
    var video: StudioVideo?
    var audio: StudioAudio?
    /// What the open halves (video and audio) share: the source maker, and the reason why a broadcast cannot go on.
    /// `nil` while neither half is open.
    var sharedParts: SharedParts?
    /// Whether a camera that was closed for a pause stays closed after the pause, because the broadcast has ended and
    /// nobody has asked to see the camera's picture.
    var staysClosed = false
    /// Whether the camera has to be closed for a pause: see the setting `pause.release_camera`.
    var releasesCamera = false
    /// Decides how many of the guests' frames are decoded.
    var guestFrames = GuestFrameRules()
    /// Decides which renditions of the video are encoded beside that of the broadcast, in the order of `Studio.seconds`.
    var secondRules = SecondEncodings(count: Studio.seconds.count)
    /// The state of each of these renditions, in the same order.
    var seconds = Studio.seconds.map { _ in SecondEncoding() }
    /// Whether the broadcast has a destination for the box's own picture and sound.
    var wantsCamera = false
    /// Finds lasting failures of the studio, and decides which of them are reported.
    var watch: StudioWatch
    /// Whether a thread did not end in time and was abandoned.
    var hasAbandonedThread = false
    /// The totals of all pipelines that have been closed since the program started.
    var closedTotals = StudioFigures()
    /// The measured processor time of each rung of the speed ladder (each effort of the encoder) on this machine,
    /// relative to the first rung.
    var costs = SpeedCosts()

    init(_ settings: Settings) {
      (self.settings, appliedSettings) = (settings, settings)
      watch = StudioWatch(settings.video)
      volumes.music = settings.music.volume
      planTracks()
    }

    /// The needs of all users together, except those of `user`.
    func needs(besides user: Int? = nil) -> StudioNeeds {
      users.reduce(into: []) { if $1.key != user { $0.formUnion($1.value) } }
    }
  }

  /// The state of a rendition of the video beside that of the broadcast.
  struct SecondEncoding {
    /// Why it cannot be encoded, however much time the processor has; `nil` if it can, or is not wanted.
    var obstacle: SecondVideoRefusal?
    /// When it ends at the latest; `nil` while it goes on, or there is none.
    var endsAt: MediaTime?
  }

  /// The parts that the video half and the audio half of an open studio have in common.
  struct SharedParts {
    /// Creates the sources of both halves with one common start time, so that a file's video and audio are in step.
    var makers: SourceMaker
    /// Why a broadcast from this studio cannot go on; its `value` is `nil` while there is no reason.
    var ending: Ending
  }

  /// The reason why a broadcast cannot go on. The first thread that finds a reason sets it; later reasons are ignored.
  final class Ending: Sendable {
    private let first = Mutex<BroadcastEnding?>(nil)
    var value: BroadcastEnding? { first.withLock { $0 } }
    func set(_ ending: BroadcastEnding) { first.withLock { $0 = $0 ?? ending } }
  }
}
