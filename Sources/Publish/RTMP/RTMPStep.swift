// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// The steps of publishing that can time out, in order.
public enum RTMPStep: String, Sendable, CaseIterable {
  /// Looking up the server's name.
  case resolve
  /// Making the TCP connection.
  case connect
  /// The TLS handshake.
  case tls
  /// The RTMP handshake.
  case handshake
  /// Waiting for the reply to "connect".
  case connectReply = "connect_reply"
  /// Waiting for the replies to "createStream" and "publish".
  case publishReply = "publish_reply"
  /// Sending the stream.
  case send
  /// Telling the server that the broadcast is over.
  case goodbye
}

/// All time limits of publishing: how long each step may take, and when to try again. `StepPatience` lengthens the
/// limit of a step that has timed out.
public struct RTMPDeadlines: Sendable, Equatable {
  /// Nanoseconds to look up the host name.
  public var resolve = Int64.seconds(5)
  /// Nanoseconds to make a TCP connection, for each address of the name.
  public var connect = Int64.seconds(4)
  /// Nanoseconds for the TLS handshake: two round trips, and the server's computation.
  public var tls = Int64.seconds(5)
  /// Nanoseconds for the RTMP handshake, 3,073 bytes each way.
  public var handshake = Int64.seconds(5)
  /// Nanoseconds for the reply to "connect".
  public var connectReply = Int64.seconds(5)
  /// Nanoseconds for the replies to "createStream" and "publish". A server may have to ask another server whether the
  /// key is valid.
  public var publishReply = Int64.seconds(8)
  /// Nanoseconds for each of these: until the kernel has accepted one message, until TCP has made any progress, and
  /// until the messages that have arrived from the server are handled and answered.
  public var send = Int64.seconds(8)
  /// Nanoseconds without any acknowledgement by TCP while bytes are in flight, after which the path counts as dead. On
  /// a slow path, two round trips if those take longer.
  public var stall = Int64.seconds(4)
  /// The stream counts as delivered while the newest packet that is known to have arrived was captured at most this
  /// many nanoseconds ago.
  public var confirmation = Int64.seconds(3)
  /// Nanoseconds to wait, during the good-bye, for the server to confirm the end of the stream. Many servers never
  /// confirm it.
  public var farewell = Int64.milliseconds(300)
  /// Nanoseconds for the whole good-bye, from the beginning of the stop.
  public var goodbye = Int64.milliseconds(1_000)
  /// Nanoseconds from the start of a failed attempt to the start of the next. The first attempt after a loss starts
  /// at once. After a refusal the pause begins when the attempt has ended, and doubles with each further refusal.
  public var retryPause = Int64.seconds(2)
  /// The longest pause between attempts after refusals, in nanoseconds.
  public var longestRetryPause = Int64.seconds(60)
  /// Nanoseconds for which the server has to accept the stream before earlier refusals are forgotten.
  public var goodPublish = Int64.seconds(30)
  /// A server that closes the connection within this many nanoseconds after it has accepted the stream probably refuses
  /// the stream. Many servers accept a stream first and ask afterwards whether the key may publish.
  public var shortPublish = Int64.seconds(1)
  /// Nanoseconds for which the refusal "stream in use" may mean this box's previous connection, whose end the server
  /// has not noticed. The pause between attempts does not grow during this time.
  public var heldPublish = Int64.seconds(30)
  /// Nanoseconds after which a failure whose cause persists, or keeps coming back, is reported again.
  public var reminder = Int64.seconds(600)

  /// The fraction by which a growing pause is randomly shortened or lengthened, at most.
  static let retrySpread = 0.2
  /// The fraction by which a regular pause is randomly shortened or lengthened, at most, so that boxes that lost the
  /// same server do not all come back at once.
  static let evenSpread = 0.05
  /// Nanoseconds added to a deadline for each byte that has to be sent: the time at 64 kbit/s.
  static let nanosPerByte: Int64 = 125_000
  /// The most addresses of a server's name that one attempt tries.
  static let addressesTried = 4
  /// The average number of messages a second that a server may send. A server that acknowledges every 10 kB of 12
  /// Mbit/s sends 150 messages of 16 bytes a second.
  static let inboundMessagesPerSecond = 500
  /// The average number of bytes a second that a server may send.
  static let inboundBytesPerSecond = 65_536
  /// The longest burst that a server may send, in seconds of the average rates.
  static let inboundSeconds = 4

  /// The default deadlines, which suit servers on the Internet.
  public init() {}

  /// A copy of these deadlines for a single attempt that is not repeated. The server's replies get the longest time
  /// that `StepPatience` ever grants.
  public var patient: RTMPDeadlines {
    var deadlines = self
    deadlines.connectReply = StepPatience.longestNanos
    deadlines.publishReply = StepPatience.longestNanos
    return deadlines
  }

  /// The times at which a stop ends the good-bye and cuts the connection, if the stop has to return by `deadline`.
  /// Between the cut and `deadline` the thread has time to end.
  func stopTimes(
    goodbye saysGoodbye: Bool, now: MediaTime, by deadline: MediaTime
  ) -> (goodbye: MediaTime, cut: MediaTime) {
    let spare = min(Int64.milliseconds(200), max(0, deadline - now) / 4)
    let goodbyeBy = min(deadline - spare, now + goodbye)
    // Without a good-bye only a blocking call can keep the thread busy, so the connection is cut within 50 ms.
    return (goodbyeBy, saysGoodbye ? goodbyeBy + spare / 2 : now + min(spare, .milliseconds(50)))
  }

  /// Nanoseconds without any acknowledgement by TCP after which a path with this round-trip time counts as dead. The
  /// result is less than `send`, after which the kernel ends the connection by itself.
  /// - Parameter roundTrip: TCP's smoothed round-trip time in nanoseconds.
  func stall(roundTrip: Int64) -> Int64 {
    min(max(stall, 2 * roundTrip), max(stall, send - .seconds(1)))
  }

  /// Nanoseconds that an attempt has to make a TCP connection to one address. That time is short, because the kernel
  /// repeats a SYN only after 1, 3, 7 and 15 s: a new attempt notices sooner that the path works again. For slow paths,
  /// every third attempt has more time: `connect` if a server has accepted the stream before, otherwise
  /// `patient.connect`.
  /// - Parameters:
  ///   - tries: the number of attempts that have failed in a row.
  ///   - wasPublished: whether a server has accepted the stream before, and so has answered in time.
  ///   - patient: these deadlines as `StepPatience` has lengthened them.
  func dialNanos(_ tries: Int, wasPublished: Bool, patient: RTMPDeadlines) -> Int64 {
    let isLong = tries % 3 == 2
    if wasPublished { return isLong ? connect : min(connect, max(.seconds(1), retryPause)) }
    return isLong ? patient.connect : connect
  }

  /// The time limit of a step in nanoseconds.
  package func nanos(_ step: RTMPStep) -> Int64 {
    switch step {
    case .resolve: resolve
    case .connect: connect
    case .tls: tls
    case .handshake: handshake
    case .connectReply: connectReply
    case .publishReply: publishReply
    // This limit applies while TCP makes no progress. While the server reads slowly, the limit is `send` per message.
    case .send: min(send, stall)
    case .goodbye: goodbye
    }
  }
}
