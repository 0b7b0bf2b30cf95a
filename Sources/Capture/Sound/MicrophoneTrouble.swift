// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CALSA
internal import Glibc

/// Why a microphone gives no sound.
public enum MicrophoneTrouble: Error, Equatable, Sendable {
  /// The machine has no device that captures sound.
  case none
  /// ALSA knows no such device.
  case missing(pcm: String)
  /// Another program uses it (EBUSY).
  case busy(pcm: String)
  /// This user may not open it (EACCES, EPERM).
  case forbidden(pcm: String)
  /// It gives none of the sample formats, even converted by ALSA.
  case noUsableFormat(pcm: String)
  /// It was there, and has gone (ENODEV).
  case lost(pcm: String)
  /// It is there, and has given no sound for a second.
  case stuck(pcm: String)
  /// A call failed otherwise; `errno`, positive.
  case failed(pcm: String, call: String, errno: Int32)

  /// The cause in one word, for programs.
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

  /// The cause and the remedy, for a person.
  public var sentence: String {
    switch self {
    case .none:
      "There is no microphone: plug one in, or set audio.source to \"silence\" or \"none\"."
    case .missing(let pcm):
      "There is no microphone \(pcm): plug it in, or choose one of those that"
        + " `onair devices` lists."
    case .busy(let pcm):
      "The microphone \(pcm) is used by another program: end that program"
        + " (`fuser -v /dev/snd/*` shows it)."
    case .forbidden(let pcm):
      "OnAir may not open the microphone \(pcm): add its user to the group \"audio\"."
    case .noUsableFormat(let pcm):
      "The microphone \(pcm) gives no sample format that OnAir takes: try \"plug\(pcm)\","
        + " or another device."
    case .lost(let pcm):
      "The microphone \(pcm) has gone: plug it in again."
    case .stuck(let pcm):
      "The microphone \(pcm) has given no sound for a second: plug it out and in again."
    case .failed(let pcm, let call, let errno):
      "The microphone \(pcm) fails (\(call): \(MicrophoneTrouble.text(errno)))."
        + " Plug it out and in again."
    }
  }

  /// The trouble that an ALSA call's result (minus errno) stands for.
  static func of(_ result: Int32, call: String, pcm: String, open: Bool) -> MicrophoneTrouble {
    switch -result {
    case EBUSY: .busy(pcm: pcm)
    case EACCES, EPERM: .forbidden(pcm: pcm)
    case ENODEV, ENOENT, ENXIO: open ? .lost(pcm: pcm) : .missing(pcm: pcm)
    default: .failed(pcm: pcm, call: call, errno: -result)
    }
  }

  private static func text(_ errno: Int32) -> String {
    guard let text = unsafe snd_strerror(-errno) else { return "error \(errno)" }
    return unsafe String(cString: text)
  }
}
