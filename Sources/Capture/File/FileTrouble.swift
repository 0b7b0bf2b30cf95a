// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Why a media file delivers nothing, or is not the one that plays.
public enum FileTrouble: Error, Equatable, Sendable {
  /// There is no such file.
  case missing(path: String)
  /// A folder, a pipe or a device.
  case notAFile(path: String)
  /// This user may not read it.
  case forbidden(path: String)
  /// FFmpeg does not know the format, or the file is a playlist of other files.
  case notMedia(path: String)
  /// It has no video, or no audio.
  case noStream(path: String, what: String)
  /// FFmpeg was built without a decoder for it.
  case noDecoder(path: String, what: String)
  /// The sample rate of its audio is out of range.
  case unfitRate(path: String, hertz: Int)
  /// libswresample cannot convert its audio.
  case unfitSound(path: String, channels: Int)
  /// libswscale cannot convert its frames.
  case unfitPicture(path: String)
  /// Its frames need more memory than OnAir gives them on this machine.
  case tooLarge(path: String)
  /// OnAir has ended each of the last times soon after it opened this file.
  case endsProgram(path: String)
  /// Nothing in the whole file could be decoded.
  case broken(path: String, what: String)
  /// The file has been removed while it plays.
  case gone(path: String)
  /// Another file has taken the name of the one that plays on, and cannot be played.
  indirect case replacement(FileTrouble)
  /// libavformat, which reads media files, is not installed.
  case noLibrary
  /// The source was stopped while the file was opened.
  case interrupted
  /// FFmpeg's error number.
  case failed(path: String, error: Int32)
}

extension FileTrouble: SourceTrouble {
  var state: SourceReport.State {
    switch self {
    case .gone, .replacement: .outdated
    default: .trouble
    }
  }

  public var code: String {
    switch self {
    case .missing: "missing"
    case .notAFile: "not_a_file"
    case .forbidden: "forbidden"
    case .notMedia: "not_media"
    case .noStream: "no_stream"
    case .noDecoder: "no_decoder"
    case .unfitRate: "unfit_rate"
    case .unfitSound: "unfit_sound"
    case .unfitPicture: "unfit_picture"
    case .tooLarge: "too_large"
    case .endsProgram: "ends_program"
    case .broken: "broken"
    case .gone: "gone"
    case .replacement(let trouble): trouble.code
    case .noLibrary: "no_library"
    case .interrupted: "interrupted"
    case .failed: "failed"
    }
  }

  public var sentence: String {
    switch self {
    case .missing(let path): "There is no file \(path): check the path."
    case .notAFile(let path): "\(path) is a folder or a device: name a file."
    case .forbidden(let path): "OnAir may not read the file \(path): change its permissions."
    case .notMedia(let path):
      "The file \(path) is not a picture, sound or video that OnAir can read, or it is a playlist:"
        + " choose another file."
    case .noStream(let path, let what):
      "The file \(path) has no \(what): choose another file or another source."
    case .noDecoder(let path, let what):
      "The FFmpeg of this machine cannot decode the \(what) of the file \(path):"
        + " convert it to H.264 and AAC."
    case .unfitRate(let path, let hertz):
      "The sound of the file \(path) has \(hertz) samples a second, but OnAir converts only 4,000 to"
        + " 768,000: choose another file, or resample it to 48,000."
    case .unfitSound(let path, let channels):
      "OnAir cannot convert the sound of the file \(path), which has \(channels) channels:"
        + " choose another file, or save its sound in stereo."
    case .unfitPicture(let path):
      "OnAir cannot convert the picture of the file \(path): choose another file, or convert it to H.264."
    case .tooLarge(let path):
      "The picture of the file \(path) needs more memory than this machine has for it: choose another file,"
        + " or convert it to H.264 of at most 1920x1080."
    case .endsProgram(let path):
      "OnAir has ended \(FileOpenings.most) times in a row while it opened the file \(path), which may be damaged:"
        + " choose another file, or convert it to H.264 and AAC."
    case .gone(let path):
      "The file \(path) has been removed. What was opened plays on: put a file there, or choose another"
        + " source."
    case .replacement(let trouble): trouble.sentence + " The earlier file plays on."
    case .broken(let path, let what):
      "The file \(path) is damaged: its \(what) cannot be decoded. Copy the file again."
    case .noLibrary:
      "FFmpeg's libavformat, which reads media files, is missing or has another version than OnAir was"
        + " built with: install it (apt-get install ffmpeg)."
    case .interrupted: "Stopped."
    case .failed(let path, let error):
      "Cannot read the file \(path) (FFmpeg error \(error)): check the disk."
    }
  }
}
