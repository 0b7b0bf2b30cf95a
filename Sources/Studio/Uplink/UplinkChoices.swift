// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import RateControl
internal import Settings

/// The video sizes and bit rates that an uplink test chooses from, for given settings. Does no I/O.
struct UplinkChoices: Sendable {
  /// The size and the bit rate, in kbit/s, of the video in the settings.
  let asked: (size: PictureSize, kbps: Int)
  /// The audio bit rate in the settings; 0 without audio.
  let audioKbps: Int
  /// The size in the settings, and all smaller sizes of the video ladder in the same aspect ratio, the largest first.
  /// Larger sizes are not offered, because the machine may not be able to encode them.
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

  /// The highest bit rate that the test tries, in kbit/s: twice the most that the largest size can use.
  var mostKbps: Int { 2 * (choices[0].mostKbps + audioKbps) }

  /// The result of a finished probe: which size and bit rate the uplink can carry.
  func verdict(_ probe: UplinkProbe) -> UplinkVerdict {
    UplinkVerdict(
      throughputKbps: probe.provenKbps, isUnlimited: probe.isUnlimited, audioKbps: audioKbps,
      asked: asked, choices: choices)
  }
}
