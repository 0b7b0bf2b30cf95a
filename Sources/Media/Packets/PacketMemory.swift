// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// The memory for the bytes of the packets in a `PacketRing`, allocated once.
@safe public final class PacketMemory: @unchecked Sendable {
  /// The bytes of all packets in the ring.
  private let memory: UnsafeMutableRawBufferPointer
  /// The number of bytes that the ring reserves before each payload.
  private let headroom: Int

  /// - Parameters:
  ///   - capacity: the size of the memory in bytes, which the ring's `capacity` must never exceed.
  ///   - headroom: the bytes that the ring reserves before each payload (`PacketRing.headroom`).
  public init(capacity: Int, headroom: Int = 0) {
    self.headroom = headroom
    // The kernel allocates pages when they are first written. An empty ring starts again at offset 0, so only the first
    // few pages are used while the sink keeps up.
    unsafe memory = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit { unsafe memory.deallocate() }

  /// Gives the whole pages of a range of offsets back to the kernel, which allocates them again when they are written
  /// (madvise(2)). No packet may be there.
  public func releasePages(of range: Range<Int>) {
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    guard let base = unsafe memory.baseAddress else { return }
    let address = Int(bitPattern: base)
    let start = (address + range.lowerBound + page - 1) / page * page
    let end = (address + range.upperBound) / page * page
    guard start < end else { return }
    _ = unsafe madvise(base + (start - address), end - start, MADV_DONTNEED)
  }

  /// Copies the bytes of a packet into the memory that the ring has allocated for it, after the headroom.
  public func write(_ packet: Packet, to entry: QueuedPacket) {
    unsafe UnsafeMutableRawBufferPointer(rebasing: bytes(of: entry)[headroom...])
      .copyMemory(from: packet.bytes)
  }

  /// The memory of a packet: its headroom, then its payload. Valid until the packet is removed from the ring.
  @unsafe public func bytes(of packet: QueuedPacket) -> UnsafeMutableRawBufferPointer {
    unsafe UnsafeMutableRawBufferPointer(
      rebasing: memory[packet.offset..<packet.offset + headroom + packet.bytes])
  }
}
