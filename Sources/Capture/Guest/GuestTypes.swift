// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Media

/// The input that the reader of a guest opens.
struct GuestInputRequest: Equatable, Sendable {
  /// A URL of one of the schemes rtmp, rtmps, http, https, rtsp, rtsps and srt, at most 2,048 bytes. Of a guest who
  /// sends: empty for RTMP, and for SRT "srt://" with any address of the box, the port and the passphrase.
  var address: String
  /// The socket of a guest who sends: a TCP connection for RTMP, a connected UDP socket for SRT. `nil` if the address
  /// is fetched.
  var socket: Int32?
  /// Whether the server's certificate must be valid, where the connection uses TLS.
  var verifiesTLS = true
  /// The time for which SRT waits for a lost packet, in nanoseconds.
  var srtLatencyNanos = Int64.milliseconds(120)
  /// An extra delay of video and audio that the user has set, in nanoseconds; not negative.
  var delayNanos: Int64 = 0
}

/// The parts of a guest that are used at present. The reader decodes and converts nothing else.
public struct GuestWants: Equatable, Sendable {
  /// How many frames of the guest's video are used.
  public enum Pictures: UInt8, Sendable, CaseIterable {
    case none
    /// Two a second, for a thumbnail: the reader may decode keyframes alone.
    case few
    /// As many as the guest sends, at most `framesPerSecond`.
    case all
  }

  public var pictures: Pictures
  /// The area that a frame must fit into. Larger frames are scaled down, smaller ones stay as they are.
  public var largest: PictureSize
  /// The highest frame rate with `Pictures.all`: 1 to 60.
  public var framesPerSecond: Int
  /// Whether audio is used.
  public var sound: Bool

  public init(
    pictures: Pictures = .few, largest: PictureSize = PictureSize(width: 1280, height: 720),
    framesPerSecond: Int = 30, sound: Bool = true
  ) {
    self.pictures = pictures
    self.largest = largest
    self.framesPerSecond = framesPerSecond
    self.sound = sound
  }
}

/// The tracks of a guest, as the reader has found them. The numbers may be wrong: they come from the guest.
public struct GuestTracks: Equatable, Sendable {
  public struct Video: Equatable, Sendable {
    /// The codec's name in libavcodec, such as "h264"; at most 15 bytes.
    public var codec: String
    public var size: PictureSize
    /// Frames per second; 0 if unknown.
    public var frameRate: Double

    public init(codec: String, size: PictureSize, frameRate: Double) {
      (self.codec, self.size, self.frameRate) = (codec, size, frameRate)
    }
  }

  public struct Audio: Equatable, Sendable {
    /// The codec's name in libavcodec, such as "aac"; at most 15 bytes.
    public var codec: String
    /// Sample frames per second.
    public var sampleRate: Int
    public var channels: Int

    public init(codec: String, sampleRate: Int, channels: Int) {
      (self.codec, self.sampleRate, self.channels) = (codec, sampleRate, channels)
    }
  }

  /// `nil` if the guest sends no video.
  public var video: Video?
  /// `nil` if the guest sends no audio.
  public var audio: Audio?

  public init(video: Video?, audio: Audio?) {
    (self.video, self.audio) = (video, audio)
  }
}

/// Why a guest cannot be read.
public enum GuestFault: UInt8, Error, Sendable, CaseIterable {
  /// The address is not one that a guest may have.
  case wrongAddress = 1
  /// No server has the name.
  case nameNotFound
  /// The server does not exist, refuses connections or is not reachable.
  case noConnection
  /// A step took longer than its deadline.
  case timedOut
  /// The guest's server refuses the user, password or key.
  case unauthorized
  /// The server has nothing at this path, or nothing at present.
  case nothingThere
  /// The server's certificate is not valid.
  case badCertificate
  /// No track has a codec that is decoded here.
  case unsupported
  /// The data cannot be understood.
  case badData
  /// The connection broke, or nothing came any more.
  case lost
  /// Something is missing on this machine: libavformat, memory, a process.
  case noReader
  /// The reader's process has crashed, hung or broken its rules. Only OnAir's side uses this.
  case readerFailed
  /// The guest, who sends, has connected a second time. Only OnAir's side uses this.
  case replaced
  /// OnAir cannot listen where the guest sends. Only OnAir's side uses this.
  case notListening
}

/// The state of a reader.
enum GuestState: Equatable, Sendable {
  /// The reader connects.
  case connecting
  /// Video or audio is coming. Told again when the tracks change.
  case open(GuestTracks)
  /// The guest has ended by himself: the stream has an end.
  case ended
  /// The reader cannot go on. `detail` is a text of a library or a server, at most 200 bytes, for the log.
  case failed(GuestFault, detail: String)
}

/// Where a reader delivers what it has decoded. `GuestMemoryOutput` writes it to memory that OnAir reads; tests have an
/// output of their own.
///
/// Frames are written by one thread at a time, audio by one thread at a time; the rest may be used by any thread.
protocol GuestOutput: AnyObject, Sendable {
  /// The parts that are used at present. It changes at any time.
  var wants: GuestWants { get }
  /// Whether the reader has to return. It then has half a second before its process is killed.
  ///
  /// Each use of an output, of this property above all, also shows that the reader has not hung: a reader that uses its
  /// output less often than every few seconds is killed.
  var isStopping: Bool { get }

  /// Room for a frame: three planes without padding between the rows, in the layout of
  /// `FrameFormat(pixelFormat: .i420, size: size, colour: …)`. Valid until `endPicture`.
  /// - Parameter size: both sides even, 2 to 1,280 pixels each, and at most 1280×720 pixels in all.
  /// - Returns: `nil` if no frame is used at present, or for another size.
  @unsafe func beginPicture(_ size: PictureSize) -> UnsafeMutableRawBufferPointer?

  /// Delivers the frame that `beginPicture` has given room for. Without this call the frame is dropped.
  /// - Parameter dueAt: when the frame is to be shown. It should be delivered at that time or a little before.
  func endPicture(dueAt: MediaTime, colour: Colour)

  /// Delivers audio: 48 kHz, stereo, interleaved. It should be delivered 40 to 500 ms before it is to be heard: OnAir
  /// takes it every 20 ms.
  /// - Parameters:
  ///   - frames: sample frames, 1 to 480.
  ///   - startsAt: when the first sample is to be heard. Blocks without a gap between them follow each other to within
  ///     2 ms; they are then joined without a gap.
  @unsafe func put(_ samples: UnsafePointer<Float>, frames: Int, startsAt: MediaTime)

  /// Asks whether a guest who sends may do so, and waits for the answer.
  /// - Parameter key: that of the guest; empty if the socket says whose it is.
  /// - Returns: the extra delay that the user has set for the guest, in nanoseconds; `nil` if no guest has the key.
  func publish(_ key: String) -> Int64?

  /// Reports a change of state.
  func tell(_ state: GuestState)
}
