// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Capture
public import Publish
public import RateControl

/// Something that has happened to a source, an encoder, a still, a destination or the link. The receiver turns it into
/// events and into words for people.
public enum StudioReport: Sendable {
  public enum Input: String, Sendable {
    case video, audio
  }

  /// A source is about to be opened.
  case opening(Input)
  /// A source, its encoder and its stills are closed.
  case closed(Input)
  /// A source works, or is in trouble, or has ended.
  case source(Input, SourceReport)
  /// The video source delivers frames of which none can be decoded.
  case videoUnreadable
  /// It delivers frames that can be decoded again.
  case videoReadable
  /// An image from the settings cannot be shown. The sentence names the setting.
  case stillUnusable(setting: String, sentence: String)
  /// The image of a setting can be shown after all, or is not asked for any more.
  case stillUsable(setting: String)
  /// Video or audio cannot be encoded at all. The broadcast ends.
  case encoderBroken(String)
  /// The video encoder has not accepted a new rate or size.
  case encoderRefused(String)
  /// Encoding fails for longer than a moment.
  case encoderFailing
  /// Encoding works again.
  case encoderWorks
  /// The machine is too slow: it dropped many frames in ten seconds, or some again and again in ten minutes.
  case overloaded(LateLoss)
  /// The machine has been fast enough for as long.
  case overloadOver
  /// Even with the least work the machine cannot encode what the settings ask for in time: it sends fewer frames, or
  /// smaller ones.
  case pictureReduced(ProcessorPlan)
  /// It sends what the settings ask for again.
  case pictureRestored
  /// The state of the destination of this name has changed.
  case destination(String, DestinationReport)
  /// The link has become too slow for the whole picture.
  case linkDegraded(LinkReport)
  /// The link carries the whole picture again.
  case linkRecovered
}

/// A link that is too slow.
public struct LinkReport: Sendable {
  /// What the link still carries.
  public var plan: LinkPlan
  /// The bit rate that is asked for.
  public var targetKbps: Int
  /// The share of the last two seconds' sending time in which the server's TCP window was full.
  public var receiverLimitedShare: Double
  /// The server's name.
  public var host: String
}

/// Receives reports, on any thread. It must not block.
public typealias StudioListener = @Sendable (StudioReport) -> Void
