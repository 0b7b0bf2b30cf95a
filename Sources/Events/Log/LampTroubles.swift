// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
package import Director

// Whenever the lamp is red, the status says why. Each cause of a red lamp has a general sentence here, which is used
// when no event has reported a more specific one.

extension LampCause {
  /// The subject of the trouble with which the status explains this cause of a red lamp.
  /// - Parameter server: host and port of the first server; `nil` while there is none.
  func subject(_ server: String?) -> String {
    switch self {
    case .server, .refusal: server ?? "destination"
    case .noServer: "destination"
    case .camera: "video"
    case .microphone: "audio"
    case .encoder: "encoder"
    case .unsaved: "state directory"
    case .unsupervised: "supervision"
    case .repair(let repair): repair.rawValue
    }
  }

  /// The cause as a code for programs.
  var code: String {
    switch self {
    case .server: "no_connection"
    case .refusal: "refused"
    case .noServer: "no_destination"
    case .camera, .microphone: "lost"
    case .encoder: "encoder_failed"
    case .unsaved: "not_saved"
    case .unsupervised: "unsupervised"
    case .repair: "needs_repair"
    }
  }

  /// A sentence for people: what is wrong, and what to do.
  /// - Parameter sources: the kinds of the sources, since a sentence about a camera fits no other source.
  func sentence(_ sources: OpenSources) -> String {
    switch self {
    case .server:
      "There is no connection to the server: OnAir keeps trying. Check the network cable or the Wi-Fi."
    case .refusal:
      "The server does not take the stream: check the address and the stream key, and whether it expects a broadcast."
    case .noServer: "There is no server to publish to: choose the platform and set the stream key."
    case .camera:
      sources.mayHaveCamera
        ? "The camera sends no picture: check its cable, or plug it in again."
        : sources.stalledSentence(.video)
    case .microphone:
      sources.mayHaveMicrophone
        ? "The microphone sends no sound: check its cable, or plug it in again."
        : sources.stalledSentence(.audio)
    case .encoder:
      "Picture or sound cannot be encoded. OnAir keeps trying. If this lasts, restart the box."
    case .unsaved:
      "What the box should go on with after a power cut cannot be saved: free some space on its disk."
    case .unsupervised:
      "The box is too busy to look after the broadcast. If this lasts, restart the box."
    case .repair(.settingsFile): "The settings file has mistakes: \"onair check\" names them."
    case .repair(.keptSettings):
      "What was set on the page cannot be read: set it again."
    case .repair(.card): "The settings on the card have mistakes: see onair-errors.txt there."
    case .repair(.disk): "The box's disk is full: free some space there."
    }
  }
}

extension TroubleList {
  /// The troubles that are missing in the status: one for each cause of a red lamp about whose subject no current
  /// trouble says anything.
  /// - Parameters:
  ///   - causes: the causes of the red lamp.
  ///   - current: the current troubles.
  ///   - server: the first server's host and port; `nil` while there is none.
  ///   - isServerCovered: whether `current` says what is wrong with the first server.
  ///   - sources: the kinds of the sources that are open.
  ///   - since: when the returned troubles are said to have begun.
  package static func missing(
    for causes: [LampCause], in current: [Entry], server: String?, isServerCovered: Bool,
    sources: OpenSources, since: MediaTime
  ) -> [Entry] {
    var subjects = Set(current.map(\.subject))
    return causes.compactMap { cause in
      let subject = cause.subject(server)
      let isCovered = isServerCovered && (cause == .server || cause == .refusal)
      guard !isCovered, subjects.insert(subject).inserted else { return nil }
      return Entry(
        subject: subject, cause: cause.code, sentence: cause.sentence(sources), since: since)
    }
  }
}
