// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Audio
internal import Publish
internal import Studio

// The Prometheus metrics of OnAir. Dashboards rely on the names, so they must not change.

extension MetricsText {
  /// All metrics in Prometheus' text format: the answer to `GET /metrics`.
  /// - Parameter reading: the newest reading; `nil` before the first one.
  package static func of(_ reading: FigureReading?) -> String {
    var text = MetricsText()
    text.add(
      "onair_info", .gauge, "The version of OnAir.", [Sample(1, ("version", Version.current))])
    guard let reading else { return text.text }
    text.addProcess(reading)
    text.addMachine(reading.machine)
    text.addVideo(reading.studio.video)
    text.addAudio(reading.studio)
    if let sound = reading.sound { text.add(sound) }
    text.addDestinations(reading.destinations)
    text.addStart(reading.start)
    if let recording = reading.recording { text.add(recording) }
    return text.text
  }

  /// Adds the metrics of OnAir's process.
  private mutating func addProcess(_ reading: FigureReading) {
    let machine = reading.machine
    add(
      "process_cpu_seconds_total", .counter, "Processor time that OnAir has used.",
      machine.ownTicks.map { Double($0) / Double(machine.ticksPerSecond) })
    add(
      "process_resident_memory_bytes", .gauge, "Resident memory of OnAir.",
      machine.residentBytes.map { Double($0) })
    add(
      "process_start_time_seconds", .gauge, "Start of OnAir, in seconds since 1970.",
      Double(reading.startedAt) / 1_000)
  }

  /// Adds the metrics of the machine.
  private mutating func addMachine(_ machine: MachineReading) {
    let perSecond = Double(machine.ticksPerSecond)
    add(
      "onair_machine_cpu_seconds_total", .counter,
      "Time of all cores since the start of the machine.",
      machine.ticks.map { ticks in
        [
          Sample(Double(ticks.busy) / perSecond, ("mode", "busy")),
          Sample(Double(ticks.total - ticks.busy) / perSecond, ("mode", "idle")),
        ]
      } ?? [])
    add(
      "onair_machine_memory_available_bytes", .gauge, "Memory that programs can still get.",
      machine.availableBytes.map { Double($0) })
    add(
      "onair_machine_temperature_celsius", .gauge,
      "Temperature of the processor's hottest sensor.",
      machine.processor.temperatureCelsius)
    add(
      "onair_machine_clock_ratio", .gauge,
      "Share of the processor's full clock that the kernel allows.",
      machine.processor.allowedClockShare)
    add(
      "onair_machine_throttled", .gauge,
      "Whether the clock is lowered because of heat, or by the firmware.",
      machine.processor.isThrottled.map { $0 ? 1 : 0 })
    add(
      "onair_machine_under_voltage", .gauge,
      "Whether the supply voltage was too low in the last two seconds.",
      machine.processor.isUnderVoltage.map { $0 ? 1 : 0 })
    add(
      "onair_machine_uptime_seconds", .gauge, "Time since the start of the machine.",
      Double(machine.uptimeSeconds))
  }

  /// Adds the metrics of the captured and encoded video.
  private mutating func addVideo(_ video: StudioFigures.Video) {
    add(
      "onair_video_captured_frames_total", .counter, "Frames that the source has delivered.",
      Double(video.captured))
    add(
      "onair_video_encoded_frames_total", .counter, "Frames encoded, repeats included.",
      Double(video.encoded))
    add(
      "onair_video_repeated_frames_total", .counter,
      "Frames encoded again because no new one came.", Double(video.repeated))
    add(
      "onair_video_unreadable_frames_total", .counter,
      "Frames of the source that could not be decoded.", Double(video.unreadable))
    add(
      "onair_video_dropped_frames_total", .counter,
      "Frames of the source that were not encoded: late (the encoder was too slow) or surplus (the source is "
        + "faster than video.fps).",
      [
        Sample(Double(video.droppedLate), ("reason", "late")),
        Sample(Double(video.droppedSurplus), ("reason", "surplus")),
      ])
    add(
      "onair_video_encoded_bytes_total", .counter, "Encoded video.", Double(video.bytes))
    add(
      "onair_video_encode_seconds_total", .counter, "Time of encoding frames.",
      Double(video.encodeNanos) / 1e9)
    add(
      "onair_video_encode_max_seconds", .gauge,
      "The longest time of encoding a frame in the last second.",
      video.present.map { Double($0.longestEncodeNanos) / 1e9 })
    add(
      "onair_video_delay_max_seconds", .gauge,
      "The longest time from a frame's arrival until it was encoded, in the last second.",
      video.present.map { Double($0.longestDelayNanos) / 1e9 })
    add(
      "onair_video_target_bytes_per_second", .gauge, "The rate that the video encoder is set to.",
      video.present.map { Double($0.targetKbps) * 125 })
    add(
      "onair_video_width_pixels", .gauge, "Width of the video that is sent.",
      video.present.map { Double($0.width) })
    add(
      "onair_video_height_pixels", .gauge, "Height of the video that is sent.",
      video.present.map { Double($0.height) })
    add(
      "onair_video_speed_level", .gauge,
      "How much work the encoder puts into a frame: 0 is the least, 10 the most.",
      video.present.flatMap(\.speedLevel))
    add(
      "onair_video_queue_frames", .gauge, "Frames that wait for the encoder.",
      video.present.map { Double($0.queued) })
  }

  /// Adds the metrics of the captured and encoded audio.
  private mutating func addAudio(_ studio: StudioFigures) {
    let audio = studio.audio
    add("onair_audio_packets_total", .counter, "Audio packets encoded.", Double(audio.packets))
    add("onair_audio_encoded_bytes_total", .counter, "Encoded audio.", Double(audio.bytes))
    add(
      "onair_audio_dropped_chunks_total", .counter,
      "Blocks of the source's audio dropped because the encoder was too slow.",
      Double(audio.dropped))
    add(
      "onair_audio_late_samples_total", .counter, "Sample frames that came too late to be heard.",
      Double(audio.lateFrames))
    add(
      "onair_audio_clock_drift_ratio", .gauge, "Deviation of the microphone's sample clock.",
      audio.present?.driftPPM.map { $0 / 1e6 })
    add(
      "onair_video_lead_seconds", .gauge,
      "How much later the newest video packet's time is than the newest audio packet's.",
      studio.videoLeadNanos.map { Double($0) / 1e9 })
  }

  /// Adds the metrics of the recording.
  private mutating func add(_ recording: FigureReading.Recording) {
    add(
      "onair_recording", .gauge, "Whether it is recorded.", recording.isRunning ? 1 : 0)
    add(
      "onair_recording_failing", .gauge, "Whether it should be recorded, and cannot.",
      recording.isFailing ? 1 : 0)
    add(
      "onair_recording_seconds", .gauge, "The length of the present recording.", recording.seconds)
    add(
      "onair_recording_bytes", .gauge, "The size of the present recording.",
      Double(recording.bytes))
    add(
      "onair_recording_gaps", .gauge, "Gaps in the present recording, since the disk was too slow.",
      Double(recording.gaps))
    add(
      "onair_recording_gap_seconds", .gauge, "The length of these gaps.", recording.gapSeconds)
    add(
      "onair_recording_free_bytes", .gauge, "Free space of the disk for recordings.",
      recording.freeBytes.map(Double.init))
    add(
      "onair_recording_room_seconds", .gauge, "Time for which that space lasts.",
      recording.roomSeconds.map(Double.init))
  }

  /// Adds the metrics of the sound of a broadcast.
  private mutating func add(_ sound: FigureReading.Sound) {
    let loudness = sound.loudness
    add(
      "onair_audio_loudness_lufs", .gauge,
      "Loudness of the sum (BS.1770): of 0.4 s, of 3 s, and since the broadcast began.",
      [
        Sample(loudness.momentaryLufs, ("window", "momentary")),
        Sample(loudness.shortTermLufs, ("window", "short_term")),
        Sample(loudness.integratedLufs, ("window", "integrated")),
      ])
    add(
      "onair_audio_loudness_range_lu", .gauge, "Loudness range since the broadcast began.",
      loudness.rangeLu)
    add(
      "onair_audio_true_peak_dbtp", .gauge, "The highest true peak since the broadcast began.",
      loudness.truePeakDbtp)
    let levels = sound.levels.sorted { $0.key < $1.key }
    add(
      "onair_audio_track_peak_dbfs", .gauge, "The peak of each track in the sum, of 0.4 s.",
      levels.map { Sample($0.value.peakDb, ("track", $0.key)) })
    add(
      "onair_audio_track_rms_dbfs", .gauge, "The level of each track in the sum, of 0.4 s.",
      levels.map { Sample($0.value.rmsDb, ("track", $0.key)) })
    add(
      "onair_audio_alarm", .gauge, "Whether something is wrong with the sound of a track.",
      sound.alarms.sorted { $0.key < $1.key }.flatMap { track, alarms in
        AudioAlarm.allCases.map {
          Sample(
            alarms.contains($0) ? 1 : 0, ("track", track), ("alarm", $0.rawValue))
        }
      })
  }

  /// Adds the metrics of the destinations, each sample labelled with its destination's name.
  private mutating func addDestinations(_ destinations: [FigureReading.Destination]) {
    typealias Totals = DestinationTotals
    func total(_ name: String, _ help: String, _ value: (Totals) -> Double) {
      add(
        "onair_destination_\(name)_total", .counter, help,
        destinations.map { Sample(value($0.totals), ("destination", $0.name)) })
    }
    func present(_ name: String, _ help: String, _ value: (DestinationCounters) -> Double?) {
      add(
        "onair_destination_\(name)", .gauge, help,
        destinations.map { Sample($0.present.flatMap(value), ("destination", $0.name)) })
    }
    func seconds(_ nanos: Int64?) -> Double? { nanos.map { Double($0) / 1e9 } }
    present("up", "Whether the server takes the stream; missing off air.") {
      $0.state.isOnAir ? 1 : 0
    }
    total("sent_frames", "Video frames sent.") { Double($0.frames) }
    add(
      "onair_destination_sent_bytes_total", .counter,
      "Bytes sent, of video, of audio, and others (metadata and formats).",
      destinations.flatMap { destination in
        let totals = destination.totals
        let name = (name: "destination", value: destination.name)
        return [
          Sample(Double(totals.videoBytes), name, ("kind", "video")),
          Sample(Double(totals.audioBytes), name, ("kind", "audio")),
          Sample(
            Double(totals.bytes) - Double(totals.videoBytes) - Double(totals.audioBytes), name,
            ("kind", "other")),
        ]
      })
    total("dropped_packets", "Packets dropped because the link was too slow.") {
      Double($0.dropped)
    }
    total("connections", "Connections that the server has accepted.") { Double($0.connections) }
    total("reconnects", "Times that the server took the stream again.") { Double($0.reconnects) }
    total("failures", "Failed attempts and lost connections.") { Double($0.failures) }
    total("outage_seconds", "Time of broadcasts in which the server did not take the stream.") {
      Double($0.outageNanos) / 1e9
    }
    present("queue_packets", "Packets that wait to be sent.") { Double($0.queuedPackets) }
    present("queue_bytes", "Bytes that wait to be sent.") { Double($0.queuedBytes) }
    present("queue_seconds", "How long the oldest packet has waited.") { seconds($0.queueNanos) }
    present(
      "capture_to_sent_seconds", "From the capture of the newest frame that was sent until it was."
    ) { seconds($0.sentAfterNanos) }
    present(
      "capture_to_acknowledged_seconds",
      "From the capture of the newest frame that has arrived until that was known."
    ) { seconds($0.acknowledgedAfterNanos) }
    present("round_trip_seconds", "Round-trip time of TCP.") { seconds($0.roundTripNanos) }
  }

  /// Adds the time that each step of the present broadcast's start took. `start` is `nil` off air.
  private mutating func addStart(_ start: BroadcastStart?) {
    func sample(_ step: String, _ nanos: Int64?) -> Sample {
      Sample(nanos.map { Double($0) / 1e9 }, ("step", step))
    }
    add(
      "onair_broadcast_start_seconds", .gauge,
      "How long each step of the start of the present broadcast took.",
      [
        sample("devices", start?.devices), sample("connected", start?.connected),
        sample("first_frame", start?.firstFrame), sample("delivered", start?.delivered),
      ])
  }
}
