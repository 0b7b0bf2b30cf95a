// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Why a media file gives nothing.
public enum FileTrouble: Error, Equatable, Sendable {
  /// There is no such file.
  case missing(path: String)
  /// A folder, a pipe or a device.
  case notAFile(path: String)
  /// This user may not read it.
  case forbidden(path: String)
  /// Nothing that FFmpeg knows, or only names of other files.
  case notMedia(path: String)
  /// It has no picture, or no sound.
  case noStream(path: String, what: String)
  /// It has one, of a kind for which FFmpeg was built without a decoder.
  case noDecoder(path: String, what: String)
  /// Its sound has a sample rate that nothing records at.
  case unfitRate(path: String, hertz: Int)
  /// A whole pass through it gave nothing.
  case broken(path: String, what: String)
  /// libavformat, which reads media files, is not installed.
  case noLibrary
  /// Told to stop while it was opened.
  case interrupted
  /// FFmpeg's error number.
  case failed(path: String, error: Int32)

  /// The cause in one word, for programs.
  public var code: String {
    switch self {
    case .missing: "missing"
    case .notAFile: "not_a_file"
    case .forbidden: "forbidden"
    case .notMedia: "not_media"
    case .noStream: "no_stream"
    case .noDecoder: "no_decoder"
    case .unfitRate: "unfit_rate"
    case .broken: "broken"
    case .noLibrary: "no_library"
    case .interrupted: "interrupted"
    case .failed: "failed"
    }
  }

  /// The cause and the remedy, for a person.
  public var sentence: String {
    switch self {
    case .missing(let path): "There is no file \(path): check the path."
    case .notAFile(let path): "\(path) is no file but a folder or a device: name a file."
    case .forbidden(let path): "OnAir may not read the file \(path): change its permissions."
    case .notMedia(let path):
      "The file \(path) is no picture, sound or video that OnAir knows, or a list of others:"
        + " choose another."
    case .noStream(let path, let what):
      "The file \(path) has no \(what): choose another file or another source."
    case .noDecoder(let path, let what):
      "The file \(path) has \(what) of a kind that this machine's FFmpeg cannot decode:"
        + " convert it to H.264 and AAC."
    case .unfitRate(let path, let hertz):
      "The sound of the file \(path) has \(hertz) samples a second, where 4,000 to 768,000 can be"
        + " converted: choose another, or resample it to 48,000."
    case .broken(let path, let what):
      "The file \(path) is damaged: no \(what) in it could be decoded. Copy it afresh."
    case .noLibrary:
      "FFmpeg's libavformat, which reads media files, is missing or of another version than OnAir was"
        + " built with: install it (apt-get install ffmpeg)."
    case .interrupted: "Stopped."
    case .failed(let path, let error):
      "The file \(path) cannot be read (FFmpeg's error \(error)): check the disk it lies on."
    }
  }
}
