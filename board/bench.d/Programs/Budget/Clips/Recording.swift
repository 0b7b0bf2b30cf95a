// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

extension Track {
  /// Measures a program whose input is `footage`.
  /// - Parameter folder: for the received stream.
  func budget(
    _ program: BudgetProgram, _ budgetCase: BudgetCase, _ footage: Footage, folder: String
  ) throws -> BudgetRun {
    let sampler = Sampler(stateFolder: program.contender == .onair ? "\(work)/state" : "")
    let removal =
      budgetCase == .core ? CoreRemoval(seconds: seconds, log: "\(work)/tools.log") : nil
    defer { removal?.clean() }
    let hog = budgetCase == .hiccup ? Hog() : nil
    let others: [(any Companion)?] = [removal, hog]
    let seen = try observe(
      program.contender, buffers: Track.cameraBuffers,
      companions: [sampler] + others.compactMap(\.self))

    var run = BudgetRun(
      program: program, budgetCase: budgetCase, clip: footage.name, loop: footage.loop)
    run.removal = try removal?.removal()
    let spans = (hog?.hiccups ?? []) + [run.removal?.span].compactMap(\.self)
    run.taken = spans.map {
      seen.sinceBegin($0.lowerBound)..<seen.sinceBegin($0.upperBound)
    }
    let shown = try decode(seen.arrivals, footage, file: "\(folder)/\(run.stem)")
    run.frames = seen.frames(shown)
    run.note(seen, sampler.samples, seconds: seconds)
    return run
  }

  /// Stores the received video, and compares it with what was sent.
  private func decode(
    _ arrivals: [Arrival], _ footage: Footage, file: String
  ) throws -> [ShownFrame] {
    var shown: [ShownFrame] = []
    for (index, segment) in Segment.split(arrivals).enumerated() {
      let name = index == 0 ? "\(file).h264" : "\(file)-\(index + 1).h264"
      guard TextFile.write(segment.byteStream, to: name) else {
        throw Child.FailedError(description: "cannot write to \(name)")
      }
      let numbers = try Stream(segment.arrivals).numbers
      let similarities = try Quality.similarities(
        name, to: footage, numbers: numbers, log: "\(work)/ssim.log")
      for (picture, (number, similarity)) in zip(segment.pictures, zip(numbers, similarities)) {
        shown.append(
          ShownFrame(
            number: number, time: picture.time, bytes: picture.bytes.count, similarity: similarity))
      }
    }
    return shown
  }
}

/// A frame that arrived.
private struct ShownFrame {
  var number: Int?
  var time: MediaTime
  var bytes: Int
  var similarity: Double?
}

extension Track.Observation {
  fileprivate func sinceBegin(_ time: MediaTime) -> Double {
    Double(time - window.lowerBound) / 1e9
  }

  /// All frames that were captured while it was measured.
  fileprivate func frames(_ shown: [ShownFrame]) -> [SentFrame] {
    let quickest = zip(feed.captured, feed.lastByteIn).map { $1 - $0 }.min() ?? 0
    var frames = feed.captured.enumerated().map { number, time in
      SentFrame(number: number, captured: sinceBegin(time))
    }
    for frame in shown {
      guard let number = frame.number, frames.indices.contains(number), frames[number].isLost
      else { continue }
      let delay = frame.time - feed.captured[number] - quickest
      frames[number].delayMs = Double(delay) / 1e6
      frames[number].similarity = frame.similarity
    }
    frames += feed.missed.map { SentFrame(captured: sinceBegin($0)) }
    let end = sinceBegin(window.upperBound)
    return frames.filter { (0..<end).contains($0.captured) }.sorted { $0.captured < $1.captured }
  }
}

extension BudgetRun {
  /// Takes over what was seen in the whole measurement and in each second of it.
  fileprivate mutating func note(
    _ seen: Track.Observation, _ samples: [Sampler.Sample], seconds count: Int
  ) {
    let cores = Double(ProcessorSet.all.count)
    func percent(_ nanos: Int64, of length: Int64) -> Double {
      length > 0 ? Double(nanos) / Double(length) / cores * 100 : .nan
    }
    let length = seen.window.upperBound - seen.window.lowerBound
    processorPercent = percent(seen.processorNanos, of: length)
    if let first = samples.first, let last = samples.last {
      ownPercent = percent(last.ownNanos - first.ownNanos, of: last.time - first.time)
    }
    var bytes = [Int](repeating: 0, count: count)
    for picture in seen.arrivals where picture.kind == .picture {
      let second = Int(seen.sinceBegin(picture.time).rounded(.down))
      if bytes.indices.contains(second) { bytes[second] += picture.bytes.count }
    }
    kbps = Double(bytes.reduce(0, +)) * 8 / 1000 / Double(count)
    for index in 0..<count {
      let present = frames.filter { Int($0.captured) == index }
      let delays = present.compactMap(\.delayMs)
      var second = BudgetSecond(frames: present.count, lost: present.count { $0.isLost })
      second.delayMiddleMs = percentile(delays, 50)
      second.longestDelayMs = delays.max() ?? .nan
      second.similarityDB = Quality.decibels(present.compactMap(\.similarity))
      second.kbps = Double(bytes[index]) * 8 / 1000
      if samples.indices.contains(index + 1) {
        let (from, to) = (samples[index], samples[index + 1])
        second.processorPercent = percent(
          to.processorNanos - from.processorNanos, of: to.time - from.time)
        second.level = to.level ?? .nan
      }
      seconds.append(second)
    }
  }
}
