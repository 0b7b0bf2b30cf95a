// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Media
internal import Settings
internal import Studio
internal import Synchronization

/// A packet sink that gets the broadcast beside its destinations, such as that of the play-out.
struct BroadcastOutlet {
  let sink: any PacketSink
  /// Called when the broadcast has ended and no more packets come.
  let ended: @Sendable () -> Void
}

extension Station {
  /// Whether there is a broadcast that goes on.
  package var hasProgramme: Bool { state.withLock { $0.isOnAir && !$0.isEnding } }

  /// Passes the packets of the present broadcast to a sink until it ends, also after a restart of the encoders.
  /// - Parameter ended: called once when the broadcast has ended, unless the sink was removed before.
  /// - Returns: `false` if there is no broadcast.
  package func addOutlet(
    _ sink: any PacketSink, ended: @escaping @Sendable () -> Void
  ) -> Bool {
    state.withLock { state in
      guard state.isOnAir, !state.isEnding else { return false }
      state.outlets.append(BroadcastOutlet(sink: sink, ended: ended))
      state.broadcast?.add(sink)
      return true
    }
  }

  package func removeOutlet(_ sink: any PacketSink) {
    state.withLock { state in
      state.outlets.removeAll { $0.sink === sink }
      state.broadcast?.remove(sink)
    }
  }

  /// Tells all outlets that the broadcast has ended. To be called when it has no sinks any more.
  func endOutlets() {
    let outlets = state.withLock { state in
      defer { state.outlets = [] }
      return state.outlets
    }
    for outlet in outlets { outlet.ended() }
  }

  /// Lets the status tell how many viewers the play-out has.
  /// - Parameter viewers: counts them; it must not call back into the station.
  package func showPlayout(viewers: @escaping @Sendable () -> Int) {
    state.withLock { $0.playoutViewers = viewers }
  }

  /// The play-out for the status; `nil` if it is off.
  func playout(_ state: State) -> Status.Playout? {
    let settings = state.settings.playout
    return settings.listen.map {
      Status.Playout(settings, at: $0, viewers: state.playoutViewers?() ?? 0)
    }
  }
}
