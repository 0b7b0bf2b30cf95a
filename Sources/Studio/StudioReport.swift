// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Capture
public import Publish
public import RateControl

/// Something that has happened to a source, an encoder, a still, a destination or the link. The receiver turns it into
/// events and into words for people.
public enum StudioReport: Sendable {
  /// The video half or the audio half of a studio.
  public enum Input: String, Sendable {
    case video, audio
  }

  /// A source is about to be opened.
  case opening(Input)
  /// The video source with its encoder and stills, or the audio source with its encoder, has been closed.
  case closed(Input)
  /// The camera has been closed for a pause. `opening` follows when the pause ends.
  case cameraReleased
  /// A source has begun to work, is in trouble, or has ended.
  case source(Input, SourceReport)
  /// The source of an audio track besides the main one has begun to work, is in trouble, or has ended.
  case track(String, SourceReport)
  /// The source of the audio track with this name has been closed, because the track is not wanted any more, or for
  /// another source.
  case trackClosed(String)
  /// Something has happened to the guest with this name.
  case guest(String, GuestReport)
  /// Somebody who wanted to send as a guest was refused. The sentence gives the reason.
  case senderRefused(sentence: String)
  /// Something has happened to the music.
  case music(MusicReport)
  /// The headphones at the box have begun to work, or are in trouble.
  case monitor(SourceReport)
  /// The settings name no headphones any more.
  case monitorClosed
  /// None of the frames that the video source delivers can be decoded.
  case videoUnreadable
  /// The frames of the video source can be decoded again.
  case videoReadable
  /// An image from the settings cannot be shown. The sentence gives the reason and names the setting.
  case stillUnusable(setting: String, sentence: String)
  /// The image that a setting names can be shown again, or the setting no longer names an image.
  case stillUsable(setting: String)
  /// An overlay is not shown, or not shown correctly. The sentence gives the reason and names the setting.
  case overlayUnusable(setting: String, sentence: String)
  /// The overlay is shown correctly again, or no longer exists. Follows `overlayUnusable`.
  case overlayUsable(setting: String)
  /// A filter that runs as a separate process has been turned off because of a failure: frames are shown unfiltered.
  /// The sentence gives the reason.
  case filterOff(name: String, sentence: String)
  /// The filter with this name works again, or no longer exists. Follows `filterOff`.
  case filterOn(name: String)
  /// A filter that is an outside program is not confined: it can read OnAir's files, since this kernel has no Landlock.
  case filterUnconfined(sentence: String)
  /// The video encoder or the audio encoder cannot be opened, so the broadcast ends. The text is the reason, as a
  /// sentence.
  case encoderBroken(String)
  /// The video encoder has refused a new setting, such as a bit rate or a size. The text is a sentence for a person.
  case encoderRefused(String)
  /// Every attempt to encode has failed for more than a second.
  case encoderFailing
  /// Encoding works again, after `encoderFailing` or `encoderBroken`.
  case encoderWorks
  /// The encoder that was reported as broken or failing has been closed, together with the whole studio.
  case encoderClosed
  /// The machine is too slow: it dropped many frames within ten seconds, or a few frames repeatedly within ten minutes.
  case overloaded(LateLoss)
  /// The machine is fast enough again, after `overloaded`.
  case overloadOver
  /// The studio is closed, and with it the work for which the machine was too slow.
  case overloadClosed
  /// Even at the lowest encoding effort, the machine is too slow for the frame rate and size in the settings. It now
  /// sends a lower frame rate or a smaller size.
  case pictureReduced(ProcessorPlan)
  /// The machine again sends the frame rate and the size that are set. Follows `pictureReduced`.
  case pictureRestored
  /// The state of the destination with this name has changed.
  case destination(String, DestinationReport)
  /// The link has become too slow for the video that the settings ask for.
  case linkDegraded(LinkReport)
  /// The link is fast enough again for the video that the settings ask for.
  case linkRecovered
}

/// The state of a link that is too slow for the video that the settings ask for.
public struct LinkReport: Sendable {
  /// The bit rate, frame rate and size that the rate controller has chosen for this link.
  public var plan: LinkPlan
  /// The video bit rate in the settings, in kbit/s.
  public var targetKbps: Int
  /// How much the server, not the link, slows the stream: the time in which the server's TCP receive window was full,
  /// divided by the time in which there was data to send (0 to 1). Measured over two seconds.
  public var receiverLimitedShare: Double
  /// The host name of the main server.
  public var host: String
}

/// Receives reports, on any thread. Must not block.
public typealias StudioListener = @Sendable (StudioReport) -> Void
