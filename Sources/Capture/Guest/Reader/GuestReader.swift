// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CFFmpeg
internal import Synchronization

/// Reads one guest, in a process of its own.
enum GuestReader {
  /// The time from the first packet until a track must have a codec that is decoded, in nanoseconds.
  private static let supportNanos: Int64 = .seconds(3)
  /// The longest time without anything decoded, in nanoseconds. A connection anew may help.
  private static let decodeNanos: Int64 = .seconds(30)
  /// The time without packets of a track after which another one of its kind takes its place, in nanoseconds.
  private static let silentNanos: Int64 = .seconds(1)
  /// How often the threads look whether they have to end, in nanoseconds.
  private static let lookNanos: Int64 = .milliseconds(100)

  /// Reads the guest once: until it ends, fails, or `output` says so. Tells `output` each change of state.
  static func run(
    _ request: GuestInputRequest, output: any GuestOutput, clock: MediaClock = .system
  ) {
    output.tell(.connecting)
    do throws(GuestInput.Failure) {
      let (input, delay) = try open(request, output)
      let reading = Reading(
        GuestBuffer(isInPieces: input.isInPieces, extraDelay: max(0, delay)), output, clock)
      let player = MediaThread(name: "guest-player", urgency: .ordinary) { reading.play() }
      defer {
        reading.requestStop()
        _ = player.join(until: .distantFuture)
      }
      try reading.read(input)
      if !output.isStopping { output.tell(.ended) }
    } catch {
      if !output.isStopping { output.tell(.failed(error.fault, detail: error.detail)) }
    }
  }

  /// Connects with the guest, or waits for what it sends.
  /// - Returns: the connection, and an extra delay in nanoseconds.
  private static func open(
    _ request: GuestInputRequest, _ output: any GuestOutput
  ) throws(GuestInput.Failure) -> (GuestInput, delay: Int64) {
    guard let socket = request.socket else {
      return (try GuestInput(request, output: output), request.delayNanos)
    }
    guard !request.address.isEmpty else {
      let publisher = try GuestPublisher(socket, output: output)
      return (try GuestInput(request, publisher, output: output), publisher.delayNanos)
    }
    // SRT has compared the passphrase before anything comes.
    let input = try GuestInput(request, output: output)
    guard let delay = output.publish("") else {
      throw GuestInput.Failure(fault: .unauthorized, detail: "")
    }
    return (input, delay)
  }

  /// The work of both threads.
  private final class Reading: Sendable {
    private let buffer: GuestBuffer
    private let output: any GuestOutput
    private let clock: MediaClock
    private let isStopping = Atomic(false)
    /// When something was decoded last, or was not wanted, as `MediaTime.nanos`.
    private let decodedAt: Atomic<Int64>
    private let tracks = Mutex(GuestTracks(video: nil, audio: nil))

    init(_ buffer: GuestBuffer, _ output: any GuestOutput, _ clock: MediaClock) {
      self.buffer = buffer
      self.output = output
      self.clock = clock
      decodedAt = Atomic(clock.now.nanos)
    }

    func requestStop() {
      isStopping.store(true, ordering: .releasing)
      buffer.arrival.signal()
    }

    // MARK: The thread that plays

    func play() {
      let sound = GuestSound(buffer, output: output, clock: clock) { [self] rate, channels in
        change {
          $0.audio?.sampleRate = rate
          $0.audio?.channels = channels
        }
      }
      let pictures = GuestPictures(buffer, output: output, clock: clock) { [self] size in
        change { $0.video?.size = size }
      }
      var decoded = 0
      while !isStopping.load(ordering: .acquiring) {
        // Audio first: it takes little time, and has to be there earlier.
        var next = sound.step()
        if next > clock.now { next = min(next, pictures.step()) }
        let now = clock.now
        let sum = sound.decodedFrames + pictures.decodedFrames
        if sum != decoded || !isUsed { decodedAt.store(now.nanos, ordering: .relaxed) }
        decoded = sum
        guard next > now else { continue }
        buffer.advance(to: now)
        _ = buffer.arrival.wait(until: min(next, now + GuestReader.lookNanos), on: clock)
      }
    }

    private var isUsed: Bool {
      let wants = output.wants
      return wants.sound || wants.pictures != .none
    }

    private func change(_ body: (inout GuestTracks) -> Void) {
      let changed: GuestTracks? = tracks.withLock { tracks in
        let before = tracks.described
        body(&tracks)
        return tracks.described == before ? nil : tracks.described
      }
      if let changed { output.tell(.open(changed)) }
    }

    // MARK: The thread that reads

    /// A stream that is used.
    private struct Used {
      var stream: Int
      var codec: AVCodecID
      var arrived: MediaTime
    }

    /// The streams that are used, and why others cannot be, for each `GuestKind`.
    private struct Streams {
      var used: [Used?] = [nil, nil]
      var unsupported: [String?] = [nil, nil]

      /// Why the guest has no video, or neither video nor audio.
      var missing: String? {
        let (video, audio) = (GuestKind.video.rawValue, GuestKind.audio.rawValue)
        guard used[video] == nil else { return nil }
        return unsupported[video] ?? (used[audio] == nil ? unsupported[audio] : nil)
      }
    }

    func read(_ input: GuestInput) throws(GuestInput.Failure) {
      var streams = Streams()
      var begin: MediaTime?
      while case .packet(let stream) = try input.read() {
        let now = clock.now
        let start = begin ?? now
        begin = start
        take(input, stream, now, &streams)
        if now - start > GuestReader.supportNanos, let name = streams.missing {
          throw GuestInput.Failure(fault: .unsupported, detail: name)
        }
        if now.nanos - decodedAt.load(ordering: .relaxed) > GuestReader.decodeNanos {
          throw GuestInput.Failure(fault: .badData, detail: "nothing can be decoded")
        }
        while buffer.isFull, !output.isStopping {
          clock.sleep(until: clock.now + .milliseconds(10))
        }
      }
      // What has come before the end is still played.
      let deadline = clock.now + GuestBuffer.maxSpanNanos
      while !buffer.isEmpty, clock.now < deadline, !output.isStopping {
        clock.sleep(until: clock.now + .milliseconds(20))
      }
    }

    /// Puts the packet that was read into the buffer, if its stream is used.
    private func take(
      _ input: GuestInput, _ stream: Int, _ now: MediaTime, _ streams: inout Streams
    ) {
      guard let kind = input.kind(stream) else { return }
      let present = streams.used[kind.rawValue]
      let codec = input.codec(stream)
      if present?.stream != stream || present?.codec != codec {
        if let present, present.stream != stream, now - present.arrived < GuestReader.silentNanos {
          return
        }
        guard let track = input.track(stream) else { return }
        if let obstacle = track.obstacle {
          streams.unsupported[kind.rawValue] = obstacle
          return
        }
        buffer.begin(track)
        tell(track)
      }
      streams.used[kind.rawValue] = Used(stream: stream, codec: codec, arrived: now)
      unsafe buffer.put(input.packet, kind, stamps: input.stamps, arrived: now)
    }

    private func tell(_ track: GuestTrack) {
      change { tracks in
        switch track.kind {
        case .video: tracks.video = track.video
        case .audio: tracks.audio = track.audio
        }
      }
    }
  }
}

extension GuestTracks {
  /// Without a video whose size is unknown: nothing of it can be decoded until its parameter sets come.
  fileprivate var described: GuestTracks {
    video?.size.width == 0 ? GuestTracks(video: nil, audio: audio) : self
  }
}
