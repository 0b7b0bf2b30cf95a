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
  /// The camera has been closed for a pause. `opening` follows when the pause ends.
  case cameraReleased
  /// A source has begun to work, is in trouble, or has ended.
  case source(Input, SourceReport)
  /// None of the frames that the video source delivers can be decoded.
  case videoUnreadable
  /// The frames of the video source can be decoded again.
  case videoReadable
  /// An image from the settings cannot be shown. The sentence gives the reason and names the setting.
  case stillUnusable(setting: String, sentence: String)
  /// The image that a setting names can be shown again, or the setting does not name one any more.
  case stillUsable(setting: String)
  /// An overlay is not shown, or not as it should be. The sentence gives the reason and names the setting.
  case overlayUnusable(setting: String, sentence: String)
  /// The overlay is shown as it should be, or there is no such overlay any more.
  case overlayUsable(setting: String)
  /// A filter that is a process of its own is off, and frames are shown without it. The sentence gives the reason.
  case filterOff(name: String, sentence: String)
  /// The filter is not off any more, or there is no such filter any more.
  case filterOn(name: String)
  /// A filter that is a program can read OnAir's files, since the kernel cannot prevent it.
  case filterUnconfined(sentence: String)
  /// The encoder of video or audio cannot be opened, with the reason as a sentence. The broadcast ends.
  case encoderBroken(String)
  /// The video encoder has not accepted a new rate or size, as a sentence for a person.
  case encoderRefused(String)
  /// Every attempt to encode has failed for more than a second.
  case encoderFailing
  /// Encoding works again.
  case encoderWorks
  /// The studio is closed, and with it the encoder that was reported as broken or failing.
  case encoderClosed
  /// The machine is too slow: it dropped many frames within ten seconds, or a few again and again within ten minutes.
  case overloaded(LateLoss)
  /// The machine is fast enough again, after `overloaded`.
  case overloadOver
  /// Even at the lowest encoding effort, the machine cannot encode in time what the settings ask for. It now sends
  /// fewer frames or a smaller size.
  case pictureReduced(ProcessorPlan)
  /// The machine sends the frame rate and the size that the settings ask for again.
  case pictureRestored
  /// The state of the destination of this name has changed.
  case destination(String, DestinationReport)
  /// The link has become too slow for the video that the settings ask for.
  case linkDegraded(LinkReport)
  /// The link is fast enough again for the video that the settings ask for.
  case linkRecovered
}

/// The state of a link that is too slow for the video that the settings ask for.
public struct LinkReport: Sendable {
  /// What the rate controller asks of the encoders on this link.
  public var plan: LinkPlan
  /// The video bit rate that the settings ask for.
  public var targetKbps: Int
  /// The share, 0 to 1, of the time with data to send in which the server's TCP receive window was full. Measured over
  /// two seconds.
  public var receiverLimitedShare: Double
  /// The host name of the main server.
  public var host: String
}

/// Receives reports, on any thread. Must not block.
public typealias StudioListener = @Sendable (StudioReport) -> Void
