// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Appliance
import ArgumentParser
import Base
internal import Box
import Capture
import Control
internal import Figures
import Glibc
import Settings

struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Checks the settings, the devices and files that they name, and the state directory.",
    discussion: """
      Prints all that is wrong in one run. Exits with 78 when a setting is wrong, else with 69 when something that is \
      needed is not there, else with 0.
      """)

  @Option(
    help: ArgumentHelp("The settings file (TOML); see \"onair settings\".", valueName: "file"),
    completion: .file(extensions: ["toml"]))
  /// The path of the settings file; `nil` for the defaults only.
  var config: String?

  @Flag(help: "Print as JSON, for programs.")
  var json = false

  @OptionGroup var options: SettingsOptions

  /// The output of `--json`. Other programs read it, so the field names must not change.
  private struct Report: Encodable {
    var ok: Bool
    var problems: [ControlReply.Problem]
    /// Sentences about what a broadcast needs and the machine does not have.
    var missing: [String]
    var warnings: [String]
  }

  func run() throws {
    let configuration: Configuration
    let problems: [Problem]
    do {
      (configuration, problems) = try Configuration.inspect(
        file: config, overrides: options.overrides, for: .check)
    } catch {
      printError(error.description)
      throw ExitCode(error.exitCode)
    }
    let slow = SpeedCalibration.warning(
      of: configuration.settings.video, in: configuration.stateDirectory,
      processors: Processors.available)
    // Check no overlays after a syntax error: it is unknown which files the settings name.
    let overlays =
      problems.contains(where: \.isSyntax)
      ? (unfit: [], remarks: []) : checkOverlaysAndFilters(configuration.settings)
    let frozen =
      configuration.settings.pause.picture == .last
      ? "pause.picture is \"last\": a pause is not private, since the last picture stays visible"
      : nil
    let warnings =
      configuration.warnings + [slow, frozen].compactMap(\.self) + overlays.remarks
    let missing = Check.missing(configuration, besides: problems) + overlays.unfit
    if json {
      let report = Report(
        ok: problems.isEmpty && missing.isEmpty, problems: problems.map(ControlReply.Problem.init),
        missing: missing, warnings: warnings)
      print(String(decoding: JSON.encode(report, forPeople: true), as: UTF8.self))
    } else {
      for problem in problems { printError(problem.description) }
      for warning in warnings { print("Warning: \(warning)") }
      for sentence in missing { printError(sentence) }
    }
    guard problems.isEmpty else { throw Exit.settings }
    guard missing.isEmpty else { throw Exit.unavailable }
    if !json { print("The settings are right, and what they name is there.") }
  }

  /// Sentences about what a broadcast needs and the machine does not have.
  /// - Parameter problems: the mistakes in the settings. The settings with mistakes are not checked: they have their
  ///   default values.
  private static func missing(
    _ configuration: Configuration, besides problems: [Problem]
  ) -> [String] {
    let wrong = Set(problems.compactMap(\.key))
    // Check nothing after a syntax error: it is unknown which devices and files the settings name.
    if problems.contains(where: \.isSyntax) { return [] }
    var missing: [String] = []
    let settings = configuration.settings
    if !wrong.contains("video.source"), let fault = fault(settings.video.source) {
      missing.append("video.source: \(fault)")
    }
    if !wrong.contains("audio.source"), let fault = fault(settings.audio.source) {
      missing.append("audio.source: \(fault)")
    }
    missing += unfitImagesAndLines(settings)
    if !wrong.contains("state.directory"),
      let problem = StateDirectory.problem(at: configuration.stateDirectory)
    {
      missing.append(problem.sentence)
    }
    return missing
  }

  /// Why the video source cannot be used, as a sentence; `nil` if nothing wrong is seen without opening it.
  private static func fault(_ source: VideoSource) -> String? {
    switch source {
    case .camera(nil) where !Devices.cameras().contains(where: \.isUsable):
      "there is no usable camera. \"onair devices\" lists what there is."
    case .camera(let path?) where !isAccessible(path, F_OK):
      "there is no camera at \(path). \"onair devices\" lists what there is."
    case .file(let path): fault(path)
    case .pipe(let path?): fault(ofPipe: path)
    default: nil
    }
  }

  /// Why the audio source cannot be used, as a sentence; `nil` if nothing wrong is seen without opening it.
  private static func fault(_ source: AudioSource) -> String? {
    switch source {
    case .microphone(nil) where AudioDevices.list().isEmpty:
      "there is no microphone. \"onair devices\" lists what there is."
    case .microphone(let pcm?) where pcm.hasPrefix("hw:") && !isListed(pcm):
      "there is no microphone \(pcm). \"onair devices\" lists what there is."
    case .file(let path): fault(path)
    case .pipe(let path): fault(ofPipe: path)
    default: nil
    }
  }

  /// Why a named pipe cannot be a source; `nil` if nothing wrong is seen without opening it.
  private static func fault(ofPipe path: String) -> String? {
    var status = stat()
    guard unsafe stat(path, &status) == 0, isAccessible(path, R_OK) else {
      return "there is no pipe \(path) that can be read. \"mkfifo \(path)\" makes one."
    }
    return status.st_mode & S_IFMT == S_IFIFO ? nil : "\(path) is not a named pipe."
  }

  /// Why a file cannot be a video or audio source, as a sentence; `nil` if nothing wrong is seen without reading it.
  private static func fault(_ path: String) -> String? {
    var status = stat()
    guard unsafe stat(path, &status) == 0, isAccessible(path, R_OK) else {
      return "the file \(path) cannot be read."
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      return "\(path) is not a file but a folder or a device."
    }
    return status.st_size > 0 ? nil : "the file \(path) is empty."
  }

  /// Whether ALSA lists a microphone with this PCM name, such as "hw:1,0". ALSA lists no plug-ins ("plughw:…").
  private static func isListed(_ pcm: String) -> Bool {
    AudioDevices.list().contains { microphone in
      [microphone.name, microphone.stableName].contains { name in
        name == pcm || name?.hasPrefix("\(pcm),") == true
          || name.map { pcm.hasPrefix("\($0),") } == true
      }
    }
  }

  /// Whether access(2) grants `mode` for a path: `F_OK` (it exists) or `R_OK` (this user may read it).
  private static func isAccessible(_ path: String, _ mode: Int32) -> Bool {
    unsafe access(path, mode) == 0
  }
}

extension Problem {
  /// Whether the problem is a syntax error in the file, and not a setting that is wrong or missing.
  fileprivate var isSyntax: Bool {
    guard case .file = place, key == nil else { return false }
    return !sentence.hasPrefix("publish.")
  }
}
