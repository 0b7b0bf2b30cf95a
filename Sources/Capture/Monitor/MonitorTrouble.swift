// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Why the headphones are silent.
enum MonitorTrouble: Error, Equatable {
  /// ALSA knows no playback device with this name.
  case missing(pcm: String)
  /// Another program uses the device (EBUSY).
  case busy(pcm: String)
  /// This user may not open the device (EACCES, EPERM).
  case forbidden(pcm: String)
  /// The device takes none of OnAir's sample formats at 48 kHz, not even through ALSA's conversion.
  case noUsableFormat(pcm: String)
  /// The device is a HDMI port without a screen, which plays at any speed or not at all.
  case noScreen(pcm: String)
  /// The device was unplugged while it was open (ENODEV).
  case lost(pcm: String)
  /// The device is open, but has played nothing for a second.
  case stuck(pcm: String)
  /// A call of ALSA failed for another reason. `call` names it; `errno` is positive.
  case failed(pcm: String, call: String, errno: Int32)
}

extension MonitorTrouble: SourceTrouble {
  var code: String {
    switch self {
    case .missing: "missing"
    case .busy: "busy"
    case .forbidden: "forbidden"
    case .noUsableFormat: "no_usable_format"
    case .noScreen: "no_screen"
    case .lost: "lost"
    case .stuck: "stuck"
    case .failed: "failed"
    }
  }

  var sentence: String {
    switch self {
    case .missing(let pcm):
      "There are no headphones \(pcm): plug them in, or choose other headphones."
    case .busy(let pcm):
      "Another program uses the headphones \(pcm): close that program (`fuser -v /dev/snd/*` shows it)."
    case .forbidden(let pcm):
      "OnAir may not open the headphones \(pcm): add its user to the group \"audio\"."
    case .noUsableFormat(let pcm):
      "The headphones \(pcm) take no sample format that OnAir has: try \"plug\(pcm)\", or choose other"
        + " headphones."
    case .noScreen(let pcm):
      "\(pcm) is a HDMI port without a screen: plug in a screen with sound, or choose other headphones."
    case .lost(let pcm): "The headphones \(pcm) were unplugged: plug them in again."
    case .stuck(let pcm):
      "The headphones \(pcm) have played nothing for a second: unplug them and plug them in again."
    case .failed(let pcm, let call, let errno):
      "The headphones \(pcm) failed (\(call): \(MicrophoneTrouble.text(errno))): unplug them and plug them in"
        + " again."
    }
  }

  /// The trouble that a failed call of ALSA means.
  /// - Parameters:
  ///   - result: what the call returned, the negated errno.
  ///   - isOpen: whether the device was open before the call.
  static func of(_ result: Int32, call: String, pcm: String, isOpen: Bool) -> MonitorTrouble {
    switch MicrophoneTrouble.of(result, call: call, pcm: pcm, isOpen: isOpen) {
    case .busy: .busy(pcm: pcm)
    case .forbidden: .forbidden(pcm: pcm)
    case .lost: .lost(pcm: pcm)
    case .none, .missing: .missing(pcm: pcm)
    case .noUsableFormat: .noUsableFormat(pcm: pcm)
    case .stuck: .stuck(pcm: pcm)
    case .failed(_, let call, let errno): .failed(pcm: pcm, call: call, errno: errno)
    }
  }
}
