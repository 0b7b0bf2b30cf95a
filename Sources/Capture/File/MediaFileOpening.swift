// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CFFmpeg
internal import Glibc

extension MediaFile {
  /// Opens the container of a file. Does not read the streams yet.
  /// - Parameter worker: opening ends when this worker is asked to stop.
  static func open(
    _ path: String, _ worker: Worker, _ library: onair_avformat
  ) throws(FileTrouble) -> UnsafeMutablePointer<AVFormatContext>? {
    var status = stat()
    if unsafe stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      throw .notAFile(path: path)
    }
    // FFmpeg calls this while it reads, so that a stop does not wait for a disk that does not respond.
    var interrupt = unsafe AVIOInterruptCB(
      callback: { context in
        guard let context = unsafe context else { return 0 }
        let worker = unsafe Unmanaged<Worker>.fromOpaque(context).takeUnretainedValue()
        return worker.isStopping ? 1 : 0
      }, opaque: Unmanaged.passUnretained(worker).toOpaque())
    var result: Int32 = 0
    for name in MediaFile.names(path) {
      var format = library.alloc_context()
      unsafe format?.pointee.interrupt_callback = unsafe interrupt
      var input: UnsafeMutablePointer<AVIOContext>?
      // The prefix "file:" keeps FFmpeg from taking the part of the path before a colon for a protocol.
      result = unsafe library.open_io(&input, "file:" + path, AVIO_FLAG_READ, &interrupt, nil)
      if result < 0 {
        unsafe library.close_input(&format)
        break
      }
      unsafe format?.pointee.pb = unsafe input
      var options: OpaquePointer?
      defer { unsafe av_dict_free(&options) }
      // No other files are opened, even if this file refers to them: the only allowed protocol, "none", does not exist.
      unsafe av_dict_set(&options, "protocol_whitelist", "none", 0)
      unsafe av_dict_set(&options, "format_whitelist", MediaFile.formats, 0)
      result = unsafe library.open_input(&format, name, nil, &options)
      if result >= 0 { return unsafe format }
      // open_input has freed the format context, but not `input`.
      _ = unsafe library.close_io(&input)
      if result != onair_averror_unfit { break }
    }
    switch result {
    case onair_averror_no_file: throw .missing(path: path)
    case onair_averror_forbidden: throw .forbidden(path: path)
    case onair_averror_invalid, onair_averror_unfit, onair_averror_eof:
      throw .notMedia(path: path)
    case onair_averror_exit: throw .interrupted
    default: throw .failed(path: path, error: result)
    }
  }

  /// The formats that may be opened, by FFmpeg's names: containers and images that contain the media themselves. Not in
  /// the list: playlists and sequences ("hls", "dash", "concat", "image2"), which name other files, and demuxers that
  /// draw or read text ("tty").
  private static let formats = [
    "aac", "ac3", "aiff", "amr", "ape", "apng", "asf", "au", "av1", "avi", "bmp_pipe", "caf", "dts",
    "dv", "eac3",
    "flac", "flv", "gif", "gxf", "h264", "hevc", "ivf", "jpeg_pipe", "jpegls_pipe", "jpegxl_pipe",
    "live_flv",
    "loas", "m4v", "matroska", "mjpeg", "mov", "mp3", "mpeg", "mpegts", "mpegvideo", "mxf", "nut",
    "obu", "ogg",
    "pam_pipe", "pbm_pipe", "pgm_pipe", "png_pipe", "ppm_pipe", "qoi_pipe", "rm", "tiff_pipe",
    "truehd", "tta",
    "voc", "w64", "wav", "webp_pipe", "wtv", "wv", "yuv4mpegpipe",
  ].joined(separator: ",")

  /// The names under which the file is given to FFmpeg, in the order of attempts. The first name has the file's
  /// extension, because FFmpeg recognises formats by the extension as well as by the content. The real name is not
  /// used, because FFmpeg takes a name with "%d" or "*" for a sequence of images. The second name has no extension,
  /// because FFmpeg also takes a file with the extension of an image for such a sequence.
  private static func names(_ path: String) -> [String] {
    let name = path.split(separator: "/").last ?? ""
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count > 1, let last = parts.last, (1...8).contains(last.utf8.count),
      last.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) })
    else { return ["media"] }
    return ["media." + last, "media"]
  }

  /// Whether a stream has content for certain times: it is audio, or video that is not a cover image.
  static func isTimed(_ stream: UnsafeMutablePointer<AVStream>) -> Bool {
    guard let parameters = unsafe stream.pointee.codecpar else { return false }
    let type = unsafe parameters.pointee.codec_type
    return unsafe type == AVMEDIA_TYPE_AUDIO
      || type == AVMEDIA_TYPE_VIDEO
        && stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC == 0
  }

  /// Whether a file has both video and audio.
  static func hasVideoAndAudio(_ format: UnsafeMutablePointer<AVFormatContext>) -> Bool {
    var types: Set<Int32> = []
    for index in 0..<(unsafe Int(format.pointee.nb_streams)) {
      if let stream = unsafe format.pointee.streams[index], unsafe isTimed(stream) {
        types.insert(unsafe stream.pointee.codecpar.pointee.codec_type.rawValue)
      }
    }
    return types.count == 2
  }

  /// Closes a container and its input, and sets `format` to `nil`.
  /// - Parameter isFile: whether FFmpeg has opened the input itself; `false` for a `StreamInput`, which stays open.
  static func close(
    _ format: inout UnsafeMutablePointer<AVFormatContext>?, _ library: onair_avformat,
    isFile: Bool = true
  ) {
    var input = unsafe format?.pointee.pb
    unsafe library.close_input(&format)
    if isFile { _ = unsafe library.close_io(&input) }
  }

  /// Lets FFmpeg read the first packets, to complete the container's description of its streams
  /// (avformat_find_stream_info). FFmpeg decodes some frames for that, with its own decoders. Frames with which these
  /// decoders could take more than `frameMemory` bytes are not decoded: the container then has to describe their stream
  /// completely.
  /// - Returns: whether FFmpeg succeeded.
  static func findStreams(
    _ format: UnsafeMutablePointer<AVFormatContext>, _ library: onair_avformat, _ frameMemory: Int64
  ) -> Bool {
    // The maximum number of pixels of a frame if 18 frames, 16 of them references, share the memory at 1.5 bytes per
    // pixel.
    let most = frameMemory / 18 * 2 / 3
    let count = unsafe Int(format.pointee.nb_streams)
    var options = unsafe [OpaquePointer?](repeating: nil, count: count)
    for index in unsafe options.indices {
      unsafe av_dict_set_int(&options[index], "max_pixels", most, 0)
    }
    let result = unsafe options.withUnsafeMutableBufferPointer {
      unsafe library.find_stream_info(format, $0.baseAddress)
    }
    for index in unsafe options.indices { unsafe av_dict_free(&options[index]) }
    return result >= 0
  }

  /// Throws `.unfitRate` if the stream is audio whose sample rate is out of range.
  static func checkRate(
    _ stream: UnsafeMutablePointer<AVStream>?, _ path: String, _ kind: Kind
  ) throws(FileTrouble) {
    let rate = unsafe stream?.pointee.codecpar.pointee.sample_rate ?? 0
    // Accept 0, which means that the rate is not known yet: the decoded frames are checked later.
    guard kind == .video || rate == 0 || sampleRates.contains(rate) else {
      throw .unfitRate(path: path, hertz: Int(rate))
    }
  }

  /// Opens the decoder of a stream. Throws `.noDecoder` if FFmpeg has none.
  static func decoder(
    _ codec: UnsafePointer<AVCodec>?, _ stream: UnsafeMutablePointer<AVStream>?, _ path: String,
    _ kind: Kind, _ memory: UnsafeMutablePointer<onair_frame_memory>
  ) throws(FileTrouble) -> UnsafeMutablePointer<AVCodecContext> {
    let codec = unsafe alphaDecoder(stream) ?? codec
    var made = unsafe avcodec_alloc_context3(codec)
    guard let context = unsafe made, let stream = unsafe stream else {
      throw .noDecoder(path: path, what: kind.word)
    }
    unsafe avcodec_parameters_to_context(context, stream.pointee.codecpar)
    unsafe context.pointee.pkt_timebase = stream.pointee.time_base
    unsafe context.pointee.max_pixels = maxPixels
    unsafe context.pointee.thread_count = kind == .video ? 2 : 1
    unsafe onair_bound_frames(context, memory)
    guard unsafe avcodec_open2(context, codec, nil) == 0 else {
      unsafe avcodec_free_context(&made)
      throw .noDecoder(path: path, what: kind.word)
    }
    return unsafe context
  }

  /// libvpx's decoder for a VP8 or VP9 stream with transparency, which FFmpeg's own decoders drop; `nil` for other
  /// streams.
  private static func alphaDecoder(
    _ stream: UnsafeMutablePointer<AVStream>?
  ) -> UnsafePointer<AVCodec>? {
    guard let stream = unsafe stream,
      unsafe av_dict_get(stream.pointee.metadata, "alpha_mode", nil, 0) != nil
    else { return nil }
    return switch unsafe stream.pointee.codecpar.pointee.codec_id {
    case AV_CODEC_ID_VP8: unsafe avcodec_find_decoder_by_name("libvpx")
    case AV_CODEC_ID_VP9: unsafe avcodec_find_decoder_by_name("libvpx-vp9")
    default: nil
    }
  }
}
