// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import RateControl
internal import Settings

/// The video sizes and bit rates that an uplink test chooses from, for given settings. Does no I/O.
struct UplinkChoices: Sendable {
  let asked: (size: PictureSize, kbps: Int)
  let audioKbps: Int
  /// The size of the settings, and the smaller sizes of the ladder with its aspect ratio, the largest first. Larger
  /// sizes are left out, because the machine may not be able to encode them.
  let choices: [UplinkVerdict.Choice]

  init(_ settings: Settings) {
    let video = settings.video
    asked = (video.size, video.targetKbps)
    audioKbps = settings.audio.source == .none ? 0 : settings.audio.bitrateKbps
    let own = UplinkVerdict.Choice(
      size: video.size, kbps: min(video.targetKbps, video.defaultKbps(video.size)),
      mostKbps: max(video.targetKbps, video.ampleKbps(video.size)))
    let pixels = video.size.width * video.size.height
    choices =
      [own]
      + VideoLadder.rungs.filter { $0.width * $0.height < pixels }.map { rung in
        let size = rung.size(like: video.size)
        return UplinkVerdict.Choice(
          size: size, kbps: video.defaultKbps(size), mostKbps: video.ampleKbps(size))
      }
  }

  /// The highest rate that is tried, in kbit/s: twice what the largest size can use.
  var mostKbps: Int { 2 * (choices[0].mostKbps + audioKbps) }

  func verdict(_ probe: UplinkProbe) -> UplinkVerdict {
    UplinkVerdict(
      throughputKbps: probe.provenKbps, isUnlimited: probe.isUnlimited, audioKbps: audioKbps,
      asked: asked, choices: choices)
  }
}
