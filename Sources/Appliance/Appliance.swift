// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Base
public import Box
internal import CPosix
internal import Control
internal import Events
internal import Glibc
internal import Logging
internal import Networking
internal import Panel
internal import Posix
public import Settings
internal import Studio

/// The running program: it holds the state directory, keeps the broadcast going, and ends at a signal.
///
/// The thread that calls `run` is the supervisor. It never waits for media: it checks the broadcast twenty times a
/// second, and does other work, such as checking the disk and measuring bit rates, less often.
public final class Appliance {
  /// How `run` ended, as an exit code of sysexits.h.
  public enum Ending: Int32, Sendable {
    /// The program was ended by a signal, or because the pipe that delivers the frames was closed.
    case regular = 0
    /// The video source cannot be read, and waiting would not help: EX_UNAVAILABLE.
    case unavailable = 69
    /// Video or audio cannot be encoded, and waiting would not help: EX_SOFTWARE.
    case failed = 70
    /// The program was ended by a factory reset. The program then restarts itself; if it cannot, EX_TEMPFAIL makes the
    /// service manager start it again.
    case reset = 75
  }

  /// Nanoseconds between two checks of the broadcast.
  private static let tick: Int64 = .milliseconds(50)
  /// Nanoseconds that the shutdown may take. OnAir promises to end within 2 s.
  private static let stopPatience: Int64 = .milliseconds(1_500)
  /// How long to wait for a part of the program that ends at once unless it hangs, in nanoseconds. At the shutdown,
  /// this time is a share of `stopPatience`.
  private static let smallPatience: Int64 = .milliseconds(200)
  /// Nanoseconds between two log lines with the counters of the broadcast.
  private static let countersInterval: Int64 = .seconds(60)
  /// Nanoseconds between two measurements of the figures in the status, such as bit rates.
  private static let figuresInterval: Int64 = .seconds(1)

  /// Nanoseconds between two checks whether a settings file with mistakes has changed.
  private static let settingsFileInterval: Int64 = .seconds(1)

  /// Nanoseconds between two checks of the free space on the disk.
  private static let diskInterval: Int64 = .seconds(30)

  /// The name of the environment variable that allows OnAir to restart the machine and to switch it off.
  private static let powerVariable = "ONAIR_POWER"

  /// The settings at the start of the program.
  private let configuration: Configuration
  /// Reads the settings again while the program runs.
  private let reload: SettingsReader
  /// Whether the program must run even if its settings or its state directory cannot be used.
  private let keepsUp: Bool
  /// Where the state is kept: on the disk or, if that is not possible, in memory.
  private let place: StatePlace
  /// The environment variables of the process.
  private let environment: [String: String]
  /// systemd, which is told when the program is ready, alive and stopping.
  private let manager: ServiceManager
  /// Logs to `output`.
  private let log: Logger
  /// The log on standard error, which is flushed at the end of the program.
  private let output: StandardErrorLog
  /// The clock from which the present time is read.
  private let clock: MediaClock

  /// - Parameters:
  ///   - load: reads the settings again at the start. It is called if the directory where the state is kept may have
  ///     other run-time settings than `configuration`.
  ///   - reload: reads the settings again while the program runs.
  ///   - keepsUp: whether the program must run even if its settings or its state directory cannot be used. It then uses
  ///     a copy of settings that have worked before, or keeps the state in memory.
  /// - Throws: `StateDirectoryError`, or what `load` throws.
  public init(
    configuration: Configuration, load: SettingsReader,
    reload: @escaping SettingsReader, keepsUp: Bool = false,
    environment: [String: String], log: StandardErrorLog
  ) throws {
    self.reload = reload
    self.keepsUp = keepsUp
    output = log
    self.log = Logger(label: "onair") { _ in log }
    clock = .system
    manager = ServiceManager(environment: environment)
    self.environment = environment
    place = try StatePlace(
      path: configuration.stateDirectory,
      inMemory: keepsUp ? environment["RUNTIME_DIRECTORY"].map { "\($0)/state" } : nil,
      environment: environment)
    let directory = place.directory.path
    let settings = place.hasOtherSettings ? try load(.directory(directory)) : configuration
    self.configuration = settings.keepingState(in: directory)
  }

  /// Prepares the process for `run`: blocks the signals that `run` waits for, in this thread and in those started
  /// later, and opens standard descriptors that are closed. To be called once, before there is another thread.
  public static func prepareProcess() {
    // If descriptor 0, 1 or 2 is closed, the next file that is opened gets it, and log lines could be written into that
    // file.
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      _ = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDWR)
    }
    // Always allocate large blocks with mmap. By default malloc raises the threshold, and a replaced encoder leaves
    // gaps in the heap that its successor does not fit into.
    mallopt(M_MMAP_THRESHOLD, 128 * 1_024)
    // x264 requests huge pages but does not fill them. Without huge pages, OnAir uses 74 instead of 80 MB at 1280x720,
    // and is not measurably slower.
    _ = onair_no_huge_pages()
    // librtmp writes to sockets without MSG_NOSIGNAL, so a closed connection would raise SIGPIPE.
    signal(SIGPIPE, SIG_IGN)
    var signals = stopSignals
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// The signals that end the program: SIGINT, SIGTERM, and SIGHUP unless it is ignored.
  private static var stopSignals: sigset_t {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGINT)
    unsafe sigaddset(&signals, SIGTERM)
    // Under nohup SIGHUP is ignored and has to stay so: a blocked signal would be queued although it is ignored.
    var hangup = sigaction()
    unsafe sigaction(SIGHUP, nil, &hangup)
    if unsafe hangup.__sigaction_handler.sa_handler == nil { unsafe sigaddset(&signals, SIGHUP) }
    return signals
  }

  /// Runs until a signal, or until the broadcast cannot go on. SIGINT ends the broadcast and tells the server so;
  /// SIGTERM and SIGHUP do not tell the server, so that the platform waits for the stream to come back.
  public func run() -> Ending {
    for warning in configuration.warnings { log.warning("\(warning)") }
    let events = EventLog(log: log, clock: clock)
    let directory = place.directory.path
    let isLasting = place.trouble == nil
    if let trouble = place.trouble {
      events.report(
        .stateNotSaved, level: .error, subject: "state directory", cause: "in_memory", trouble)
    }
    let store = IntentStore(directory: directory, isLasting: isLasting, clock: clock) { report in
      switch report {
      case .unusable(let sentence):
        events.report(
          .stateNotSaved, level: .warning, subject: "state directory", cause: "unusable", sentence)
      case .notSaved(let sentence):
        events.report(.stateNotSaved, level: .warning, subject: "state directory", sentence)
      case .saved: if isLasting { events.endTrouble("state directory") }
      }
    }
    let stick = PluggedStick(environment: environment, directory: directory, clock: clock)
    let station = Station(
      configuration: configuration, reload: reload, store: store, events: events,
      stick: stick ?? NoStick())
    stick?.start()
    let desk = SettingsDesk(
      station, configuration: configuration, reload: reload, keepsCopy: keepsUp)
    if let trouble = SeedImport.trouble(in: directory) { desk.reportCard(trouble) }
    let calibration = SpeedCalibration(directory: directory, station: station)
    // The first check starts the broadcast if the saved intent is to broadcast.
    let ended = station.supervise(clock.now).map(Ending.init)
    store.start()
    let access = Access(
      directory: directory, mark: PasswordMark(environment: environment, directory: directory),
      clock: clock
    ) { events.take($0) }
    let panel = PanelHolder(station: station, access: access)
    let network = Network(settings: configuration.settings.wifi) { events.take($0) }
    let followers: [any SettingsFollower] = [panel.requested, network, LogLevelFollower()]
    for follower in followers { station.add(follower) }
    let update = SystemUpdate(environment: environment, directory: directory)
    let control = ControlServer(
      desk: desk, access: access, network: network, update: update,
      power: environment[Appliance.powerVariable] == nil ? nil : MachinePower(),
      log: StandardErrorLog.tail, directory: directory)
    control.start()
    network.start()
    if station.counters(clock.now) == nil {
      log.notice("Off air: \"onair start\" begins the broadcast.")
    }
    manager.notify("READY=1")
    desk.keepCopy()
    if configuration.settings.video.speed == nil { calibration.start() }

    let (ending, goodbye) =
      ended.map { ($0, true) } ?? supervise(desk, panel, network, control, update)
    // After a factory reset the program restarts within this process. After STOPPING=1, systemd would end this process.
    if ending != .reset { manager.notify("STOPPING=1") }
    let deadline = clock.now + Appliance.stopPatience
    // Switch the lamps off and save the state before stopping the other parts, which may hang.
    _ = control.stop(by: clock.now)
    var allEnded = panel.stop(by: min(deadline, clock.now + Appliance.smallPatience))
    _ = store.stop(by: clock.now)
    allEnded = station.stop(goodbye: goodbye, by: deadline) && allEnded
    allEnded = control.stop(by: deadline) && allEnded
    allEnded = store.stop(by: deadline) && allEnded
    allEnded = network.stop(by: deadline) && allEnded
    allEnded = calibration.stop(by: deadline) && allEnded
    allEnded = (stick?.stop(by: deadline) ?? true) && allEnded
    if !allEnded {
      log.warning("Part of the program did not end in time and was left behind.")
    }
    output.flush(by: clock.now + Appliance.smallPatience)
    guard !allEnded else { return ending }
    if ending == .reset { _ = ThisProgram.reexecute() }
    // Do not call exit(): its handlers could wait for a thread that hangs.
    _exit(ending.rawValue)
  }

  /// Checks the broadcast and the other parts of the program until a signal, or until the broadcast cannot go on.
  /// - Returns: how the program ends, and whether to tell the streaming server that the broadcast is over (`goodbye`).
  private func supervise(
    _ desk: SettingsDesk, _ panel: PanelHolder, _ network: Network, _ control: ControlServer,
    _ update: SystemUpdate
  ) -> (ending: Ending, goodbye: Bool) {
    let station = desk.station
    var signals = Appliance.stopSignals
    var nextCounters = clock.now + Appliance.countersInterval
    var nextWatchdog = clock.now
    var nextFigures = clock.now
    var watchdog = Watchdog([
      ("picture, sound or sending", { station.isAlive($0) }),
      ("buttons and lamps", { panel.isAlive($0) }), ("page and commands", { control.isAlive($0) }),
    ])
    var nextFileLook = clock.now + Appliance.settingsFileInterval
    var nextDiskLook = clock.now
    while true {
      var pause = timespec(tv_sec: 0, tv_nsec: Int(Appliance.tick))
      let signal = unsafe sigtimedwait(&signals, nil, &pause)
      if signal > 0 {
        let name = [SIGINT: "SIGINT", SIGTERM: "SIGTERM", SIGHUP: "SIGHUP"][signal] ?? "a signal"
        log.notice("Stopping at \(name).")
        return (.regular, signal == SIGINT)
      }
      let now = clock.now
      if let ending = station.supervise(now).map(Ending.init) {
        return (ending, ending == .regular)
      }
      desk.judgeTrial(now)
      if station.isResetDue(now) { return (.reset, true) }
      panel.refresh(by: now + Appliance.smallPatience)
      if now >= nextFigures {
        // Measure at even intervals. After a delay of this thread, wait at least half an interval: a rate measured over
        // a shorter time is not exact.
        nextFigures =
          max(nextFigures, now - Appliance.figuresInterval / 2) + Appliance.figuresInterval
        station.measure(now)
        station.schedule.supervise(desk)
      }
      if now >= nextFileLook {
        nextFileLook = now + Appliance.settingsFileInterval
        desk.checkSettingsFile()
        station.check(update)
      }
      if now >= nextDiskLook {
        nextDiskLook = now + Appliance.diskInterval
        station.checkDisk()
      }
      if now >= nextCounters {
        nextCounters = nextCounters + Appliance.countersInterval
        if let counters = station.counters(now) { log.info("\(counters)") }
      }
      if let interval = manager.watchdogNanos, now >= nextWatchdog {
        nextWatchdog = now + interval
        if let hanging = watchdog.check(now) {
          log.error("A thread hangs (\(hanging)): systemd will start OnAir anew unless it goes on.")
        } else if !watchdog.hasHangingPart {
          manager.notify("WATCHDOG=1")
        }
      }
    }
  }
}

extension Appliance.Ending {
  fileprivate init(_ ending: BroadcastEnding) {
    switch ending {
    case .sourceEnded: self = .regular
    case .sourceUnavailable: self = .unavailable
    case .encoderBroken: self = .failed
    }
  }
}
