// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// An event, as `GET /api/events` sends it. The names of the fields are part of the API and must not change.
public struct Event: Codable, Sendable, Equatable {
  /// The kind of an event. The names are part of the API and must not change. `Tests/documents.py --write` copies the
  /// comments of the cases into a table of the API's documentation.
  public enum Code: String, Codable, Sendable, CaseIterable {
    /// The broadcast has begun, by a command or at the start of the program.
    case started
    /// The first data of the broadcast has arrived at the main server; with `startedMs`.
    case live
    /// The broadcast has ended; with `totals`.
    case ended
    /// The broadcast is paused: the room is private, and viewers get the still.
    case paused
    /// The pause of the broadcast is over.
    case resumed
    /// The microphone is muted.
    case muted
    /// Viewers hear the microphone again.
    case unmuted
    /// The picture is switched off: viewers get a still, and the sound goes on.
    case videoOff = "video_off"
    /// Viewers get the picture again.
    case videoOn = "video_on"
    /// The sound is switched off: viewers get silence instead of every track, music too.
    case audioOff = "audio_off"
    /// Viewers get the sound again.
    case audioOn = "audio_on"
    /// A command has restarted the sources, the encoders and the connection; the broadcast goes on.
    case restarted

    /// A camera, a microphone, a file or a pipe delivers nothing, headphones play nothing, or a GPIO line of the panel
    /// does not work.
    case deviceLost = "device_lost"
    /// A camera, a microphone, a file, a pipe, headphones or a GPIO line of the panel works again.
    case deviceBack = "device_back"
    /// The user that OnAir runs as may not open a device.
    case deviceForbidden = "device_forbidden"
    /// Another program uses a device.
    case deviceBusy = "device_busy"

    /// A file that plays has been removed, or replaced by one that cannot be played: the old file plays on.
    case fileOutdated = "file_outdated"
    /// The file that plays is again the same as the file of that name on the disk.
    case fileCurrent = "file_current"

    /// An attempt to reach the server begins.
    case connecting
    /// The server has accepted the connection.
    case connected
    /// The server has accepted the stream; with `elapsedMs`.
    case publishing
    /// Recent video or audio has arrived at the server; with `elapsedMs`.
    case delivered
    /// The link is too slow for the stream, or nothing arrives at the server.
    case networkPoor = "network_poor"
    /// The link is fast enough for the stream again.
    case networkRecovered = "network_recovered"
    /// An attempt to reach the server has failed; with `cause`.
    case connectFailed = "connect_failed"
    /// The connection to the server accepts no more data.
    case sendTimedOut = "send_timed_out"
    /// The server refuses the stream; with `cause`.
    case refused
    /// Another program publishes with the same stream key.
    case replaced
    /// The server has ended the stream.
    case endedByServer = "ended_by_server"
    /// Somebody has asked for a new connection to each server.
    case reconnectAsked = "reconnect_asked"
    /// The connection to the server is lost, or was closed for a new one; the new one is being made.
    case reconnectStarted = "reconnect_started"
    /// The server has the stream again after a loss; with `elapsedMs`.
    case reconnectSucceeded = "reconnect_succeeded"
    /// The address to publish to expires within a minute.
    case urlExpiring = "url_expiring"
    /// The address to publish to has expired: the server may refuse the next connection.
    case urlExpired = "url_expired"
    /// The main server has not accepted the stream for `publish.outage_alarm_seconds`; with `outageSeconds`.
    case outageLong = "outage_long"
    /// Ten attempts in a row to reach the server have failed; reported again every ten minutes. With `attempts` and
    /// `outageSeconds`.
    case reconnectFailing = "reconnect_failing"

    /// A connection to a relay's server begins; `destination` has the relay's name.
    case relayConnecting = "relay_connecting"
    /// A relay's server has recent video or audio.
    case relayRunning = "relay_running"
    /// A relay's server does not get the stream; with `cause`. OnAir tries again until it works.
    case relayFailed = "relay_failed"
    /// A relay has ended: it was stopped, paused or removed, or the broadcast is over.
    case relayStopped = "relay_stopped"

    /// A guest is there and waits until a person admits him, or was taken off the air; with `elapsedS`.
    case guestWaiting = "guest_waiting"
    /// A guest is on air; with `elapsedS`.
    case guestOnline = "guest_online"
    /// Whether a guest's picture and sound arrive has changed; with `picture` and `sound`.
    case guestTracks = "guest_tracks"
    /// A guest is gone; with `cause`: quit, dropped, removed or replaced, and with `elapsedS`.
    case guestOffline = "guest_offline"
    /// A person has admitted a guest.
    case guestAdmitted = "guest_admitted"
    /// A person has removed a guest. He does not come back until he is allowed to.
    case guestRemoved = "guest_removed"
    /// A guest cannot be received; with `cause`. OnAir tries again every two seconds.
    case guestFailed = "guest_failed"
    /// A guest who could not be received can be.
    case guestBack = "guest_back"
    /// Viewers see camera and guests in another layout; with `layout`, and with `cause`: automatic, hand or task.
    case layoutChanged = "layout_changed"

    /// Somebody watches the preview off air, so the camera and the microphone are open, if they are the sources.
    case watchingStarted = "watching_started"
    /// The last viewer of the preview off air has left, or that preview ends because the broadcast begins.
    case watchingEnded = "watching_ended"

    /// Music is heard: after a start, or again after a trouble.
    case musicStarted = "music_started"
    /// The music is paused.
    case musicPaused = "music_paused"
    /// The music goes on after a pause.
    case musicResumed = "music_resumed"
    /// The music was stopped, by a person or with the end of the broadcast.
    case musicStopped = "music_stopped"
    /// All music has been played.
    case musicCompleted = "music_completed"
    /// Music cannot be played: a piece is left out, OnAir tries again, or the music has ended; with `cause`.
    case musicFailed = "music_failed"

    /// Something is wrong with the sound of a track that viewers hear; with `cause`: clipping, silence, dead_device,
    /// dead_channel, inverted or hum.
    case audioAlarm = "audio_alarm"
    /// The alarm of a track with this `cause` is over.
    case audioAlarmOver = "audio_alarm_over"

    /// A broadcast of the schedule begins, or goes on after a restart.
    case scheduleBegun = "schedule_begun"
    /// A broadcast of the schedule ends by itself in five minutes, unless somebody extends it.
    case scheduleEnds = "schedule_ends"
    /// A broadcast of the schedule has ended by itself.
    case scheduleEnded = "schedule_ended"
    /// A person has ended a broadcast of the schedule. It stays ended.
    case scheduleStopped = "schedule_stopped"
    /// A person lets a broadcast of the schedule go on for longer.
    case scheduleExtended = "schedule_extended"
    /// A broadcast of the schedule is left out, or a person wants that, or not any more.
    case scheduleSkipped = "schedule_skipped"
    /// A broadcast of the schedule has not begun; with `cause`: late, on_air or stopped.
    case scheduleMissed = "schedule_missed"
    /// A broadcast of the schedule cannot begin, which OnAir tries for ten minutes, or cannot go on after a restart.
    case scheduleFailed = "schedule_failed"
    /// A minute before a broadcast of the schedule, there is no picture or no sound.
    case scheduleTestFailed = "schedule_test_failed"
    /// Viewers have got nothing but silence and a still picture for long: the broadcast ends in five minutes.
    case forgottenSoon = "forgotten_soon"
    /// The broadcast was ended, since viewers have got nothing but silence and a still picture for
    /// `publish.forgotten_minutes`.
    case forgotten
    /// A calendar was imported or removed.
    case scheduleImported = "schedule_imported"
    /// The calendar at calendar.url cannot be read. The events before stay.
    case calendarFailed = "calendar_failed"

    /// A recording has begun.
    case recordStarted = "record_started"
    /// A recording has ended, and its last file is finished.
    case recordStopped = "record_stopped"
    /// A person has set a mark in the recording.
    case recordMarked = "record_marked"
    /// Nothing can be recorded; with `cause`: no_place, no_folder, not_mounted, forbidden, read_only, full, disk_failed,
    /// stalled, stick_busy or other. OnAir tries again by itself.
    case recordFailed = "record_failed"
    /// It can be recorded again.
    case recordBack = "record_back"
    /// A part of the broadcast is missing in the recording, because the disk was too slow or failed; with `seconds`.
    case recordGap = "record_gap"
    /// The free space for recordings is running out.
    case recordRoomLow = "record_room_low"
    /// There is enough free space for recordings again.
    case recordRoomBack = "record_room_back"
    /// The recording has what viewers get instead of the programme, which cannot be encoded a second time.
    case recordAsSent = "record_as_sent"
    /// The recording has the programme again.
    case recordAsProgramme = "record_as_programme"
    /// The oldest recordings were deleted to make room.
    case recordingsRemoved = "recordings_removed"
    /// Recordings that a power cut or a pulled stick had left unfinished were finished.
    case recordMended = "record_mended"
    /// A recording was renamed, kept, deleted or brought back.
    case recordingsChanged = "recordings_changed"
    /// The command `record.after` has failed for a finished recording.
    case recordAfterFailed = "record_after_failed"
    /// A stick was plugged in, and can be recorded on.
    case stickReady = "stick_ready"
    /// A stick was plugged in that cannot be recorded on; with `cause`: format, encrypted, damaged, same_id, folder,
    /// no_space or read_only.
    case stickUnusable = "stick_unusable"
    /// A stick is too slow for the recording, or does not keep what is written; with `cause`: slow, stalls or fake.
    case stickSlow = "stick_slow"
    /// The stick can be pulled.
    case stickRemovable = "stick_removable"
    /// The stick was unplugged.
    case stickGone = "stick_gone"

    /// A film, a piece of music or an image was uploaded or deleted.
    case mediaChanged = "media_changed"
    /// Settings have changed while the program runs.
    case settingsChanged = "settings_changed"
    /// A change of settings broke the picture or the sound, and was undone.
    case settingsUndone = "settings_undone"
    /// The settings file, the settings on the card or the settings changed at run time have mistakes or cannot be read,
    /// and the box runs with other settings.
    case settingsUnfit = "settings_unfit"
    /// The settings file has no mistakes any more, and the box uses it again.
    case settingsFit = "settings_fit"

    /// The machine is too slow for the settings.
    case frameBudgetMissed = "frame_budget_missed"
    /// The machine is fast enough for the settings again.
    case frameBudgetMet = "frame_budget_met"
    /// Even with the least work for each frame, this machine cannot encode all frames in time: it sends fewer or
    /// smaller ones.
    case pictureReduced = "picture_reduced"
    /// The machine encodes the frame rate and the size of the settings again.
    case pictureRestored = "picture_restored"
    /// Video or audio cannot be encoded.
    case encoderFailed = "encoder_failed"
    /// An image that a setting names cannot be shown. The built-in one is shown instead.
    case stillUnusable = "still_unusable"
    /// An image or a text on the picture cannot be shown, or has characters that no font has.
    case overlayUnusable = "overlay_unusable"
    /// A filter that is a process of its own is off: it was late, or has ended. Frames are shown without it.
    case filterOff = "filter_off"
    /// The state that should survive a power cut cannot be written, or could not be read at the start.
    case stateNotSaved = "state_not_saved"
    /// The disk has no space left for the state that should survive a power cut.
    case diskFull = "disk_full"
    /// The disk has space again for the state that should survive a power cut.
    case diskFreed = "disk_freed"
    /// A button has been down for so long that it is ignored until it is released.
    case buttonStuck = "button_stuck"
    /// A button that was ignored because it was down for so long has been released.
    case buttonReleased = "button_released"
    /// The HTTP server cannot listen at page.listen.
    case pageUnavailable = "page_unavailable"
    /// The HTTP server listens at page.listen again.
    case pageBack = "page_back"
    /// The server of the play-out cannot listen at playout.listen.
    case playoutUnavailable = "playout_unavailable"
    /// The server of the play-out listens at playout.listen again.
    case playoutBack = "playout_back"
    /// A player near by watches, and none did before.
    case playoutStarted = "playout_started"
    /// No player near by watches any more.
    case playoutEnded = "playout_ended"

    /// The box is in a network, for the first time or again.
    case networkUp = "network_up"
    /// The box is in no network; the sentence says why.
    case networkDown = "network_down"
    /// The box uses another network interface than before.
    case networkWay = "network_way"
    /// The box has joined a Wi-Fi, and goes on using another network interface.
    case wifiJoined = "wifi_joined"
    /// A Wi-Fi could not be joined, or a cable gave no address; with `cause`: wrong_password, not_in_reach,
    /// no_address, no_answer or failed.
    case wifiFailed = "wifi_failed"
    /// The box makes a Wi-Fi of its own, for setting it up.
    case hotspotStarted = "hotspot_started"
    /// The Wi-Fi that the box itself made has ended.
    case hotspotEnded = "hotspot_ended"
    /// A change of the network that nobody confirmed was undone.
    case networkChangeUndone = "network_change_undone"

    /// An update of the system was asked for, or is installed and about to be tried.
    case updating
    /// An update of the system has shown that it can stream, and is kept.
    case updated
    /// An update of the system could not be downloaded or installed, was undone, or was never begun.
    case updateFailed = "update_failed"

    /// The processor is hot, so that its clock is lowered or soon will be.
    case tooHot = "too_hot"
    /// The processor is cool enough again.
    case heatGone = "heat_gone"
    /// The supply voltage is too low at times.
    case powerWeak = "power_weak"
    /// The supply voltage is good again.
    case powerGood = "power_good"
  }

  /// The figures of a broadcast, which the event `ended` contains.
  public struct Totals: Codable, Sendable, Equatable {
    /// How long the broadcast lasted, in seconds.
    public var seconds: Int
    /// Bytes that were sent, summed over all servers.
    public var bytes: UInt64
    /// Video frames that were encoded.
    public var frames: Int
    /// The number of gaps for viewers of the main server: reconnects, queues that were dropped on a slow link, and
    /// standstills of the program.
    public var interruptions: Int
    /// Frames and audio packets that were dropped because the link to the main server was too slow.
    public var dropped: Int
    /// Frames and blocks of audio that were dropped because this machine was too slow.
    public var late: Int
    /// Seconds in which viewers should have seen the camera, but it delivered nothing; `nil` for less than one second.
    public var withoutCameraSeconds: Int?
    /// Seconds in which viewers should have heard the microphone, but it delivered nothing; `nil` for less than one
    /// second.
    public var withoutMicrophoneSeconds: Int?
    /// Seconds in which the main server did not have the stream; `nil` for less than one second. The time until the
    /// first connection counts, the moment between the two parts of a restarted broadcast does not.
    public var withoutServerSeconds: Int?
    /// If the program was restarted during the broadcast, all figures but `seconds` cover only the part since the
    /// restart, and this is the length of that part in seconds; otherwise `nil`. The restart counts as an interruption.
    public var countedSeconds: Int?
    /// Who has received data of the broadcast: "main" (the main server), "relays" (relays alone) or "nobody".
    public var reached: String?
    /// How many connections to the main server were made after the first.
    public var reconnects: Int?
    /// How many times packets to the main server began to be dropped because the link was too slow.
    public var overflows: Int?
    /// How many times the program itself did not run for more than a second.
    public var standstills: Int?
    /// `true` if only the program ends, and continues the broadcast at its next start; otherwise `nil`.
    public var goesOn: Bool?
  }

  /// The number of the event. It increases by one with each event, and by more at each start of the program.
  public var number: Int
  /// When the event was reported: UTC in ISO 8601.
  public var time: String
  /// The kind of the event.
  public var code: Code
  /// The thing that the event is about: "video", "audio", "track.NAME", "main button", the name of a guest, or a
  /// server's host and port; `nil` when it is about the program itself.
  public var subject: String?
  /// The destination that the event is about: "main", or the name of a relay; `nil` when it is about none.
  public var destination: String?
  /// The cause of the event as a code for programs, such as "no_signal" or "connection_refused"; `nil` if there is
  /// none.
  public var cause: String?
  /// A sentence for the user: what has happened, and what to do.
  public var sentence: String
  /// Only in "ended": the figures of the broadcast.
  public var totals: Totals?
  /// Only in "publishing", "delivered" and "reconnect_succeeded": milliseconds since the broadcast began or was last
  /// restarted or, after a lost connection, since the loss.
  public var elapsedMs: Int?
  /// Only in "reconnect_failing": failed attempts in a row to reach the server.
  public var attempts: Int?
  /// Only in "outage_long" and "reconnect_failing": seconds for which the server has not accepted the stream.
  public var outageSeconds: Int?
  /// Only in "live": milliseconds from the machine's power-on until data of the broadcast first arrived at the main
  /// server.
  public var startedMs: Int?
  /// Only in events about a failure of a server: `true` if that server has accepted the stream before in this
  /// broadcast, with this address and key; otherwise `nil`.
  public var hasWorked: Bool?
  /// The size of frames, such as "1280x720": in "frame_budget_missed" that of the settings, in "picture_reduced" the
  /// largest that is sent, in "ended" that of the settings if it was the same during the whole broadcast; otherwise
  /// `nil`.
  public var size: String?
  /// Frames per second, in the same events as `size`: of the settings or, in "picture_reduced", the highest rate that is
  /// sent.
  public var fps: Double?
  /// Only in "frame_budget_missed": frames and blocks of audio that this machine dropped within `seconds`.
  public var dropped: Int?
  /// In "frame_budget_missed", the length in seconds of the time in which the `dropped` frames and blocks were dropped.
  /// In "device_back" after a device had stalled without a reason, the seconds for which viewers got a still or silence
  /// instead; otherwise `nil`.
  public var seconds: Int?
  /// Only in "network_poor" while video is still sent: its bit rate in kbit/s.
  public var videoKbps: Int?
  /// The video bit rate of the settings in kbit/s; present in the same events as `videoKbps`.
  public var targetKbps: Int?
  /// Only in events about a guest: whole seconds since he came; in the first event about him, the seconds that connecting
  /// took; in "guest_offline", without the time in which nothing of him came.
  public var elapsedS: Int?
  /// Only in "guest_tracks": whether the guest's picture arrives.
  public var picture: Bool?
  /// Only in "guest_tracks": whether the guest's sound arrives.
  public var sound: Bool?
  /// Only in "layout_changed": the layout, or "bypass" for the camera alone.
  public var layout: String?
}
