// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg
internal import Glibc
internal import Media

/// One stream of a media file, decoded from its beginning to its end. Used by one thread.
@safe final class MediaFile {
  enum Kind {
    case pictures
    case sound

    var word: String { self == .pictures ? "picture" : "sound" }
    var type: AVMediaType { self == .pictures ? AVMEDIA_TYPE_VIDEO : AVMEDIA_TYPE_AUDIO }
  }

  enum Step: Equatable {
    /// `frame` holds what stands at so many nanoseconds in the file.
    case frame(at: Int64)
    case ended
  }

  /// More errors than this in a row, and the pass is given up.
  private static let patience = 1000
  /// A picture of more pixels is refused: 8192 × 8192.
  private static let mostPixels: Int64 = 1 << 26
  /// Sound of other rates is refused: of 50 a second, the conversion to 48,000 makes a thousandfold.
  private static let rates: ClosedRange<Int32> = 4_000...768_000
  /// A decoded piece of sound with more samples is refused.
  private static let mostSamples: Int32 = 1 << 20
  /// Behind the end that the container states, a time stamp so far from the last is damage.
  private static let leapNanos: Int64 = .seconds(10)

  let path: String
  /// What the container says, in nanoseconds.
  let duration: Int64?
  /// The end of the last packet of any stream, in nanoseconds from the start.
  private(set) var measuredEnd: Int64 = 0
  /// The latest decoded frame.
  let frame: UnsafeMutablePointer<AVFrame>

  /// libavformat, loaded when the first file is opened; `nil`: not there.
  private static let library: onair_avformat? = {
    var library = onair_avformat()
    return unsafe onair_avformat_load(&library) ? library : nil
  }()

  private let library: onair_avformat
  private let kind: Kind
  private let waker: Waker
  private let format: UnsafeMutablePointer<AVFormatContext>
  private let decoder: UnsafeMutablePointer<AVCodecContext>
  private let packet: UnsafeMutablePointer<AVPacket>
  private let stream: Int
  private let start: Int64
  private var draining = false
  private var nextTime: Int64 = 0

  init(path: String, kind: Kind, waker: Waker) throws(FileTrouble) {
    onair_av_be_quiet()
    guard let library = MediaFile.library else { throw .noLibrary }
    self.library = library
    var opened = unsafe try MediaFile.open(path, waker, library)
    do throws(FileTrouble) {
      guard let format = unsafe opened else { throw .notMedia(path: path) }
      guard unsafe library.find_stream_info(format, nil) >= 0 else { throw .notMedia(path: path) }
      var codec: UnsafePointer<AVCodec>?
      let found = unsafe library.find_best_stream(format, kind.type, -1, -1, &codec, 0)
      guard found >= 0 else {
        throw found == onair_averror_no_decoder
          ? .noDecoder(path: path, what: kind.word) : .noStream(path: path, what: kind.word)
      }
      stream = Int(found)
      try unsafe MediaFile.checkRate(format.pointee.streams[stream], path, kind)
      unsafe decoder = try MediaFile.decoder(codec, format.pointee.streams[stream], path, kind)
      unsafe self.format = format
    } catch {
      unsafe MediaFile.close(&opened, library)
      throw error
    }
    guard let frame = unsafe av_frame_alloc(), let packet = unsafe av_packet_alloc() else {
      fatalError("out of memory")
    }
    unsafe self.frame = frame
    unsafe self.packet = packet
    self.path = path
    self.kind = kind
    self.waker = waker
    let begins = unsafe format.pointee.start_time
    start = MediaFile.isSane(microseconds: begins) ? begins : 0
    let says = unsafe format.pointee.duration
    let method = unsafe format.pointee.duration_estimation_method
    let isGuess = method == AVFMT_DURATION_FROM_BITRATE
    duration =
      MediaFile.isSane(microseconds: says) && says > 0 && !isGuess ? says * 1000 : nil
  }

  deinit {
    var frame: UnsafeMutablePointer<AVFrame>? = unsafe self.frame
    var packet: UnsafeMutablePointer<AVPacket>? = unsafe self.packet
    var decoder: UnsafeMutablePointer<AVCodecContext>? = unsafe self.decoder
    var format: UnsafeMutablePointer<AVFormatContext>? = unsafe self.format
    unsafe av_frame_free(&frame)
    unsafe av_packet_free(&packet)
    unsafe avcodec_free_context(&decoder)
    unsafe MediaFile.close(&format, library)
  }

  /// Ten years in nanoseconds: what a damaged file says beyond that is not believed, so that sums of
  /// times never overflow.
  private static let longest: Int64 = .seconds(315_360_000)

  /// `AV_NOPTS_VALUE` is not, either.
  private static func isSane(microseconds: Int64) -> Bool {
    (-longest / 1000...longest / 1000).contains(microseconds)
  }

  private static func sane(_ nanos: Int64) -> Int64 { max(-longest, min(longest, nanos)) }

  private static func open(
    _ path: String, _ waker: Waker, _ library: onair_avformat
  ) throws(FileTrouble) -> UnsafeMutablePointer<AVFormatContext>? {
    var status = stat()
    if unsafe stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      throw .notAFile(path: path)
    }
    var format = library.alloc_context()
    // A stop must not wait for a disk that does not answer. The waker outlives the file.
    var interrupt = unsafe AVIOInterruptCB(
      callback: { context in
        guard let context = unsafe context else { return 0 }
        let waker = unsafe Unmanaged<Waker>.fromOpaque(context).takeUnretainedValue()
        return waker.wait(for: -1, until: .distantPast).woken ? 1 : 0
      }, opaque: Unmanaged.passUnretained(waker).toOpaque())
    unsafe format?.pointee.interrupt_callback = unsafe interrupt
    // "file:" so that a colon in a name means no protocol.
    let name = "file:" + path
    var input: UnsafeMutablePointer<AVIOContext>?
    var result = unsafe library.open_io(&input, name, AVIO_FLAG_READ, &interrupt, nil)
    if result >= 0 {
      unsafe format?.pointee.pb = unsafe input
      // This file is open; whatever it names in turn, a playlist say, is not: by no protocol of that name.
      var options: OpaquePointer?
      defer { unsafe av_dict_free(&options) }
      unsafe av_dict_set(&options, "protocol_whitelist", "none", 0)
      result = unsafe library.open_input(&format, name, nil, &options)
      // That has freed the rest.
      if result < 0 { _ = unsafe library.close_io(&input) }
    } else {
      unsafe library.close_input(&format)
    }
    switch result {
    case 0...: return unsafe format
    case onair_averror_no_file: throw .missing(path: path)
    case onair_averror_forbidden: throw .forbidden(path: path)
    case onair_averror_invalid, onair_averror_unfit, onair_averror_eof:
      throw .notMedia(path: path)
    case onair_averror_exit: throw .interrupted
    default: throw .failed(path: path, error: result)
    }
  }

  private static func close(
    _ format: inout UnsafeMutablePointer<AVFormatContext>?, _ library: onair_avformat
  ) {
    var input = unsafe format?.pointee.pb
    unsafe library.close_input(&format)
    _ = unsafe library.close_io(&input)
  }

  private static func checkRate(
    _ stream: UnsafeMutablePointer<AVStream>?, _ path: String, _ kind: Kind
  ) throws(FileTrouble) {
    let rate = unsafe stream?.pointee.codecpar.pointee.sample_rate ?? 0
    // Of 0, not known yet, the frames tell.
    guard kind == .pictures || rate == 0 || rates.contains(rate) else {
      throw .unfitRate(path: path, hertz: Int(rate))
    }
  }

  private static func decoder(
    _ codec: UnsafePointer<AVCodec>?, _ stream: UnsafeMutablePointer<AVStream>?, _ path: String,
    _ kind: Kind
  ) throws(FileTrouble) -> UnsafeMutablePointer<AVCodecContext> {
    var made = unsafe avcodec_alloc_context3(codec)
    guard let context = unsafe made, let stream = unsafe stream else {
      throw .noDecoder(path: path, what: kind.word)
    }
    unsafe avcodec_parameters_to_context(context, stream.pointee.codecpar)
    unsafe context.pointee.pkt_timebase = stream.pointee.time_base
    unsafe context.pointee.max_pixels = mostPixels
    unsafe context.pointee.thread_count = kind == .pictures ? 2 : 1
    guard unsafe avcodec_open2(context, codec, nil) == 0 else {
      unsafe avcodec_free_context(&made)
      throw .noDecoder(path: path, what: kind.word)
    }
    return unsafe context
  }

  /// Decodes the next frame into `frame`.
  func next() -> Step {
    var failures = 0
    while failures < MediaFile.patience {
      let result = unsafe avcodec_receive_frame(decoder, frame)
      if result == 0, isFit() { return .frame(at: frameTime()) }
      if result == onair_averror_eof { return .ended }
      if result != onair_averror_again { failures += 1 }
      if draining {
        if result == onair_averror_again { return .ended }
        continue
      }
      let read = unsafe library.read_frame(format, packet)
      guard read >= 0 else {
        draining = true
        unsafe avcodec_send_packet(decoder, nil)
        continue
      }
      measure()
      if unsafe Int(packet.pointee.stream_index) == stream {
        let sent = unsafe avcodec_send_packet(decoder, packet)
        if sent < 0, sent != onair_averror_again { failures += 1 }
      }
      unsafe av_packet_unref(packet)
    }
    return .ended
  }

  /// Goes back for another pass, to a place from which what is at `time` can be decoded.
  /// - Returns: `false` when the file cannot be sought in: open it again.
  func rewind(to time: Int64) -> Bool {
    let target = start + time / 1000
    guard
      unsafe library.seek_file(format, -1, .min, target, target, 0) >= 0
        || library.seek_file(format, -1, .min, target, .max, 0) >= 0
    else { return false }
    unsafe avcodec_flush_buffers(decoder)
    draining = false
    nextTime = time
    return true
  }

  /// Whether the frame can become sound in bounded memory; pictures have been judged by their decoder.
  private func isFit() -> Bool {
    unsafe kind == .pictures
      || MediaFile.rates.contains(frame.pointee.sample_rate)
        && frame.pointee.nb_samples <= MediaFile.mostSamples
  }

  private func measure() {
    let index = unsafe Int(packet.pointee.stream_index)
    guard let owner = unsafe format.pointee.streams[index] else { return }
    let type = unsafe owner.pointee.codecpar.pointee.codec_type
    let at = unsafe packet.pointee.pts
    guard type == AVMEDIA_TYPE_VIDEO || type == AVMEDIA_TYPE_AUDIO, at != onair_av_nopts else {
      return
    }
    var length = unsafe nanos(packet.pointee.duration, owner.pointee.time_base)
    if length == 0, type == AVMEDIA_TYPE_VIDEO {
      length = unsafe frameLength(owner.pointee.avg_frame_rate)
    }
    let end =
      unsafe nanos(at, owner.pointee.time_base) - start * 1000 + min(length, .seconds(3_600))
    reached(end)
  }

  private func reached(_ end: Int64) {
    if let duration, end > duration, end - measuredEnd > MediaFile.leapNanos { return }
    measuredEnd = max(measuredEnd, end)
  }

  private func frameTime() -> Int64 {
    guard let owner = unsafe format.pointee.streams[stream] else { return nextTime }
    let stamp = unsafe frame.pointee.best_effort_timestamp
    var time = nextTime
    if stamp != onair_av_nopts {
      time = unsafe nanos(stamp, owner.pointee.time_base) - start * 1000
    }
    let length: Int64
    if kind == .sound {
      let rate = unsafe max(1, Int64(frame.pointee.sample_rate))
      length = unsafe Int64(frame.pointee.nb_samples) * 1_000_000_000 / rate
    } else {
      length = unsafe frameLength(library.guess_frame_rate(format, owner, frame))
    }
    nextTime = MediaFile.sane(time + min(length, .seconds(3_600)))
    reached(nextTime)
    return time
  }

  private func frameLength(_ rate: AVRational) -> Int64 {
    rate.num > 0 && rate.den > 0 ? Int64(rate.den) * 1_000_000_000 / Int64(rate.num) : 40_000_000
  }

  private func nanos(_ count: Int64, _ base: AVRational) -> Int64 {
    // Of a product that does not fit, FFmpeg makes the least number there is.
    MediaFile.sane(av_rescale_q(count, base, AVRational(num: 1, den: 1_000_000_000)))
  }
}
