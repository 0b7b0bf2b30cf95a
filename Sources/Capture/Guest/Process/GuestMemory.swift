// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CGuest
internal import CProcess
internal import Glibc
internal import Media
internal import Posix

/// The memory that OnAir shares with the reader of a guest: OnAir's side. Its content is not trusted.
@safe final class GuestMemory: @unchecked Sendable {
  /// The descriptor of the memory.
  let file: Int32
  private let memory: UnsafeMutableRawPointer
  /// The memory itself, for tests that write to it as a reader does.
  @unsafe var start: UnsafeMutableRawPointer { unsafe memory }

  init() throws(SystemError) {
    let size = onair_guest_memory_size()
    file = unsafe onair_process_memory("onair-guest", size)
    guard file >= 0 else { throw SystemError() }
    let mapped = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
    guard let mapped = unsafe mapped, unsafe mapped != MAP_FAILED else {
      let error = SystemError()
      close(file)
      throw error
    }
    unsafe memory = mapped
  }

  deinit {
    unsafe munmap(memory, onair_guest_memory_size())
    close(file)
  }

  /// Writes what the reader has to know at its start.
  /// - Parameter endpoints: the addresses of the host, which OnAir has looked up and checked.
  func describe(_ request: GuestRequest, host: String, endpoints: [Endpoint]) {
    let input = GuestInputRequest(address: request.address)
    let options = onair_guest_options(
      srt_latency_nanos: input.srtLatencyNanos, delay_nanos: max(0, request.delayNanos),
      verifies_tls: request.verifiesTLS ? 1 : 0, receives: 0)
    let list = endpoints.map { $0.inC }
    // The texts are not too long: `GuestTarget` has accepted them.
    _ = unsafe onair_guest_describe(memory, request.address, host, list, list.count, options)
  }

  /// Writes what the reader of a guest who sends has to know at its start.
  /// - Parameter sender: the guest at whose port of SRT it has come; `nil` with RTMP.
  func describe(_ sender: GuestSender?) {
    let options = onair_guest_options(
      srt_latency_nanos: GuestInputRequest(address: "").srtLatencyNanos, delay_nanos: 0,
      verifies_tls: 0, receives: 1)
    let host = sender?.place.host.contains(":") == true ? "::" : "0.0.0.0"
    let any = Endpoint(host: host, port: sender?.srtPort ?? 0).map { [$0.inC] } ?? []
    _ = unsafe onair_guest_describe(
      memory, sender?.srtAddress ?? "", host, any, any.count, options)
  }

  /// Sets the extra delay of a guest who sends, in nanoseconds, before he is let in.
  func set(delayNanos: Int64) { unsafe onair_guest_set_delay(memory, max(0, delayNanos)) }

  func set(_ wants: GuestWants) {
    unsafe onair_guest_set_wants(
      memory,
      onair_guest_wants(
        pictures: wants.pictures.rawValue,
        frames_per_second: UInt8(clamping: wants.framesPerSecond), sound: wants.sound ? 1 : 0,
        width: UInt16(clamping: wants.largest.width),
        height: UInt16(clamping: wants.largest.height)))
  }

  /// Asks the reader to return.
  func requestStop() { unsafe onair_guest_request_stop(memory) }

  /// A number that changes each time the reader shows that it has not hung.
  var beat: Int64 { unsafe onair_guest_beat_at(memory) }

  /// The number of the newest frame; 0 before the first one.
  var newestFrame: UInt64 { unsafe onair_guest_newest_frame(memory) }

  /// The header of a frame; `nil` if the memory does not hold the frame, or its values are impossible.
  func frame(_ number: UInt64) -> onair_guest_frame? {
    var frame = onair_guest_frame()
    return unsafe onair_guest_read_frame(memory, number, &frame) == 0 ? frame : nil
  }

  /// Copies the planes of a frame.
  /// - Parameter bytes: room for `frame.byteCount` bytes.
  /// - Returns: `false` if the reader has written to the planes meanwhile.
  @unsafe func copyPlanes(
    of frame: onair_guest_frame, into bytes: UnsafeMutableRawBufferPointer
  ) -> Bool {
    precondition(bytes.count >= frame.format.byteCount)
    return unsafe withUnsafePointer(to: frame) {
      unsafe onair_guest_copy_planes(memory, $0, bytes.baseAddress) == 0
    }
  }

  /// The number of the newest block of audio; 0 before the first one.
  var newestBlock: UInt64 { unsafe onair_guest_newest_block(memory) }

  /// Copies a block of audio, interleaved stereo, whose samples are finite and within ±4.
  /// - Parameter samples: room for `GuestSoundMix.blockFrames` sample frames.
  /// - Returns: `nil` if the memory does not hold the block.
  @unsafe func copyBlock(
    _ number: UInt64, into samples: UnsafeMutablePointer<Float>
  ) -> (frames: Int, startsAt: MediaTime)? {
    var startsAt: Int64 = 0
    let frames = unsafe onair_guest_copy_block(memory, number, &startsAt, samples)
    return frames > 0 ? (Int(frames), MediaTime(nanos: startsAt)) : nil
  }

  /// The largest sample of the blocks that start from `start` until `end`, at most 4.
  func peak(from start: MediaTime, until end: MediaTime) -> Float {
    unsafe onair_guest_peak(memory, start.nanos, end.nanos)
  }
}

extension onair_guest_frame {
  var size: PictureSize { PictureSize(width: Int(width), height: Int(height)) }
  /// The colour, with numbers that H.273 does not have as "unspecified".
  var colour: Colour {
    func known(_ number: Int32) -> Int32 { (1...22).contains(number) ? number : 2 }
    return Colour(
      fullRange: full_range != 0, primaries: known(primaries), transfer: known(transfer),
      matrix: known(matrix))
  }
  var format: FrameFormat { FrameFormat(pixelFormat: .i420, size: size, colour: colour) }
}

extension Endpoint {
  /// This address as `CGuest` has it.
  var inC: onair_guest_endpoint {
    var endpoint = onair_guest_endpoint()
    unsafe withUnsafeMutableBytes(of: &endpoint.bytes) { room in
      unsafe room.copyBytes(from: bytes.prefix(room.count))
      endpoint.length = UInt32(min(bytes.count, room.count))
    }
    return endpoint
  }

  /// The address in a message of a reader; `nil` if it is no IPv4 or IPv6 address.
  init?(_ endpoint: onair_guest_endpoint) {
    let bytes = unsafe withUnsafeBytes(of: endpoint.bytes) {
      unsafe Array($0.prefix(Int(endpoint.length)))
    }
    guard bytes.count == Int(endpoint.length), bytes.count >= 2 else { return nil }
    let family = Int32(UInt16(bytes[0]) | UInt16(bytes[1]) << 8)
    guard
      family == AF_INET && bytes.count == MemoryLayout<sockaddr_in>.size
        || family == AF_INET6 && bytes.count == MemoryLayout<sockaddr_in6>.size
    else { return nil }
    self.init(family: family, bytes: bytes)
  }

  /// Whether both are the same IP address and port. What else there is, is ignored: padding, flow and scope.
  func isSame(as other: Endpoint) -> Bool {
    family == other.family && bytes[2..<4] == other.bytes[2..<4] && address == other.address
  }
}
