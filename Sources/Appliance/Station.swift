// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Director
internal import Glibc
internal import Logging
internal import Media
internal import Publish
internal import Settings
internal import Synchronization

/// Joins the director to the broadcast: what a person asks for takes effect here, from whichever thread it
/// comes, and how things are is told to the director twenty times a second.
final class Station: Sendable {
  /// A command that does not fit, or cannot be done.
  enum Fault: Error {
    case refused(Refusal)
    /// `publish.url` or the key is missing, or unfit: why.
    case noDestination(String)
    /// The settings cannot be read again, or there is a mistake in them: what.
    case unfitSettings(String)

    var code: String {
      switch self {
      case .refused(let refusal): refusal.rawValue
      case .noDestination: "no_destination"
      case .unfitSettings: "unfit_settings"
      }
    }

    var sentence: String {
      switch self {
      case .refused(let refusal): refusal.sentence
      case .noDestination(let sentence), .unfitSettings(let sentence): sentence
      }
    }
  }

  private struct State {
    var target: Result<RTMPTarget, Fault>
    var backup: RTMPTarget?
    var director: Director
    var broadcast: Broadcast?
    /// What the bit rate follows.
    var limits: BitrateController.Limits
    var expiry: Expiry
    /// The box is off only because there was no server to go on with, and nobody has said anything since.
    var isStandIn: Bool
    /// When the broadcast was last looked at.
    var supervisedAt = MediaTime.now()
    /// Something of an earlier broadcast hangs.
    var hasLeftBehind = false

    var hasNoServer: Bool { (try? target.get()) == nil }
  }

  private let settings: Settings
  /// Reads the settings again.
  private let reload: @Sendable () throws(ConfigurationError) -> Configuration
  private let store: IntentStore
  let events: EventLog
  private let state: Mutex<State>
  private let startedAt = MediaTime.now()
  /// Held while a command is done and told, so that commands are told in the order in which they were done.
  private let telling = Mutex(())
  /// Held while settings are read again, so that the newest count.
  private let reloading = Mutex(())
  /// For so long the lamp believes what was last seen of the broadcast.
  private static let staleNanos = Int64.seconds(3)
  private static let reloadWord = "reload"

  init(
    configuration: Configuration,
    reload: @escaping @Sendable () throws(ConfigurationError) -> Configuration, store: IntentStore,
    events: EventLog
  ) {
    settings = configuration.settings
    self.reload = reload
    self.store = store
    self.events = events
    let target = Station.target(configuration.destination, configuration)
    var intent = Station.intent(settings.publish.autostart, saved: store.found)
    var isStandIn = false
    if case .failure(let fault) = target, intent.broadcast != .off {
      // Not to be kept: once that is mended, the next start goes on where it was, unless a person says otherwise.
      events.note(.error, "Off air: \(fault.sentence)", code: fault.code)
      intent = Intent()
      isStandIn = true
    } else if intent != store.found {
      store.save(intent)
    }
    state = Mutex(
      State(
        target: target,
        backup: try? Station.target(configuration.backup, configuration).get(),
        director: Director(
          intent: intent, conditions: Conditions(),
          keepsSound: configuration.settings.pause.sound == .keep),
        limits: BitrateController.Limits(configuration.settings), expiry: Expiry(configuration),
        isStandIn: isStandIn))
  }

  /// What the box begins with. What was private stays private.
  static func intent(_ autostart: Autostart, saved: Intent) -> Intent {
    switch autostart {
    case .resume: saved
    case .always: saved.broadcast == .off ? Intent(broadcast: .live) : saved
    case .never: Intent()
    }
  }

  private static func target(
    _ address: RTMPAddress?, _ configuration: Configuration
  ) -> Result<RTMPTarget, Fault> {
    guard let address else {
      return .failure(
        .noDestination(
          "publish.url or the stream key is not set: set both, as the platform's page gives them."))
    }
    do {
      return .success(
        try RTMPTarget(address, caFile: configuration.settings.publish.caFile))
    } catch {
      return .failure(
        .noDestination("publish.url and publish.key cannot be used: the \(error) is too long."))
    }
  }

  private var now: Duration { .nanoseconds(MediaTime.now() - startedAt) }

  // MARK: What a person wants

  /// Does what is asked: when this returns, nothing that a pause or a mute keeps from viewers is handed to the
  /// network any more.
  /// - Returns: whether what is wanted has changed.
  @discardableResult
  func perform(_ command: Command, by whom: String) throws(Fault) -> Bool {
    if command == .start { _ = try state.withLock { $0.target }.get() }
    let outcome: Result<Bool, Refusal> = telling.withLock { _ in
      Result { () throws(Refusal) in
        let (changed, intent) = try act(command)
        if changed || command == .reconnect {
          let sentence = "\(command.past) (\(whom)); \(intent.words)."
          if let event = command.event {
            events.report(event, sentence)
          } else {
            events.note(.notice, sentence)
          }
        }
        return changed
      }
    }
    switch outcome {
    case .failure(let refusal): throw .refused(refusal)
    case .success(let changed): return changed
    }
  }

  private func act(_ command: Command) throws(Refusal) -> (changed: Bool, intent: Intent) {
    let outcome: Result<(changed: Bool, intent: Intent), Refusal> = state.withLock { state in
      Result { () throws(Refusal) in
        let changed = try state.director.perform(command, at: now)
        state.isStandIn = false
        // Off is not news where there is no server to go on with, but from then on it is meant.
        if changed || !store.isSettled(state.director.intent) { store.save(state.director.intent) }
        state.broadcast?.present(state.director.plan)
        if command == .reconnect { state.broadcast?.reconnect() }
        return (changed, state.director.intent)
      }
    }
    return try outcome.get()
  }

  /// Reads the settings again: publishes where they say, from now on and without a gap in capture, with the bit
  /// rates that they say. The other settings stay as they are until the next start.
  /// - Returns: whether anything of that is new.
  private func renewSettings(by whom: String) throws(Fault) -> Bool {
    let outcome = reloading.withLock { _ in
      Result { () throws(Fault) in try takeSettings(by: whom) }
    }
    return try outcome.get()
  }

  private func takeSettings(by whom: String) throws(Fault) -> Bool {
    let configuration: Configuration
    do {
      configuration = try reload()
    } catch {
      throw .unfitSettings(error.description.replacing("\n", with: "; "))
    }
    let target = try Station.target(configuration.destination, configuration).get()
    let backup = try? Station.target(configuration.backup, configuration).get()
    return telling.withLock { _ in
      let (hasNewRate, isElsewhere) = state.withLock { state in
        (
          takeRates(configuration.settings, &state),
          takeDestination(target, backup, configuration, &state)
        )
      }
      guard hasNewRate || isElsewhere else { return false }
      for warning in configuration.warnings { events.note(.warning, warning) }
      if hasNewRate {
        let kbps = configuration.settings.video.bitrateKbps
        events.note(.notice, "At most \(kbps) kbit/s for pictures from now on (\(whom)).")
      }
      if isElsewhere { events.note(.notice, "Publishing to \(target) from now on (\(whom)).") }
      return true
    }
  }

  private func takeDestination(
    _ target: RTMPTarget, _ backup: RTMPTarget?, _ configuration: Configuration,
    _ state: inout State
  ) -> Bool {
    guard target != (try? state.target.get()) || backup != state.backup else { return false }
    state.target = .success(target)
    state.backup = backup
    state.expiry = Expiry(configuration)
    state.broadcast?.publish(to: target, backup: backup)
    if state.isStandIn {
      // As the next start would.
      state.isStandIn = false
      let intent = Station.intent(settings.publish.autostart, saved: store.found)
      if intent != store.found { store.save(intent) }
      state.director = Director(
        intent: intent, conditions: Conditions(),
        keepsSound: settings.pause.sound == .keep)
    }
    return true
  }

  private func takeRates(_ settings: Settings, _ state: inout State) -> Bool {
    let limits = BitrateController.Limits(self.settings, rates: settings)
    guard limits != state.limits else { return false }
    state.limits = limits
    state.broadcast?.follow(limits)
    return true
  }

  /// Does what a word asks for.
  func answer(_ word: String, by whom: String) -> ControlReply {
    if word == Station.reloadWord {
      do {
        return ControlReply(changed: try renewSettings(by: whom))
      } catch {
        return ControlReply(fault: error.code, error.sentence)
      }
    }
    guard let command = Command(rawValue: word) else {
      let all = (Command.allCases.map(\.rawValue) + [Station.reloadWord]).joined(separator: ", ")
      return ControlReply(
        fault: ControlReply.unknown, "There is no such command; there are \(all).")
    }
    do {
      return ControlReply(changed: try perform(command, by: whom))
    } catch {
      return ControlReply(fault: error.code, error.sentence)
    }
  }

  /// Adds to an answer what the box is at now.
  func complete(_ reply: inout ControlReply) {
    guard reply.ok else { return }
    let status = state.withLock { state in
      reply.kept = store.isKept(state.director.intent)
      return self.status(state)
    }
    reply.status = status
  }

  /// What is wanted by now.
  var intent: Intent { state.withLock { $0.director.intent } }

  /// What the lamp says by now.
  var lamp: LampPattern { state.withLock { lamp($0) } }

  /// What is wanted is on the disk, or cannot be.
  var isSettled: Bool { state.withLock { store.isSettled($0.director.intent) } }

  /// Waits until what is wanted is on the disk, or cannot be.
  func settle(by deadline: MediaTime) {
    while !isSettled, MediaTime.now() < deadline {
      (MediaTime.now() + .milliseconds(5)).sleepUntil()
    }
  }

  // MARK: How things are

  /// Looks at everything, and does what follows from it. Twenty times a second, by the thread that owns the
  /// broadcast: starting and ending one takes its time.
  func supervise(_ now: MediaTime) -> Appliance.Ending? {
    let (wanted, broadcast, target, backup) = state.withLock {
      ($0.director.intent.broadcast != .off, $0.broadcast, $0.target, $0.backup)
    }
    if wanted, broadcast == nil, let target = try? target.get() {
      begin(target, backup)
    } else if !wanted, let broadcast {
      end(broadcast)
    }
    let (ending, news) = state.withLock { state in
      state.supervisedAt = now
      let conditions = state.broadcast?.conditions(now) ?? Conditions()
      state.director.note(conditions, at: .nanoseconds(now - startedAt))
      state.broadcast?.present(state.director.plan)
      let news = state.broadcast == nil ? nil : state.expiry.look(wallClock: Int64(time(nil)))
      return (state.broadcast?.ending, news)
    }
    if let (code, sentence) = news { events.report(code, level: .warning, sentence) }
    broadcast?.supervise(now)
    return ending
  }

  /// What is wanted is on the disk before the lamp says so, and what is over has ended; what goes wrong it says
  /// at once.
  private func lamp(_ state: State) -> LampPattern {
    let pattern = state.director.plan.lamp
    switch pattern {
    case .live, .paused, .offAir:
      if MediaTime.now() - state.supervisedAt > Station.staleNanos { return .fault }
      if pattern == .offAir, state.broadcast != nil { return .unconfirmed }
      if store.isKept(state.director.intent) { return pattern }
      if state.hasNoServer { return .fault }
      return store.isSettled(state.director.intent) ? .fault : .unconfirmed
    case .starting, .unconfirmed, .weak, .reconnecting, .noCamera, .fault: return pattern
    }
  }

  private func begin(_ target: RTMPTarget, _ backup: RTMPTarget?) {
    events.report(.started, level: nil, "The broadcast begins.")
    let broadcast = Broadcast(
      settings: settings, target: target, backup: backup, events: events)
    state.withLock { state in
      state.expiry.beginAgain()
      broadcast.follow(state.limits)
      // Before anything runs: what is paused begins as a still.
      broadcast.present(state.director.plan)
      state.broadcast = broadcast
      // The settings may have been read again meanwhile.
      if let now = try? state.target.get(), now != target || state.backup != backup {
        broadcast.publish(to: now, backup: state.backup)
      }
    }
    broadcast.start()
  }

  private func end(_ broadcast: Broadcast) {
    let ended = end(broadcast, goodbye: true, by: .now() + Appliance.stopPatience)
    if !ended { events.note(.warning, "Something of it did not end in time and was left behind.") }
    state.withLock { state in
      state.broadcast = nil
      state.hasLeftBehind = state.hasLeftBehind || !ended
    }
  }

  private func end(_ broadcast: Broadcast, goodbye: Bool, by deadline: MediaTime) -> Bool {
    let ended = broadcast.stop(goodbye: goodbye, by: deadline)
    events.report(
      .ended, totals: broadcast.totals(.now()),
      "The broadcast has ended: \(broadcast.report(.now()))")
    return ended
  }

  /// Ends what runs, and leaves what is wanted as it is.
  /// - Returns: `false` when something had not ended by `deadline`.
  func stop(goodbye: Bool, by deadline: MediaTime) -> Bool {
    let (broadcast, hasLeftBehind) = state.withLock { ($0.broadcast, $0.hasLeftBehind) }
    let ended = broadcast.map { end($0, goodbye: goodbye, by: deadline) } ?? true
    return ended && !hasLeftBehind
  }

  func isAlive(_ now: MediaTime) -> Bool { state.withLock { $0.broadcast }?.isAlive(now) ?? true }

  /// A line for the log; `nil` off air.
  func report(_ now: MediaTime) -> String? { state.withLock { $0.broadcast }?.report(now) }

  var status: Status { state.withLock { status($0) } }

  private func status(_ state: State) -> Status {
    Status(
      director: state.director, lamp: lamp(state), broadcast: state.broadcast, now: .now())
  }
}

extension Command {
  /// `nil` where the change itself is an event.
  fileprivate var event: Event.Code? {
    switch self {
    case .pause: .paused
    case .resume: .resumed
    case .mute: .muted
    case .unmute: .unmuted
    case .start, .stop, .reconnect: nil
    }
  }

  /// For a log.
  fileprivate var past: String {
    switch self {
    case .start: "Started"
    case .stop: "Stopped"
    case .pause: "Paused"
    case .resume: "Resumed"
    case .mute: "Muted"
    case .unmute: "Unmuted"
    case .reconnect: "Reconnecting"
    }
  }
}

extension Intent {
  fileprivate var words: String {
    switch broadcast {
    case .off: "off air"
    case .live: isMuted ? "live and muted" : "live"
    case .paused: isMuted ? "paused and muted" : "paused"
    }
  }
}

extension Expiry {
  fileprivate init(_ configuration: Configuration) {
    self.init(
      expiresAt: configuration.destination?.expiresAt,
      backupExpiresAt: configuration.backup?.expiresAt)
  }
}
