// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Audio
package import Base
package import Studio

/// Decides which alarms of the audio tracks are told. Each begins once and ends once; the hysteresis is in
/// `AudioAlarms`. Reads no clock and does no I/O: the time is passed in.
package struct AudioAlarmRules {
  /// What the rules have to know besides the readings.
  package struct Context {
    /// The tracks that viewers are to hear: a broadcast is live, and neither the broadcast nor the track is muted.
    package var heard: Set<String>
    /// The tracks whose filters remove hum.
    package var humFiltered: Set<String>
    /// Seconds of silence that are an alarm; 0 for never.
    package var silenceSeconds: Int

    package init(heard: Set<String>, humFiltered: Set<String> = [], silenceSeconds: Int) {
      (self.heard, self.humFiltered) = (heard, humFiltered)
      self.silenceSeconds = silenceSeconds
    }
  }

  /// An alarm that has begun and has not ended.
  package struct Standing: Sendable, Equatable {
    package var track: String
    package var alarm: AudioAlarm
    /// The frequency of hum, in hertz.
    package var humHertz: Int?
    /// What is wrong, and what to do.
    package var sentence: String
  }

  /// Why an alarm has ended.
  enum Ending {
    case good
    /// Viewers are not to hear the track any more.
    case notHeard
    /// The track is closed, or its source delivers nothing, which is told otherwise.
    case notMeasured
    /// It is silent, but viewers hear another track.
    case otherHeard
    case filtered
  }

  /// A change that is to be reported.
  package struct Report: Sendable, Equatable {
    package var track: String
    package var alarm: AudioAlarm
    package var begins: Bool
    package var sentence: String
  }

  /// The alarms that have begun and have not ended, the gravest first.
  package private(set) var standing: [Standing] = []
  /// Since when viewers have been able to hear each track.
  private var heardSince: [String: MediaTime] = [:]
  /// From the gravest to the least grave.
  private static let order: [AudioAlarm] = [
    .deadDevice, .silence, .clipping, .deadChannel, .inverted, .hum,
  ]

  package init() {}

  /// The gravest alarm that stands for a track.
  package func gravest(of track: String) -> Standing? { standing.first { $0.track == track } }

  /// Applies the rules to new readings.
  /// - Returns: the alarms that begin or end.
  package mutating func check(
    _ readings: [TrackReading], _ context: Context, now: MediaTime
  ) -> [Report] {
    heardSince = Dictionary(
      uniqueKeysWithValues: context.heard.map { ($0, heardSince[$0] ?? now) })
    var reports: [Report] = []
    for old in standing {
      guard let ending = ending(of: old, readings, context, now: now) else { continue }
      reports.append(
        Report(
          track: old.track, alarm: old.alarm, begins: false,
          sentence: old.alarm.endSentence(old.track, ending)))
    }
    standing.removeAll { old in
      reports.contains { $0.track == old.track && $0.alarm == old.alarm }
    }
    for reading in readings where reading.health == .good {
      for alarm in reading.alarms
      where !standing.contains(where: { $0.track == reading.name && $0.alarm == alarm })
        // A device that is dead is told as that.
        && !(alarm == .silence && reading.alarms.contains(.deadDevice))
        && hidingReason(of: alarm, reading, readings, context, now: now) == nil
      {
        let hertz = alarm == .hum ? reading.hum?.hertz : nil
        let sentence = alarm.beginSentence(
          reading.name, seconds: context.silenceSeconds, hertz: hertz)
        standing.append(
          Standing(track: reading.name, alarm: alarm, humHertz: hertz, sentence: sentence))
        reports.append(
          Report(track: reading.name, alarm: alarm, begins: true, sentence: sentence))
      }
    }
    standing.sort { AudioAlarmRules.rank($0.alarm) < AudioAlarmRules.rank($1.alarm) }
    return reports
  }

  private static func rank(_ alarm: AudioAlarm) -> Int { order.firstIndex(of: alarm) ?? 0 }

  /// Why a standing alarm has ended; `nil` while it stands.
  private func ending(
    of old: Standing, _ readings: [TrackReading], _ context: Context, now: MediaTime
  ) -> Ending? {
    guard let reading = readings.first(where: { $0.name == old.track }), reading.health == .good
    else { return .notMeasured }
    guard reading.alarms.contains(old.alarm) else { return .good }
    return hidingReason(of: old.alarm, reading, readings, context, now: now)
  }

  /// Why an alarm that is raised is not told; `nil` if it is.
  private func hidingReason(
    of alarm: AudioAlarm, _ reading: TrackReading, _ readings: [TrackReading], _ context: Context,
    now: MediaTime
  ) -> Ending? {
    // What is wrong with a sound reveals what happens in a room that viewers are not to hear.
    guard let since = heardSince[reading.name] else { return .notHeard }
    switch alarm {
    case .clipping, .deadChannel, .inverted, .deadDevice: return nil
    case .hum: return context.humFiltered.contains(reading.name) ? .filtered : nil
    case .silence:
      guard now - since >= .seconds(Int64(context.silenceSeconds)) else { return .notHeard }
      // It is an alarm if nothing is heard, not if one of several microphones rests.
      let isOtherHeard = readings.contains { other in
        other.name != reading.name && other.isVoice && other.health == .good
          && context.heard.contains(other.name)
          && other.alarms.isDisjoint(with: [.silence, .deadDevice])
      }
      return isOtherHeard ? .otherHeard : nil
    }
  }
}

extension TrackReading {
  /// Whether something is meant to be heard of the track, music aside.
  fileprivate var isVoice: Bool { source != .none && source != .silence }
}

extension AudioAlarm {
  private static func words(_ track: String) -> String {
    track == "main" ? "The sound" : "The sound of \"\(track)\""
  }

  /// What is wrong, and what to do.
  /// - Parameters:
  ///   - seconds: of silence that are an alarm.
  ///   - hertz: the frequency of hum.
  func beginSentence(_ track: String, seconds: Int, hertz: Int?) -> String {
    let sound = AudioAlarm.words(track)
    let section = track == "main" ? "audio" : "track.\(track)"
    return switch self {
    case .clipping:
      "\(sound) is too loud for its device, which cuts off its peaks: turn the level down there, or go farther away."
    case .silence:
      "\(sound) has been silent for \(seconds) seconds: is the microphone muted, or is it the wrong one?"
    case .deadDevice:
      "\(sound) is nothing but zeros: the microphone is switched off or muted. Look for a switch on it."
    case .deadChannel:
      "\(sound) has one silent side: check the plug and the cable."
    case .inverted:
      "\(sound) has two sides that cancel each other on one loudspeaker: exchange the wires of one side."
    case .hum:
      "\(sound) hums at \(hertz ?? 50) Hz: use another cable or power supply, or switch on \(section).hum_filter."
    }
  }

  func endSentence(_ track: String, _ ending: AudioAlarmRules.Ending) -> String {
    let sound = AudioAlarm.words(track)
    switch ending {
    case .notHeard: return "\(sound) is not to be heard now: the warning is over."
    case .notMeasured: return "\(sound) does not come now: the warning about it is over."
    case .otherHeard: return "\(sound) is silent, but another sound is heard: the warning is over."
    case .filtered: return "\(sound) hums, and the hum is removed now."
    case .good: break
    }
    return switch self {
    case .clipping: "\(sound) is not too loud any more."
    case .silence: "\(sound) is not silent any more."
    case .deadDevice: "\(sound) is not only zeros any more."
    case .deadChannel: "\(sound) has both sides again."
    case .inverted: "\(sound) has two sides that fit again."
    case .hum: "\(sound) does not hum any more."
    }
  }
}
