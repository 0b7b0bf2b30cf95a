// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// The value of `video.source`.
public enum VideoSource: Sendable, Equatable {
  /// A V4L2 device by its path (/dev/video0, /dev/v4l/by-id/…); `nil` is the first camera that is found.
  case camera(path: String?)
  /// A moving test picture.
  case pattern
  /// Raw frames that another program writes into a named pipe; `nil` is standard input.
  case pipe(path: String?)
  /// A media file that is played in real time, in a loop.
  case file(path: String)
  /// The picture of the guest with this name.
  case guest(name: String)
  /// No video: the broadcast has audio only.
  case none
}

/// The value of `audio.source`.
public enum AudioSource: Sendable, Equatable {
  /// An ALSA PCM by its name ("hw:1,0"); `nil` is the first microphone that is found.
  case microphone(pcm: String?)
  /// A test tone.
  case tone
  /// Silence instead of recorded sound; the broadcast has an audio track.
  case silence
  /// A media file that is played in real time, in a loop.
  case file(path: String)
  /// Raw samples that another program writes into a named pipe.
  case pipe(path: String)
  /// No audio: the broadcast has video only.
  case none
}

/// The pixel format that is requested from the camera (`video.camera_format`).
public enum CameraFormat: String, Sendable, CaseIterable {
  /// The best format that the camera has for the size and frame rate.
  case auto
  /// Raw pixel formats by their V4L2 codes, and Motion JPEG.
  case yuyv, uyvy, nv12, nv21, yu12, mjpeg
  /// Any format that has no case of its own here, and that libv4l2 can convert.
  case other
}

/// Whether OnAir broadcasts after it has started (`publish.autostart`).
public enum Autostart: String, Sendable, CaseIterable {
  /// `resume` continues the broadcast or the pause that was on when OnAir ended, `always` starts a broadcast, `never`
  /// stays off air.
  case resume, always, never
}

/// To which servers a server may redirect the stream (`publish.redirect`).
public enum Redirect: String, Sendable, CaseIterable {
  /// To another port or application of the same host only.
  case sameHost = "same_host"
  /// To any server.
  case any
}

/// What viewers see during a pause (`pause.picture`).
public enum PausePicture: String, Sendable, CaseIterable {
  /// The image of the pause.
  case image
  /// The last frame from before the pause, frozen. Not private.
  case last
  /// Nothing: only sound is sent.
  case none
}

/// What viewers hear during a pause (`pause.sound`).
public enum PauseSound: String, Sendable, CaseIterable {
  /// Nothing.
  case mute
  /// What they hear otherwise.
  case keep
  /// The music, and nothing of any other track.
  case music
}

/// The level of the least important messages that are logged (`log.level`).
public enum LogLevel: String, Sendable, CaseIterable {
  case trace, debug, info, notice, warning, error
}

/// Whether `text` consists of 1 to `digits` ASCII digits.
func isNumber(_ text: Substring, digits: Int) -> Bool {
  (1...digits).contains(text.utf8.count)
    && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")) ~= $0 }
}

// MARK: Parsing

extension Kind where Value == PictureSize {
  /// The kind of a setting whose value is the size of the video. Width and height must be even, since the chroma planes
  /// of 4:2:0 have half of each.
  static var size: Kind {
    let (widths, heights) = (160...1920, 90...1080)
    return .text(
      "WIDTHxHEIGHT in even numbers, \(widths.lowerBound)x\(heights.lowerBound) to "
        + "\(widths.upperBound)x\(heights.upperBound)",
      read: { text in
        let sides = text.split(separator: "x", omittingEmptySubsequences: false)
        guard sides.count == 2, sides.allSatisfy({ isNumber($0, digits: 4) }),
          let width = Int(sides[0]), widths.contains(width), width.isMultiple(of: 2),
          let height = Int(sides[1]), heights.contains(height), height.isMultiple(of: 2)
        else { return nil }
        return PictureSize(width: width, height: height)
      },
      show: { "\($0)" })
  }
}

extension Kind where Value == EncoderSpeed? {
  /// The kind of a setting whose value is one of x264's presets; "auto" is `nil`.
  static var speed: Kind {
    let names = ["auto"] + EncoderSpeed.allCases.map(\.rawValue)
    return .text(
      listed(names.map(quoted)), choices: names,
      read: { text in
        text == "auto" ? .some(nil) : EncoderSpeed(rawValue: text).map { .some($0) }
      },
      show: { $0?.rawValue ?? "auto" })
  }
}

extension Kind where Value == VideoSource {
  /// The kind of a setting whose value is a video source, such as "camera" or "file:PATH".
  static var videoSource: Kind {
    .text(
      #""camera", "camera:PATH", "pattern", "pipe", "pipe:PATH", "file:PATH", "guest:NAME" or "none""#,
      choices: ["camera", "camera:", "pattern", "pipe", "pipe:", "file:", "guest:", "none"],
      files: [
        FileReference(.camera, after: "camera:"), FileReference(.media, after: "file:"),
        FileReference(.own, after: "pipe:"),
      ],
      read: { text in
        switch text {
        case "camera": .camera(path: nil)
        case "pattern": .pattern
        case "pipe": .pipe(path: nil)
        case "none": VideoSource.none
        default:
          remainder(of: text, after: "camera:").map { .camera(path: $0) }
            ?? remainder(of: text, after: "file:").map { .file(path: $0) }
            ?? remainder(of: text, after: "pipe:").map { .pipe(path: $0) }
            ?? remainder(of: text, after: "guest:").flatMap {
              NamedList.isPlain($0) ? .guest(name: $0) : nil
            }
        }
      },
      show: { source in
        switch source {
        case .camera(let path): path.map { "camera:\($0)" } ?? "camera"
        case .pattern: "pattern"
        case .pipe(let path): path.map { "pipe:\($0)" } ?? "pipe"
        case .file(let path): "file:\(path)"
        case .guest(let name): "guest:\(name)"
        case .none: "none"
        }
      })
  }
}

extension Kind where Value == AudioSource {
  /// The kind of a setting whose value is an audio source, such as "microphone" or "file:PATH".
  static var audioSource: Kind {
    .text(
      #""microphone", "microphone:PCM", "tone", "silence", "file:PATH", "pipe:PATH" or "none""#,
      choices: ["microphone", "microphone:", "tone", "silence", "file:", "pipe:", "none"],
      files: [FileReference(.media, after: "file:"), FileReference(.own, after: "pipe:")],
      read: { text in
        switch text {
        case "microphone": .microphone(pcm: nil)
        case "tone": .tone
        case "silence": .silence
        case "none": AudioSource.none
        default:
          remainder(of: text, after: "microphone:").flatMap {
            isDeviceName($0, kinds: captureKinds) ? .microphone(pcm: $0) : nil
          }
            ?? remainder(of: text, after: "file:").map { .file(path: $0) }
            ?? remainder(of: text, after: "pipe:").map { .pipe(path: $0) }
        }
      },
      show: \.text)
  }
}

extension AudioSource {
  /// The source as it is written in settings.
  public var text: String {
    switch self {
    case .microphone(let pcm): pcm.map { "microphone:\($0)" } ?? "microphone"
    case .tone: "tone"
    case .silence: "silence"
    case .file(let path): "file:\(path)"
    case .pipe(let path): "pipe:\(path)"
    case .none: "none"
    }
  }
}

/// The ALSA names of capture devices that may have parameters after a colon.
private let captureKinds = [
  "hw", "plughw", "sysdefault", "dsnoop", "default", "front", "iec958", "bluealsa",
]

/// Whether `name` is a plain name of an ALSA device. Other names are rejected, since they may contain a whole
/// definition: with `file:` or `tee:`, ALSA writes files and runs programs. The device `null` is rejected, too, since
/// it delivers and takes samples without waiting.
/// - Parameter kinds: the ALSA names that may have parameters after a colon.
func isDeviceName(_ name: String, kinds: [String]) -> Bool {
  let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
  // Whether a text has 1 to 100 ASCII letters, digits, "_", "-" and characters of `others`.
  func isPlain(_ text: Substring, and others: String = "") -> Bool {
    !text.isEmpty && text.utf8.count <= 100
      && text.unicodeScalars.allSatisfy {
        $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0))
          || "_-\(others)".unicodeScalars.contains($0)
      }
  }
  if parts.count == 2 { return kinds.contains(String(parts[0])) && isPlain(parts[1], and: "=,.:") }
  return isPlain(parts[0]) && !["null", "file", "tee"].contains(String(parts[0]))
}

/// The rest of `text` after the prefix `start`; `nil` if `text` does not have the prefix, or if the rest cannot be a
/// path or an ALSA name.
private func remainder(of text: String, after start: String) -> String? {
  guard text.hasPrefix(start) else { return nil }
  let rest = String(text.dropFirst(start.count))
  return isPath(rest) ? rest : nil
}
