// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Audio
internal import Base
internal import Settings

// What the settings ask of the tracks.

extension ChannelStrip {
  var delayNanos: Int64 { .milliseconds(Int64(delayMs)) }

  /// The filters of the track, in the order in which they are applied. One that removes hum comes after the high-pass.
  fileprivate var filters: [AudioFilterPlan] {
    var plans: [AudioFilterPlan] = []
    if highPassHz > 0 { plans.append(.highPass(hertz: Double(highPassHz))) }
    if denoiseDB > 0 { plans.append(.noiseReduction(depthDB: denoiseDB)) }
    if gate { plans.append(.gate) }
    if deEsser { plans.append(.deEsser) }
    if compressor { plans.append(.compressor) }
    if autoLevel { plans.append(.autoLevel) }
    return plans
  }
}

extension AudioPipeline.Adjustment {
  /// - Parameters:
  ///   - audio: the settings that all tracks share.
  ///   - voiceVolume: see `Volumes`.
  init(_ strip: ChannelStrip, _ audio: AudioSettings, voiceVolume: Int) {
    self.init(
      gain: TrackGain(
        gainDB: strip.gainDB, volume: strip.volume * Double(voiceVolume) / 50,
        isMuted: strip.isMuted, pan: Double(strip.pan) / 100),
      delayNanos: strip.delayNanos, filters: strip.filters,
      humFilterIndex: strip.humFilter ? (strip.highPassHz > 0 ? 1 : 0) : nil,
      silenceSeconds: audio.silenceSeconds)
  }
}

extension Settings {
  /// The plans of the tracks besides the main one.
  /// - Parameter voiceVolume: see `Volumes`.
  func trackPlans(voiceVolume: Int) -> [TrackPlan] {
    tracks.filter { $0.enabled && $0.source != .none }.map { track in
      TrackPlan(
        name: track.name, source: track.source, pipe: track.source.isPipe ? audio.pipe : nil,
        adjustment: AudioPipeline.Adjustment(track.strip, audio, voiceVolume: voiceVolume),
        role: .voice)
    }
  }
}
