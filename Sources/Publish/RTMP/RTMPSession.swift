// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CRTMP
internal import Glibc
internal import Mux
internal import Posix

/// One connection to an RTMP server, from connect(2) to close(2), using librtmp.
///
/// Used by one thread. librtmp writes chunks. The socket, the handshakes, the commands, the deadlines and the parsing
/// of the server's messages are done here, because librtmp has no deadlines, supports IPv4 only, truncates long keys
/// and trusts every byte that it reads. librtmp sends without MSG_NOSIGNAL, so the thread has to block SIGPIPE, or the
/// program to ignore it.
@safe final class RTMPSession {
  /// The progress of the RTMP commands.
  enum Stage: Equatable {
    /// Waiting for the reply to "connect".
    case connecting
    /// Waiting for the reply to "createStream", which was sent with this transaction id.
    case creating(Int)
    /// Waiting for the reply to "publish", which was sent with this transaction id.
    case publishing(Int)
    /// The server accepts the stream.
    case live
  }

  /// The chunk size in bytes that is announced to the server. SRS itself uses 60,000 and refuses more than 65,536;
  /// nginx-rtmp accepts 10 MB and MediaMTX any size. At 60,000 bytes nearly every message is one chunk, written by one
  /// system call. At RTMP's default of 128 bytes, 2 Mbit/s would need 2,000 calls a second.
  static let chunkSize = 60_000

  /// The chunk stream ids of the sent messages. librtmp itself uses 2 for control, 3 for commands and 4 for "publish".
  enum Channel {
    static let control: Int32 = 2
    static let command: Int32 = 3
    static let audio: Int32 = 4
    static let data: Int32 = 5
    static let video: Int32 = 6
  }

  /// Bytes reserved before each body, into which librtmp writes chunk headers: RTMP_MAX_HEADER_SIZE.
  static let headroom = 18

  /// The server, and the stream to publish on it.
  let target: RTMPTarget
  /// The time limits of the session's steps.
  let deadlines: RTMPDeadlines
  /// Lets other threads cut the connection.
  let control: ConnectionControl
  /// The worker of the thread that uses the session.
  let worker: Worker
  /// The clock of the session's deadlines.
  var clock: MediaClock { worker.clock }
  /// Called when the server has accepted the connection, but not yet the stream.
  private let connected: () -> Void
  /// Whether the session is to end, because the program stops or requests a new connection.
  let stopping: () -> Bool
  /// librtmp's object for the connection.
  let rtmp: UnsafeMutablePointer<RTMP>
  /// The TLS session; `nil` while there is none, and always for rtmp://.
  var tls: TLSSession?
  /// The present step, which the error names if a message cannot be sent.
  private var step = RTMPStep.send
  /// How long each completed step of `open` took, in nanoseconds.
  private(set) var stepNanos: [RTMPStep: Int64] = [:]
  /// Checks each chunk from the server before librtmp reads it.
  var gate = ChunkGate()
  /// Limits the rate of bytes and messages from the server.
  var budget: InboundBudget
  /// How far the RTMP commands have come.
  var stage = Stage.connecting
  /// The status message with which the server refused the stream; `nil` if it has not.
  var refusal: ServerMessage.Status?
  /// The message stream id that the server has assigned with its reply to "createStream"; 0 before that.
  var streamID: Int32 = 0
  /// Decides after how many bytes the server is asked to acknowledge.
  var window = AcknowledgementWindow()
  /// Decides which messages on the video's chunk stream need a full header.
  private var videoHeaders = HeaderRule()
  /// Decides which messages on the audio's chunk stream need a full header.
  private var audioHeaders = HeaderRule()
  /// Measures the connection, and finds out which packets have been delivered.
  let meter: LinkMeter

  /// - Parameters:
  ///   - control: lets other threads cut the connection.
  ///   - worker: the worker of the thread that uses the session. A call of its `wake` ends the session's present wait,
  ///     after which the session checks `stopping`.
  ///   - connected: called when the server has accepted the connection, but not yet the stream.
  ///   - stopping: whether the session is to end.
  init(
    target: RTMPTarget, deadlines: RTMPDeadlines, control: ConnectionControl, worker: Worker,
    meter: LinkMeter = LinkMeter(), connected: @escaping () -> Void = {},
    stopping: @escaping () -> Bool
  ) {
    self.connected = connected
    self.target = target
    self.deadlines = deadlines
    self.control = control
    self.worker = worker
    budget = InboundBudget(now: worker.clock.now)
    self.meter = meter
    self.stopping = stopping
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

  /// Whether `send` would write at least one byte without blocking, or would fail at once.
  var hasRoom: Bool {
    var socket = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return unsafe poll(&socket, 1, 0) != 0
  }

  // MARK: Connecting

  /// Connects to the server and publishes the stream. Returns when the server has accepted the stream; then `send` may
  /// be called.
  /// - Parameters:
  ///   - firstAddress: which of the server's addresses to try first: an index that wraps at the number of addresses.
  ///   - dialNanos: nanoseconds to wait for each address; `nil` for `deadlines.connect`.
  ///   - reached: called when the TCP connection is made.
  func open(
    _ resolver: Resolver, firstAddress: Int = 0, dialNanos: Int64? = nil,
    reached: () -> Void = {}
  ) throws(PublishError) {
    let addresses = try resolver.addresses(
      of: target, until: clock.now + deadlines.resolve, stopping: stopping)
    var dialing = deadlines
    // All addresses together get at most `StepPatience.longestNanos`, but each gets at least the default time.
    let shared =
      StepPatience.longestNanos / Int64(max(1, min(addresses.count, RTMPDeadlines.addressesTried)))
    dialing.connect = min(dialNanos ?? deadlines.connect, max(RTMPDeadlines().connect, shared))
    let dialer = TCPDialer(worker: worker, deadlines: dialing, stopping: stopping)
    let first = firstAddress % max(1, addresses.count)
    let socket = try dialer.connect(to: Array(addresses[first...] + addresses[..<first]))
    reached()
    try open(over: socket)
  }

  /// Publishes over an open TCP connection, starting with the TLS or RTMP handshake.
  /// - Parameter socket: the connection's descriptor, which the session closes from now on.
  func open(over socket: Int32) throws(PublishError) {
    do throws(SystemError) {
      try control.adopt(socket)
    } catch {
      Glibc.close(socket)
      throw .failed(.systemError(error.code))
    }
    unsafe rtmp.pointee.m_sb.sb_socket = socket
    // From now on a stop cuts the connection through `control`. A stop that was requested earlier is noticed here.
    if stopping() { throw .stopped }
    try timing(.tls) { () throws(PublishError) in try secure() }
    try timing(.handshake) { () throws(PublishError) in try handshake() }
    try timing(.connectReply) { () throws(PublishError) in
      try handleMessages(.connectReply) { $0 != .connecting }
    }
    connected()
    try timing(.publishReply) { () throws(PublishError) in
      try handleMessages(.publishReply) { $0 == .live }
    }
    control.disarm()
  }

  /// Runs `body`, which completes `step`, and notes in `stepNanos` how long it took.
  private func timing(
    _ step: RTMPStep, _ body: () throws(PublishError) -> Void
  ) throws(PublishError) {
    let began = clock.now
    self.step = step
    try body()
    stepNanos[step] = clock.now - began
    self.step = .send
  }

  /// Reads and handles messages until `isReached` returns `true` for `stage`. Throws if `step` takes too long.
  private func handleMessages(
    _ step: RTMPStep, until isReached: (Stage) -> Bool
  ) throws(PublishError) {
    let deadline = clock.now + deadlines.nanos(step)
    control.arm(step, until: deadline)
    while true {
      // Handle everything that has arrived: a later message may revoke an earlier one.
      while let message = try nextMessage(step) { try handle(message, step) }
      if isReached(stage) { return }
      if try !fill(step) { try waitForInput(step, until: deadline) }
    }
  }

  // MARK: While publishing

  /// Sends one message of the stream.
  /// - Parameter body: the message's body, with `RTMPSession.headroom` writable bytes before it. librtmp overwrites
  ///   these, and parts of a body that is longer than a chunk.
  @unsafe func send(
    _ message: StreamMessage, body: UnsafeMutableRawBufferPointer
  ) throws(PublishError) {
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
      full = videoHeaders.needsFullHeader(time: time, bytes: body.count, type: UInt8(type))
    case .audioHeader, .audio:
      (channel, type) = (Channel.audio, RTMP_PACKET_TYPE_AUDIO)
      full = audioHeaders.needsFullHeader(time: time, bytes: body.count, type: UInt8(type))
    }
    // On a slow link a large message needs more time. If TCP makes no progress, `RTMPDeadlines.stall` ends the
    // connection earlier.
    let patience = deadlines.send + Int64(body.count) * RTMPDeadlines.nanosPerByte
    control.arm(.send, until: clock.now + patience)
    let headerBytes = unsafe try write(
      type: type, channel: channel, stream: streamID, time: time, full: full, body: body)
    control.disarm()
    meter.sent(message, headerBytes: headerBytes)
  }

  /// Sends a message of any kind with librtmp.
  /// - Returns: the total size of the message's chunk headers in bytes (RTMP specification 1.0, section 5.3.1).
  @discardableResult private func write(
    type: Int32, channel: Int32, stream: Int32, time: UInt32, full: Bool,
    body: UnsafeMutableRawBufferPointer, expectsAnswer: Bool = false
  ) throws(PublishError) -> Int {
    var packet = unsafe RTMPPacket()
    unsafe packet.m_headerType = UInt8(full ? RTMP_PACKET_SIZE_LARGE : RTMP_PACKET_SIZE_MEDIUM)
    unsafe packet.m_packetType = UInt8(type)
    unsafe packet.m_nChannel = channel
    unsafe packet.m_nInfoField2 = stream
    unsafe packet.m_nTimeStamp = time
    unsafe packet.m_nBodySize = UInt32(body.count)
    unsafe packet.m_body = body.baseAddress?.assumingMemoryBound(to: CChar.self)
    // librtmp repeats a write for ever while errno is EINTR, even if an earlier call has set it.
    errno = 0
    guard unsafe RTMP_SendPacket(rtmp, &packet, 0) != 0 else {
      throw failure(step, errno)
    }
    // librtmp omits header fields that equal those of the previous message, and sets the header type accordingly.
    let first =
      switch unsafe Int32(packet.m_headerType) {
      case RTMP_PACKET_SIZE_LARGE: time < 0xFF_FFFF ? 12 : 16
      case RTMP_PACKET_SIZE_MEDIUM: 8
      case RTMP_PACKET_SIZE_SMALL: 4
      default: 1
      }
    return first + max(0, body.count - 1) / RTMPSession.chunkSize * (first == 16 ? 5 : 1)
  }

  /// Sends metadata or a sequence header.
  func send(_ header: FLVMuxer.Header) throws(PublishError) {
    unsafe try withHeadroom(header.body) { body throws(PublishError) in
      unsafe try send(header.message, body: body)
    }
  }

  /// Sends a control message or a command.
  func write(
    type: Int32, channel: Int32, stream: Int32 = 0, full: Bool = true, _ bytes: [UInt8]
  ) throws(PublishError) {
    unsafe try withHeadroom(bytes) { body throws(PublishError) in
      let headerBytes = unsafe try write(
        type: type, channel: channel, stream: stream, time: 0, full: full, body: body)
      if stage == .live { meter.sentControl(bytes: bytes.count + headerBytes) }
    }
  }

  /// Sends a command with the next transaction id.
  /// - Parameter values: the values after the transaction id: the command object, then the arguments.
  /// - Returns: the transaction id.
  @discardableResult func command(
    _ name: String, _ values: [AMF0], channel: Int32 = Channel.command, stream: Int32 = 0,
    full: Bool = true
  ) throws(PublishError) -> Int {
    unsafe rtmp.pointee.m_numInvokes += 1
    let transaction = unsafe Int(rtmp.pointee.m_numInvokes)
    try write(
      type: RTMP_PACKET_TYPE_INVOKE, channel: channel, stream: stream, full: full,
      AMF0.encode([.string(name), .number(Double(transaction))] + values))
    return transaction
  }

  /// Calls `body` with a copy of the bytes that has `headroom` writable bytes before it. Allocates memory, so it is not
  /// used for packets.
  private func withHeadroom(
    _ bytes: [UInt8], _ body: (UnsafeMutableRawBufferPointer) throws(PublishError) -> Void
  ) throws(PublishError) {
    let whole = UnsafeMutableRawBufferPointer.allocate(
      byteCount: RTMPSession.headroom + bytes.count, alignment: 1)
    defer { unsafe whole.deallocate() }
    let copy = unsafe UnsafeMutableRawBufferPointer(rebasing: whole[RTMPSession.headroom...])
    unsafe copy.copyBytes(from: bytes)
    unsafe try body(copy)
  }

  // MARK: The end

  /// Closes the connection.
  /// - Parameter reset: makes the server see a broken connection rather than an orderly end, so that a platform
  ///   waits for the publisher to come back.
  /// - Returns: a handle that keeps the socket open for as long as it lives; `nil` if there was no connection.
  @discardableResult func close(reset: Bool) -> ConnectionControl.Handle? {
    if reset { control.resetOnClose() }
    // With a valid stream id, RTMP_Close would send FCUnpublish and block.
    unsafe rtmp.pointee.m_stream_id = -1
    // With the TLS session set, RTMP_Close would send close_notify and free the session. After a failed write, librtmp
    // has freed it already.
    if let tls, unsafe rtmp.pointee.m_sb.sb_ssl == nil { tls.noteFreed() }
    unsafe rtmp.pointee.m_sb.sb_ssl = nil
    tls = nil
    unsafe RTMP_Close(rtmp)
    return control.release()
  }

  /// The error to throw after a failed call of librtmp or of the kernel.
  /// - Parameters:
  ///   - step: the step under way.
  ///   - code: the call's errno; 0 if the server has closed the connection.
  func failure(_ step: RTMPStep, _ code: Int32 = 0) -> PublishError {
    if let expired = control.expired { return .failed(.timedOut(expired)) }
    if stopping() { return .stopped }
    // GnuTLS and librtmp's RTMP_Close overwrite errno.
    let code = tls?.failure ?? code
    return switch code {
    case EAGAIN, ETIMEDOUT: .failed(.timedOut(step))
    case ENETUNREACH, EHOSTUNREACH, ENETDOWN: .failed(.noRoute)
    default: .failed(.closedByServer(step))
    }
  }
}
