// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg
public import Media
internal import Synchronization

/// The pictures of a media file in real time, looped; a file with one picture shows it for ever.
///
/// What stands at t in the file is put at epoch + k × duration + t, as `FileSound` with the same epoch
/// does with the sound. A picture stands until the next: it is put again every 100 ms meanwhile, so
/// that nobody takes a slow slide show for a dead source.
public final class FilePictures: Source {
  static let repeatNanos: Int64 = .milliseconds(100)
  static let lateNanos: Int64 = .milliseconds(100)
  /// Some picture is shown this often, be it late.
  static let showAnywayNanos: Int64 = .milliseconds(500)
  /// Further behind, the file is sought forward.
  static let seekNanos: Int64 = .seconds(3)
  static let retryNanos: Int64 = .seconds(1)

  private let path: String
  private let epoch: MediaTime
  private let longestSide: Int
  private let frames: NewestFrame
  private let report: SourceListener
  private let waker = Waker()
  private let thread = Mutex<MediaThread?>(nil)
  private let loops = Atomic<Int>(0)

  /// - Parameters:
  ///   - epoch: when the file's beginning is due.
  ///   - longestSide: larger pictures are made smaller, so that neither side is longer.
  public init(
    path: String, epoch: MediaTime, longestSide: Int = 1920, frames: NewestFrame,
    report: @escaping SourceListener
  ) {
    self.path = path
    self.epoch = epoch
    self.longestSide = longestSide
    self.frames = frames
    self.report = report
  }

  /// Passes through the whole file.
  var passes: Int { loops.load(ordering: .relaxed) }

  /// See `Source`.
  public func start() {
    thread.withLock {
      $0 = MediaThread(name: "file-pictures", urgency: .ordinary) { [self] in run() }
    }
  }

  /// See `Source`.
  @discardableResult public func stop(by deadline: MediaTime) -> Bool {
    waker.wake()
    return thread.withLock { $0 }?.join(until: deadline) ?? true
  }

  private func run() {
    var told: SourceReport?
    func tell(_ news: SourceReport) {
      guard news != told else { return }
      told = news
      report(news)
    }
    repeat {
      do throws(FileTrouble) {
        try play { format in
          tell(
            SourceReport(
              state: .running, code: "running",
              sentence: "The pictures come from the file \(path), \(format.size)."))
        }
        return
      } catch {
        if error == .interrupted { return }
        tell(SourceReport(state: .trouble, code: error.code, sentence: error.sentence))
      }
    } while !waker.wait(for: -1, until: .now() + FilePictures.retryNanos).woken
  }

  /// Returns when it is told to stop.
  private func play(whenRunning: (FrameFormat) -> Void) throws(FileTrouble) {
    var file = try MediaFile(path: path, kind: .pictures, waker: waker)
    var clock = LoopClock(epoch: epoch, duration: file.duration)
    var showing = Showing(converter: PictureConverter(longestSide: longestSide))
    defer { showing.clear() }
    var told = false
    var pictures = 0
    var whole = true

    func seek(to time: Int64) throws(FileTrouble) {
      pictures = 0
      whole = time == 0
      guard !file.rewind(to: time) else { return }
      whole = true
      file = try MediaFile(path: path, kind: .pictures, waker: waker)
    }

    let into = clock.begin(at: .now())
    if into > FilePictures.seekNanos { try seek(to: into) }
    while true {
      let step = file.next()
      if waker.wait(for: -1, until: .distantPast).woken { return }
      switch step {
      case .frame(let time):
        pictures += 1
        // A still is shown at once, wherever in the file it stands.
        let due = max(clock.due(time), clock.passStart)
        let behind = MediaTime.now() - due
        clock.goesOn(to: file.measuredEnd)
        // Behind the end, or led astray by damage.
        if time > 0, due >= clock.passEnd || time > file.measuredEnd { continue }
        if behind > FilePictures.seekNanos, pictures > 1, clock.duration != nil {
          try seek(to: clock.begin(at: .now()))
          continue
        }
        if pictures > 1, behind > FilePictures.lateNanos,
          MediaTime.now() - showing.lastPut < FilePictures.showAnywayNanos
        {
          continue
        }
        guard unsafe show(file.frame, due: due, &showing) else { return }
        // Once: a file may change its size with each picture.
        if let format = showing.format, !told {
          told = true
          whenRunning(format)
        }
      case .ended:
        if pictures == 0 {
          guard whole else {
            try seek(to: 0)
            continue
          }
          throw .broken(path: path, what: MediaFile.Kind.pictures.word)
        }
        if pictures == 1, whole {
          while stand(until: .distantFuture, &showing) {}
          return
        }
        clock.passEnded(at: file.measuredEnd)
        loops.wrappingAdd(1, ordering: .relaxed)
        try seek(to: 0)
      }
    }
  }

  /// The picture that stands, and what makes it.
  private struct Showing {
    let converter: PictureConverter
    var store: PictureStore?
    var slot: Int?
    var format: FrameFormat?
    var lastPut = MediaTime.distantPast

    init(converter: PictureConverter) { self.converter = converter }

    mutating func clear() {
      if let slot { store?.recycle(slot: slot) }
      slot = nil
    }
  }

  /// Converts a picture and puts it when it is due.
  /// - Returns: `false` when told to stop.
  private func show(
    _ frame: UnsafePointer<AVFrame>, due: MediaTime, _ showing: inout Showing
  ) -> Bool {
    let format = unsafe showing.converter.format(of: frame)
    let store: PictureStore
    if let fitting = showing.store, fitting.capacity >= format.byteCount {
      store = fitting
    } else {
      showing.clear()
      store = PictureStore(capacity: format.byteCount)
      showing.store = store
    }
    guard let slot = store.claim() else {
      return true
    }
    guard unsafe showing.converter.convert(frame, to: format, into: store.bytes(of: slot)) else {
      store.recycle(slot: slot)
      return true
    }
    while MediaTime.now() < due {
      guard stand(until: due, &showing) else {
        store.recycle(slot: slot)
        return false
      }
    }
    showing.clear()
    showing.slot = slot
    showing.format = format
    // A late picture, and one after a repetition, must not go back in time.
    let time = max(due, showing.lastPut + 1)
    frames.put(store.lend(slot, format: format, capturedAt: time))
    showing.lastPut = time
    return true
  }

  /// Waits until `deadline`, or until the picture that stands has to be put again, and puts it.
  /// - Returns: `false` when told to stop.
  private func stand(until deadline: MediaTime, _ showing: inout Showing) -> Bool {
    let again = max(showing.lastPut + FilePictures.repeatNanos, .now())
    let next = showing.slot == nil ? deadline : min(deadline, again)
    if waker.wait(for: -1, until: next).woken { return false }
    guard next < deadline, let slot = showing.slot, let store = showing.store,
      let format = showing.format
    else { return true }
    frames.put(store.lend(slot, format: format, capturedAt: next))
    showing.lastPut = next
    return true
  }
}
