// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// A step of publishing that can take time, in order.
public enum RTMPStep: String, Sendable, CaseIterable {
  case resolve
  case connect
  case tls
  case handshake
  case connectReply = "connect_reply"
  case publishReply = "publish_reply"
  case send
  case goodbye
}

/// How long each step may take and when to try again: all of it, in one place.
public struct RTMPDeadlines: Sendable, Equatable {
  /// Nanoseconds for the name to become addresses.
  public var resolve = Int64.seconds(5)
  /// Nanoseconds for the TCP connection, for each address of the name.
  public var connect = Int64.seconds(4)
  /// Nanoseconds for the TLS handshake, two round trips and the server's arithmetic.
  public var tls = Int64.seconds(5)
  /// Nanoseconds for both sides' handshakes, 3,073 bytes each way.
  public var handshake = Int64.seconds(5)
  /// Nanoseconds for the answer to "connect".
  public var connectReply = Int64.seconds(5)
  /// Nanoseconds for the answers to "createStream" and "publish". A server may ask another one
  /// whether the key is right.
  public var publishReply = Int64.seconds(8)
  /// Nanoseconds for one message to be taken by the kernel, for TCP to see any progress, and for
  /// the answer to one message of the server.
  public var send = Int64.seconds(8)
  /// Nanoseconds without any progress of TCP, while there is something to send, after which the path counts as
  /// dead; on a slow one two round trips, if that is more.
  public var stall = Int64.seconds(4)
  /// Less than `send`, after which the kernel ends the connection by itself.
  var longestStall: Int64 { max(stall, send - .seconds(1)) }
  /// Nanoseconds from the capture of what the server is known to have, above which nothing that was sent since
  /// counts as delivered.
  public var confirmation = Int64.seconds(3)
  /// Nanoseconds for the server to say that the stream has ended; many say nothing.
  public var farewell = Int64.milliseconds(300)
  /// Nanoseconds for the good-bye to be read by the server.
  public var goodbye = Int64.milliseconds(1_000)
  /// Nanoseconds from the start of a failed attempt to that of the next; the first after a loss is at once. After a
  /// refusal they count from its end, and after each further one they are twice as many, …
  public var retryPause = Int64.seconds(2)
  /// … but never longer than these nanoseconds.
  public var longestRetryPause = Int64.seconds(60)
  /// Nanoseconds for which a server must have taken the stream before that makes up for earlier
  /// refusals.
  public var goodPublish = Int64.seconds(30)
  /// Nanoseconds for which a server may call a stream in use because it has not noticed that this
  /// publisher's last connection is gone. The pause does not grow meanwhile.
  public var heldPublish = Int64.seconds(30)
  /// Nanoseconds until a cause that stays, or comes again and again, is told once more.
  public var reminder = Int64.seconds(600)

  /// The part of itself by which a growing pause is shortened or lengthened by chance.
  static let retrySpread = 0.2
  /// The same for an even one: boxes that one cut has thrown out should not all come back in one moment.
  static let evenSpread = 0.05
  /// What each byte of a message adds to its time: 64 kbit/s.
  static let nanosPerByte: Int64 = 125_000
  /// Addresses of one name that an attempt tries at most.
  static let addressesTried = 4
  /// What a server may send on the whole, and by how many seconds' worth it may get ahead of that.
  /// One that acknowledges each 10 kB of 12 Mbit/s sends 150 messages of 16 bytes a second.
  static let inboundMessagesPerSecond = 500
  static let inboundBytesPerSecond = 65_536
  static let inboundSeconds = 4

  /// Deadlines for the Internet.
  public init() {}

  /// Nanoseconds for the TCP connection at an attempt to come back. The kernel asks for one again after 1, 3 and 7 s: where the
  /// path may be back any moment, asking anew finds it sooner; but now and then a slow one gets all the time.
  func dial(_ tries: Int) -> Int64 {
    tries % 3 == 2 ? connect : min(connect, max(.seconds(1), retryPause))
  }

  package func nanos(_ step: RTMPStep) -> Int64 {
    switch step {
    case .resolve: resolve
    case .connect: connect
    case .tls: tls
    case .handshake: handshake
    case .connectReply: connectReply
    case .publishReply: publishReply
    // A server that takes nothing at all; one that takes a little has the whole time for each message.
    case .send: min(send, stall)
    case .goodbye: goodbye
    }
  }
}
