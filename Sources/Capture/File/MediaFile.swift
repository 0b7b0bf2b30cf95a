// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CFFmpeg
internal import Glibc

/// Decodes one stream of a media file, from its start to its end. Used by one thread.
@safe final class MediaFile {
  /// The kind of a stream.
  enum Kind {
    case video
    case audio

    /// The kind in a word, for sentences that people read.
    var word: String { self == .video ? "picture" : "sound" }
    var type: AVMediaType { self == .video ? AVMEDIA_TYPE_VIDEO : AVMEDIA_TYPE_AUDIO }
  }

  /// The result of a call of `next`.
  enum Step: Equatable {
    /// `MediaFile.frame` contains a decoded frame with this timestamp, in nanoseconds from the start of the file.
    case frame(at: Int64)
    /// There are no more frames.
    case ended
  }

  /// After this many errors in a row, decoding ends as at the end of the file.
  private static let maxFailures = 1000
  /// The maximum number of pixels of a frame: 8192 × 8192. Larger frames are refused.
  static let maxPixels: Int64 = 1 << 26
  /// The maximum number of bytes that all frames of a decoder may take together: a third of the machine's memory, but
  /// at most 1 GB. H.264 and H.265 keep up to 16 frames as references.
  static let frameMemory = min(
    1 << 30, Int64(sysconf(Int32(_SC_PHYS_PAGES))) * Int64(getpagesize()) / 3)
  /// The maximum number of bytes that FFmpeg may allocate at once. Limited, because a container's index may claim more
  /// samples than the file has. 64 MB are enough for a plane of 7680 × 4320, or the index of a film of 16 hours.
  private static let maxAllocationBytes = 1 << 26
  /// The accepted sample rates in Hz. Other rates are refused: a conversion from 50 Hz to 48,000 Hz would make the data
  /// a thousand times larger.
  static let sampleRates: ClosedRange<Int32> = 4_000...768_000
  /// The maximum number of samples per channel of a decoded audio frame. Larger frames are refused.
  private static let maxSamples: Int32 = 1 << 20
  /// The longest accepted difference between the presentation time and the decoding time of a frame, in nanoseconds. A
  /// larger one is taken for damage.
  private static let maxReorderNanos: Int64 = .seconds(10)
  /// The longest duration of an audio packet, in nanoseconds. A longer one is taken for damage, or for a leap of the
  /// timestamps.
  private static let maxAudioNanos: Int64 = .seconds(10)
  /// The longest duration of a video packet in a file that also has audio, in nanoseconds. A longer one is taken for
  /// damage, or for a leap of the timestamps.
  private static let maxFrameNanos: Int64 = .seconds(60)
  /// The longest duration of a video packet in a file without audio, in nanoseconds.
  private static let maxFrameNanosWithoutAudio: Int64 = .seconds(3_600)

  /// The path with which the file was opened.
  let path: String
  /// The duration that the container states, in nanoseconds; `nil` if it states none, or only an estimate from the bit
  /// rate.
  let duration: Int64?
  /// The length of the file as far as it has been read, in nanoseconds: the latest end of a packet of any stream. It is
  /// measured again after each seek to the start of the file.
  var measuredEnd: Int64 { packetEnd > 0 ? packetEnd : frameEnd }
  /// Whether the file's timestamps have leapt. The file is then longer or shorter than `duration`.
  var hasLeapt: Bool { timeline.hasLeapt }
  /// Whether the decoder has refused frames because they need too much memory.
  var isTooLarge: Bool { unsafe onair_frame_memory_exceeded(memoryCounter) }
  /// The frame that was decoded last. `next` overwrites it.
  let frame: UnsafeMutablePointer<AVFrame>

  /// libavformat, loaded when the first file or guest is opened; `nil` if it is not installed.
  static let library: onair_avformat? = {
    onair_av_be_quiet()
    av_max_alloc(maxAllocationBytes)
    var library = onair_avformat()
    return unsafe onair_avformat_load(&library) ? library : nil
  }()

  /// The functions of libavformat.
  private let library: onair_avformat
  /// The stream from the network that is read instead of a file; `nil` for a file.
  private let input: StreamInput?
  /// Whether it is read from the network.
  var isStream: Bool { input != nil }
  /// The stream of the file that is decoded: its video or its audio.
  private let kind: Kind
  /// The open container.
  private let format: UnsafeMutablePointer<AVFormatContext>
  /// The decoder of the stream.
  private let decoder: UnsafeMutablePointer<AVCodecContext>
  /// The packet that was read last from the container.
  private let packet: UnsafeMutablePointer<AVPacket>
  /// Counts and limits the memory that the decoder's frames take together.
  private let memoryCounter: UnsafeMutablePointer<onair_frame_memory>
  /// The index of the decoded stream in the container.
  private let streamIndex: Int
  /// The start time that the container states, in microseconds; 0 if it states none.
  private let startMicros: Int64
  /// Whether the file has video or audio, but not both.
  private let hasSingleKind: Bool
  /// Shifts the timestamps of packets, so that time continues evenly where they leap.
  private var timeline: MediaTimeline
  /// The latest end of the packets that were read, in nanoseconds; 0 if the packets have no timestamps.
  private var packetEnd: Int64 = 0
  /// The latest end of the decoded frames, in nanoseconds. Used only if the file's packets have no timestamps.
  private var frameEnd: Int64 = 0
  /// Whether the file has ended, so that the decoder only returns its remaining frames.
  private var isDraining = false
  /// The time that the next frame gets if it has no timestamp, in nanoseconds from the start of the file.
  private var nextTime: Int64 = 0

  /// Opens a file, and finds its stream of this kind.
  /// - Parameters:
  ///   - input: the stream from the network that is read instead of a file; `path` is then its address.
  ///   - worker: reading ends when this worker is asked to stop. It must outlive this object.
  ///   - frameMemory: the memory in bytes that all frames of the decoder may take together.
  init(
    path: String, kind: Kind, from input: StreamInput? = nil, worker: Worker,
    frameMemory: Int64 = MediaFile.frameMemory
  ) throws(FileTrouble) {
    guard let library = MediaFile.library else { throw .noLibrary }
    self.library = library
    guard let memory = unsafe onair_frame_memory_alloc(frameMemory) else {
      fatalError("out of memory")
    }
    unsafe memoryCounter = memory
    var opened =
      if let input {
        unsafe try input.open(path, worker, library)
      } else {
        unsafe try MediaFile.open(path, worker, library)
      }
    do throws(FileTrouble) {
      guard let format = unsafe opened else { throw .notMedia(path: path) }
      guard unsafe MediaFile.findStreams(format, library, frameMemory) else {
        throw .notMedia(path: path)
      }
      var codec: UnsafePointer<AVCodec>?
      let found = unsafe library.find_best_stream(format, kind.type, -1, -1, &codec, 0)
      guard found >= 0 else {
        throw found == onair_averror_no_decoder
          ? .noDecoder(path: path, what: kind.word) : .noStream(path: path, what: kind.word)
      }
      streamIndex = Int(found)
      try unsafe MediaFile.checkRate(format.pointee.streams[streamIndex], path, kind)
      unsafe decoder = try MediaFile.decoder(
        codec, format.pointee.streams[streamIndex], path, kind, memory)
      unsafe self.format = format
    } catch {
      unsafe MediaFile.close(&opened, library, isFile: input == nil)
      unsafe free(memory)
      throw error
    }
    guard let frame = unsafe av_frame_alloc(), let packet = unsafe av_packet_alloc() else {
      fatalError("out of memory")
    }
    unsafe self.frame = frame
    unsafe self.packet = packet
    self.path = path
    self.input = input
    self.kind = kind
    hasSingleKind = unsafe !MediaFile.hasVideoAndAudio(format)
    timeline = MediaTimeline(hasSingleKind: hasSingleKind)
    let startTime = unsafe format.pointee.start_time
    startMicros = MediaFile.isPlausible(microseconds: startTime) ? startTime : 0
    let stated = unsafe format.pointee.duration
    let method = unsafe format.pointee.duration_estimation_method
    let isGuess = method == AVFMT_DURATION_FROM_BITRATE
    duration =
      MediaFile.isPlausible(microseconds: stated) && stated > 0 && !isGuess ? stated * 1000 : nil
  }

  deinit {
    var frame: UnsafeMutablePointer<AVFrame>? = unsafe self.frame
    var packet: UnsafeMutablePointer<AVPacket>? = unsafe self.packet
    var decoder: UnsafeMutablePointer<AVCodecContext>? = unsafe self.decoder
    var format: UnsafeMutablePointer<AVFormatContext>? = unsafe self.format
    unsafe av_frame_free(&frame)
    unsafe av_packet_free(&packet)
    unsafe avcodec_free_context(&decoder)
    unsafe MediaFile.close(&format, library, isFile: input == nil)
    // Free this last, because the decoder's frames use it.
    unsafe free(memoryCounter)
  }

  /// The largest accepted time in nanoseconds: ten years. Larger times, which damaged files may have, are limited to
  /// it, so that sums never overflow.
  private static let maxTimeNanos: Int64 = .seconds(315_360_000)

  /// Whether a time is within `maxTimeNanos`. `AV_NOPTS_VALUE` is not.
  private static func isPlausible(microseconds: Int64) -> Bool {
    (-maxTimeNanos / 1000...maxTimeNanos / 1000).contains(microseconds)
  }

  /// The time, limited to ±`maxTimeNanos`.
  private static func limited(_ nanos: Int64) -> Int64 {
    max(-maxTimeNanos, min(maxTimeNanos, nanos))
  }

  /// How the last decoded frame has to be turned for display.
  var orientation: Orientation {
    guard let owner = unsafe format.pointee.streams[streamIndex] else { return .upright }
    if let matrix = unsafe onair_av_display_matrix(frame, owner) {
      return unsafe Orientation(matrix: matrix[0], matrix[1], matrix[3], matrix[4])
    }
    // The decoders of some images give no display matrix, but the value of EXIF's tag Orientation.
    guard let entry = unsafe av_dict_get(frame.pointee.metadata, "Orientation", nil, 0),
      let text = unsafe entry.pointee.value
    else { return .upright }
    return unsafe Orientation(exif: Int(atol(text))) ?? .upright
  }

  /// A tag of the file or of the stream, such as "title"; `nil` if it has none.
  func tag(_ name: String) -> String? {
    let owner = unsafe format.pointee.streams[streamIndex]
    var entry = unsafe av_dict_get(format.pointee.metadata, name, nil, 0)
    if unsafe entry == nil, let owner = unsafe owner {
      unsafe entry = av_dict_get(owner.pointee.metadata, name, nil, 0)
    }
    guard let text = unsafe entry?.pointee.value else { return nil }
    return StreamTitle.decode(
      unsafe Array(UnsafeRawBufferPointer(start: text, count: strlen(text))))
  }

  /// Decodes the next frame into `frame`. Returns `.ended` if there is none.
  func next() -> Step {
    var failures = 0
    while failures < MediaFile.maxFailures {
      let result = unsafe avcodec_receive_frame(decoder, frame)
      if result == 0, isAcceptable() { return .frame(at: frameTime()) }
      if result == onair_averror_eof { return .ended }
      if result != onair_averror_again { failures += 1 }
      if isDraining {
        if result == onair_averror_again { return .ended }
        continue
      }
      let read = unsafe library.read_frame(format, packet)
      guard read >= 0 else {
        isDraining = true
        unsafe avcodec_send_packet(decoder, nil)
        continue
      }
      shiftPacket()
      if unsafe Int(packet.pointee.stream_index) == streamIndex {
        let sent = unsafe avcodec_send_packet(decoder, packet)
        if sent < 0, sent != onair_averror_again { failures += 1 }
      }
      unsafe av_packet_unref(packet)
    }
    return .ended
  }

  /// Seeks to a position from which the content at `time` can be decoded, for another pass.
  /// - Parameter time: nanoseconds from the start of the file.
  /// - Returns: `false` if the file is not seekable, so that it has to be opened again.
  func rewind(to time: Int64) -> Bool {
    let target = startMicros + time / 1000
    // If the timestamps leap, seek to the start by byte position: a seek by timestamp would not lead to the start.
    let isStream = unsafe format.pointee.iformat.pointee.flags & AVFMT_TS_DISCONT != 0
    guard
      unsafe hasLeapt && time == 0 && isStream
        && library.seek_file(format, -1, 0, 0, 0, AVSEEK_FLAG_BYTE) >= 0
        || library.seek_file(format, -1, .min, target, target, 0) >= 0
        || library.seek_file(format, -1, .min, target, .max, 0) >= 0
    else { return false }
    timeline.seek(to: time)
    unsafe avcodec_flush_buffers(decoder)
    isDraining = false
    nextTime = time
    // At the start of the file, forget the measured end: the next pass measures it again. If the timestamps leap, an
    // earlier seek may have led to a wrong position, and thus to a wrong end.
    if time == 0 { (packetEnd, frameEnd) = (0, 0) }
    return true
  }

  /// Whether the decoded frame is video, or audio that can be converted in bounded memory. The decoder has already
  /// checked the size of video frames.
  private func isAcceptable() -> Bool {
    unsafe kind == .video
      || MediaFile.sampleRates.contains(frame.pointee.sample_rate)
        && frame.pointee.nb_samples <= MediaFile.maxSamples
  }

  /// Shifts the timestamps of the packet that was read, so that they continue evenly where the timestamps of the file
  /// leap. Updates `measuredEnd`.
  private func shiftPacket() {
    let index = unsafe Int(packet.pointee.stream_index)
    guard let owner = unsafe format.pointee.streams[index], unsafe MediaFile.isTimed(owner) else {
      return
    }
    let base = unsafe owner.pointee.time_base
    let decodedAt = unsafe packet.pointee.dts
    var presentedAt = unsafe packet.pointee.pts
    if decodedAt != onair_av_nopts, presentedAt != onair_av_nopts,
      abs(nanos(presentedAt, base) - nanos(decodedAt, base)) > MediaFile.maxReorderNanos
    {
      presentedAt = decodedAt
    }
    let hasDecodingTime = decodedAt != onair_av_nopts
    guard hasDecodingTime || presentedAt != onair_av_nopts else { return }
    let length = unsafe packetDuration(owner)
    let shift = timeline.shift(
      stream: index,
      at: nanos(hasDecodingTime ? decodedAt : presentedAt, base) - startMicros * 1000,
      lasting: length, hasDecodingTime: hasDecodingTime)
    let ticks = shift == 0 ? 0 : av_rescale_q(shift, AVRational(num: 1, den: 1_000_000_000), base)
    if hasDecodingTime { unsafe packet.pointee.dts = decodedAt &+ ticks }
    if presentedAt != onair_av_nopts { unsafe packet.pointee.pts = presentedAt &+ ticks }
    let at = presentedAt != onair_av_nopts ? presentedAt : decodedAt
    packetEnd = max(packetEnd, nanos(at, base) - startMicros * 1000 + shift + length)
  }

  /// The duration of the packet that was read, in nanoseconds.
  private func packetDuration(_ owner: UnsafeMutablePointer<AVStream>) -> Int64 {
    let stated = unsafe max(0, nanos(packet.pointee.duration, owner.pointee.time_base))
    let parameters = unsafe owner.pointee.codecpar
    if unsafe owner.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO {
      // Count the samples: the stated duration may be the time until the next packet, whose timestamp may have leapt.
      let samples = unsafe av_get_audio_frame_duration2(parameters, packet.pointee.size)
      let rate = unsafe owner.pointee.codecpar.pointee.sample_rate
      let counted =
        samples > 0 && rate > 0 ? Int64(samples) * 1_000_000_000 / Int64(rate) : stated
      return min(counted, MediaFile.maxAudioNanos)
    }
    let longest = hasSingleKind ? MediaFile.maxFrameNanosWithoutAudio : MediaFile.maxFrameNanos
    if stated > 0, stated <= longest { return stated }
    return min(unsafe frameDuration(owner.pointee.avg_frame_rate), .seconds(1))
  }

  /// The time of the decoded frame, in nanoseconds from the start of the file. Updates `nextTime` and `frameEnd`.
  private func frameTime() -> Int64 {
    guard let owner = unsafe format.pointee.streams[streamIndex] else { return nextTime }
    let stamp = unsafe frame.pointee.best_effort_timestamp
    var time = nextTime
    if stamp != onair_av_nopts {
      time = unsafe nanos(stamp, owner.pointee.time_base) - startMicros * 1000
    }
    let length: Int64
    if kind == .audio {
      let rate = unsafe max(1, Int64(frame.pointee.sample_rate))
      length = unsafe Int64(frame.pointee.nb_samples) * 1_000_000_000 / rate
    } else {
      length = unsafe frameDuration(library.guess_frame_rate(format, owner, frame))
    }
    nextTime = MediaFile.limited(time + min(length, MediaFile.maxFrameNanosWithoutAudio))
    frameEnd = max(frameEnd, nextTime)
    return time
  }

  /// The duration of a frame at this frame rate in nanoseconds; 40 ms if the rate is not valid.
  private func frameDuration(_ rate: AVRational) -> Int64 {
    rate.num > 0 && rate.den > 0 ? Int64(rate.den) * 1_000_000_000 / Int64(rate.num) : 40_000_000
  }

  /// Converts a time in units of `base` to nanoseconds.
  private func nanos(_ count: Int64, _ base: AVRational) -> Int64 {
    // If the result overflows, av_rescale_q returns the smallest Int64.
    MediaFile.limited(av_rescale_q(count, base, AVRational(num: 1, den: 1_000_000_000)))
  }
}
