// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Media

/// The input and the output of an audio encoder. The bit rate changes while it runs; another number of channels needs a
/// new encoder.
public struct AudioFormat: Equatable, Sendable {
  /// 1 or 2.
  public var channels: Int
  /// kbit/s of all channels together.
  public var bitrateKbps: Int

  public init(channels: Int, bitrateKbps: Int) {
    self.channels = channels
    self.bitrateKbps = bitrateKbps
  }
}

/// Why audio could not be encoded.
public enum AudioEncoderError: Error, Equatable {
  /// The library was built without the encoder.
  case missing
  /// The encoder refused the channels or the bit rate, or is out of memory.
  case notOpened
  /// A block could not be encoded; the library's error number.
  case failed(Int32)
}

/// Encodes 48 kHz audio in blocks of equal length. An encoder may hold samples back; each packet carries the scene and
/// the time of its own samples. Used by one thread.
public protocol AudioEncoder: AnyObject {
  var header: AudioHeader { get }
  /// Samples per channel in each block.
  var blockFrames: Int { get }
  /// The most blocks that are missing in the packets emitted so far: those that are held back, and silence that the
  /// encoder inserts before the first sample.
  var heldBlocks: Int { get }

  /// Changes the bit rate from the next block on. The header stays valid.
  func change(bitrateKbps: Int)

  /// Encodes a block, and emits the packets that are ready.
  /// - Parameters:
  ///   - interleaved: `blockFrames` × channels samples, ±1.
  ///   - startsAt: the time of the first sample.
  ///   - scene: the number of the scene that the block is of. It never falls.
  ///   - emit: receives each packet, valid during the call. Its time is that of the first sample decoded from it, its
  ///     scene that of the oldest sample in it.
  @unsafe func encode(
    _ interleaved: UnsafePointer<Float>, startsAt: MediaTime, scene: UInt32,
    emit: (Packet) -> Void
  ) throws(AudioEncoderError)
}
