// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import FakeNetwork
import Settings
import Synchronization

@testable import Networking

/// A network on a virtual clock, whose thread the test is.
final class Rig {
  let bus = FakeBus()
  let time = VirtualClock()
  let network: Network
  let loop: NetworkLoop
  private let told: Told

  private final class Told: Sendable {
    let reports = Mutex<[NetworkReport]>([])
  }

  init(_ prepare: (FakeBus) -> Void = { _ in }) {
    let (told, bus) = (Told(), bus)
    self.told = told
    prepare(bus)
    network = Network(settings: Settings().wifi, clock: time.clock, bus: { bus }) { report in
      told.reports.withLock { $0.append(report) }
    }
    loop = NetworkLoop(network, bus: bus)
    _ = loop.step()
  }

  /// Lets time pass, second by second. What the radio begins ends within a second.
  func wait(_ seconds: Int) {
    for _ in 0..<seconds {
      time.advance(by: .seconds(1))
      _ = loop.step()
      bus.settle()
    }
    _ = loop.step()
  }

  /// Asks as a person does.
  @discardableResult
  func ask(_ request: Network.Request) -> Result<String, NetworkError> {
    let answer = loop.carryOut(request)
    _ = loop.step()
    return answer
  }

  func fault(_ request: Network.Request) -> NetworkError? {
    if case .failure(let fault) = ask(request) { fault } else { nil }
  }

  func join(_ name: String, _ password: String = "") -> Result<String, NetworkError> {
    ask(.join(WiFiRequest(name: name, password: password)))
  }

  var state: NetworkState { network.state }

  /// The reports since the last call.
  var reports: [NetworkReport] {
    told.reports.withLock { reports in
      defer { reports = [] }
      return reports
    }
  }

  /// Names of the methods that were called.
  var methods: [String] { bus.calls.map(\.method) }
}
