// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CV4L2
internal import Glibc
internal import Media
internal import Synchronization
internal import Testing

@testable import Capture

/// A driver of the tests' own: 64x32 YUYV unless told otherwise, its frames handed in by `shoot`.
@safe final class FakeDevice: VideoDevice, @unchecked Sendable {
  struct State {
    var queued: [Int] = []
    var filled: [FilledBuffer] = []
    var isStreaming = false
    var isStopped = false
    var sequence: UInt32 = 0
    var failure: Int32?
    var hasSignal = true
    var startFailure: Int32?
  }

  let state = Mutex(State())
  let ready = Waker()
  let formats: [FourCC]
  let capabilities: UInt32
  let bus: String
  private let slots: [UnsafeMutableRawBufferPointer]
  static let byteCount = 64 * 32 * 2

  init(
    formats: [FourCC] = [FourCC("YUYV")],
    capabilities: Int32 = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING, bus: String = "usb-fake-1"
  ) {
    self.formats = formats
    self.capabilities = UInt32(capabilities)
    self.bus = bus
    unsafe slots = (0..<4).map { _ in
      .allocate(byteCount: FakeDevice.byteCount, alignment: 64)
    }
    unsafe slots.forEach { unsafe $0.initializeMemory(as: UInt8.self, repeating: 0) }
  }

  deinit { unsafe slots.forEach { unsafe $0.deallocate() } }

  /// The driver fills the next queued buffer with `value`.
  /// - Returns: whether one was queued.
  @discardableResult func shoot(
    _ value: UInt8, byteCount: Int = FakeDevice.byteCount, isDamaged: Bool = false
  ) -> Bool {
    let done = state.withLock { state in
      state.sequence += 1
      guard state.isStreaming, !state.queued.isEmpty else { return false }
      let index = state.queued.removeFirst()
      unsafe slots[index].initializeMemory(as: UInt8.self, repeating: value)
      state.filled.append(
        FilledBuffer(
          index: index, byteCount: byteCount, isDamaged: isDamaged, sequence: state.sequence,
          stamp: MediaTime.now() - .milliseconds(3)))
      return true
    }
    ready.wake()
    return done
  }

  func fail(_ code: Int32) {
    state.withLock { $0.failure = code }
    ready.wake()
  }

  var isStreaming: Bool { state.withLock { $0.isStreaming } }
  var queued: Int { state.withLock { $0.queued.count } }

  // MARK: VideoDevice

  var descriptor: Int32 { ready.descriptor }

  func identity() throws(DriverError) -> VideoIdentity {
    VideoIdentity(driver: "fake", card: "Fake Cam", bus: bus, capabilities: capabilities)
  }

  func hasNoSignal() -> Bool { state.withLock { !$0.hasSignal } }

  func pixelFormats() -> [(format: FourCC, description: String)] {
    formats.map { ($0, "format \($0)") }
  }

  func sizes(of format: FourCC) -> [SizeOffer] { [.one(PictureSize(width: 64, height: 32))] }

  func intervals(of format: FourCC, at size: PictureSize) -> [IntervalOffer] {
    [.one(FrameInterval(numerator: 1, denominator: 30))]
  }

  func setFormat(_ format: DeviceFormat) throws(DriverError) -> DeviceFormat {
    var taken = format
    taken.size = PictureSize(width: 64, height: 32)
    taken.bytesPerLine = format.fourcc == FourCC("YUYV") ? 128 : 64
    taken.byteCount = FakeDevice.byteCount
    return taken
  }

  func setInterval(_ interval: FrameInterval) throws(DriverError) -> FrameInterval? { interval }

  func allocateBuffers(_ count: Int) throws(DriverError) -> Int { unsafe slots.count }

  @unsafe func memory(of index: Int) -> UnsafeMutableRawBufferPointer { unsafe slots[index] }

  func queue(_ index: Int) throws(DriverError) {
    let code: Int32? = state.withLock { state in
      if let failure = state.failure { return failure }
      // What vb2 says of a buffer that is queued already, or after REQBUFS(0).
      if state.isStopped || state.queued.contains(index) { return EINVAL }
      state.queued.append(index)
      return nil
    }
    if let code { throw DriverError(code: code) }
  }

  func dequeue() throws(DriverError) -> FilledBuffer? {
    let (filled, code): (FilledBuffer?, Int32?) = state.withLock { state in
      if let failure = state.failure { return (nil, failure) }
      if state.filled.isEmpty {
        ready.clear()
        return (nil, nil)
      }
      return (state.filled.removeFirst(), nil)
    }
    if let code { throw DriverError(code: code) }
    return filled
  }

  func start() throws(DriverError) {
    let code: Int32? = state.withLock { state in
      if let failure = state.startFailure { return failure }
      state.isStreaming = true
      return nil
    }
    if let code { throw DriverError(code: code) }
  }

  func stop() -> Bool {
    state.withLock {
      $0.isStreaming = false
      $0.isStopped = true
      $0.queued = []
      $0.filled = []
    }
    return true
  }

  func makeConverter(from format: DeviceFormat) -> (any VideoConverter)? { FakeConverter() }
}

/// Fills the picture with the first byte of what it is given; gives up on 0xee.
final class FakeConverter: VideoConverter {
  @unsafe func convert(
    _ source: UnsafeMutableRawBufferPointer, into destination: UnsafeMutableRawBufferPointer
  ) -> Bool {
    let value = unsafe source[0]
    unsafe destination.initializeMemory(as: UInt8.self, repeating: value)
    return value != 0xee
  }
}

/// A machine whose nodes come and go as the tests say.
final class FakeHost: CameraHost {
  enum Node {
    case device(@Sendable () -> FakeDevice)
    case refusal(Int32)
  }

  private let table = Mutex<[String: Node]>([:])
  private let openedDevices = Mutex<[FakeDevice]>([])
  private let holderLookups = Atomic<Int>(0)

  func set(_ path: String, _ node: Node?) { table.withLock { $0[path] = node } }

  /// A camera that is the same object at each opening.
  func plug(_ path: String, _ device: FakeDevice) { set(path, .device { device }) }

  /// Every device that was opened, in order.
  var opened: [FakeDevice] { openedDevices.withLock { $0 } }
  var lookups: Int { holderLookups.load(ordering: .relaxed) }

  func nodes() -> [String] { table.withLock { $0.keys.sorted() } }

  func open(_ path: String) throws(DriverError) -> any VideoDevice {
    switch table.withLock({ $0[path] }) {
    case .device(let make):
      let device = make()
      openedDevices.withLock { $0.append(device) }
      return device
    case .refusal(let code): throw DriverError(code: code)
    case nil: throw DriverError(code: ENOENT)
    }
  }

  func holder(of path: String) -> String? {
    holderLookups.wrappingAdd(1, ordering: .relaxed)
    return "other"
  }
}

/// A camera on a fake machine, with what it reported.
final class CameraBench: Sendable {
  let host = FakeHost()
  let frames = NewestFrame()
  let camera: Camera
  private let reports: ReportList

  private final class ReportList: Sendable {
    let list = Mutex<[SourceReport]>([])
  }

  /// - Parameter stall: nanoseconds without a picture until the camera is "stuck"; long, for a busy
  ///   machine must not make it so.
  init(path: String? = nil, stall: Int64 = .seconds(20)) {
    let reports = ReportList()
    self.reports = reports
    camera = Camera(
      request: CameraRequest(
        path: path, size: PictureSize(width: 64, height: 32), framesPerSecond: 30),
      frames: frames, host: host,
      patience: CameraPatience(
        stall: stall, firstPicture: stall, retry: .milliseconds(20),
        signalCheck: .milliseconds(50))
    ) { report in reports.list.withLock { $0.append(report) } }
  }

  var codes: [String] { reports.list.withLock { $0.map { $0.code } } }
  var sentences: [String] { reports.list.withLock { $0.map { $0.sentence } } }

  /// Waits, 5 s at most, until `condition` holds.
  func until(_ condition: () -> Bool) -> Bool {
    let deadline = MediaTime.now() + .seconds(5)
    while MediaTime.now() < deadline {
      if condition() { return true }
      (MediaTime.now() + .milliseconds(2)).sleepUntil()
    }
    return condition()
  }

  /// The newest picture, waited for 2 s at most; its absence fails the test.
  func frame() -> Frame? {
    guard let frame = frames.take(until: MediaTime.now() + .seconds(2)) else {
      Issue.record("no picture came")
      return nil
    }
    return frame
  }

  /// Whether no picture waits.
  var isEmpty: Bool {
    switch frames.takeNow() {
    case .some: false
    case .none: true
    }
  }

  func stop() -> Bool { camera.stop(by: MediaTime.now() + .seconds(2)) }
}
