// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CALSA
internal import Glibc

/// Lists the audio playback devices of this machine, for `audio.monitor`.
public enum PlaybackDevices {
  /// The description of an ALSA playback device.
  public struct Entry: Codable, Sendable, Equatable {
    /// ALSA's name of the device by numbers, such as "hw:1,0". The numbers may change when devices are plugged in.
    public var name: String
    /// ALSA's name of the device by the name of its card, such as "hw:CARD=Headphones,DEV=0", which does not change;
    /// `nil` if the card cannot be opened.
    public var stableName: String?
    /// The names of the card and of the device, for people; empty if the card cannot be opened.
    public var description: String
    /// Why the device cannot be used and what to do about it, for people; `nil` for nothing known.
    public var problem: String?
    /// The code of `problem`, for programs: "forbidden" or "no_screen"; `nil` for nothing known.
    public var cause: String?

    /// The value of `audio.monitor` that selects this device.
    public var value: String { stableName ?? name }
  }

  /// All playback devices, ordered by the numbers of card and device. None of them is opened: that would disturb a
  /// program that plays.
  /// - Parameter folder: where the device files are.
  public static func list(in folder: String = "/dev/snd") -> [Entry] {
    onair_alsa_be_quiet()
    return AudioDevices.nodes("p", in: folder).map { card, device in
      let names = AudioDevices.describe(card: card, device: device, SND_PCM_STREAM_PLAYBACK)
      let pcm = "hw:\(card),\(device)"
      var entry = Entry(
        name: pcm, stableName: names.map { "hw:CARD=\($0.id),DEV=\(device)" },
        description: names?.text ?? "")
      let trouble: MonitorTrouble? =
        if unsafe access("\(folder)/pcmC\(card)D\(device)p", R_OK | W_OK) != 0 {
          .forbidden(pcm: entry.value)
        } else if HDMIScreen.isMissing(
          card: Int32(card), device: UInt32(device), entry.description)
        {
          .noScreen(pcm: entry.value)
        } else {
          nil
        }
      (entry.problem, entry.cause) = (trouble?.sentence, trouble?.code)
      return entry
    }
  }
}
