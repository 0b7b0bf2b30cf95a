// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Media

/// The settings with which an audio encoder is opened. The bit rate can change while the encoder runs; another number
/// of channels or another sample rate needs a new encoder.
public struct AudioFormat: Equatable, Sendable {
  /// The number of channels, 1 or 2.
  public var channels: Int
  /// The bit rate of all channels together, in kbit/s.
  public var bitrateKbps: Int
  /// The sample rate of the encoded audio: 48,000, or a whole fraction of it. The encoder takes samples of 48 kHz.
  public var sampleRate: Int

  public init(channels: Int, bitrateKbps: Int, sampleRate: Int = PCM.sampleRate) {
    self.channels = channels
    self.bitrateKbps = bitrateKbps
    self.sampleRate = sampleRate
  }
}

/// The reason why audio could not be encoded.
public enum AudioEncoderError: Error, Equatable {
  /// The library was built without the encoder.
  case missing
  /// The encoder refused the channels or the bit rate, or is out of memory.
  case notOpened
  /// A block could not be encoded; the library's error number.
  case failed(Int32)
}

/// An encoder of 48 kHz audio, which takes blocks of equal length. The encoder may emit samples later than it gets
/// them: each packet has the scene number and the time of its own samples. Used by one thread.
public protocol AudioEncoder: AnyObject {
  /// The format of the packets, with the decoder configuration.
  var header: AudioHeader { get }
  /// Samples per channel in each block.
  var blockFrames: Int { get }
  /// The encoder's longest delay, in blocks: the blocks that it holds back, and the silence that it inserts before the
  /// first sample.
  var heldBlocks: Int { get }

  /// Changes the bit rate from the next block on. The header stays valid.
  func change(bitrateKbps: Int)

  /// Encodes a block, and emits the packets that are ready, if any.
  /// - Parameters:
  ///   - interleaved: `blockFrames` × channels samples, from -1 to 1.
  ///   - startsAt: the capture time of the block's first sample.
  ///   - scene: the number of the scene (`Packet.scene`) that the block belongs to. It never falls from block to block.
  ///   - emit: receives each packet, whose bytes are valid during the call only. A packet's time is that of the first
  ///     sample decoded from it, its scene that of the oldest sample in it.
  @unsafe func encode(
    _ interleaved: UnsafePointer<Float>, startsAt: MediaTime, scene: UInt32,
    emit: (Packet) -> Void
  ) throws(AudioEncoderError)
}
