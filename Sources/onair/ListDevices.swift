// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Base
import Capture
import FoundationEssentials
import Panel

struct ListDevices: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices", abstract: "Lists cameras, microphones, headphones and GPIO lines.")

  @Flag(help: "Print as JSON, for programs.")
  var json = false

  /// The output of `--json`.
  private struct Listing: Encodable {
    var cameras: [CameraDescription]
    var microphones: [AudioDevices.Entry]
    var playback: [PlaybackDevices.Entry]
    var gpioChips: [GPIOChipDescription]
  }

  func run() throws {
    var listing = Listing(
      cameras: Devices.cameras(), microphones: AudioDevices.list(),
      playback: PlaybackDevices.list(), gpioChips: GPIOChipDescription.all())
    Devices.pair(&listing.cameras, with: listing.microphones)
    if json {
      // Print each field twice: in snake_case, as in all JSON output, and under its name in earlier versions.
      let encoder = JSONEncoder()
      let decoder = JSONDecoder()
      let old = try decoder.decode(JSONValue.self, from: encoder.encode(listing))
      encoder.keyEncodingStrategy = .convertToSnakeCase
      let new = try decoder.decode(JSONValue.self, from: encoder.encode(listing))
      print(new.merged(with: old).text)
      return
    }
    show("Cameras", listing.cameras.flatMap(ListDevices.lines))
    show("Microphones", listing.microphones.flatMap(ListDevices.lines))
    show("Headphones", listing.playback.flatMap(ListDevices.lines))
    show("GPIO chips", listing.gpioChips.flatMap(ListDevices.lines))
  }

  /// Prints a title, and indented below it lines of text; "none" if there are none.
  private func show(_ title: String, _ lines: [String]) {
    print(title)
    for line in lines.isEmpty ? ["none"] : lines { print("  \(line.onOneLine)") }
  }

  /// The lines of text that describe a camera and its formats.
  private static func lines(_ camera: CameraDescription) -> [String] {
    var lines = ["\(camera.path)  \(camera.name)"]
    if let path = camera.stablePath { lines.append("  stays the same for this camera: \(path)") }
    if let microphone = camera.microphone { lines.append("  its sound: \(microphone)") }
    if let problem = camera.problem { lines.append("  \(problem)") }
    // Print a list of sizes only once if several formats have it.
    var shown: [[CameraSizeDescription]] = []
    for format in camera.formats where format.use == .straight && !shown.contains(format.sizes) {
      shown.append(format.sizes)
      let alike = camera.formats.filter { $0.use == .straight && $0.sizes == format.sizes }
      lines.append("  \(alike.map(\.fourcc).joined(separator: ", "))")
      lines += format.sizes.map { "    \(text($0))" }
    }
    let converted = camera.formats.filter { $0.use == .converted }.map(\.fourcc)
    if !converted.isEmpty {
      lines.append("  converted also from \(converted.joined(separator: ", "))")
    }
    return lines
  }

  /// A frame size, or a range of sizes, with its frame rates: "1280x720 at 30, 25".
  private static func text(_ size: CameraSizeDescription) -> String {
    let upTo = size.maxWidth.map { " to \($0)x\(size.maxHeight ?? 0)" } ?? ""
    let rates = size.rates.map { $0 == $0.rounded() ? "\(Int($0))" : "\($0)" }
    return "\(size.width)x\(size.height)\(upTo)"
      + (rates.isEmpty ? "" : " at \(rates.joined(separator: ", "))")
  }

  /// The lines of text that describe a microphone.
  private static func lines(_ microphone: AudioDevices.Entry) -> [String] {
    var lines = ["\(microphone.name)  \(microphone.description)"]
    if microphone.isFirst {
      lines.append("  the first: audio.source = \"microphone\" means this one")
    }
    if let name = microphone.stableName { lines.append("  stays the same for this card: \(name)") }
    if microphone.state != "free" { lines.append("  \(microphone.state)") }
    if let least = microphone.channels.first, let most = microphone.channels.last {
      let rates = microphone.rates.map(String.init).joined(separator: ", ")
      lines.append("  \(least) to \(most) channels at \(rates) Hz")
      lines.append("  \(microphone.formats.joined(separator: ", "))")
    }
    return lines
  }

  /// The lines of text that describe a playback device.
  private static func lines(_ device: PlaybackDevices.Entry) -> [String] {
    var lines = ["\(device.name)  \(device.description)"]
    if let name = device.stableName { lines.append("  stays the same for this card: \(name)") }
    if let problem = device.problem { lines.append("  \(problem)") }
    return lines
  }

  /// The lines of text that describe a GPIO chip and its GPIO lines that have a name or are in use.
  private static func lines(_ chip: GPIOChipDescription) -> [String] {
    var lines = ["\(chip.path)  \(chip.label), \(chip.lines.count) lines"]
    if let problem = chip.problem { lines.append("  \(problem)") }
    for line in chip.lines where line.name != nil || line.isUsed {
      let user = line.isUsed ? ", used by \(line.usedBy ?? "the kernel")" : ""
      lines.append("  \(line.offset)  \(line.name ?? "unnamed")  \(line.direction.rawValue)\(user)")
    }
    return lines
  }
}
