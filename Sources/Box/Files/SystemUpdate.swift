// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
internal import Events
package import Posix
internal import Synchronization

/// Why an update of the system is refused or fails to begin.
package enum UpdateError: UploadError {
  /// This box was not made from an OnAir image.
  case notAvailable
  /// A broadcast is requested or under way.
  case onAir
  /// Another update is under way.
  case busy
  /// The bundle has more than `SystemUpdate.maxBytes`.
  case tooLong
  /// The uploaded file is no update bundle.
  case noBundle
  /// The address of the bundle is too long, or is no address with https:// or http://.
  case unfitAddress
  /// The bundle, or the request for the update, cannot be written to the disk.
  case notSaved(SystemError)
}

/// Updates the system of a box that was made from an OnAir image. OnAir receives a bundle, or the address of one, and
/// requests that a systemd unit of that image with root's rights (onair-update.path) installs that bundle. The request
/// is a file in the service's folder below /run.
///
/// The unit decides by the signature and the version of the bundle whether to install it: an older system may have
/// security holes that the present one does not.
package final class SystemUpdate: Sendable {
  /// The step of an update that is under way. The names of the cases are values of the API, and must not change.
  enum Work: String, Encodable, Sendable {
    case idle
    /// A client uploads a bundle.
    case receiving
    /// The update was requested, and has not begun.
    case waiting
    case downloading, installing
    /// The new system is installed. The box restarts with it as soon as nothing is on air.
    case restarting
    /// The new system runs on trial: it is kept once it has shown that it can stream.
    case trying
  }

  /// The state of the system's update, as `GET /api/update` writes it. The names of the fields are a contract.
  package struct State: Encodable, Sendable {
    /// Whether this box was made from an OnAir image.
    var available: Bool
    /// The version of the OnAir image: "20260503-1a2b3c4d"; `nil` if it is not known.
    var version: String?
    var state: Work
    /// How the last update ended, as a sentence for the user; `nil` if there was none.
    var sentence: String?
  }

  /// The most bytes of a bundle. A larger system would not fit into a system partition.
  package static let maxBytes = 400 << 20
  /// The name of the file that requests an update, in the folder for requests.
  static let requestName = "update-request"
  /// The name of a received bundle in the state directory.
  static let bundleName = "update.raucb"
  /// The most bytes of the address of a bundle.
  private static let maxAddressBytes = 1_000
  /// The first bytes of a bundle, which is a squashfs file system.
  private static let magic = Array("hsqs".utf8)

  /// The time, in nanoseconds, after which a request is withdrawn if the systemd unit that installs updates has not
  /// begun to handle it. Normally the unit begins at once.
  static let requestTimeoutNanos: Int64 = .seconds(60)

  /// The findings of one call of `check`.
  private struct Observation {
    /// Identifies the version of the result file, in which scripts of the OnAir image write how the last update ended;
    /// `nil` if there is no such file.
    var result: FileStamp?
    /// When the present request was first seen waiting for the systemd unit; `nil` while no request waits.
    var waitingSince: MediaTime?
    /// OnAir's own sentence about the last request; empty while there is no outcome. `nil` if the newest sentence is
    /// the one in the result file of the OnAir image's scripts.
    var ownSentence: String?
  }

  /// The folders in which scripts of the OnAir image write results, and find requests; `nil` if this box was not made
  /// from an OnAir image.
  private let places: (results: String, requests: String)?
  /// The state directory.
  private let directory: String
  /// Allows one upload at a time.
  private let slot = UploadSlot()
  /// The findings of the last call of `check`.
  private let observed: Mutex<Observation>

  /// - Parameters:
  ///   - environment: `ONAIR_UPDATES` names the folder in which scripts of the OnAir image write how updates go, and
  ///     `RUNTIME_DIRECTORY` the folder for requests. If either is missing, updates are not available.
  ///   - directory: the state directory.
  package init(environment: [String: String], directory: String) {
    places = environment["ONAIR_UPDATES"].flatMap { results in
      environment["RUNTIME_DIRECTORY"].map { (results, $0) }
    }
    self.directory = directory
    observed = Mutex(
      Observation(result: places.flatMap { FileStamp(path: "\($0.results)/result") }))
    if places != nil { removeBundle() }
  }

  /// Whether this box was made from an OnAir image, so that its system can be updated.
  var isAvailable: Bool { places != nil }

  /// The present state of the system's update.
  package var state: State {
    guard let places else { return State(available: false, state: .idle) }
    let own = observed.withLock { $0.ownSentence }
    return State(
      available: true, version: SystemUpdate.imageVersion, state: work(places),
      sentence: own.map { $0.isEmpty ? nil : $0 } ?? File.firstLine("\(places.results)/result"))
  }

  /// An event of an update, with a sentence for the user.
  package struct Report {
    var code: Event.Code
    var sentence: String
  }

  /// Returns reports of what is new about an update, and withdraws a request that the systemd unit for updates does not
  /// handle. To be called every few seconds.
  package func check(_ now: MediaTime) -> [Report] {
    guard let places else { return [] }
    let result = FileStamp(path: "\(places.results)/result")
    let isWaiting = File.names(in: places.requests).contains(SystemUpdate.requestName)
    let (isNew, isTimedOut) = observed.withLock { observed -> (Bool, Bool) in
      let isNew = result != nil && result != observed.result
      observed.result = result
      observed.waitingSince = isWaiting ? observed.waitingSince ?? now : nil
      let isOverdue =
        observed.waitingSince.map { now - $0 >= SystemUpdate.requestTimeoutNanos } ?? false
      // `unlink` fails if the systemd unit has taken the request meanwhile: the update goes on, and its bundle is kept.
      let isTimedOut =
        isOverdue && File.unlink("\(places.requests)/\(SystemUpdate.requestName)")
      if isTimedOut {
        (observed.waitingSince, observed.ownSentence) = (nil, SystemUpdate.timeoutSentence)
      }
      if isNew, !isTimedOut { observed.ownSentence = nil }
      return (isNew, isTimedOut)
    }
    var reports: [Report] = []
    if isNew, let sentence = File.firstLine("\(places.results)/result") {
      reports.append(Report(code: SystemUpdate.code(ofResult: sentence), sentence: sentence))
    }
    if isTimedOut {
      removeBundle()
      reports.append(Report(code: .updateFailed, sentence: SystemUpdate.timeoutSentence))
    }
    return reports
  }

  /// The sentence about a request that was withdrawn after `requestTimeoutNanos`.
  private static let timeoutSentence =
    "The update has not begun within a minute, and was given up: restart the box, then try again."

  /// The event code for a sentence about the result of an update, written by /usr/lib/onair/update or
  /// /usr/lib/onair/confirm of the OnAir image.
  static func code(ofResult sentence: String) -> Event.Code {
    if sentence.hasPrefix("The update is installed") { return .updating }
    return sentence.hasSuffix(" is confirmed: it can stream.") ? .updated : .updateFailed
  }

  /// The step of the update that is under way.
  private func work(_ places: (results: String, requests: String)) -> Work {
    if slot.isTaken { return .receiving }
    if File.names(in: places.requests).contains(SystemUpdate.requestName) { return .waiting }
    if let word = File.firstLine("\(places.results)/progress"), let work = Work(rawValue: word) {
      return work
    }
    return File.names(in: places.results).contains("trying") ? .trying : .idle
  }

  /// A bundle that is being received. It is removed unless `finish` is called.
  package final class Upload: Sendable {
    private let update: SystemUpdate
    private let allowsOlder: Bool
    private let file: FileUpload<UpdateError>
    /// The first bytes of the upload, while they are too few to be checked; `nil` once they are known to begin an
    /// update bundle.
    private let head = Mutex<[UInt8]?>([])

    fileprivate init(_ update: SystemUpdate, allowsOlder: Bool) throws(UpdateError) {
      self.update = update
      self.allowsOlder = allowsOlder
      file = try FileUpload(
        "\(update.directory)/\(SystemUpdate.bundleName).upload", limit: SystemUpdate.maxBytes,
        slot: update.slot)
    }

    package func write(_ bytes: [UInt8]) throws(UpdateError) {
      let isFit = head.withLock { head in
        guard let before = head else { return true }
        let start = Array((before + bytes).prefix(SystemUpdate.magic.count))
        head = start.count < SystemUpdate.magic.count ? start : nil
        return SystemUpdate.magic.starts(with: start)
      }
      guard isFit else {
        file.end()
        throw .noBundle
      }
      try file.write(bytes)
    }

    package func finish() throws(UpdateError) {
      guard head.withLock({ $0 == nil }) else {
        file.end()
        throw .noBundle
      }
      try file.keep(as: SystemUpdate.bundleName)
      do throws(UpdateError) {
        try update.writeRequest("file", allowsOlder: allowsOlder)
      } catch {
        update.removeBundle()
        throw error
      }
    }
  }

  /// Begins the upload of a bundle.
  /// - Parameter allowsOlder: whether a system older than the present one is accepted; otherwise it is refused.
  package func beginUpload(allowsOlder: Bool = false) throws(UpdateError) -> Upload {
    guard places != nil else { throw .notAvailable }
    guard state.state == .idle else { throw .busy }
    return try slot.beginUpload { () throws(UpdateError) in
      try Upload(self, allowsOlder: allowsOlder)
    }
  }

  /// Requests an update with a bundle that is fetched from an address.
  /// - Parameter allowsOlder: whether a system older than the present one is accepted; otherwise it is refused.
  /// - Returns: a sentence for the user.
  package func fetch(_ address: String, allowsOlder: Bool = false) throws(UpdateError) -> String {
    guard places != nil else { throw .notAvailable }
    guard state.state == .idle else { throw .busy }
    guard address.utf8.count <= SystemUpdate.maxAddressBytes,
      address.utf8.allSatisfy({ 0x21...0x7E ~= $0 }),
      ["https://", "http://"].contains(where: address.hasPrefix)
    else { throw .unfitAddress }
    try writeRequest(address, allowsOlder: allowsOlder)
    let sentence = "The update is downloaded, and then installed."
    return address.hasPrefix("https://")
      ? sentence
      : "\(sentence) Its address is http://, not https://: others in the network can see it, and hold it back. What "
        + "they change is refused."
  }

  /// Writes the request for an update. `what` is "file" for the received bundle, otherwise the address of a bundle.
  private func writeRequest(_ what: String, allowsOlder: Bool) throws(UpdateError) {
    guard let places else { throw .notAvailable }
    observed.withLock { ($0.waitingSince, $0.ownSentence) = (nil, "") }
    do throws(SystemError) {
      try File.replace(
        SystemUpdate.requestName, in: places.requests,
        with: Array("\(what)\n\(allowsOlder ? "older\n" : "")".utf8))
    } catch {
      throw .notSaved(error)
    }
  }

  /// Removes the received bundle, complete or not.
  private func removeBundle() {
    for name in [SystemUpdate.bundleName, "\(SystemUpdate.bundleName).upload"] {
      File.unlink("\(directory)/\(name)")
    }
  }

  /// The version of the OnAir image, `IMAGE_VERSION` of os-release(5); `nil` if there is none.
  private static let imageVersion: String? = File.kernelText("/etc/os-release")?
    .split(separator: "\n").first { $0.hasPrefix("IMAGE_VERSION=") }
    .map { String($0.dropFirst("IMAGE_VERSION=".count)) }
}

extension UpdateError {
  /// The reply to the request that has failed with this error.
  package var reply: ControlReply {
    switch self {
    case .notAvailable:
      ControlReply(
        fault: "no_updates",
        "This box was not made from an image: update it with the packages of its system.")
    case .onAir:
      ControlReply(
        fault: "on_air", "There is no update during a broadcast: end the broadcast first.")
    case .busy:
      ControlReply(fault: "busy", "An update is under way: wait until it has ended.")
    case .tooLong:
      ControlReply(
        fault: "too_long", "An update has at most \(SystemUpdate.maxBytes >> 20) MB.")
    case .noBundle:
      ControlReply(
        fault: "no_bundle",
        "This file is damaged, or is no update for OnAir: download it again.")
    case .unfitAddress:
      ControlReply(
        fault: "unfit_address",
        "This is no address of an update: it begins with \"https://\" or \"http://\", and has no spaces."
      )
    case .notSaved(let error):
      ControlReply(
        fault: "not_saved", "The update cannot be saved (\(error)), and nothing has changed.")
    }
  }
}

extension Station {
  /// Reports how an update of the system goes, without waiting for the disk.
  package func check(_ update: SystemUpdate) {
    guard update.isAvailable else { return }
    jobs.submit { [self] in
      for report in update.check(clock.now) {
        events.report(
          report.code, level: report.code == .updateFailed ? .warning : .notice,
          subject: "system", report.sentence)
      }
    }
  }

  /// Whether a broadcast is requested or under way.
  package var isBroadcasting: Bool {
    state.withLock { $0.isOnAir || $0.director.intent.broadcast != .off }
  }
}
