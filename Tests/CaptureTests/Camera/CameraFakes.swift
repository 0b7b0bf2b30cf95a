// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CV4L2
internal import Glibc
internal import Media
internal import Posix
internal import Synchronization
internal import Testing

@testable import Capture

/// A fake driver: 64x32 YUYV by default. Tests deliver its frames with `capture`.
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
    /// Of the timestamps.
    var clock = MediaClock.system
    /// The policy of the thread that took the last buffer, and of the one that converted it (sched(7)).
    var policy: Int32?
    var convertingPolicy: Int32?
  }

  let state = Mutex(State())
  let ready = Waker()
  let formats: [FourCC]
  let capabilities: UInt32
  let bus: String
  private let slots: [UnsafeMutableRawBufferPointer]
  static let byteCount = 64 * 32 * 2

  /// - Parameter buffers: the most that it grants.
  init(
    formats: [FourCC] = [FourCC("YUYV")], buffers: Int = 4,
    capabilities: Int32 = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING, bus: String = "usb-fake-1"
  ) {
    self.formats = formats
    self.capabilities = UInt32(capabilities)
    self.bus = bus
    unsafe slots = (0..<buffers).map { _ in
      .allocate(byteCount: FakeDevice.byteCount, alignment: 64)
    }
    unsafe slots.forEach { unsafe $0.initializeMemory(as: UInt8.self, repeating: 0) }
  }

  deinit { unsafe slots.forEach { unsafe $0.deallocate() } }

  /// Fills the next queued buffer with `value`.
  /// - Returns: whether one was queued.
  @discardableResult func capture(
    _ value: UInt8, byteCount: Int = FakeDevice.byteCount, isDamaged: Bool = false
  ) -> Bool {
    capture(together: [value], byteCount: byteCount, isDamaged: isDamaged)
  }

  /// Fills several buffers before the camera sees the first of them.
  @discardableResult func capture(
    together values: [UInt8], byteCount: Int = FakeDevice.byteCount, isDamaged: Bool = false
  ) -> Bool {
    state.withLock { state in
      for value in values {
        state.sequence += 1
        guard state.isStreaming, !state.queued.isEmpty else { return false }
        let index = state.queued.removeFirst()
        unsafe slots[index].initializeMemory(as: UInt8.self, repeating: value)
        state.filled.append(
          FilledBuffer(
            index: index, byteCount: byteCount, isDamaged: isDamaged, sequence: state.sequence,
            stamp: state.clock.now - .milliseconds(3)))
      }
      ready.wake()
      return true
    }
  }

  func fail(_ code: Int32) {
    state.withLock {
      $0.failure = code
      ready.wake()
    }
  }

  var isStreaming: Bool { state.withLock { $0.isStreaming } }
  var queued: Int { state.withLock { $0.queued.count } }

  // MARK: VideoDevice

  var descriptor: Int32 { ready.descriptor }

  func identity() throws(SystemError) -> VideoIdentity {
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

  func setFormat(_ format: DeviceFormat) throws(SystemError) -> DeviceFormat {
    var actual = format
    actual.size = PictureSize(width: 64, height: 32)
    actual.bytesPerLine = format.fourcc == FourCC("YUYV") ? 128 : 64
    actual.byteCount = FakeDevice.byteCount
    return actual
  }

  func setInterval(_ interval: FrameInterval) throws(SystemError) -> FrameInterval? { interval }

  func allocateBuffers(_ count: Int) throws(SystemError) -> Int { unsafe min(count, slots.count) }

  @unsafe func memory(of index: Int) -> UnsafeMutableRawBufferPointer { unsafe slots[index] }

  func queue(_ index: Int) throws(SystemError) {
    let code: Int32? = state.withLock { state in
      if let failure = state.failure { return failure }
      // As vb2 does for a buffer that is queued already, or after REQBUFS(0).
      if state.isStopped || state.queued.contains(index) { return EINVAL }
      state.queued.append(index)
      return nil
    }
    if let code { throw SystemError(code) }
  }

  func dequeue() throws(SystemError) -> FilledBuffer? {
    let (filled, code): (FilledBuffer?, Int32?) = state.withLock { state in
      state.policy = FakeDevice.policyOfThisThread
      if let failure = state.failure { return (nil, failure) }
      if state.filled.isEmpty {
        ready.clear()
        return (nil, nil)
      }
      return (state.filled.removeFirst(), nil)
    }
    if let code { throw SystemError(code) }
    return filled
  }

  func start() throws(SystemError) {
    let code: Int32? = state.withLock { state in
      if let failure = state.startFailure { return failure }
      state.isStreaming = true
      return nil
    }
    if let code { throw SystemError(code) }
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

  func makeConverter(from format: DeviceFormat) -> (any VideoConverter)? {
    FakeConverter { [weak self] in
      self?.state.withLock { $0.convertingPolicy = FakeDevice.policyOfThisThread }
    }
  }

  /// Without SCHED_RESET_ON_FORK.
  static var policyOfThisThread: Int32 { sched_getscheduler(0) & ~0x4000_0000 }
}

/// Fills the frame with the first byte of the source; fails for 0xee.
final class FakeConverter: VideoConverter {
  private let begun: () -> Void

  init(begun: @escaping () -> Void) { self.begun = begun }

  @unsafe func convert(
    _ source: UnsafeMutableRawBufferPointer, into destination: UnsafeMutableRawBufferPointer
  ) -> Bool {
    begun()
    let value = unsafe source[0]
    unsafe destination.initializeMemory(as: UInt8.self, repeating: value)
    return value != 0xee
  }
}

/// A fake machine, whose video nodes the tests set.
final class FakeHost: CameraHost {
  enum Node {
    case device(@Sendable () -> FakeDevice)
    case refusal(Int32)
  }

  /// The clock of the devices' timestamps.
  let clock: MediaClock
  private let table = Mutex<[String: Node]>([:])
  private let openedDevices = Mutex<[FakeDevice]>([])
  private let holderLookups = Atomic<Int>(0)

  init(clock: MediaClock) { self.clock = clock }

  func set(_ path: String, _ node: Node?) { table.withLock { $0[path] = node } }

  /// Adds a node that opens the same device each time.
  func plug(_ path: String, _ device: FakeDevice) { set(path, .device { device }) }

  /// Every device that was opened, in order.
  var opened: [FakeDevice] { openedDevices.withLock { $0 } }
  var lookups: Int { holderLookups.load(ordering: .relaxed) }

  func nodes() -> [String] { table.withLock { $0.keys.sorted() } }

  func open(_ path: String) throws(SystemError) -> any VideoDevice {
    switch table.withLock({ $0[path] }) {
    case .device(let make):
      let device = make()
      device.state.withLock { $0.clock = clock }
      openedDevices.withLock { $0.append(device) }
      return device
    case .refusal(let code): throw SystemError(code)
    case nil: throw SystemError(ENOENT)
    }
  }

  func holder(of path: String) -> String? {
    holderLookups.wrappingAdd(1, ordering: .relaxed)
    return "other"
  }
}

/// A camera on a fake machine and a virtual clock.
final class CameraBench: Sendable {
  let time = VirtualClock()
  let host: FakeHost
  let frames = FrameQueue()
  let camera: Camera
  private let reports = Reports()

  /// - Parameter stall: nanoseconds without a frame until the camera is stuck.
  init(path: String? = nil, stall: Int64 = .seconds(3600)) {
    host = FakeHost(clock: time.clock)
    camera = Camera(
      request: CameraRequest(
        path: path, size: PictureSize(width: 64, height: 32), framesPerSecond: 30),
      frames: frames, host: host,
      timeouts: CameraTimeouts(
        stallNanos: stall, firstFrameNanos: stall, retryNanos: .milliseconds(500),
        signalCheckNanos: .seconds(1)),
      clock: time.clock, report: reports.listener)
  }

  var codes: [String] { reports.codes }
  var sentences: [String] { reports.all.map(\.sentence) }

  /// Waits until `condition` holds, at most 30 s. Whenever the camera waits for a deadline, the clock moves there.
  func until(_ condition: () -> Bool) -> Bool {
    let patience = MediaTime.now() + .seconds(600)
    while true {
      // Read before the condition, which then sees all that the camera did before this wait.
      let next = time.awaitedDeadline
      if condition() { return true }
      guard .now() < patience else { return false }
      if next > time.now, next < .distantFuture { time.advance(by: next - time.now) }
      (MediaTime.now() + .milliseconds(1)).sleepUntil()
    }
  }

  /// Lets the camera work until this much time has passed.
  func pass(_ nanos: Int64) -> Bool {
    let end = time.now + nanos
    return until { time.now >= end }
  }

  /// The next frame; its absence fails the test.
  func frame() -> Frame? {
    guard let frame = frames.take(until: .now() + .seconds(30)) else {
      Issue.record("no frame was put")
      return nil
    }
    return frame
  }

  /// Whether no frame waits.
  var isEmpty: Bool {
    switch frames.takeNow() {
    case .some: false
    case .none: true
    }
  }

  /// The clock stands still, so a camera that does not react to the stop fails the test.
  func stop() -> Bool { camera.stop(by: .now() + .seconds(30)) }
}
