// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// Why a pipe brings no frames or no audio.
enum PipeTrouble: Error, Equatable {
  /// There is nothing at this path.
  case missing(path: String)
  /// The path is that of a file, a folder or a device.
  case notAPipe(path: String)
  /// This user may not read the pipe.
  case forbidden(path: String)
  /// No program has the pipe open for writing.
  case noWriter(path: String)
  /// The program that wrote into the pipe has ended within a frame, of which `missing` bytes have not come. `what`
  /// describes the frames that are expected.
  case tornFrame(path: String, missing: Int, what: String)
  /// The program that has the pipe open for writing has written nothing for a second.
  case silent(path: String)
  /// The pipe brings something other than headers and frames. `reason` follows "is wrong: ".
  case badHeader(path: String, reason: String)
  /// Reading from the pipe failed with this error number.
  case failed(path: String, errno: Int32)
  /// Standard input has ended after whole frames. The last frame lacked `missing` bytes.
  case inputEnded(missing: Int, what: String)
  /// Standard input has ended before the first whole frame.
  case inputEmpty(what: String)
  /// Standard input brings something other than headers and frames.
  case inputBadHeader(reason: String)
  /// Standard input cannot be read. `error` is the C library's text.
  case inputFailed(error: String)
}

extension PipeTrouble: SourceTrouble {
  var state: SourceReport.State {
    switch self {
    case .inputEnded, .inputEmpty, .inputFailed: .ended
    default: .trouble
    }
  }

  var code: String {
    switch self {
    case .missing: "missing"
    case .notAPipe: "not_a_pipe"
    case .forbidden: "forbidden"
    case .noWriter, .tornFrame: "no_writer"
    case .silent: "silent"
    case .badHeader, .inputBadHeader: "bad_header"
    case .failed, .inputFailed: "failed"
    case .inputEnded: "ended"
    case .inputEmpty: "empty"
    }
  }

  var sentence: String {
    switch self {
    case .missing(let path):
      "There is no pipe \(path): make it with \"mkfifo \(path)\", and start the program that writes into it."
    case .notAPipe(let path):
      "\(path) is not a named pipe: make one with mkfifo, and write its path after \"pipe:\"."
    case .forbidden(let path): "OnAir may not read the pipe \(path): change its permissions."
    case .noWriter(let path):
      "No program writes into the pipe \(path): start the one that does."
    case .tornFrame(let path, let missing, let what):
      "The program that wrote into the pipe \(path) has ended: start it again. Its last frame lacked \(missing)"
        + " bytes: is it really \(what)?"
    case .silent(let path):
      "The program that writes into the pipe \(path) has sent nothing for a second: find out what holds it up."
    case .badHeader(let path, let reason):
      "What comes through the pipe \(path) is wrong: \(reason)."
    case .failed(let path, let errno):
      "Cannot read the pipe \(path) (\(PipeTrouble.text(errno))): make it anew."
    case .inputEnded(let missing, let what):
      "Standard input has ended."
        + (missing > 0 ? " The last frame lacked \(missing) bytes: is it really \(what)?" : "")
    case .inputEmpty(let what):
      "Standard input ended before the first whole frame: pipe raw \(what) into onair."
    case .inputBadHeader(let reason): "What comes from standard input is wrong: \(reason)."
    case .inputFailed(let error):
      "Cannot read standard input (\(error)): pipe raw frames into onair."
    }
  }

  private static func text(_ errno: Int32) -> String {
    guard let text = unsafe strerror(errno) else { return "error \(errno)" }
    return unsafe String(cString: text)
  }
}
