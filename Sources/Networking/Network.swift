// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
package import Settings
internal import Synchronization

/// Reads the box's network, changes it on request, and makes the box's own Wi-Fi when needed, all through
/// NetworkManager.
///
/// All calls that may block are made on the network's thread, which runs at the lowest priority.
package final class Network: SettingsFollower {
  /// A caller's request to the network's thread.
  enum Request: Sendable {
    /// Reads the state of the network again if the last reading is older than this many nanoseconds.
    case look(Int64)
    case scan
    case join(WiFiRequest)
    case forget(String)
    case address(String, AddressRequest)
    case confirm(Int?)
    case hotspot(Bool)
  }

  /// A request that waits for the network's thread, and the function that gets its result.
  struct Job: Sendable {
    let request: Request
    let answer: @Sendable (Result<String, NetworkError>) -> Void
  }

  /// The network's state, the waiting requests and the settings, which callers and the network's thread share.
  struct Shared {
    var state = NetworkState.none
    var jobs: [Job] = []
    var settings: WiFiSettings
    /// When somebody last asked for the state of the network; `nil` if nobody has.
    var watchedAt: MediaTime?
    /// Whether no more jobs are accepted.
    var isClosed = false
  }

  /// The most requests that may wait at a time.
  private static let mostJobs = 32

  /// The clock of the network's thread: the system's, or a virtual one in a test.
  let clock: MediaClock
  /// The network's state, the waiting requests and the settings, which callers and the network's thread share.
  let shared: Mutex<Shared>
  /// Receives reports for the log and the events, on the network's thread.
  let report: @Sendable (NetworkReport) -> Void
  /// The network's thread.
  let worker: Worker
  /// Makes the connection to the system bus, on the network's thread.
  private let makeBus: @Sendable () -> any Bus

  /// - Parameter report: called on the network's thread.
  package convenience init(
    settings: WiFiSettings, report: @escaping @Sendable (NetworkReport) -> Void
  ) {
    self.init(settings: settings, clock: .system, bus: { SystemBus() }, report: report)
  }

  package init(
    settings: WiFiSettings, clock: MediaClock, bus: @escaping @Sendable () -> any Bus,
    report: @escaping @Sendable (NetworkReport) -> Void
  ) {
    self.clock = clock
    self.report = report
    makeBus = bus
    shared = Mutex(Shared(settings: settings))
    worker = Worker(name: "network", urgency: .background, clock: clock)
  }

  /// Starts the network's thread.
  package func start() {
    worker.start { [self] in
      let loop = NetworkLoop(self, bus: makeBus())
      while !worker.isStopping {
        let next = loop.step()
        loop.bus.wait(until: next, worker)
      }
      close()
    }
  }

  /// Stops the network's thread.
  /// - Parameter deadline: an instant on CLOCK_MONOTONIC.
  /// - Returns: `false` when the thread had not ended by `deadline`.
  package func stop(by deadline: MediaTime) -> Bool {
    let hasEnded = worker.stop(by: deadline)
    close()
    return hasEnded
  }

  /// Hands changed settings to the network's thread, which applies them.
  package func change(_ settings: Settings) {
    let isNew = shared.withLock { shared in
      defer { shared.settings = settings.wifi }
      return shared.settings != settings.wifi
    }
    if isNew { worker.wake() }
  }

  /// The state of the network when it was last read. Returns at once.
  package var state: NetworkState { shared.withLock { $0.state } }

  /// The state of the network, read at most about a second ago.
  package func look() async -> NetworkState {
    shared.withLock { $0.watchedAt = clock.now }
    _ = try? await ask(.look(.seconds(1)))
    return state
  }

  /// Begins a scan for Wi-Fis. The list is complete some seconds later.
  /// - Returns: a sentence for people.
  package func scan() async throws(NetworkError) -> String { try await ask(.scan) }

  /// Begins to join a Wi-Fi. The result is in `state` later.
  /// - Returns: a sentence for people.
  package func join(_ request: WiFiRequest) async throws(NetworkError) -> String {
    try await ask(.join(request))
  }

  /// Deletes all saved connections of a Wi-Fi.
  /// - Returns: a sentence for people.
  package func forget(wifi name: String) async throws(NetworkError) -> String {
    try await ask(.forget(name))
  }

  /// Begins to give an interface another IPv4 address. The result is in `state` later.
  /// - Returns: a sentence for people.
  package func setAddress(
    of interface: String, _ request: AddressRequest
  ) async throws(NetworkError) -> String { try await ask(.address(interface, request)) }

  /// Confirms a change of the network: a change that nobody confirms is undone.
  /// - Parameter number: the number of the change; `nil` for the one that waits to be confirmed.
  /// - Returns: a sentence for people.
  package func confirm(_ number: Int?) async throws(NetworkError) -> String {
    try await ask(.confirm(number))
  }

  /// Switches the box's own Wi-Fi on or off at a person's request.
  /// - Returns: a sentence for people.
  package func setHotspot(_ isOn: Bool) async throws(NetworkError) -> String {
    try await ask(.hotspot(isOn))
  }

  /// Hands a request to the network's thread, and waits for its result.
  /// - Returns: a sentence for people; empty for `.look`.
  private func ask(_ request: Request) async throws(NetworkError) -> String {
    let answer = await withCheckedContinuation { continuation in
      let job = Job(request: request) { continuation.resume(returning: $0) }
      let isAccepted = shared.withLock { shared in
        guard !shared.isClosed, shared.jobs.count < Network.mostJobs else { return false }
        shared.jobs.append(job)
        return true
      }
      if isAccepted { worker.wake() } else { continuation.resume(returning: .failure(.busy)) }
    }
    return try answer.get()
  }

  /// Answers all waiting requests with an error, and makes later requests fail.
  private func close() {
    let left = shared.withLock { shared in
      defer { (shared.jobs, shared.isClosed) = ([], true) }
      return shared.jobs
    }
    for job in left { job.answer(.failure(.unavailable)) }
  }
}
