// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Why a media file delivers nothing, or why the file that is being played is outdated.
public enum FileTrouble: Error, Equatable, Sendable {
  /// There is no file at this path.
  case missing(path: String)
  /// The path is that of a folder, a pipe or a device.
  case notAFile(path: String)
  /// This user may not read the file.
  case forbidden(path: String)
  /// FFmpeg does not know the format, or the file is a playlist of other files.
  case notMedia(path: String)
  /// The file has no video, or no audio. `what` says which, for people: "picture" or "sound".
  case noStream(path: String, what: String)
  /// FFmpeg was built without a decoder for the file's video or audio. `what` says which, for people: "picture" or
  /// "sound".
  case noDecoder(path: String, what: String)
  /// The sample rate of the file's audio is out of range.
  case unfitRate(path: String, hertz: Int)
  /// libswresample cannot convert the file's audio.
  case unfitSound(path: String, channels: Int)
  /// libswscale cannot convert the file's frames.
  case unfitPicture(path: String)
  /// The file's frames need more memory than OnAir gives them on this machine.
  case tooLarge(path: String)
  /// The program has died soon after each of the last openings of this file, which is now refused.
  case endsProgram(path: String)
  /// No frame of the file's video or audio could be decoded. `what` says which, for people: "picture" or "sound".
  case broken(path: String, what: String)
  /// The file was removed while it was being played. Playback continues.
  case gone(path: String)
  /// Another file has replaced the one that is being played, but cannot be played for this reason. The earlier file
  /// plays on.
  indirect case replacement(FileTrouble)
  /// libavformat, which reads media files, is not installed.
  case noLibrary
  /// The source was stopped while the file was being opened.
  case interrupted
  /// Reading the file failed with this error number of FFmpeg.
  case failed(path: String, error: Int32)
}

extension FileTrouble: SourceTrouble {
  /// The state of a source with this trouble: outdated if the file that was opened plays on.
  var state: SourceReport.State {
    switch self {
    case .gone, .replacement: .outdated
    default: .trouble
    }
  }

  /// The trouble in one word, for programs.
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

  /// The trouble and its remedy, for people.
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
      "OnAir has ended \(FileOpenings.maxFailedOpenings) times in a row while it opened the file \(path),"
        + " which may be damaged: choose another file, or convert it to H.264 and AAC."
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
