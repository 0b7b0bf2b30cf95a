// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Mux

/// The receiving side of RTMP (Adobe's specification 1.0) for one publisher, without I/O: bytes go in, in any portions, and
/// events and the bytes of answers come out. The publisher may be hostile: memory and the number of answers are bounded, and
/// whatever is wrong ends in `refused`. How long a publisher may take is the caller's decision.
struct RTMPReceiver {
  enum Event: Equatable {
    /// The publisher wants to send a stream. Nothing more is read until `accept` or `refuse`.
    /// - key: the stream's name, with the parameters that may follow it after "?".
    case wantsToPublish(application: String, key: String)
    /// The next part of an FLV file: whole tags, and before the first the header of the file.
    case media([UInt8])
    /// The publisher has ended the stream. This is the last event.
    case ended
    /// The publisher violated the protocol or asked for something that there is not. This is the last event.
    /// - reason: a sentence.
    case refused(reason: String)
  }

  /// Most bytes of the application's name and of the key.
  static let maxNameBytes = 1_024
  /// Most messages before `publish`. Senders need 5 to 10.
  static let maxMessagesBeforePublishing = 64
  /// Most bytes of input that is not read yet while the caller decides whether to accept.
  static let maxWaitingBytes = 1 << 20
  /// Most bytes of answers that the publisher has not taken.
  static let maxAnswerBytes = 65_536
  /// The input is taken in portions of at most so many bytes, so that memory stays small whatever the caller passes.
  private static let portionBytes = 65_536
  /// C1 and C2 (5.2).
  private static let handshakeBytes = 1_536
  /// Fewest bytes between two acknowledgements, whatever the publisher asks for.
  private static let minWindowBytes = 16_384

  private enum Phase {
    /// Waits for C0 and C1.
    case greeting
    /// Waits for C2.
    case greeted
    case commands
    /// Waits for `accept` or `refuse`.
    case deciding
    case publishing
    case over
  }

  private var phase = Phase.greeting
  /// Bytes that were not read yet.
  private var input: [UInt8] = []
  private var chunks = RTMPChunkReader()
  private var answers: [UInt8] = []
  /// Bytes read since the beginning.
  private var readBytes = 0
  private var acknowledgedBytes = 0
  private var windowBytes = Int(RTMPAnswer.windowBytes)
  private var messagesBeforePublishing = 0
  /// What `connect` named; `nil` before.
  private var application: String?
  /// The message stream of `publish`.
  private var stream: UInt32 = 0
  private var hasWrittenHeader = false

  /// Whether the receiver reads more. Otherwise the caller has to decide first, or it is over.
  var isReading: Bool { phase != .deciding && phase != .over }

  /// Whether the stream has ended or was refused.
  var isOver: Bool { phase == .over }

  /// Bytes of input and answers in memory.
  var heldBytes: Int { input.count + chunks.heldBytes + answers.count }

  /// Takes the bytes that have to be sent to the publisher, also after the last event.
  mutating func takeAnswers() -> [UInt8] {
    defer { answers = [] }
    return answers
  }

  /// Takes bytes of the publisher.
  mutating func receive(_ bytes: some Collection<UInt8>) -> [Event] {
    var events: [Event] = []
    var rest = bytes[...]
    while !rest.isEmpty, phase != .over {
      let portion = rest.prefix(RTMPReceiver.portionBytes)
      rest = rest.dropFirst(portion.count)
      input += portion
      events += read()
    }
    return events
  }

  /// Lets the publisher send the stream that it asked for, and reads on.
  mutating func accept() -> [Event] {
    guard phase == .deciding else { return [] }
    answer(RTMPAnswer.streamBegin(stream))
    status("status", "NetStream.Publish.Start", "Publishing.")
    phase = .publishing
    return read()
  }

  /// Refuses the stream that the publisher asked for. The connection has to be closed after the answers are sent.
  /// - Parameter description: a sentence that the publisher may show.
  mutating func refuse(_ description: String) {
    guard phase == .deciding else { return }
    status("error", "NetStream.Publish.BadName", description)
    end()
    input = []
  }

  private mutating func end() {
    phase = .over
    chunks = RTMPChunkReader()
  }

  private mutating func answer(_ bytes: [UInt8]) { answers += bytes }

  private mutating func status(_ level: String, _ code: String, _ description: String) {
    answer(RTMPAnswer.status(level, code, description, stream: stream))
  }

  /// Reads what is complete in the input.
  private mutating func read() -> [Event] {
    var events: [Event] = []
    var start = 0
    do throws(RTMPFault) {
      while let (count, event) = try step(input[start...]) {
        start += count
        readBytes += count
        if let event { events.append(event) }
        acknowledge()
        guard answers.count <= RTMPReceiver.maxAnswerBytes else {
          throw RTMPFault("The sender asks too much and does not take the answers.")
        }
      }
      if phase == .deciding, input.count - start > RTMPReceiver.maxWaitingBytes {
        throw RTMPFault("The sender did not wait for an answer.")
      }
    } catch {
      end()
      events.append(.refused(reason: error.reason))
    }
    input.removeFirst(phase == .over ? input.count : start)
    return events
  }

  /// Reads one part of the handshake, or one chunk.
  /// - Returns: its length, and what came of it; `nil` if it is incomplete, or nothing is to be read.
  private mutating func step(
    _ rest: ArraySlice<UInt8>
  ) throws(RTMPFault) -> (bytes: Int, event: Event?)? {
    switch phase {
    case .greeting:
      guard let version = rest.first else { return nil }
      guard version == 3 else { throw RTMPFault(RTMPReceiver.wrongVersion(version)) }
      guard rest.count > RTMPReceiver.handshakeBytes else { return nil }
      answer(RTMPAnswer.handshake(rest.dropFirst().prefix(RTMPReceiver.handshakeBytes)))
      phase = .greeted
      return (1 + RTMPReceiver.handshakeBytes, nil)
    case .greeted:
      guard rest.count >= RTMPReceiver.handshakeBytes else { return nil }
      phase = .commands
      return (RTMPReceiver.handshakeBytes, nil)
    case .commands, .publishing:
      guard let (bytes, message) = try chunks.read(rest) else { return nil }
      return (bytes, try message.flatMap { message throws(RTMPFault) in try handle(message) })
    case .deciding, .over: return nil
    }
  }

  private static func wrongVersion(_ version: UInt8) -> String {
    switch version {
    case 0x16: "The sender speaks RTMPS. This address takes RTMP, without encryption."
    case 6: "The sender speaks RTMPE. This address takes RTMP, without encryption."
    default: "The sender does not speak RTMP."
    }
  }

  private mutating func acknowledge() {
    guard readBytes - acknowledgedBytes >= windowBytes else { return }
    acknowledgedBytes = readBytes
    answer(RTMPAnswer.acknowledgement(readBytes))
  }

  private mutating func handle(_ message: RTMPMessage) throws(RTMPFault) -> Event? {
    if phase == .commands {
      messagesBeforePublishing += 1
      guard messagesBeforePublishing <= RTMPReceiver.maxMessagesBeforePublishing else {
        throw RTMPFault("The sender did not begin a stream.")
      }
    }
    let body = message.body[...]
    switch message.type {
    case 1: try chunks.setChunkSize(try RTMPReceiver.number(body))
    case 2: chunks.abort(try RTMPReceiver.number(body))
    case 4:
      // Of the user control messages only number 6, a ping, expects an answer.
      if body.count >= 6, body[0] == 0, body[1] == 6 { answer(RTMPAnswer.pong(body[2..<6])) }
    case 5:
      windowBytes = max(RTMPReceiver.minWindowBytes, Int(try RTMPReceiver.number(body)))
    case 8: return media(.audio, message.time, body)
    case 9: return media(.video, message.time, body)
    // A body in AMF3 begins with a byte 0, after which it is in AMF0.
    case 0x12, 0x0F: return script(message.time, body.dropFirst(message.type == 0x0F ? 1 : 0))
    case 0x14, 0x11:
      return try command(body.dropFirst(message.type == 0x11 ? 1 : 0), stream: message.stream)
    case 0x16: throw RTMPFault("The sender uses aggregate messages, which are not supported.")
    default: break
    }
    return nil
  }

  /// The first four bytes of a control message.
  private static func number(_ body: ArraySlice<UInt8>) throws(RTMPFault) -> UInt32 {
    var bytes = BigEndianReader(body)
    guard let number = bytes.integer(4) else {
      throw RTMPFault("The sender sent an RTMP control message that is too short.")
    }
    return UInt32(number)
  }

  /// The names before a data message that a server is to keep, or to forget.
  private static let setDataFrame = AMF0.encode([.string("@setDataFrame")])
  private static let clearDataFrame = AMF0.encode([.string("@clearDataFrame")])

  private mutating func script(_ time: UInt32, _ body: ArraySlice<UInt8>) -> Event? {
    if body.starts(with: RTMPReceiver.clearDataFrame) { return nil }
    let isSet = body.starts(with: RTMPReceiver.setDataFrame)
    return media(.script, time, body.dropFirst(isSet ? RTMPReceiver.setDataFrame.count : 0))
  }

  private mutating func media(
    _ tag: FLVFile.Tag, _ time: UInt32, _ body: ArraySlice<UInt8>
  ) -> Event? {
    guard phase == .publishing, !body.isEmpty else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(body.count + 32)
    if !hasWrittenHeader {
      // What the stream has is not known yet. A demultiplexer takes a track that never comes.
      bytes = FLVFile.header(hasAudio: true, hasVideo: true)
      hasWrittenHeader = true
    }
    FLVFile.append(tag, body, milliseconds: time, to: &bytes)
    return .media(bytes)
  }

  private mutating func command(
    _ body: ArraySlice<UInt8>, stream: UInt32
  ) throws(RTMPFault) -> Event? {
    let values = AMF0Reader.values(body)
    guard let name = values.first?.string else {
      throw RTMPFault("The sender sent an RTMP command that cannot be read.")
    }
    let transaction = values.dropFirst().first?.number ?? 0
    switch name {
    case "connect":
      guard application == nil else { throw RTMPFault("The sender connected twice.") }
      application = try RTMPReceiver.name(values.dropFirst(2).first?["app"])
      answer(RTMPAnswer.limits() + RTMPAnswer.connected(transaction: transaction))
    case "createStream":
      answer(RTMPAnswer.result(transaction, .null, .number(Double(RTMPAnswer.streamID))))
    case "publish": return try publish(values, stream)
    case "play", "play2": throw RTMPFault("The sender wants to play a stream, not to send one.")
    case "FCUnpublish", "deleteStream", "closeStream":
      if phase == .publishing {
        // OnAir waits for it before it closes the connection.
        status("status", "NetStream.Unpublish.Success", "The stream has ended.")
        end()
        return .ended
      }
    // A player's question, which some senders ask, too.
    case "getStreamLength": answer(RTMPAnswer.result(transaction, .null, .number(0)))
    // Among them releaseStream, FCPublish and _checkbw.
    default:
      if transaction != 0 { answer(RTMPAnswer.result(transaction, .null, .undefined)) }
    }
    return nil
  }

  private mutating func publish(
    _ values: [AMF0], _ stream: UInt32
  ) throws(RTMPFault) -> Event {
    guard let application else { throw RTMPFault("The sender began a stream without connecting.") }
    guard phase == .commands else { throw RTMPFault("The sender began a second stream.") }
    let key = try RTMPReceiver.name(values.dropFirst(3).first)
    self.stream = stream
    phase = .deciding
    return .wantsToPublish(application: application, key: key)
  }

  /// A name that the publisher gives; "" if it is missing.
  private static func name(_ value: AMF0?) throws(RTMPFault) -> String {
    let name = value?.string ?? ""
    guard name.utf8.count <= maxNameBytes else {
      throw RTMPFault("The sender gave a name of \(name.utf8.count) bytes.")
    }
    return name
  }
}
