// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CFFmpeg
internal import Media

/// Decodes a guest's video just in time, and writes the frames that are wanted. Used by one thread.
@safe final class GuestPictures {
  /// A frame that is later than this many nanoseconds is not converted.
  static let maxLateNanos: Int64 = .milliseconds(60)
  /// After this time without a frame, in nanoseconds, one is shown even if it is late.
  static let showAnywayNanos: Int64 = .milliseconds(500)
  /// The time from one frame to the next while few are wanted, in nanoseconds.
  static let fewNanos: Int64 = .milliseconds(450)
  /// The range of the time before it is due at which a packet is decoded, in nanoseconds.
  private static let leads: ClosedRange<Int64> = .milliseconds(4)...Int64.milliseconds(40)
  /// The most bytes of packets since the last keyframe that are kept.
  private static let maxGroupBytes = 6 << 20
  /// The most pixels of a frame, and the longest side.
  private static let maxPixels = 1280 * 720
  private static let maxSide = 1280

  private let buffer: GuestBuffer
  private let output: any GuestOutput
  private let clock: MediaClock
  /// Called with the size of the frames, when it is known or changes.
  private let note: (PictureSize) -> Void
  private let converter = FrameConverter(
    largest: PictureSize(width: 1280, height: 720), rowAlignment: 1)
  private var decoder: GuestDecoder?
  /// The time of the frame in the decoder that waits to be due; `nil` for none.
  private var frameTime: Int64?
  /// The packets since the last keyframe. While few frames are wanted only keyframes are decoded; when all are, those
  /// after it are decoded at once, so that the picture is there without the next keyframe.
  private var group: [GuestPacket] = []
  private var groupBytes = 0
  /// Packets of the group that have to be decoded before those of the buffer.
  private var replay: ArraySlice<GuestPacket> = []
  /// Whether the decoder has been given all packets of the group.
  private var isInStep = false
  /// Whether the group lacks packets, so that all frames can be shown from the next keyframe on only.
  private var isGroupCut = true
  private var size = PictureSize(width: 0, height: 0)
  /// How long before it is due a packet is decoded.
  private var lead = GuestPictures.leads.lowerBound
  private var lastDue = MediaTime.distantPast
  private var lastShown = MediaTime.distantPast
  /// From when on the next frame is within the wanted frame rate.
  private var nextAllowed = MediaTime.distantPast
  /// The number of frames that were decoded.
  private(set) var decodedFrames = 0

  init(
    _ buffer: GuestBuffer, output: any GuestOutput, clock: MediaClock,
    note: @escaping (PictureSize) -> Void
  ) {
    self.buffer = buffer
    self.output = output
    self.clock = clock
    self.note = note
  }

  /// Does the next piece of work: decodes one packet, or shows one frame.
  /// - Returns: when there is more to do; `.distantFuture` if a packet has to come first.
  func step() -> MediaTime {
    let now = clock.now
    let wants = output.wants
    if let time = frameTime {
      let due = buffer.due(time)
      guard due - lead <= now else { return due - lead }
      frameTime = nil
      show(due: due, now, wants)
      return now
    }
    if wants.pictures == .all, isInStep, let decoder, decoder.receive() {
      takeFrame(of: decoder, now)
      return now
    }
    if wants.pictures != .all { (isInStep, replay) = (false, []) }
    if wants.pictures == .all, !isInStep, !isGroupCut {
      decoder?.flush()
      replay = group[...]
      isInStep = true
    }
    if let packet = replay.popFirst() {
      decode(packet)
      return now
    }
    guard let item = buffer.take(.video, now: now, lead: lead) else {
      return buffer.nextDue(.video).map { $0 - lead } ?? .distantFuture
    }
    switch item {
    case .track(let track):
      decoder = GuestDecoder(track)
      (group, groupBytes, isGroupCut, isInStep, replay) = ([], 0, true, false, [])
    case .packet(let packet):
      keep(packet)
      take(packet, now, wants)
    }
    return now
  }

  /// Adds a packet to the group, or begins a new one with a keyframe.
  private func keep(_ packet: GuestPacket) {
    if packet.isKeyframe { (group, groupBytes, isGroupCut) = ([], 0, false) }
    guard !isGroupCut else { return }
    groupBytes += packet.byteCount
    guard groupBytes <= GuestPictures.maxGroupBytes else {
      (group, groupBytes, isGroupCut) = ([], 0, true)
      return
    }
    group.append(packet)
  }

  private func take(_ packet: GuestPacket, _ now: MediaTime, _ wants: GuestWants) {
    switch wants.pictures {
    case .all:
      // At the very first keyframe, or the first after packets were missing.
      if !isInStep, packet.isKeyframe {
        decoder?.flush()
        isInStep = true
      }
      if isInStep { decode(packet) }
    case .few where packet.isKeyframe && now - lastShown >= GuestPictures.fewNanos:
      guard let decoder else { return }
      decoder.flush()
      decoder.send(packet)
      decoder.send(nil)
      if decoder.receive() { takeFrame(of: decoder, now) }
    case .few, .none: break
    }
  }

  private func decode(_ packet: GuestPacket) {
    guard let decoder else { return }
    let began = clock.now
    decoder.send(packet)
    if decoder.receive() { takeFrame(of: decoder, began) }
    noteWork(clock.now - began)
  }

  /// Decoding begins as early as the slowest frames of the last seconds need.
  private func noteWork(_ nanos: Int64) {
    let leads = GuestPictures.leads
    lead = max(leads.lowerBound, min(leads.upperBound, max(lead - lead / 100, nanos * 3 / 2)))
  }

  private func takeFrame(of decoder: GuestDecoder, _ now: MediaTime) {
    decodedFrames += 1
    frameTime = decoder.time ?? now.nanos
    let frame = unsafe decoder.frame.pointee
    let found = unsafe PictureSize(width: Int(frame.width), height: Int(frame.height))
    guard found != size else { return }
    size = found
    note(found)
  }

  private func show(due: MediaTime, _ now: MediaTime, _ wants: GuestWants) {
    guard let decoder, wants.pictures != .none, isWanted(due, now, wants) else { return }
    let began = clock.now
    converter.largest = GuestPictures.largest(wants.largest)
    var orientation = Orientation.upright
    if let matrix = unsafe onair_av_display_matrix(decoder.frame, nil) {
      orientation = unsafe Orientation(matrix: matrix[0], matrix[1], matrix[3], matrix[4])
    }
    let plan = unsafe converter.plan(for: decoder.frame, orientation)
    guard let room = unsafe output.beginPicture(plan.format.size),
      room.count >= plan.format.byteCount,
      unsafe converter.convert(decoder.frame, by: plan, into: room)
    else { return }
    lastDue = max(due, lastDue + 1)
    lastShown = now
    output.endPicture(dueAt: lastDue, colour: plan.format.colour)
    noteWork(clock.now - began)
  }

  /// Whether a frame is in time and within the wanted frame rate.
  private func isWanted(_ due: MediaTime, _ now: MediaTime, _ wants: GuestWants) -> Bool {
    let isLate = now - due > GuestPictures.maxLateNanos
    guard !isLate || now - lastShown >= GuestPictures.showAnywayNanos else { return false }
    guard wants.pictures == .all else { return true }
    let interval = Int64.seconds(1) / Int64(max(1, min(60, wants.framesPerSecond)))
    // The sender's clock and rounded timestamps must not cost a frame.
    guard due >= nextAllowed - interval / 8 || due < lastDue - .seconds(1) else { return false }
    nextAllowed = max(nextAllowed + interval, due)
    return true
  }

  /// The wanted area, within what an output takes.
  private static func largest(_ wanted: PictureSize) -> PictureSize {
    var size = PictureSize(
      width: max(2, min(maxSide, wanted.width)), height: max(2, min(maxSide, wanted.height)))
    if size.width * size.height > maxPixels {
      size.height = maxPixels / size.width & ~1
    }
    return size
  }
}
