// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Mux

/// Why the preview cannot give what it was asked for.
public enum PreviewError: Error, Equatable, CustomStringConvertible {
  /// As many readers as it serves are there already.
  case busy
  /// No frame has arrived in the time that one may take: the camera is being opened, or there is no video.
  case noPicture
  /// The newest frame cannot be decoded.
  case undecodable
  /// libavformat is not installed.
  case noLibrary
  /// libavformat refused to write a fragment; its error number.
  case notWritten(Int32)
  /// The preview has been closed: the program ends.
  case closed

  public var description: String {
    switch self {
    case .busy: "too many viewers of the preview"
    case .noPicture: "there is no picture yet"
    case .undecodable: "the newest frame cannot be decoded"
    case .noLibrary: "libavformat, which writes the preview, is not installed"
    case .notWritten(let code): "libavformat could not write the preview: error \(code)"
    case .closed: "the preview has been closed"
    }
  }
}

extension PreviewError {
  init(_ error: MuxError) {
    self =
      switch error {
      case .noLibrary: .noLibrary
      case .notWritten(let code): .notWritten(code)
      }
  }
}
