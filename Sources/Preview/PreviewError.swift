// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Mux

/// Why the preview cannot serve a request.
public enum PreviewError: Error, Equatable, CustomStringConvertible {
  /// The preview has the maximum number of readers already, or the system cannot create a thread.
  case busy
  /// There was no fragment before the request timed out: the camera is still being opened, or there is no video.
  case noPicture
  /// The newest frame cannot be decoded, or cannot be encoded as JPEG.
  case undecodable
  /// libavformat is not installed.
  case noLibrary
  /// libavformat could not write a fragment. The value is its error number.
  case notWritten(Int32)
  /// The preview is closed because the program ends.
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
  package init(_ error: MuxError) {
    self =
      switch error {
      case .noLibrary: .noLibrary
      case .notWritten(let code): .notWritten(code)
      }
  }
}
