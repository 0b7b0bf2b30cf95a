// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CFFmpeg
internal import Media

/// Reads the samples that come through a pipe, at the pace of time, and resamples them into a queue. Used by one
/// thread.
@safe final class PipeSamplesReader {
  /// The longest time whose samples are read at once, in nanoseconds.
  private static let chunkNanos: Int64 = .milliseconds(40)

  enum Outcome: Equatable {
    /// Samples have been put into the queue; what was done to follow the writer's clock.
    case read(ClockFollower.Adjustment)
    case nothing
    /// The last writer has left.
    case left
    case failed(errno: Int32)
  }

  let end: PipeEnd
  let resampler: CaptureResampler
  private let format: AudioPipeFormat
  private var pace: PipePace
  /// Room for `chunkFrames`, and for the part of one more.
  private let buffer: UnsafeMutableRawBufferPointer
  private let chunkFrames: Int
  /// The bytes of a sample frame whose other bytes have not come yet.
  private var heldBytes = 0
  /// Whether nothing has come since `begin`.
  private var isFresh = true
  /// When the first of the samples was written that were left in the pipe by the last reading; `nil` if none were.
  private var leftFrom: MediaTime?

  /// - Parameters:
  ///   - channels: the number of channels in the queue.
  ///   - floor: when the audio that is already in the queue ends.
  init(
    _ end: PipeEnd, _ format: AudioPipeFormat, path: String, channels: Int, floor: MediaTime
  ) throws(PipeTrouble) {
    self.end = end
    self.format = format
    chunkFrames = max(1, format.rate * Int(PipeSamplesReader.chunkNanos / 1_000) / 1_000_000)
    do throws(Resampler.Failure) {
      resampler = try CaptureResampler(
        rate: format.rate, format: AVSampleFormat(format.samples),
        bytesPerSample: format.samples.bytes, deviceChannels: format.channels,
        bufferFrames: chunkFrames, channels: channels, floor: floor)
    } catch {
      // libswresample converts each of these formats, but may lack memory.
      throw .failed(path: path, errno: ENOMEM)
    }
    pace = PipePace(rate: format.rate, now: .distantPast)
    unsafe buffer = .allocate(byteCount: (chunkFrames + 1) * format.frameBytes, alignment: 64)
  }

  deinit { unsafe buffer.deallocate() }

  /// Begins with another writer, or after a gap: what comes next is placed by the time of its arrival.
  func begin() {
    guard !isFresh else { return }
    isFresh = true
    heldBytes = 0
    leftFrom = nil
    resampler.restart()
  }

  /// Reads what has come and may be read now.
  @unsafe func read(_ now: MediaTime, into queue: PCMQueue) -> Outcome {
    if isFresh {
      pace = PipePace(rate: format.rate, now: now)
    }
    let frames = min(chunkFrames, pace.allowance(at: now))
    guard frames > 0 else { return .nothing }
    let waiting = (heldBytes + end.waitingBytes) / format.frameBytes
    let reading = unsafe end.read(
      into: buffer.baseAddress.map { unsafe $0 + heldBytes },
      count: frames * format.frameBytes - heldBytes)
    switch reading {
    case .none: return .nothing
    case .left: return .left
    case .failed(let errno): return .failed(errno: errno)
    case .bytes(let count):
      isFresh = false
      let total = heldBytes + count
      let whole = total / format.frameBytes
      pace.take(whole)
      defer {
        heldBytes = total % format.frameBytes
        if heldBytes > 0, whole > 0 {
          unsafe buffer.copyMemory(
            from: UnsafeRawBufferPointer(
              rebasing: buffer[(whole * format.frameBytes)..<total]))
        }
      }
      guard whole > 0, let start = unsafe buffer.baseAddress else { return .nothing }
      if format.samples == .float { tame(whole) }
      // All that is in the pipe was written before now, and what was left in it, before the last reading.
      let captured = min(now - nanos(max(waiting, whole)), leftFrom ?? .distantFuture)
      leftFrom = waiting > whole ? captured + nanos(whole) : nil
      return .read(unsafe resampler.resample(start, frames: whole, captured: captured, into: queue))
    }
  }

  /// The duration of sample frames in nanoseconds.
  private func nanos(_ frames: Int) -> Int64 {
    Int64(frames) * 1_000_000_000 / Int64(format.rate)
  }

  /// Replaces what is no number, and limits what is far beyond full scale: it would stay in filters and encoder.
  private func tame(_ frames: Int) {
    let samples = unsafe buffer.assumingMemoryBound(to: Float.self)
    for index in 0..<frames * format.channels {
      let sample = unsafe samples[index]
      unsafe samples[index] = sample.isFinite ? max(-100, min(100, sample)) : 0
    }
  }
}

extension AVSampleFormat {
  fileprivate init(_ samples: PipeSamples) {
    self =
      switch samples {
      case .s16: AV_SAMPLE_FMT_S16
      case .s32: AV_SAMPLE_FMT_S32
      case .float: AV_SAMPLE_FMT_FLT
      }
  }
}
