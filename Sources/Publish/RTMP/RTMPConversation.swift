// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CRTMP
internal import Glibc
internal import Mux

// Handles the server's messages, and sends the commands that follow "connect" (RTMP specification 1.0, section 7.2).
extension RTMPSession {
  /// Handles a message from the server: sends the next command or a reply, or throws if the server ends the stream.
  func handle(_ message: ServerMessage, _ step: RTMPStep) throws(PublishError) {
    // As in `write`: librtmp repeats a write for ever while errno is EINTR.
    errno = 0
    switch message {
    case .ignored: break
    case .malformed: throw .failed(.serverMisbehaved)
    case .chunkSize(let size): unsafe rtmp.pointee.m_inChunkSize = Int32(min(size, 0xFF_FFFF))
    case .acknowledgement(let count): meter.acknowledge(count)
    case .ping(let stamp):
      guard unsafe RTMP_SendCtrl(rtmp, 7, stamp, 0) != 0 else { throw failure(step, errno) }
    case .peerBandwidth(let bytes):
      // OnAir acknowledges each tenth of the window. A window below 10,000 bytes would take too many messages: ignore
      // it.
      if (10_000...0x7FFF_FFFF).contains(bytes) { unsafe rtmp.pointee.m_nClientBW = Int32(bytes) }
    case .call(let name, let transaction):
      try feedLibrary([.string(name), .number(Double(transaction)), .null], step)
    case .close: throw .failed(.endedByServer)
    case .result(let transaction, let number):
      try handleResult(of: transaction, number: number)
    case .error(let transaction, let status):
      let isMine =
        switch stage {
        case .connecting: transaction <= 1 || status.code.hasPrefix("NetConnection.")
        case .creating(let own), .publishing(let own): transaction == own
        case .live: false
        }
      if isMine { throw refused(status) }
    case .status(let status): try handleStatus(status)
    }
  }

  /// Handles the reply `_result` to a command: enters the next stage, and sends its commands.
  private func handleResult(of transaction: Int, number: Double?) throws(PublishError) {
    switch stage {
    case .connecting where transaction == 1:
      let size = AMF0.bigEndian(UInt32(RTMPSession.chunkSize))
      try write(type: RTMP_PACKET_TYPE_CHUNK_SIZE, channel: Channel.control, size)
      unsafe rtmp.pointee.m_outChunkSize = Int32(RTMPSession.chunkSize)
      try askForAcknowledgements(every: AcknowledgementWindow.firstBytes)
      // librtmp would send the same commands, but builds them in a buffer of 1,024 bytes, which a key may exceed.
      let name = [AMF0.null, .string(target.streamKey)]
      try command("releaseStream", name, full: false)
      try command("FCPublish", name, full: false)
      stage = .creating(try command("createStream", [.null], full: false))
    case .creating(let own) where transaction == own:
      guard let number, let id = Int32(exactly: number), id > 0 else {
        throw .failed(.serverMisbehaved)
      }
      streamID = id
      stage = .publishing(
        try command(
          "publish", [.null, .string(target.streamKey), .string("live")],
          channel: Channel.audio, stream: id))
    case .publishing(let own) where transaction == own: stage = .live
    default: break
    }
  }

  /// Handles `onStatus`: throws if the server refuses or ends the stream.
  private func handleStatus(_ status: ServerMessage.Status) throws(PublishError) {
    switch status.code {
    case "NetStream.Publish.Start":
      if case .publishing = stage { stage = .live }
    case "NetStream.Unpublish.Success", "NetConnection.Connect.Closed":
      throw .failed(.endedByServer, said: target.shown(status.description))
    case "NetStream.Publish.BadName", "NetStream.Publish.Denied", "NetStream.Publish.Rejected",
      "NetStream.Failed":
      throw refused(status)
    case _ where status.code.hasPrefix("NetConnection.Connect."):
      if status.code != "NetConnection.Connect.Success" { throw refused(status) }
    case _ where status.code.hasSuffix(".Success"): break
    default:
      let isRefusal =
        status.level == "error" || status.code.hasPrefix("NetStream.Publish.Bad")
        || RTMPRefusal.isAboutPermission(status.code.lowercased())
      if isRefusal { throw refused(status) }
    }
  }

  /// Notes a refusal by the server, and returns the error to throw.
  private func refused(_ status: ServerMessage.Status) -> PublishError {
    refusal = status
    if let redirect = status.redirect {
      return .failed(.refused(.redirected), said: target.shownRedirect(redirect))
    }
    let cause = RTMPRefusal(code: status.code, description: status.description)
    let said = status.description.isEmpty ? status.code : status.description
    return .failed(.refused(cause), said: target.shown(said))
  }

  /// Lets librtmp answer a command of the server, by passing it an equivalent command. librtmp never gets the server's
  /// own bytes: its AMF reader confuses the types of values, and then follows invalid pointers.
  private func feedLibrary(_ command: [AMF0], _ step: RTMPStep) throws(PublishError) {
    var bytes = AMF0.encode(command)
    unsafe bytes.withUnsafeMutableBytes { body in
      var packet = unsafe RTMPPacket()
      unsafe packet.m_packetType = UInt8(RTMP_PACKET_TYPE_INVOKE)
      unsafe packet.m_nBodySize = UInt32(body.count)
      unsafe packet.m_body = body.baseAddress?.assumingMemoryBound(to: CChar.self)
      _ = unsafe RTMP_ClientPacket(rtmp, &packet)
    }
    // If librtmp could not send the answer, it has closed the connection.
    if descriptor < 0 { throw failure(step) }
  }
}
