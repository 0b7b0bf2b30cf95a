// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CFFmpeg
internal import Glibc

/// The open connection to a guest, from which packets are read. Used by one thread.
@safe final class GuestInput {
  /// The time for connecting, and for which nothing may come from the network, in nanoseconds.
  static let stepNanos: Int64 = .seconds(5)
  /// The time for connecting and finding out the tracks, in nanoseconds.
  static let openNanos: Int64 = .seconds(10)
  /// A connection that ends after so many nanoseconds of silence broke; else the other side has closed it.
  private static let brokenNanos: Int64 = .seconds(2)
  /// A variant of HLS with more pixels is not chosen if there is a smaller one.
  private static let preferredPixels = 1280 * 720

  /// Why `read` or `init` has failed.
  struct Failure: Error, Equatable {
    var fault: GuestFault
    var detail: String
  }

  /// What `read` has found.
  enum Step {
    /// `packet` is one of this stream.
    case packet(stream: Int)
    case ended
  }

  let packet: UnsafeMutablePointer<AVPacket>
  private let address: GuestAddress
  private let library: onair_avformat
  /// The end of the last silence of `brokenNanos`.
  private var silentUntil = MediaTime.distantPast
  private let patience: GuestPatience
  private let format: UnsafeMutablePointer<AVFormatContext>
  /// Has certificates verified.
  private let opener: UnsafeMutablePointer<onair_opener>
  /// The guest, if it sends by RTMP.
  private let publisher: GuestPublisher?

  /// Whether the stream comes in pieces that are fetched as they are needed.
  var isInPieces: Bool {
    unsafe format.pointee.iformat.map { unsafe strcmp($0.pointee.name, "hls") == 0 } ?? false
  }

  /// Connects, and finds out the tracks.
  /// - Parameter publisher: the guest, if it sends by RTMP.
  init(
    _ request: GuestInputRequest, _ publisher: GuestPublisher? = nil, output: any GuestOutput
  ) throws(Failure) {
    guard let address = publisher == nil ? GuestAddress(request.address) : .published else {
      throw Failure(fault: .wrongAddress, detail: "")
    }
    guard let library = MediaFile.library, let packet = unsafe av_packet_alloc() else {
      throw Failure(fault: .noReader, detail: "libavformat is missing")
    }
    GuestLog.listen()
    self.address = address
    self.library = library
    unsafe self.packet = packet
    self.publisher = publisher
    patience = GuestPatience(output)
    unsafe opener = .allocate(capacity: 1)
    patience.begin(nanos: GuestInput.openNanos)
    publisher?.begin(nanos: GuestInput.openNanos)
    var result: Int32 = 0
    let opened = unsafe GuestInput.open(
      address, request, publisher?.context, library, patience, opener, &result)
    guard let opened = unsafe opened else {
      unsafe opener.deallocate()
      var unused: UnsafeMutablePointer<AVPacket>? = unsafe packet
      unsafe av_packet_free(&unused)
      if let failure = publisher?.failure { throw failure }
      throw GuestInput.failure(result, address, patience, hasBegun: false)
    }
    unsafe format = opened
    unsafe GuestInput.chooseTracks(opened)
  }

  deinit {
    var packet: UnsafeMutablePointer<AVPacket>? = unsafe self.packet
    var format: UnsafeMutablePointer<AVFormatContext>? = unsafe self.format
    unsafe av_packet_free(&packet)
    // Closing says goodbye to the server, which may not listen any more.
    patience.begin(nanos: .milliseconds(300))
    unsafe library.close_input(&format)
    unsafe opener.deallocate()
  }

  private static func open(
    _ address: GuestAddress, _ request: GuestInputRequest,
    _ received: UnsafeMutablePointer<AVIOContext>?, _ library: onair_avformat,
    _ patience: GuestPatience, _ opener: UnsafeMutablePointer<onair_opener>,
    _ result: inout Int32
  ) -> UnsafeMutablePointer<AVFormatContext>? {
    var demuxer: UnsafePointer<AVInputFormat>?
    if let name = address.format { unsafe demuxer = library.find_input_format(name) }
    if address.scheme == .rtsps, request.verifiesTLS, unsafe !knowsTLS(demuxer) {
      GuestLog.note("this FFmpeg cannot verify a certificate of rtsps")
      result = onair_averror_no_protocol
      return nil
    }
    var format = library.alloc_context()
    if let received = unsafe received { unsafe format?.pointee.pb = unsafe received }
    let own = unsafe Unmanaged.passUnretained(patience).toOpaque()
    unsafe format?.pointee.interrupt_callback = unsafe AVIOInterruptCB(
      callback: { own in
        guard let own = unsafe own else { return 1 }
        return unsafe Unmanaged<GuestPatience>.fromOpaque(own).takeUnretainedValue().mustEnd ? 1 : 0
      }, opaque: own)
    if request.verifiesTLS, let format = unsafe format {
      unsafe onair_verify_certificates(format, opener)
    }
    var options: OpaquePointer?
    defer { unsafe av_dict_free(&options) }
    let list = address.options(
      latencyNanos: request.srtLatencyNanos, stepNanos: GuestInput.stepNanos,
      verifiesTLS: request.verifiesTLS, receives: request.socket != nil)
    for option in list { unsafe av_dict_set(&options, option.name, option.value, 0) }
    result = unsafe library.open_input(&format, address.text, demuxer, &options)
    guard result >= 0, let opened = unsafe format else { return nil }
    // Without tracks it goes on, too: they may come later.
    _ = unsafe MediaFile.findStreams(opened, library, GuestDecoder.frameMemory)
    guard !patience.mustEnd else {
      unsafe library.close_input(&format)
      result = onair_averror_exit
      return nil
    }
    return unsafe opened
  }

  /// Whether FFmpeg's demuxer for RTSP hands options of TLS on: that of FFmpeg 5.1 does not.
  private static func knowsTLS(_ demuxer: UnsafePointer<AVInputFormat>?) -> Bool {
    guard var options = unsafe demuxer?.pointee.priv_class else { return false }
    return unsafe withUnsafeMutablePointer(to: &options) {
      unsafe av_opt_find($0, "tls_verify", nil, 0, AV_OPT_SEARCH_FAKE_OBJ) != nil
    }
  }

  /// Has the variants of HLS that are not used not fetched: of several videos, the largest one is used that is not
  /// larger than `preferredPixels`, with its own audio.
  private static func chooseTracks(_ format: UnsafeMutablePointer<AVFormatContext>) {
    guard unsafe format.pointee.nb_programs > 1 else { return }
    var best: (index: Int, pixels: Int)?
    for index in 0..<(unsafe Int(format.pointee.nb_programs)) {
      guard let program = unsafe format.pointee.programs[index] else { continue }
      var pixels = 0
      for place in 0..<(unsafe Int(program.pointee.nb_stream_indexes)) {
        let stream = unsafe format.pointee.streams[Int(program.pointee.stream_index[place])]
        guard let parameters = unsafe stream?.pointee.codecpar else { continue }
        pixels = unsafe max(pixels, Int(parameters.pointee.width * parameters.pointee.height))
      }
      guard pixels > 0 else { continue }
      guard let other = best else {
        best = (index, pixels)
        continue
      }
      let fits = pixels <= preferredPixels
      let otherFits = other.pixels <= preferredPixels
      let isBetter = fits == otherFits ? (pixels > other.pixels) == fits : fits
      if isBetter, pixels != other.pixels { best = (index, pixels) }
    }
    guard let best else { return }
    for index in 0..<(unsafe Int(format.pointee.nb_programs)) where index != best.index {
      guard let program = unsafe format.pointee.programs[index] else { continue }
      unsafe program.pointee.discard = AVDISCARD_ALL
    }
    guard let program = unsafe format.pointee.programs[best.index] else { return }
    var isUsed = [Bool](repeating: false, count: unsafe Int(format.pointee.nb_streams))
    for place in 0..<(unsafe Int(program.pointee.nb_stream_indexes)) {
      isUsed[unsafe Int(program.pointee.stream_index[place])] = true
    }
    for (index, isUsed) in isUsed.enumerated() where !isUsed {
      unsafe format.pointee.streams[index]?.pointee.discard = AVDISCARD_ALL
    }
  }

  /// The kind of a stream; `nil` if it is neither video nor audio.
  func kind(_ index: Int) -> GuestKind? {
    switch unsafe format.pointee.streams[index]?.pointee.codecpar.pointee.codec_type {
    case AVMEDIA_TYPE_VIDEO: .video
    case AVMEDIA_TYPE_AUDIO: .audio
    default: nil
    }
  }

  /// The description of a stream.
  func track(_ index: Int) -> GuestTrack? {
    guard let kind = kind(index), let stream = unsafe format.pointee.streams[index] else {
      return nil
    }
    return unsafe GuestTrack(kind, stream)
  }

  /// The codec that a stream has at present. It may change.
  func codec(_ index: Int) -> AVCodecID {
    unsafe format.pointee.streams[index]?.pointee.codecpar.pointee.codec_id ?? AV_CODEC_ID_NONE
  }

  /// Reads the next packet into `packet`.
  func read() throws(Failure) -> Step {
    patience.begin(nanos: GuestInput.stepNanos)
    publisher?.begin(nanos: GuestInput.stepNanos)
    unsafe av_packet_unref(packet)
    let result = unsafe library.read_frame(format, packet)
    if patience.silentNanos >= GuestInput.brokenNanos { silentUntil = .now() }
    if result >= 0 { return unsafe .packet(stream: Int(packet.pointee.stream_index)) }
    if let failure = publisher?.failure { throw failure }
    // RTMP and SRT report a connection that the other side has closed as an error of input. After some silence it is
    // one that broke; the demuxer may still have had a packet.
    let isClosed = result == onair_averror_eof || result == -EIO
    if isClosed, .now() - silentUntil > .seconds(1), !patience.mustEnd { return .ended }
    throw GuestInput.failure(result, address, patience, hasBegun: true)
  }

  /// The decoding timestamp of the packet and by how much later it is shown, in nanoseconds; `nil` without timestamps.
  var stamps: (time: Int64, reorder: Int64)? {
    guard let stream = unsafe format.pointee.streams[Int(packet.pointee.stream_index)] else {
      return nil
    }
    let base = unsafe stream.pointee.time_base
    func nanos(_ count: Int64) -> Int64? {
      guard count != onair_av_nopts else { return nil }
      let nanos = av_rescale_q(count, base, AVRational(num: 1, den: 1_000_000_000))
      return abs(max(nanos, -.max)) < GuestInput.maxTimeNanos ? nanos : nil
    }
    let (decoded, shown) = unsafe (nanos(packet.pointee.dts), nanos(packet.pointee.pts))
    guard let time = decoded ?? shown else { return nil }
    let reorder = (shown ?? time) - time
    return (time, (0...GuestInput.maxReorderNanos).contains(reorder) ? reorder : 0)
  }

  /// Timestamps beyond a hundred years are damage.
  private static let maxTimeNanos: Int64 = .seconds(3_155_760_000)
  /// The longest accepted time from decoding to showing, in nanoseconds.
  private static let maxReorderNanos: Int64 = .seconds(2)
}

extension GuestInput {
  /// What an error of FFmpeg means.
  private static func failure(
    _ result: Int32, _ address: GuestAddress, _ patience: GuestPatience, hasBegun: Bool
  ) -> Failure {
    let said = GuestLog.text.lowercased()
    let fault: GuestFault
    switch result {
    case _ where said.contains("certificate"): fault = .badCertificate
    case onair_averror_http_unauthorized, onair_averror_http_forbidden: fault = .unauthorized
    case onair_averror_http_not_found: fault = .nothingThere
    // A protocol's own timeout may be an error like any other.
    case _ where patience.isOver || patience.silentNanos >= stepNanos, -ETIMEDOUT:
      fault = hasBegun ? .lost : .timedOut
    case _ where hasBegun: fault = .lost
    case _ where said.contains("failed to resolve"): fault = .nameNotFound
    case -ECONNREFUSED, -EHOSTUNREACH, -ENETUNREACH, -EACCES, -EPERM, -EADDRNOTAVAIL,
      -ECONNRESET, -EPIPE:
      fault = .noConnection
    case onair_averror_no_protocol: fault = .badCertificate
    case onair_averror_invalid, onair_averror_unfit, onair_averror_no_demuxer,
      onair_averror_eof:
      fault = .badData
    case -ENOMEM: fault = .noReader
    // What else an RTMP or SRT server says is a refusal.
    case _ where said.contains("server error") || said.contains("notfound"):
      fault = .nothingThere
    default: fault = .noConnection
    }
    let detail =
      fault == .timedOut || fault == .lost && patience.isOver
      ? "no answer for \(GuestInput.stepNanos / 1_000_000_000) s" : GuestLog.detail(result)
    return Failure(fault: fault, detail: address.hidingSecrets(in: detail))
  }
}
