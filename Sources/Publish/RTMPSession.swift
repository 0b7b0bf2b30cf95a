// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CRTMP
internal import Glibc
internal import Media

/// One connection's conversation with an RTMP server, by way of librtmp.
///
/// Used by one thread. librtmp does the chunks and the commands; the socket, the handshakes, the
/// deadlines and the reading of what the server says are here, since librtmp has no deadlines,
/// knows IPv4 only and trusts every byte it reads. librtmp sends without MSG_NOSIGNAL: the thread
/// has to keep SIGPIPE blocked, or the program ignore it.
@safe final class RTMPSession {
  /// How far the conversation has come.
  enum Stage: Equatable {
    case connecting
    /// Waiting for the answer to createStream, which has this transaction.
    case creating(Int)
    case publishing(Int)
    case live
  }

  /// Chunk sizes are a promise to read so much at once. 60,000 bytes are what SRS uses itself (it
  /// refuses more than 65,536); nginx-rtmp takes 10 MB and MediaMTX any. Nearly every message is
  /// then one chunk, written by one system call; at 128 bytes, RTMP's default, 2 Mbit/s are 2,000.
  static let chunkSize = 60_000

  /// After how many bytes the server is asked to acknowledge: each 0.4 s at 2 Mbit/s. Some do it at half
  /// of that, others as they please.
  static let acknowledgementWindow: UInt32 = 100_000

  /// Chunk stream ids. librtmp uses 2 for control, 3 for commands, 4 for "publish".
  enum Channel {
    static let control: Int32 = 2
    static let command: Int32 = 3
    static let audio: Int32 = 4
    static let data: Int32 = 5
    static let video: Int32 = 6
  }

  let target: RTMPTarget
  let deadlines: RTMPDeadlines
  let control: ConnectionControl
  let wakeup: Wakeup
  private let connected: () -> Void
  let stopping: () -> Bool
  let rtmp: UnsafeMutablePointer<RTMP>
  var tls: TLSSession?
  /// What librtmp points to.
  private let playpath: CText
  var gate = ChunkGate()
  var budget = InboundBudget(now: .now())
  var stage = Stage.connecting
  var streamID: Int32 = 0
  private var pictureHeaders = HeaderPlan()
  private var soundHeaders = HeaderPlan()
  /// Learns what the server has of what was sent.
  let meter: LinkMeter

  /// - Parameters:
  ///   - control: lets other threads cut the connection.
  ///   - wakeup: ends the session's own waiting, so that it looks at `stopping`.
  ///   - connected: called when the server has taken the connection, and not yet the stream.
  init(
    target: RTMPTarget, deadlines: RTMPDeadlines, control: ConnectionControl, wakeup: Wakeup,
    meter: LinkMeter = LinkMeter(), connected: @escaping () -> Void = {},
    stopping: @escaping () -> Bool
  ) {
    self.connected = connected
    self.target = target
    self.deadlines = deadlines
    self.control = control
    self.wakeup = wakeup
    self.meter = meter
    self.stopping = stopping
    playpath = CText(target.streamKey)
    RTMPLibrary.ready
    guard let rtmp = unsafe RTMP_Alloc() else { preconditionFailure("out of memory") }
    unsafe self.rtmp = unsafe rtmp
    unsafe RTMP_Init(rtmp)
  }

  deinit {
    unsafe RTMP_Free(rtmp)
  }

  /// The socket, for poll(2); -1 once librtmp has closed it.
  var descriptor: Int32 { unsafe rtmp.pointee.m_sb.sb_socket }

  // MARK: From nothing to a published stream

  /// Connects and publishes; the server takes media afterwards.
  /// - Parameters:
  ///   - firstAddress: of the server's addresses the one to begin with, counted round.
  ///   - dialNanos: how long each address is given to take the connection, instead of what the deadlines say.
  ///   - reached: called when TCP has a connection.
  func open(
    _ resolver: Resolver, firstAddress: Int = 0, dialNanos: Int64? = nil,
    reached: () -> Void = {}
  ) throws(PublishEnd) {
    let addresses = try resolver.addresses(
      of: target, until: MediaTime.now() + deadlines.resolve, stopping: stopping)
    var dialing = deadlines
    dialing.connect = dialNanos ?? deadlines.connect
    let dialer = TCPDialer(wakeup: wakeup, deadlines: dialing, stopping: stopping)
    let first = firstAddress % max(1, addresses.count)
    let socket = try dialer.connect(to: Array(addresses[first...] + addresses[..<first]))
    reached()
    try open(over: socket)
  }

  /// Publishes over a connection, from the handshake on.
  /// - Parameter socket: becomes the session's.
  func open(over socket: Int32) throws(PublishEnd) {
    guard control.adopt(socket) else {
      let code = errno
      Glibc.close(socket)
      throw .failed(.systemError(code))
    }
    unsafe rtmp.pointee.m_sb.sb_socket = socket
    // Who stops from now on cuts the connection; who stopped before could not.
    if stopping() { throw .stopped }
    unsafe rtmp.pointee.Link.protocol = RTMP_FEATURE_WRITE
    unsafe rtmp.pointee.Link.playpath = unsafe AVal(
      av_val: playpath.start, av_len: Int32(target.streamKey.utf8.count))
    try secure()
    try greet()
    try converse(.connectReply) { $0 != .connecting }
    connected()
    try converse(.publishReply) { $0 == .live }
    control.disarm()
  }

  /// Reads and answers messages until the conversation has come far enough.
  private func converse(
    _ step: RTMPStep, until isReached: (Stage) -> Bool
  ) throws(PublishEnd) {
    let deadline = MediaTime.now() + deadlines.nanos(step)
    control.arm(step, until: deadline)
    while true {
      // To the last one that has come: it may take back what the one before it said.
      while let message = try nextMessage(step) { try take(message, step) }
      if isReached(stage) { return }
      if try !fill(step) { try waitForInput(step, until: deadline) }
    }
  }

  // MARK: While publishing

  /// Reads and answers what the server has sent. Call when the socket has something.
  func serve() throws(PublishEnd) {
    control.arm(.send, until: MediaTime.now() + deadlines.send)
    repeat {
      try fill(.send)
      while let message = try nextMessage(.send) { try take(message, .send) }
      // At most the rest of one record.
    } while tls?.hasPending == true
    control.disarm()
  }

  /// Asks TCP how far it is, for `meter`.
  func lookAtTransport() { meter.look(descriptor) }

  /// Sends one message of the stream.
  /// - Parameter body: with `RingLayout.headroom` writable bytes before it. librtmp overwrites
  ///   those, and parts of a body longer than a chunk.
  @unsafe func send(
    _ message: QueuedMessage, body: UnsafeMutableRawBufferPointer
  ) throws(PublishEnd) {
    let time = message.time
    let full: Bool
    let channel: Int32
    let type: Int32
    switch message.kind {
    case .metadata:
      (channel, type) = (Channel.data, RTMP_PACKET_TYPE_INFO)
      full = true
    case .videoHeader, .keyframe, .frame:
      (channel, type) = (Channel.video, RTMP_PACKET_TYPE_VIDEO)
      full = pictureHeaders.needsFullHeader(time: time, bytes: body.count, type: UInt8(type))
    case .audioHeader, .audio:
      (channel, type) = (Channel.audio, RTMP_PACKET_TYPE_AUDIO)
      full = soundHeaders.needsFullHeader(time: time, bytes: body.count, type: UInt8(type))
    }
    // A large one takes its time on a thin link, as long as it moves.
    let patience = deadlines.send + Int64(body.count) * RTMPDeadlines.nanosPerByte
    control.arm(.send, until: MediaTime.now() + patience)
    let headerBytes = unsafe try write(
      type: type, channel: channel, stream: streamID, time: time, full: full, body: body)
    control.disarm()
    meter.sent(message, headerBytes: headerBytes)
  }

  /// - Returns: bytes of the message's headers, that of each chunk (specification, section 5.3.1).
  @discardableResult private func write(
    type: Int32, channel: Int32, stream: Int32, time: UInt32, full: Bool,
    body: UnsafeMutableRawBufferPointer, expectsAnswer: Bool = false
  ) throws(PublishEnd) -> Int {
    var packet = unsafe RTMPPacket()
    unsafe packet.m_headerType = UInt8(full ? RTMP_PACKET_SIZE_LARGE : RTMP_PACKET_SIZE_MEDIUM)
    unsafe packet.m_packetType = UInt8(type)
    unsafe packet.m_nChannel = channel
    unsafe packet.m_nInfoField2 = stream
    unsafe packet.m_nTimeStamp = time
    unsafe packet.m_nBodySize = UInt32(body.count)
    unsafe packet.m_body = body.baseAddress?.assumingMemoryBound(to: CChar.self)
    // librtmp repeats a write for ever while it finds EINTR there, from wherever that is.
    errno = 0
    guard unsafe RTMP_SendPacket(rtmp, &packet, expectsAnswer ? 1 : 0) != 0 else {
      throw failure(.send, errno)
    }
    // librtmp leaves out what is as in the message before, and says so there.
    let first =
      switch unsafe Int32(packet.m_headerType) {
      case RTMP_PACKET_SIZE_LARGE: time < 0xFF_FFFF ? 12 : 16
      case RTMP_PACKET_SIZE_MEDIUM: 8
      case RTMP_PACKET_SIZE_SMALL: 4
      default: 1
      }
    return first + max(0, body.count - 1) / RTMPSession.chunkSize * (first == 16 ? 5 : 1)
  }

  /// Sends a message that is too rare to be kept anywhere.
  /// - Parameter expectsAnswer: has librtmp keep the command in mind until its answer comes.
  func write(
    type: Int32, channel: Int32, _ bytes: [UInt8], expectsAnswer: Bool = false
  ) throws(PublishEnd) {
    let whole = UnsafeMutableRawBufferPointer.allocate(
      byteCount: RingLayout.headroom + bytes.count, alignment: 1)
    defer { unsafe whole.deallocate() }
    let body = unsafe UnsafeMutableRawBufferPointer(rebasing: whole[RingLayout.headroom...])
    unsafe body.copyBytes(from: bytes)
    unsafe try write(
      type: type, channel: channel, stream: 0, time: 0, full: true, body: body,
      expectsAnswer: expectsAnswer)
  }

  // MARK: The end

  /// Tells the server that the broadcast is over, and waits until it has read that, but no longer
  /// than until `deadline`.
  func sayGoodbye(by deadline: MediaTime) {
    guard stage == .live, descriptor >= 0 else { return }
    control.limitSends(to: max(.milliseconds(1), deadline - MediaTime.now()))
    control.arm(.goodbye, until: deadline)
    do throws(PublishEnd) {
      for (name, argument) in [
        ("FCUnpublish", AMF0.string(target.streamKey)),
        ("deleteStream", AMF0.number(Double(streamID))),
      ] {
        unsafe rtmp.pointee.m_numInvokes += 1
        let transaction = unsafe Double(rtmp.pointee.m_numInvokes)
        try write(
          type: RTMP_PACKET_TYPE_INVOKE, channel: Channel.command,
          AMF0.encode([.string(name), .number(transaction), .null, argument]))
      }
      try awaitFarewell(until: min(deadline, .now() + deadlines.farewell))
      tls?.endSending()
      control.endSending()
      // Closing with unread bytes would be a reset, which overtakes what is still on its way.
      while descriptor >= 0, MediaTime.now() < deadline {
        let events = wakeup.wait(until: deadline, socket: descriptor, for: .readable)
        if !events.isEmpty { try fill(.goodbye) }
        unsafe rtmp.pointee.m_sb.sb_size = 0
      }
    } catch {
      // The end of the connection is the answer to a good-bye.
    }
  }

  /// Waits until the server says that the stream has ended. What stands between may throw away what it has
  /// not yet passed on, once this side sends no more: a proxy that ends TLS does.
  private func awaitFarewell(until deadline: MediaTime) throws(PublishEnd) {
    while descriptor >= 0, MediaTime.now() < deadline {
      while let message = try nextMessage(.goodbye) {
        if case .status(let status) = message, status.code == "NetStream.Unpublish.Success" {
          return
        }
      }
      if try fill(.goodbye) { continue }
      _ = wakeup.wait(until: deadline, socket: descriptor, for: [.readable, .ended])
    }
  }

  /// Ends the connection.
  /// - Parameter reset: lets the server see a broken connection rather than an orderly end, so
  ///   that a platform waits for the publisher to come back.
  /// - Returns: what keeps the kernel from closing it, for as long as somebody has it.
  @discardableResult func close(reset: Bool) -> ConnectionControl.Handle? {
    if reset { control.resetOnClose() }
    // Else librtmp would say good-bye, and block.
    unsafe rtmp.pointee.m_stream_id = -1
    // The same for TLS, whose session it would free besides. After a failed write it has done that.
    if let tls, unsafe rtmp.pointee.m_sb.sb_ssl == nil { tls.noteFreed() }
    unsafe rtmp.pointee.m_sb.sb_ssl = nil
    tls = nil
    unsafe RTMP_Close(rtmp)
    return control.release()
  }

  /// Why librtmp, or the kernel, gave up.
  func failure(_ step: RTMPStep, _ code: Int32 = 0) -> PublishEnd {
    if let expired = control.expired { return .failed(.timedOut(expired)) }
    if stopping() { return .stopped }
    // GnuTLS and librtmp's closing leave no errno.
    let code = tls?.failure ?? code
    return switch code {
    case EAGAIN, ETIMEDOUT: .failed(.timedOut(step))
    case ENETUNREACH, EHOSTUNREACH, ENETDOWN: .failed(.noRoute)
    default: .failed(.closedByServer(step))
    }
  }
}

/// A copy of a string that stays where it is.
@safe private final class CText {
  let start: UnsafeMutablePointer<CChar>

  init(_ text: String) {
    guard let copy = unsafe strdup(text) else { preconditionFailure("out of memory") }
    unsafe start = unsafe copy
  }

  deinit { unsafe free(start) }
}
