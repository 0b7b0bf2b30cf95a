// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Appliance
import ArgumentParser
import Capture
import Glibc
import Settings

struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Checks the settings, the devices and files that they name, and the state directory.",
    discussion: """
      Prints all that is wrong in one run. Exits with 78 when a setting is wrong, else with 69 when something that is \
      needed is not there, else with 0.
      """)

  @Option(help: "The settings file (TOML); see \"onair settings\".")
  var config: String?

  @OptionGroup var options: SettingsOptions

  func run() throws {
    let configuration: Configuration
    do {
      configuration = try Configuration.load(
        file: config, overrides: options.overrides, for: .check)
    } catch {
      printError(error.description)
      throw ExitCode(error.exitCode)
    }
    for warning in configuration.warnings { print("Warning: \(warning)") }
    let missing =
      Check.missing(configuration.settings) + unfitImagesAndLines(configuration.settings)
      + (StateDirectory.problem(at: configuration.stateDirectory).map { [$0.sentence] } ?? [])
    for sentence in missing { printError(sentence) }
    guard missing.isEmpty else { throw Exit.unavailable }
    print("The settings are right, and what they name is there.")
  }

  /// What the settings name and the machine does not have, as sentences.
  private static func missing(_ settings: Settings) -> [String] {
    var missing: [String] = []
    switch settings.video.source {
    case .camera(nil) where !Devices.cameras().contains(where: \.isUsable):
      missing.append("video.source: there is no usable camera. See onair devices.")
    case .camera(let path?) where !isThere(path, F_OK):
      missing.append("video.source: there is no \(path). See onair devices.")
    case .file(let path):
      if let fault = fault(path) { missing.append("video.source: \(fault)") }
    default: break
    }
    switch settings.audio.source {
    case .microphone(nil) where AudioDevices.list().isEmpty:
      missing.append("audio.source: there is no microphone. See onair devices.")
    case .microphone(let pcm?) where pcm.hasPrefix("hw:") && !isListed(pcm):
      missing.append("audio.source: there is no microphone \(pcm). See onair devices.")
    case .file(let path):
      if let fault = fault(path) { missing.append("audio.source: \(fault)") }
    default: break
    }
    return missing
  }

  /// Why a file cannot be a source, as far as that shows without reading it.
  private static func fault(_ path: String) -> String? {
    var status = stat()
    guard unsafe stat(path, &status) == 0, isThere(path, R_OK) else {
      return "the file \(path) cannot be read."
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      return "\(path) is no file but a folder or a device."
    }
    return status.st_size > 0 ? nil : "the file \(path) is empty."
  }

  /// Whether ALSA lists the hardware. Names of plug-ins ("default", "plughw:…") are not listed.
  private static func isListed(_ pcm: String) -> Bool {
    AudioDevices.list().contains { microphone in
      [microphone.name, microphone.stableName].contains { name in
        name == pcm || name?.hasPrefix("\(pcm),") == true
          || name.map { pcm.hasPrefix("\($0),") } == true
      }
    }
  }

  private static func isThere(_ path: String, _ mode: Int32) -> Bool {
    unsafe access(path, mode) == 0
  }
}
