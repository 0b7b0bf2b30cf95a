// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CALSA
internal import Glibc

/// Why a microphone delivers no audio.
public enum MicrophoneTrouble: Error, Equatable, Sendable {
  /// The machine has no capture device.
  case none
  /// ALSA knows no device with this name.
  case missing(pcm: String)
  /// Another program uses the device (EBUSY).
  case busy(pcm: String)
  /// This user may not open the device (EACCES, EPERM).
  case forbidden(pcm: String)
  /// The device supports none of OnAir's sample formats, not even through ALSA's conversion.
  case noUsableFormat(pcm: String)
  /// The device was unplugged while it was open (ENODEV).
  case lost(pcm: String)
  /// The device is open, but has delivered no samples for a second.
  case stuck(pcm: String)
  /// A call of ALSA failed for another reason. `call` names the call; `errno` is positive.
  case failed(pcm: String, call: String, errno: Int32)
}

extension MicrophoneTrouble: SourceTrouble {
  /// The trouble in one word, for programs.
  public var code: String {
    switch self {
    case .none, .missing: "missing"
    case .busy: "busy"
    case .forbidden: "forbidden"
    case .noUsableFormat: "no_usable_format"
    case .lost: "lost"
    case .stuck: "stuck"
    case .failed: "failed"
    }
  }

  /// The trouble and its remedy, for people.
  public var sentence: String {
    switch self {
    case .none:
      "There is no microphone: plug one in, or set audio.source to \"silence\" or \"none\"."
    case .missing(let pcm):
      "There is no microphone \(pcm): plug it in, or choose one that `onair devices` lists."
    case .busy(let pcm):
      "Another program uses the microphone \(pcm): close that program"
        + " (`fuser -v /dev/snd/*` shows it)."
    case .forbidden(let pcm):
      "OnAir may not open the microphone \(pcm): add its user to the group \"audio\"."
    case .noUsableFormat(let pcm):
      "The microphone \(pcm) has no sample format that OnAir supports: try \"plug\(pcm)\","
        + " or choose another device."
    case .lost(let pcm):
      "The microphone \(pcm) was unplugged: plug it in again."
    case .stuck(let pcm):
      "The microphone \(pcm) has sent no sound for a second: unplug it and plug it in again."
    case .failed(let pcm, let call, let errno):
      "The microphone \(pcm) failed (\(call): \(MicrophoneTrouble.text(errno))):"
        + " unplug it and plug it in again."
    }
  }

  /// Converts the error of a failed call of ALSA to a `MicrophoneTrouble`.
  /// - Parameters:
  ///   - result: the result of the call, which is the negated errno.
  ///   - isOpen: whether the device was open before the call.
  static func of(_ result: Int32, call: String, pcm: String, isOpen: Bool) -> MicrophoneTrouble {
    switch -result {
    case EBUSY: .busy(pcm: pcm)
    case EACCES, EPERM: .forbidden(pcm: pcm)
    case ENODEV, ENOENT, ENXIO: isOpen ? .lost(pcm: pcm) : .missing(pcm: pcm)
    default: .failed(pcm: pcm, call: call, errno: -result)
    }
  }

  /// ALSA's text for a positive error number.
  static func text(_ errno: Int32) -> String {
    guard let text = unsafe snd_strerror(-errno) else { return "error \(errno)" }
    return unsafe String(cString: text)
  }
}
