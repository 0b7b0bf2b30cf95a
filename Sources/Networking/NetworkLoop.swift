// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Settings
internal import Synchronization

/// The work of the network's thread: it reads the state of NetworkManager, carries out requests, and follows the rules.
final class NetworkLoop {
  /// Nanoseconds from the answer to a request until the change begins: the answer has to arrive before the change may
  /// cut the connection that carries it.
  static let answerDelay = Int64.seconds(1)
  /// Nanoseconds between two readings of NetworkManager's state while a change is under way, the box is in no network,
  /// or its own Wi-Fi is up.
  private static let quickInterval = Int64.seconds(1)
  /// Nanoseconds between two readings of NetworkManager's state while nothing is under way. A signal of NetworkManager
  /// causes a further reading.
  private static let slowInterval = Int64.seconds(20)
  /// Nanoseconds between two attempts to reach NetworkManager while it does not run.
  private static let absentInterval = Int64.seconds(5)
  /// Nanoseconds for which the state of the network counts as watched after a request for it. The page requests it
  /// every few seconds.
  private static let watchedSpan = Int64.seconds(60)

  /// The owner of this loop. It hands over the requests, and receives the state of the network and the reports.
  let network: Network
  /// The connection to D-Bus.
  let bus: any Bus
  /// Calls NetworkManager's D-Bus methods on `bus`.
  let client: NetworkClient
  /// The clock of the network's thread.
  var clock: MediaClock { network.clock }

  /// The state of NetworkManager at the last reading; `nil` while there is no NetworkManager.
  var view: NetworkView?
  /// When the state of NetworkManager was last read.
  private var viewReadAt = MediaTime.distantPast
  /// Whether NetworkManager has sent a signal since the last reading, or nothing was read yet.
  private var isViewStale = true
  /// The Wi-Fis that were last in reach. While the radio makes the box's own Wi-Fi, it sees no other Wi-Fis.
  var lastSeenWiFis: [NetworkView.AccessPoint] = []
  /// For each device, why it last failed to join a network.
  var failures = Failures()
  /// Decides when to report a change of the network link.
  private var uplinkRules: UplinkRules
  /// Decides when to make and to end the box's own Wi-Fi.
  var hotspotRules = HotspotRules()
  /// The settings of the Wi-Fi, as of the last call of `step`.
  var settings: WiFiSettings

  /// The accepted change that has not begun yet, and the time at which it begins; `nil` if there is none.
  var queued: (at: MediaTime, change: QueuedChange)?
  /// The change that is being tried; `nil` if none is.
  var trial: NetworkTrial?
  /// The last change, as the API reports it; `nil` if there was none.
  var change: NetworkState.Change?
  /// How many changes were requested since the start. This is also the number of the last change.
  var changeCount = 0
  /// The country code that was last set on the radio; empty if none was set.
  private var country = ""
  /// The last country code that could not be set on the radio, so that the failure is reported only once; empty if none
  /// has failed.
  private var refusedCountry = ""
  /// Whether the box's own Wi-Fi was up at the last call of `reportHotspot`.
  private var wasHotspotUp = false
  /// Whether the box's own Wi-Fi is off only for a while, to scan for a known Wi-Fi.
  private var isHotspotPaused = false

  init(_ network: Network, bus: any Bus) {
    self.network = network
    self.bus = bus
    client = NetworkClient(bus: bus)
    uplinkRules = UplinkRules(now: network.clock.now)
    settings = network.shared.withLock { $0.settings }
  }

  /// Makes one pass of the loop: reads the network when that is due, carries out requests, and applies the rules.
  /// - Returns: when the next call is due.
  func step() -> MediaTime {
    takeSignals()
    let before = hotspotSettings
    let jobs = network.shared.withLock { shared in
      settings = shared.settings
      defer { shared.jobs = [] }
      return shared.jobs
    }
    if hotspotSettings != before {
      hotspotRules.noteSettings(now: clock.now)
      endHotspot()
    }
    let age = clock.now - viewReadAt
    if isViewStale || age >= interval || jobs.contains(where: { $0.needsLook(age) }) { readView() }
    for job in jobs { job.answer(carryOut(job.request)) }
    beginQueuedChange()
    judgeTrial()
    followHotspotRules()
    reportUplink()
    publish()
    if isViewStale { return clock.now }
    return min(viewReadAt + interval, queued?.at ?? .distantFuture)
  }

  /// Nanoseconds from one reading of NetworkManager's state to the next.
  private var interval: Int64 {
    guard let view else { return NetworkLoop.absentInterval }
    let isBusy = trial != nil || queued != nil || !view.isOnline || view.hotspot != nil
    return isBusy ? NetworkLoop.quickInterval : NetworkLoop.slowInterval
  }

  /// Reads the signals of NetworkManager. Any signal makes `view` stale; a failure to join a network is reported.
  private func takeSignals() {
    for signal in bus.signals() {
      isViewStale = true
      guard let failed = failures.process(signal) else { continue }
      network.report(.failed(cause: failed.failure.rawValue, failed.sentence))
    }
  }

  /// Reads the state of NetworkManager into `view`.
  func readView() {
    isViewStale = false
    viewReadAt = clock.now
    do throws(BusError) {
      let view = try client.view()
      self.view = view
      failures.update(from: view)
      if view.hotspotDevice == nil, !view.wifis.isEmpty { lastSeenWiFis = view.wifis }
      setCountry(view)
    } catch {
      // Keep the last view after any other error: a call that timed out does not show whether NetworkManager runs.
      guard error.isAbsence else { return }
      view = nil
      if trial != nil || queued != nil { end(.failed, Sentences.unavailable) }
      queued = nil
    }
  }

  /// Whether the box is in a network through this device.
  func isUplink(_ device: NetworkView.Device) -> Bool {
    view?.uplinks.contains { $0.path == device.path } ?? false
  }

  /// The settings of the box's own Wi-Fi, from `settings`.
  var hotspotSettings: HotspotSettings { HotspotSettings(settings) }

  // MARK: The box's own Wi-Fi

  /// Makes or ends the box's own Wi-Fi, as `hotspotRules` decide.
  private func followHotspotRules() {
    guard let view else { return }
    let radio = view.devices.first { $0.kind == .wifi && $0.state.isUsable }
    let now = clock.now
    let watchedAt = network.shared.withLock { $0.watchedAt }
    reportHotspot(view)
    let input = HotspotRules.Input(
      isOnline: view.isOnline, isUp: view.hotspotDevice != nil, hasUsableRadio: radio != nil,
      isAutomatic: settings.hotspot, isBusy: trial != nil || queued != nil,
      isWatched: watchedAt.map { now - $0 < NetworkLoop.watchedSpan } ?? false,
      knowsWiFi: view.knowsWiFi)
    switch hotspotRules.decide(input, now: now) {
    case .none: break
    case .start:
      if let radio { startHotspot(radio) }
    case .stop: endHotspot()
    case .pause:
      isHotspotPaused = true
      endHotspot()
    }
  }

  /// Reports that the box's own Wi-Fi has begun or ended, if that is new. A pause to scan is not reported.
  private func reportHotspot(_ view: NetworkView) {
    let isUp = view.hotspot != nil
    defer { wasHotspotUp = isUp }
    if isUp, !wasHotspotUp, !isHotspotPaused {
      network.report(.hotspotStarted(Sentences.hotspot(hotspotSettings)))
    }
    let isOver = isHotspotPaused ? !isUp && view.isOnline : !isUp && wasHotspotUp
    if isOver { network.report(.hotspotEnded("The box's own Wi-Fi has ended.")) }
    if isUp || isOver { isHotspotPaused = false }
  }

  /// Makes the box's own Wi-Fi with a radio. A failure is logged.
  private func startHotspot(_ radio: NetworkView.Device) {
    do throws(BusError) {
      try client.activateOnce(Profiles.hotspot(hotspotSettings), radio.path)
    } catch {
      network.report(.note("The box cannot make its own Wi-Fi: \(error.message)"))
    }
    readView()
  }

  /// Ends the box's own Wi-Fi, if it is up or about to be.
  func endHotspot() {
    guard let active = view?.hotspotDevice?.active else { return }
    try? client.deactivate(active)
    readView()
  }

  /// Sets the country code of the settings on the radio, unless it was set before. A failure is logged.
  private func setCountry(_ view: NetworkView) {
    guard settings.country != country, !settings.country.isEmpty,
      let radio = view.devices.first(where: { $0.kind == .wifi && $0.state.isUsable })
    else { return }
    do throws(BusError) {
      try client.setCountry(settings.country, radio.interface)
      country = settings.country
    } catch {
      guard refusedCountry != settings.country else { return }
      refusedCountry = settings.country
      network.report(.note("The radio cannot be told wifi.country: \(error.message)"))
    }
  }

  // MARK: Reports

  /// Reports that the box is in a network, in another one or in none, as `uplinkRules` decide.
  private func reportUplink() {
    guard let view else { return }
    let uplink =
      view.uplink.map { Sentences.name($0, in: view) }
      ?? (view.isOnline ? Sentences.elsewhere : nil)
    // Do not report a missing network during a change: the sentence of that change says why there is no network.
    guard uplink != nil || (trial == nil && queued == nil) else { return }
    let problem = uplink == nil ? Sentences.problem(view, failures) : nil
    if let report = uplinkRules.decide(uplink: uplink, problem: problem, now: clock.now) {
      network.report(report)
    }
  }

  /// Stores the present state of the network for `Network.state`.
  private func publish() {
    if let seconds = trial?.secondsLeft(clock.now) { change?.secondsLeft = seconds }
    let state =
      view.map {
        NetworkState(
          $0, wifis: $0.hotspotDevice == nil ? $0.wifis : lastSeenWiFis,
          untried: trial?.worksSince == nil ? trial?.connection.added : nil, failures: failures,
          hotspotSettings: hotspotSettings, change: change)
      } ?? .none
    network.shared.withLock { $0.state = state }
  }
}

extension Network.Job {
  /// Whether NetworkManager's state has to be read again for the job, given that the last reading is `age` nanoseconds
  /// old.
  fileprivate func needsLook(_ age: Int64) -> Bool {
    if case .look(let oldest) = request { age >= oldest } else { true }
  }
}

extension NetworkView.State {
  /// Whether a radio in this state can join or make a Wi-Fi.
  var isUsable: Bool { self != .unusable && self != .unavailable }
}

extension HotspotSettings {
  init(_ settings: WiFiSettings) {
    self.init(
      isAutomatic: settings.hotspot, name: settings.hotspotName, password: settings.hotspotPassword)
  }
}
