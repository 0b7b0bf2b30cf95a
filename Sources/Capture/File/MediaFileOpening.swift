// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg
internal import Glibc
internal import Media

extension MediaFile {
  static func open(
    _ path: String, _ worker: Worker, _ library: onair_avformat
  ) throws(FileTrouble) -> UnsafeMutablePointer<AVFormatContext>? {
    var status = stat()
    if unsafe stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      throw .notAFile(path: path)
    }
    var format = library.alloc_context()
    // A stop must not wait for a disk that does not respond.
    var interrupt = unsafe AVIOInterruptCB(
      callback: { context in
        guard let context = unsafe context else { return 0 }
        let worker = unsafe Unmanaged<Worker>.fromOpaque(context).takeUnretainedValue()
        return worker.isStopping ? 1 : 0
      }, opaque: Unmanaged.passUnretained(worker).toOpaque())
    unsafe format?.pointee.interrupt_callback = unsafe interrupt
    // "file:", so that a colon in the name is not taken for a protocol.
    let name = "file:" + path
    var input: UnsafeMutablePointer<AVIOContext>?
    var result = unsafe library.open_io(&input, name, AVIO_FLAG_READ, &interrupt, nil)
    if result >= 0 {
      unsafe format?.pointee.pb = unsafe input
      // If the file is a playlist, the files that it names are not opened: no protocol is called "none".
      var options: OpaquePointer?
      defer { unsafe av_dict_free(&options) }
      unsafe av_dict_set(&options, "protocol_whitelist", "none", 0)
      result = unsafe library.open_input(&format, name, nil, &options)
      // open_input has freed the context, but not the input.
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

  static func close(
    _ format: inout UnsafeMutablePointer<AVFormatContext>?, _ library: onair_avformat
  ) {
    var input = unsafe format?.pointee.pb
    unsafe library.close_input(&format)
    _ = unsafe library.close_io(&input)
  }

  static func checkRate(
    _ stream: UnsafeMutablePointer<AVStream>?, _ path: String, _ kind: Kind
  ) throws(FileTrouble) {
    let rate = unsafe stream?.pointee.codecpar.pointee.sample_rate ?? 0
    // 0 means not known yet: the frames are checked then.
    guard kind == .video || rate == 0 || sampleRates.contains(rate) else {
      throw .unfitRate(path: path, hertz: Int(rate))
    }
  }

  static func decoder(
    _ codec: UnsafePointer<AVCodec>?, _ stream: UnsafeMutablePointer<AVStream>?, _ path: String,
    _ kind: Kind
  ) throws(FileTrouble) -> UnsafeMutablePointer<AVCodecContext> {
    var made = unsafe avcodec_alloc_context3(codec)
    guard let context = unsafe made, let stream = unsafe stream else {
      throw .noDecoder(path: path, what: kind.word)
    }
    unsafe avcodec_parameters_to_context(context, stream.pointee.codecpar)
    unsafe context.pointee.pkt_timebase = stream.pointee.time_base
    unsafe context.pointee.max_pixels = maxPixels
    unsafe context.pointee.thread_count = kind == .video ? 2 : 1
    guard unsafe avcodec_open2(context, codec, nil) == 0 else {
      unsafe avcodec_free_context(&made)
      throw .noDecoder(path: path, what: kind.word)
    }
    return unsafe context
  }
}
