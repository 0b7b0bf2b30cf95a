// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Encode
internal import Media
internal import Publish
internal import Settings
internal import Video

/// Why the stream for an uplink test cannot be produced.
enum UplinkSourceError: Error {
  /// The built-in pause still could not be decoded.
  case still(StillError)
  /// The video encoder could not be opened, or failed.
  case video(EncoderError)
  /// The audio encoder could not be opened, or failed.
  case audio(AudioEncoderError)
}

/// Produces the stream for an uplink test: the built-in pause still and silence, padded to the bit rate that is tested
/// with bytes that decoders skip. Opens no device. Used by one thread.
final class UplinkSource {
  /// The frame rate of the still: high enough that the padding is not sent in bursts.
  private static let framesPerSecond = 20
  /// Nanoseconds from one frame to the next.
  private static let frameNanos = Int64.seconds(1) / Int64(framesPerSecond)
  /// Frames that are overdue by more than this many nanoseconds are skipped.
  private static let maxDelayNanos = Int64.milliseconds(500)

  /// Plays the pause still.
  private var player: StillPlayer
  /// Pads packets up to the bit rate that is tested.
  private let filler = FrameFiller()
  /// Encodes the silence.
  private let audio: any AudioEncoder
  /// The samples of one silent block.
  private let silence: [Float]
  /// How many more bytes the tested bit rate allows before the next frame is due; negative after a keyframe that was
  /// larger than the bit rate allows for one frame.
  private var budget = 0
  /// When the next frame is due; `nil` before the first frame has been sent.
  private var frameAt: MediaTime?
  /// When the next block of audio is due; valid once the first frame has been sent.
  private var audioAt = MediaTime.distantPast

  /// Prepares the still and opens the encoders, which is slow.
  init(_ settings: Settings) throws(UplinkSourceError) {
    let image: StillImage
    do throws(StillError) {
      image = try StillImage(.pause)
    } catch {
      throw .still(error)
    }
    do throws(EncoderError) {
      let still = try Still(
        image, like: VideoPlan(settings).format,
        rate: Still.Rate(framesPerSecond: UplinkSource.framesPerSecond), isBuiltIn: true)
      player = try StillPlayer(still)
    } catch {
      throw .video(error)
    }
    let channels = settings.audio.channels
    do throws(AudioEncoderError) {
      audio = try EncoderFactory.libraries.audio(
        AudioFormat(
          channels: channels, bitrateKbps: settings.audio.bitrateKbps,
          sampleRate: settings.audio.profile.sampleRate))
    } catch {
      throw .audio(error)
    }
    silence = [Float](repeating: 0, count: audio.blockFrames * channels)
  }

  /// Gives the sink the video header and the audio header. To be called once, before the destination takes packets.
  func introduce(to sink: some PacketSink) {
    sink.setVideo(player.header)
    sink.setAudio(audio.header)
  }

  /// Offers the packets that are due by `now`.
  /// - Parameter kbps: the bit rate of video, padding and audio together.
  func send(to sink: some PacketSink, upTo now: MediaTime, kbps: Int) throws(UplinkSourceError) {
    let perFrame = kbps * 125 / UplinkSource.framesPerSecond
    var next = frameAt ?? now
    if frameAt == nil { audioAt = now }
    if now - next > UplinkSource.maxDelayNanos {
      next = now
      audioAt = now
    }
    while next <= now {
      budget = min(budget, 0) + perFrame
      do throws(EncoderError) {
        try player.next(FrameTag(time: next), key: sink.needsKeyframe) { frame in
          filler.fill(frame.packet, to: budget) { packet in
            unsafe budget -= packet.bytes.count
            sink.offer(packet)
          }
        }
      } catch {
        throw .video(error)
      }
      next = next + UplinkSource.frameNanos
      try sendAudio(to: sink, upTo: next)
    }
    frameAt = next
  }

  /// Offers the audio packets that begin before `end`.
  private func sendAudio(to sink: some PacketSink, upTo end: MediaTime) throws(UplinkSourceError) {
    let blockNanos = Int64.seconds(1) * Int64(audio.blockFrames) / Int64(PCM.sampleRate)
    while audioAt < end {
      do throws(AudioEncoderError) {
        try unsafe silence.withUnsafeBufferPointer { samples throws(AudioEncoderError) in
          guard let base = samples.baseAddress else { return }
          try unsafe audio.encode(base, startsAt: audioAt, scene: 0) { packet in
            unsafe budget -= packet.bytes.count
            sink.offer(packet)
          }
        }
      } catch {
        throw .audio(error)
      }
      audioAt = audioAt + blockNanos
    }
  }
}
