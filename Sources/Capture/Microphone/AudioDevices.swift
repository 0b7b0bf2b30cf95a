// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CALSA
internal import Glibc

/// Lists the audio capture devices of this machine.
public enum AudioDevices {
  /// The description of an ALSA capture device.
  public struct Entry: Codable, Sendable, Equatable {
    /// ALSA's name of the device by numbers, such as "hw:1,0". In the setting `audio.source`, it follows "microphone:".
    /// The numbers may change when devices are plugged in.
    public var name: String
    /// ALSA's name of the device by the name of its card, such as "hw:CARD=C920,DEV=0", which does not change; `nil` if
    /// the card cannot be opened.
    public var stableName: String?
    /// Whether it is the first microphone, which `audio.source` means if it names none.
    public var isFirst = false
    /// ALSA's number of the sound card.
    public var card: Int
    /// ALSA's number of the device on its card.
    public var device: Int
    /// The names of the card and of the device, for people; empty if the card cannot be opened.
    public var description: String
    /// Whether the device can be used: "free", "busy", "forbidden" or "failed"; "unknown" if the device was not probed.
    /// `rates`, `channels` and `formats` are empty unless the device is free.
    public var state: String
    /// The common sample rates that the device supports, in Hz.
    public var rates: [Int]
    /// The minimum and the maximum number of channels that the device supports, in this order.
    public var channels: [Int]
    /// The sample formats that the device supports, by ALSA's names.
    public var formats: [String]
  }

  /// The maximum number of sound cards that Linux supports, which is also used as the maximum number of devices per
  /// card.
  private static let maxCards = 32
  /// The sample rates in Hz for which a device is probed.
  private static let commonRates: [UInt32] = [
    8000, 11025, 16000, 22050, 32000, 44100, 48000, 88200, 96000, 176400, 192000,
  ]

  /// All capture devices, ordered by the numbers of card and device.
  /// - Parameter probing: whether to open each device for a moment, to ask what it supports. Another program that opens
  ///   the device at that moment finds it busy.
  public static func list(probing: Bool = true) -> [Entry] {
    onair_alsa_be_quiet()
    let first = first
    var entries = nodes("c").map { entry(card: $0.card, device: $0.device, probing: probing) }
    for index in entries.indices { entries[index].isFirst = entries[index].name == first }
    return entries
  }

  /// ALSA's name of the first capture device; `nil` if there is none. The device is found by its device file, so that
  /// it is found even if this user may not open it.
  static var first: String? { nodes("c").first.map { "hw:\($0.card),\($0.device)" } }

  /// The numbers of card and device of all device files for one direction, in their order.
  /// - Parameters:
  ///   - direction: "c" for capture, "p" for playback.
  ///   - folder: where the device files are.
  static func nodes(
    _ direction: String, in folder: String = "/dev/snd"
  ) -> [(card: Int, device: Int)] {
    (0..<maxCards).filter { exists("controlC\($0)", in: folder) }.flatMap { card in
      (0..<maxCards).filter { exists("pcmC\(card)D\($0)\(direction)", in: folder) }.map {
        (card, $0)
      }
    }
  }

  /// Whether there are sound cards, but this user may not open any of them. In this case ALSA reports that there are no
  /// cards.
  static var areForbidden: Bool {
    var seen = false
    for card in 0..<maxCards where exists("controlC\(card)") {
      if unsafe access("/dev/snd/controlC\(card)", R_OK | W_OK) == 0 { return false }
      seen = true
    }
    return seen
  }

  /// Whether there is a device file with this name.
  private static func exists(_ file: String, in folder: String = "/dev/snd") -> Bool {
    unsafe access("\(folder)/\(file)", F_OK) == 0
  }

  /// Describes one capture device.
  /// - Parameter probing: whether to open the device for a moment, to ask what it supports.
  private static func entry(card: Int, device: Int, probing: Bool) -> Entry {
    let name = "hw:\(card),\(device)"
    let names = describe(card: card, device: device, SND_PCM_STREAM_CAPTURE)
    var entry = Entry(
      name: name, stableName: names.map { "hw:CARD=\($0.id),DEV=\(device)" }, card: card,
      device: device, description: names?.text ?? "", state: "free", rates: [], channels: [],
      formats: [])
    guard probing else {
      let mayOpen = unsafe access("/dev/snd/pcmC\(card)D\(device)c", R_OK | W_OK) == 0
      entry.state = mayOpen ? "unknown" : "forbidden"
      return entry
    }
    var opened: OpaquePointer?
    let result = unsafe snd_pcm_open(
      &opened, name, SND_PCM_STREAM_CAPTURE, Int32(SND_PCM_NONBLOCK))
    guard result >= 0, let pcm = unsafe opened else {
      entry.state =
        switch -result {
        case EBUSY: "busy"
        case EACCES, EPERM: "forbidden"
        default: "failed"
        }
      return entry
    }
    defer { unsafe snd_pcm_close(pcm) }
    var room: OpaquePointer?
    unsafe snd_pcm_hw_params_malloc(&room)
    guard let hardware = unsafe room else { return entry }
    defer { unsafe snd_pcm_hw_params_free(hardware) }
    guard unsafe snd_pcm_hw_params_any(pcm, hardware) >= 0 else { return entry }
    entry.rates =
      commonRates
      .filter { unsafe snd_pcm_hw_params_test_rate(pcm, hardware, $0, 0) >= 0 }.map { Int($0) }
    var minimum: UInt32 = 0
    var maximum: UInt32 = 0
    unsafe snd_pcm_hw_params_get_channels_min(hardware, &minimum)
    unsafe snd_pcm_hw_params_get_channels_max(hardware, &maximum)
    entry.channels = [Int(minimum), Int(maximum)]
    for number in 0...SND_PCM_FORMAT_LAST.rawValue {
      let format = snd_pcm_format_t(rawValue: number)
      guard unsafe snd_pcm_hw_params_test_format(pcm, hardware, format) >= 0,
        let text = unsafe snd_pcm_format_name(format)
      else { continue }
      entry.formats.append(unsafe String(cString: text))
    }
    return entry
  }

  /// The card's ID, and the names of the card and of the device as text for people; `nil` if the card cannot be opened.
  static func describe(
    card: Int, device: Int, _ direction: snd_pcm_stream_t
  ) -> (id: String, text: String)? {
    var opened: OpaquePointer?
    guard unsafe snd_ctl_open(&opened, "hw:\(card)", Int32(SND_CTL_NONBLOCK)) >= 0,
      let control = unsafe opened
    else { return nil }
    defer { unsafe snd_ctl_close(control) }
    var cardRoom: OpaquePointer?
    var deviceRoom: OpaquePointer?
    unsafe snd_ctl_card_info_malloc(&cardRoom)
    unsafe snd_pcm_info_malloc(&deviceRoom)
    guard let cardInfo = unsafe cardRoom, let info = unsafe deviceRoom else { return nil }
    defer {
      unsafe snd_ctl_card_info_free(cardInfo)
      unsafe snd_pcm_info_free(info)
    }
    guard unsafe snd_ctl_card_info(control, cardInfo) >= 0 else { return nil }
    unsafe snd_pcm_info_set_device(info, UInt32(device))
    unsafe snd_pcm_info_set_subdevice(info, 0)
    unsafe snd_pcm_info_set_stream(info, direction)
    unsafe snd_ctl_pcm_info(control, info)
    let id = unsafe String(cString: snd_ctl_card_info_get_id(cardInfo))
    let cardName = unsafe String(cString: snd_ctl_card_info_get_name(cardInfo))
    let deviceName = unsafe String(cString: snd_pcm_info_get_name(info))
    return (id, deviceName.isEmpty ? cardName : "\(cardName), \(deviceName)")
  }
}
