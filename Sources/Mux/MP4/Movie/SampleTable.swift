// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// Writes the stbl box of a track (ISO/IEC 14496-12, 8.5): its sample descriptions and, in a finished file, the times,
/// sizes and places of its samples.
enum SampleTable {
  static func put(_ track: MovieTrackState, _ isFinal: Bool, to writer: inout BoxWriter) {
    writer.box("stbl") { stbl in
      stbl.box("stsd", version: 0) { stsd in
        stsd.put32(UInt32(track.descriptions.count))
        for description in track.descriptions {
          switch track.track {
          case .video(let header): putVideo(header, description, to: &stsd)
          case .audio(let header, _): putAudio(header, to: &stsd)
          }
        }
      }
      guard isFinal else {
        for type in ["stts", "stsc", "stco"] {
          stbl.box(type, version: 0) { $0.put32(0) }
        }
        stbl.box("stsz", version: 0) { $0.putZeros(8) }
        return
      }
      putTimes(track, to: &stbl)
      putChunks(track.index, to: &stbl)
      putSizes(track.index, to: &stbl)
      putPlaces(track.index, to: &stbl)
      if track.track.isVideo {
        putSyncSamples(track.index, to: &stbl)
      } else {
        putRoll(track.index, to: &stbl)
      }
    }
  }

  // MARK: Sample descriptions

  private static func putVideo(
    _ header: VideoHeader, _ avcConfiguration: [UInt8], to writer: inout BoxWriter
  ) {
    writer.box("avc1") { box in
      box.putZeros(6)
      box.put16(1)
      box.putZeros(16)
      box.put16(UInt16(header.size.width))
      box.put16(UInt16(header.size.height))
      box.put32(0x48_0000)  // 72 dpi
      box.put32(0x48_0000)
      box.put32(0)
      box.put16(1)
      box.putZeros(32)
      box.put16(24)
      box.put16(0xFFFF)
      box.box("avcC") { $0.put(avcConfiguration) }
    }
  }

  private static func putAudio(_ header: AudioHeader, to writer: inout BoxWriter) {
    writer.box("mp4a") { box in
      box.putZeros(6)
      box.put16(1)
      box.putZeros(8)
      box.put16(UInt16(header.channels))
      box.put16(16)
      box.put32(0)
      box.put32(UInt32(header.sampleRate) << 16)
      box.box("esds", version: 0) { esds in
        // Descriptors (ISO/IEC 14496-1, 7.2.6): elementary stream, its decoder, the decoder's configuration.
        let config = header.audioSpecificConfig
        let rate = UInt32(header.bitrateKbps) * 1_000
        esds.put([3, UInt8(23 + config.count), 0, 0, 0])
        esds.put([4, UInt8(15 + config.count), 0x40, 0x15, 0, 0, 0])
        esds.put32(rate)
        esds.put32(rate)
        esds.put([5, UInt8(config.count)])
        esds.put(config)
        esds.put([6, 1, 2])
      }
    }
  }

  // MARK: Samples

  private static func putTimes(_ track: MovieTrackState, to writer: inout BoxWriter) {
    putCounted("stts", to: &writer) { box in
      var run = (samples: UInt32(0), duration: Int64(0))
      var runs: UInt32 = 0
      func end(_ run: (samples: UInt32, duration: Int64), _ box: inout BoxWriter) {
        guard run.samples > 0 else { return }
        box.put32(run.samples)
        box.put32(UInt32(clamping: run.duration))
        runs += 1
      }
      func add(_ duration: Int64, _ box: inout BoxWriter) {
        if run.samples > 0, run.duration != duration {
          end(run, &box)
          run = (0, 0)
        }
        run = (run.samples + 1, duration)
      }
      var isFirst = true
      track.index.forEach { _, _, delta in
        // The time since the sample before is that sample's duration.
        if !isFirst { add(delta, &box) }
        isFirst = false
      }
      if !isFirst { add(track.lastDuration, &box) }
      end(run, &box)
      return runs
    }
    guard track.index.delays.contains(where: { $0.delay != 0 }) else { return }
    writer.box("ctts", version: 0) { box in
      box.put32(UInt32(track.index.delays.count))
      for run in track.index.delays {
        box.put32(UInt32(run.samples))
        box.put32(UInt32(clamping: run.delay))
      }
    }
  }

  private static func putChunks(_ index: TrackIndex, to writer: inout BoxWriter) {
    putCounted("stsc", to: &writer) { box in
      var last: TrackIndex.Chunk?
      var entries: UInt32 = 0
      for (number, chunk) in index.chunks.enumerated() {
        if chunk.samples == last?.samples, chunk.description == last?.description { continue }
        box.put32(UInt32(number + 1))
        box.put32(UInt32(chunk.samples))
        box.put32(UInt32(chunk.description + 1))
        entries += 1
        last = chunk
      }
      return entries
    }
  }

  private static func putSizes(_ index: TrackIndex, to writer: inout BoxWriter) {
    writer.box("stsz", version: 0) { box in
      box.put32(0)
      box.put32(UInt32(index.count))
      index.forEach { size, _, _ in box.put32(UInt32(size)) }
    }
  }

  private static func putPlaces(_ index: TrackIndex, to writer: inout BoxWriter) {
    let isLong = index.chunks.last.map { $0.offset > UInt32.max } ?? false
    writer.box(isLong ? "co64" : "stco", version: 0) { box in
      box.put32(UInt32(index.chunks.count))
      for chunk in index.chunks {
        if isLong { box.put64(Int64(chunk.offset)) } else { box.put32(UInt32(chunk.offset)) }
      }
    }
  }

  private static func putSyncSamples(_ index: TrackIndex, to writer: inout BoxWriter) {
    putCounted("stss", to: &writer) { box in
      var (number, keys) = (UInt32(0), UInt32(0))
      index.forEach { _, isSync, _ in
        number += 1
        if isSync {
          box.put32(number)
          keys += 1
        }
      }
      return keys
    }
  }

  /// Says that a decoder has to begin one AAC packet earlier (ISO/IEC 14496-12, 10.1).
  private static func putRoll(_ index: TrackIndex, to writer: inout BoxWriter) {
    guard index.count > 0 else { return }
    writer.box("sgpd", version: 1) { box in
      box.put("roll".utf8)
      box.put32(2)
      box.put32(1)
      box.put16(UInt16(bitPattern: -1))
    }
    writer.box("sbgp", version: 0) { box in
      box.put("roll".utf8)
      box.put32(1)
      box.put32(UInt32(index.count))
      box.put32(1)
    }
  }

  /// Writes a full box whose content begins with the number of entries, which `body` returns.
  private static func putCounted(
    _ type: String, to writer: inout BoxWriter, _ body: (inout BoxWriter) -> UInt32
  ) {
    writer.box(type, version: 0) { box in
      let place = box.bytes.count
      box.put32(0)
      let count = body(&box)
      box.patch32(count, at: place)
    }
  }
}
