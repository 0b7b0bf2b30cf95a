// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// The plug-in or program that runs in the process of a filter.
public enum FilterProgram: Sendable, Equatable {
  /// A plug-in of frei0r, by the name of its file without the extension.
  case frei0r(String)
  /// A program that the box's owner has put into one of the folders of `FilterTools`, by the name of its file.
  case outside(String)
}

/// The parameters of the face filter that are handed to a program: 0 to 100 each.
public struct FaceParameters: Sendable, Equatable {
  /// How much skin is brightened, smoothed and reddened.
  public var white, buffing, ruddy: Int
  /// How much the eyes are enlarged, the face is narrowed and shortened, and the cheeks are reddened.
  public var bigEye, thinFace, shortenFace, cheekPink: Int

  public init(
    white: Int = 0, buffing: Int = 0, ruddy: Int = 0, bigEye: Int = 0, thinFace: Int = 0,
    shortenFace: Int = 0, cheekPink: Int = 0
  ) {
    (self.white, self.buffing, self.ruddy) = (white, buffing, ruddy)
    (self.bigEye, self.thinFace, self.shortenFace) = (bigEye, thinFace, shortenFace)
    self.cheekPink = cheekPink
  }
}

/// The settings of a filter that is a process of its own.
public struct ProcessFilterPlan: PictureFilterPlan {
  /// The filter's name in the settings.
  public var name: String
  /// The plug-in or program that the process runs.
  public var program: FilterProgram
  /// The parameters as the user has written them for the program: "Blur=0.3" for a plug-in of frei0r.
  public var text: String
  /// The parameters for a program that changes faces; other programs ignore them.
  public var face: FaceParameters
  /// The longest time that a frame waits for the program, in nanoseconds.
  public var patience: Int64
  /// The tools, the clock and the found points, which all filters of the source share.
  let host: FilterHost

  /// - Parameters:
  ///   - framesPerSecond: the frame rate of the programme.
  ///   - sharers: how many filters of the chain are processes. They share half the time from frame to frame.
  public init(
    _ name: String, _ program: FilterProgram, text: String = "", face: FaceParameters = .init(),
    framesPerSecond: Int, sharers: Int = 1, host: FilterHost
  ) {
    (self.name, self.program, self.text, self.face) = (name, program, text, face)
    patience = Int64.seconds(1) / Int64(max(1, framesPerSecond)) / 2 / Int64(max(1, sharers))
    self.host = host
  }

  public func makeFilter() -> any PictureFilter { ProcessFilter(self) }

  public static func == (one: ProcessFilterPlan, other: ProcessFilterPlan) -> Bool {
    one.name == other.name && one.program == other.program && one.text == other.text
      && one.face == other.face && one.patience == other.patience && one.host === other.host
  }
}
