// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CFFmpeg

/// Lets FFmpeg read music from an `HTTPStream`. FFmpeg itself opens no connection: what a playlist of HTTP Live
/// Streaming names is opened by `HTTPStream`, too, with the same rules for addresses. Used by one thread.
@safe final class StreamInput {
  /// The formats that are read from the network, by FFmpeg's names: those that stations send.
  private static let formats = "mp3,aac,ogg,flac,wav,mov,mpegts,hls"
  /// The size of FFmpeg's buffer in bytes: a small one, since sound of a station comes slowly.
  private static let bufferBytes: Int32 = 4_096
  /// The most bytes that FFmpeg may read to open a stream, among them a picture of the piece, which it keeps.
  private static let maxOpeningBytes = 16 << 20
  /// The most bytes of a playlist of HTTP Live Streaming, which FFmpeg keeps, and reads to its end.
  private static let maxPlaylistBytes = 1 << 20

  /// Whether the stream is a playlist of HTTP Live Streaming.
  let isHLS: Bool
  /// Why reading has failed; `nil` if it has not.
  private(set) var failure: MusicTrouble?
  private let stream: HTTPStream
  private let net: MusicNet
  private let worker: Worker
  /// The playlist that names this stream; `nil` for none.
  private let owner: StreamInput?
  /// How many bytes FFmpeg may still read, from this stream and what it names, before it is open; `nil` afterwards.
  private var openingLeft: Int? = StreamInput.maxOpeningBytes
  /// How many bytes may still be read of a playlist; `nil` for any other stream.
  private var playlistLeft: Int?
  private var library: onair_avformat?
  private var context: UnsafeMutablePointer<AVIOContext>?

  init(
    _ stream: HTTPStream, _ net: MusicNet, isHLS: Bool, of owner: StreamInput? = nil,
    worker: Worker
  ) {
    self.stream = stream
    self.net = net
    self.isHLS = isHLS
    self.worker = worker
    self.owner = owner
    playlistLeft = isHLS ? StreamInput.maxPlaylistBytes : nil
    unsafe context = nil
  }

  deinit { closeIO() }

  private func closeIO() {
    guard let library, let context = unsafe context else { return }
    unsafe av_free(context.pointee.buffer)
    var freed: UnsafeMutablePointer<AVIOContext>? = unsafe context
    unsafe library.free_io(&freed)
    unsafe self.context = nil
  }

  /// Opens the stream as FFmpeg's input.
  /// - Parameter path: the address, for FFmpeg to resolve the references in a playlist with.
  func open(
    _ path: String, _ worker: Worker, _ library: onair_avformat
  ) throws(FileTrouble) -> UnsafeMutablePointer<AVFormatContext>? {
    let input = unsafe openIO(library)
    var format = library.alloc_context()
    unsafe format?.pointee.pb = unsafe input
    unsafe format?.pointee.interrupt_callback = unsafe AVIOInterruptCB(
      callback: { context in
        guard let context = unsafe context else { return 0 }
        let worker = unsafe Unmanaged<Worker>.fromOpaque(context).takeUnretainedValue()
        return worker.isStopping ? 1 : 0
      }, opaque: Unmanaged.passUnretained(worker).toOpaque())
    unsafe format?.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
    unsafe format?.pointee.io_open = { format, input, address, _, _ in
      guard let format = unsafe format, let own = unsafe format.pointee.opaque,
        let input = unsafe input, let address = unsafe address
      else { return onair_averror_unfit }
      let playlist = unsafe Unmanaged<StreamInput>.fromOpaque(own).takeUnretainedValue()
      return unsafe playlist.open(String(cString: address), into: input)
    }
    unsafe format?.pointee.io_close2 = { _, input in
      if let own = unsafe input?.pointee.opaque {
        unsafe Unmanaged<StreamInput>.fromOpaque(own).release()
      }
      return 0
    }
    var options: OpaquePointer?
    defer { unsafe av_dict_free(&options) }
    let settings = [
      ("protocol_whitelist", isHLS ? "http,https" : "none"),
      ("format_whitelist", StreamInput.formats), ("probesize", "131072"),
      // FFmpeg would wait for 50 packets to learn when the first one is due, which is never asked of it here.
      ("analyzeduration", "2000000"), ("max_ts_probe", "1"),
    ]
    // With these, FFmpeg would use connections that are not its own.
    let ofPlaylists = [("http_persistent", "0"), ("http_multiple", "0"), ("http_seekable", "0")]
    for (name, value) in settings + (isHLS ? ofPlaylists : []) {
      unsafe av_dict_set(&options, name, value, 0)
    }
    let form = unsafe isHLS ? library.find_input_format("hls") : nil
    let result = unsafe library.open_input(&format, isHLS ? path : "music", form, &options)
    let isTooLong = bytesLeft <= 0
    openingLeft = nil
    if result >= 0, !isTooLong { return unsafe format }
    if result >= 0 { unsafe MediaFile.close(&format, library, isFile: false) }
    if isTooLong { failure = .notMusic(of: "\(stream.address)") }
    if worker.isStopping { throw .interrupted }
    throw .notMedia(path: path)
  }

  /// Opens what a playlist of HTTP Live Streaming names.
  private func open(
    _ address: String, into input: UnsafeMutablePointer<UnsafeMutablePointer<AVIOContext>?>
  ) -> Int32 {
    do throws(MusicTrouble) {
      guard let library, let target = MusicAddress(address) else {
        throw .entryRefused(of: "\(address.prefix(200))")
      }
      let body = try HTTPStream(target, net, allowsLocal: stream.isLocal, worker: worker)
      // FFmpeg takes nothing else for a playlist.
      let isPlaylist = try body.peek(7).elementsEqual("#EXTM3U".utf8)
      let part = StreamInput(body, net, isHLS: isPlaylist, of: self, worker: worker)
      let made = unsafe part.openIO(library)
      guard unsafe made != nil else { return onair_averror_unfit }
      // FFmpeg's context keeps the object until `io_close2`.
      _ = unsafe Unmanaged.passRetained(part)
      unsafe input.pointee = unsafe made
      failure = nil
      return 0
    } catch {
      failure = error
      return worker.isStopping ? onair_averror_exit : onair_averror_invalid
    }
  }

  private func openIO(_ library: onair_avformat) -> UnsafeMutablePointer<AVIOContext>? {
    self.library = library
    let buffer = unsafe av_malloc(Int(StreamInput.bufferBytes))
    unsafe context = library.alloc_io(
      buffer?.assumingMemoryBound(to: UInt8.self), StreamInput.bufferBytes, 0,
      Unmanaged.passUnretained(self).toOpaque(),
      { own, space, room in
        guard let own = unsafe own, let space = unsafe space else { return onair_averror_unfit }
        let input = unsafe Unmanaged<StreamInput>.fromOpaque(own).takeUnretainedValue()
        return unsafe input.read(into: space, room)
      }, nil, nil)
    return unsafe context
  }

  /// How many bytes may still be read.
  private var bytesLeft: Int {
    min(playlistLeft ?? .max, (owner ?? self).openingLeft ?? .max)
  }

  private func read(into space: UnsafeMutablePointer<UInt8>, _ room: Int32) -> Int32 {
    // FFmpeg tries several times, and each time would wait for a server that has stalled.
    guard failure == nil, bytesLeft > 0 else { return onair_averror_eof }
    do throws(MusicTrouble) {
      let count = try unsafe stream.read(into: space, min(Int(room), bytesLeft))
      playlistLeft? -= count
      (owner ?? self).openingLeft? -= count
      return count > 0 ? Int32(count) : onair_averror_eof
    } catch {
      failure = error
      return worker.isStopping ? onair_averror_exit : onair_averror_eof
    }
  }
}
