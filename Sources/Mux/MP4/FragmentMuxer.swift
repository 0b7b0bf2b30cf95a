// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import CFFmpeg
internal import Glibc
public import Media

/// Muxes packets into MP4 fragments in memory, with libavformat. Used by one thread.
///
/// A muxer serves one `Epoch`. All muxers of a stream share one time origin, so that the fragments of the next epoch
/// continue the timeline.
@safe public final class FragmentMuxer {
  /// The time scale of the video track in units per second, as in RTP.
  private static let videoScale: Int32 = 90_000
  /// The size, in bytes, of the buffer that libavformat fills before it calls the write callback.
  private static let bufferSize: Int32 = 32 << 10

  /// Collects the bytes that libavformat writes.
  private final class Output {
    var bytes: [UInt8] = []
  }

  /// libavformat, loaded when the first muxer is made; `nil` if it is not installed.
  private static let library: onair_avformat? = {
    var library = onair_avformat()
    return unsafe onair_avformat_load(&library) ? library : nil
  }()

  /// The initialization segment of the epoch.
  public let initialization: Initialization
  /// The functions of libavformat.
  private let library: onair_avformat
  /// The time that becomes timestamp 0 in the fragments.
  private let origin: MediaTime
  /// The muxer of libavformat.
  private let format: UnsafeMutablePointer<AVFormatContext>
  /// The packet in which libavformat gets each added packet.
  private let packet: UnsafeMutablePointer<AVPacket>
  /// The bytes that libavformat has written since the last fragment.
  private let output = Output()
  /// The index of the video track in the muxer; `nil` without video.
  private let videoStream: Int32?
  /// The index of the audio track in the muxer; `nil` without audio.
  private let audioStream: Int32?
  /// The time scale of the audio track in units per second: its sample rate.
  private let audioScale: Int32
  /// The duration of the newest frame in nanoseconds, estimated because the time of the next frame is not known: the
  /// interval between the two newest frames, at most a second. Before the second frame, the interval of the frame rate.
  private var frameNanos: Int64
  /// The duration of an audio packet, which is 1,024 samples, in nanoseconds.
  private let audioNanos: Int64
  /// The decoding time of the last frame that was added; `nil` before the first one.
  private var lastFrameAt: MediaTime?
  /// The time of the last audio packet that was added; `nil` before the first one.
  private var lastAudioAt: MediaTime?
  /// The fragment to which packets are being added; `nil` until its first packet.
  private var unfinished: Fragment?

  /// - Parameter origin: the time that becomes timestamp 0 in the fragments.
  public init(_ epoch: Epoch, origin: MediaTime) throws(MuxError) {
    onair_av_be_quiet()
    guard let library = FragmentMuxer.library else { throw .noLibrary }
    var opened: UnsafeMutablePointer<AVFormatContext>?
    let status = unsafe library.alloc_output(&opened, nil, "mp4", nil)
    guard let format = unsafe opened else { throw .notWritten(status) }
    guard let packet = unsafe av_packet_alloc() else {
      unsafe library.free_context(format)
      throw .notWritten(-ENOMEM)
    }
    unsafe self.format = format
    unsafe self.packet = packet
    self.library = library
    self.origin = origin
    audioScale = Int32(epoch.audio?.sampleRate ?? PCM.sampleRate)
    audioNanos = 1_024 * 1_000_000_000 / Int64(audioScale)
    frameNanos = 1_000_000_000 / Int64(max(1, epoch.video?.framesPerSecond ?? 30))
    videoStream = epoch.video != nil ? 0 : nil
    audioStream = epoch.audio.map { _ in epoch.video != nil ? 1 : 0 }
    if let video = epoch.video {
      unsafe FragmentMuxer.addVideo(video, to: format, library)
    }
    if let audio = epoch.audio {
      unsafe FragmentMuxer.addAudio(audio, to: format, library)
    }
    let begun = unsafe FragmentMuxer.begin(format, output, library)
    initialization = Initialization(
      epoch: epoch.number, codecs: Codecs.names(video: epoch.video, audio: epoch.audio),
      hasVideo: epoch.video != nil, avcConfiguration: epoch.video?.avcConfiguration ?? [],
      bytes: output.bytes)
    output.bytes = []
    // This error needs no cleanup: all properties are set, so `deinit` frees everything.
    guard begun >= 0 else { throw .notWritten(begun) }
  }

  deinit {
    var packet: UnsafeMutablePointer<AVPacket>? = unsafe self.packet
    unsafe av_packet_free(&packet)
    var io = unsafe format.pointee.pb
    unsafe library.free_context(format)
    if let context = unsafe io {
      unsafe av_free(context.pointee.buffer)
      unsafe library.free_io(&io)
    }
  }

  /// Adds a video track to the muxer.
  private static func addVideo(
    _ header: VideoHeader, to format: UnsafeMutablePointer<AVFormatContext>,
    _ library: onair_avformat
  ) {
    guard let stream = unsafe library.new_stream(format, nil),
      let codec = unsafe stream.pointee.codecpar
    else { return }
    unsafe stream.pointee.time_base = AVRational(num: 1, den: videoScale)
    unsafe codec.pointee.codec_type = AVMEDIA_TYPE_VIDEO
    unsafe codec.pointee.codec_id = header.codec.libraryID
    unsafe codec.pointee.width = Int32(header.size.width)
    unsafe codec.pointee.height = Int32(header.size.height)
    unsafe setExtraData(header.avcConfiguration, codec)
  }

  /// Adds an audio track to the muxer.
  private static func addAudio(
    _ header: AudioHeader, to format: UnsafeMutablePointer<AVFormatContext>,
    _ library: onair_avformat
  ) {
    guard let stream = unsafe library.new_stream(format, nil),
      let codec = unsafe stream.pointee.codecpar
    else { return }
    unsafe stream.pointee.time_base = AVRational(num: 1, den: Int32(header.sampleRate))
    unsafe codec.pointee.codec_type = AVMEDIA_TYPE_AUDIO
    unsafe codec.pointee.codec_id = header.codec.libraryID
    unsafe codec.pointee.sample_rate = Int32(header.sampleRate)
    unsafe codec.pointee.frame_size = 1_024
    unsafe codec.pointee.bit_rate = Int64(header.bitrateKbps) * 1_000
    unsafe av_channel_layout_default(&codec.pointee.ch_layout, Int32(header.channels))
    unsafe setExtraData(header.audioSpecificConfig, codec)
  }

  /// Gives the muxer the decoder configuration of a track.
  private static func setExtraData(
    _ bytes: [UInt8], _ codec: UnsafeMutablePointer<AVCodecParameters>
  ) {
    // libavcodec may read up to AV_INPUT_BUFFER_PADDING_SIZE (64) bytes beyond the end.
    guard let copy = unsafe av_mallocz(bytes.count + 64) else { return }
    unsafe copy.copyMemory(from: bytes, byteCount: bytes.count)
    unsafe codec.pointee.extradata = copy.assumingMemoryBound(to: UInt8.self)
    unsafe codec.pointee.extradata_size = Int32(bytes.count)
  }

  /// Connects `output` to libavformat's muxer, and writes the initialization segment to it.
  /// - Returns: libavformat's status, which is negative on failure.
  private static func begin(
    _ format: UnsafeMutablePointer<AVFormatContext>, _ output: Output, _ library: onair_avformat
  ) -> Int32 {
    guard let buffer = unsafe av_malloc(Int(bufferSize)) else { return onair_averror_unfit }
    unsafe format.pointee.pb = library.alloc_io(
      buffer.assumingMemoryBound(to: UInt8.self), bufferSize, 1,
      Unmanaged.passUnretained(output).toOpaque(), nil,
      { opaque, bytes, count in
        guard let opaque = unsafe opaque, let bytes = unsafe bytes else { return 0 }
        let output = unsafe Unmanaged<Output>.fromOpaque(opaque).takeUnretainedValue()
        unsafe output.bytes.append(
          contentsOf: UnsafeRawBufferPointer(start: bytes, count: Int(count)))
        return count
      }, nil)
    guard let io = unsafe format.pointee.pb else {
      unsafe av_free(buffer)
      return onair_averror_unfit
    }
    unsafe io.pointee.seekable = 0
    // 0: timestamps stay unchanged. frag_discont: the first fragment does not begin at 0. skip_trailer: no list of all
    // fragments is kept for the end of the file.
    unsafe format.pointee.avoid_negative_ts = 0
    var options: OpaquePointer?
    defer { unsafe av_dict_free(&options) }
    let flags = "frag_custom+empty_moov+default_base_moof+frag_discont+skip_trailer"
    unsafe av_dict_set(&options, "movflags", flags, 0)
    unsafe av_dict_set(&options, "use_editlist", "0", 0)
    let status = unsafe library.write_header(format, &options)
    unsafe library.flush_io(io)
    return status
  }

  /// Adds a packet to the present fragment. Ignores a packet from before `origin`, a packet for which the epoch has no
  /// track, and a packet that is not later than the last one of its track.
  public func add(_ added: Packet) throws(MuxError) {
    let since = added.time - origin
    guard since >= 0, let stream = added.isVideo ? videoStream : audioStream else { return }
    let last = added.isVideo ? lastFrameAt : lastAudioAt
    if let last, added.time <= last { return }
    if added.isVideo {
      // The duration of this frame is not known until the next frame arrives: use that of the last frame.
      if let last { frameNanos = min(added.time - last, .seconds(1)) }
      lastFrameAt = added.time
    } else {
      lastAudioAt = added.time
    }
    let scale = Int64(added.isVideo ? FragmentMuxer.videoScale : audioScale)
    let nanos = added.isVideo ? frameNanos : audioNanos
    // libavformat does not change the bytes, although its types are mutable.
    unsafe packet.pointee.data = UnsafeMutableRawPointer(mutating: added.bytes.baseAddress)?
      .assumingMemoryBound(to: UInt8.self)
    unsafe packet.pointee.size = Int32(added.bytes.count)
    unsafe packet.pointee.stream_index = stream
    unsafe packet.pointee.dts = FragmentMuxer.units(since, scale)
    unsafe packet.pointee.pts = FragmentMuxer.units(since + added.presentationDelay, scale)
    unsafe packet.pointee.duration = FragmentMuxer.units(nanos, scale)
    unsafe packet.pointee.flags = added.kind == .frame ? 0 : AV_PKT_FLAG_KEY
    let status = unsafe library.write_frame(format, packet)
    unsafe av_packet_unref(packet)
    guard status >= 0 else { throw .notWritten(status) }
    note(added, nanos: nanos)
  }

  /// Converts nanoseconds to units of 1/`scale` s, rounded to the nearest. Whole seconds are split off first: years in
  /// nanoseconds times 90,000 would overflow.
  private static func units(_ nanos: Int64, _ scale: Int64) -> Int64 {
    let (seconds, rest) = nanos.quotientAndRemainder(dividingBy: 1_000_000_000)
    return seconds * scale + (rest * scale + 500_000_000) / 1_000_000_000
  }

  /// Updates the properties of the unfinished fragment for an added packet that lasts `nanos` nanoseconds.
  private func note(_ added: Packet, nanos: Int64) {
    let isLeading = added.isVideo || videoStream == nil
    var fragment =
      unfinished
      ?? Fragment(
        beginsWithKeyframe: added.kind == .keyframe || videoStream == nil,
        initialization: initialization, time: added.time, duration: 0, bytes: [], frameSizes: [],
        videoScene: .max, audioScene: .max)
    if added.isVideo {
      if fragment.frameSizes.isEmpty { fragment.time = added.time }
      fragment.frameSizes.append(unsafe added.bytes.count)
      fragment.videoScene = min(fragment.videoScene, added.scene)
    } else {
      fragment.audioScene = min(fragment.audioScene, added.scene)
    }
    if isLeading { fragment.duration = added.time + nanos - fragment.time }
    unfinished = fragment
  }

  /// Completes the present fragment and returns it.
  /// - Returns: `nil` if no packet was added.
  public func finish() throws(MuxError) -> Fragment? {
    guard var fragment = unfinished else { return nil }
    unfinished = nil
    output.bytes.reserveCapacity(fragment.frameSizes.reduce(4_096, +))
    let status = unsafe library.write_frame(format, nil)
    unsafe library.flush_io(format.pointee.pb)
    guard status >= 0, !output.bytes.isEmpty else { throw .notWritten(status) }
    fragment.bytes = output.bytes
    output.bytes = []
    return fragment
  }
}

extension Codec {
  /// The ID of this codec in libavcodec.
  fileprivate var libraryID: AVCodecID {
    switch self {
    case .h264: AV_CODEC_ID_H264
    case .aac: AV_CODEC_ID_AAC
    }
  }
}
