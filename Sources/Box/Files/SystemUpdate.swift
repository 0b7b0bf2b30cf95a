// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
internal import Events
package import Posix
internal import Synchronization

package enum UpdateError: UploadError {
  case notAvailable, onAir, busy, tooLong, noBundle, unfitAddress
  case notSaved(SystemError)
}

/// Updates the system of a box that was made from an image. OnAir takes the bundle, or its address, and asks a systemd
/// unit of the image with root's rights (onair-update.path) to install it. The request is a file in the service's
/// folder below /run.
///
/// That unit decides by the signature and the version of the bundle whether it may be installed: an older system may
/// have security holes that the present one does not.
package final class SystemUpdate: Sendable {
  /// The step of an update that is under way. The names are a contract.
  enum Work: String, Encodable, Sendable {
    case idle
    /// A client uploads a bundle.
    case receiving
    /// The update was requested, and has not begun.
    case waiting
    case downloading, installing
    /// The new system starts as soon as nothing is on air.
    case restarting
    /// The new system runs on trial: it is kept once it has shown that it can stream.
    case trying
  }

  /// The state of updates, as `GET /api/update` writes it. The names of the fields are a contract.
  package struct State: Encodable, Sendable {
    /// Whether this box was made from an image.
    var available: Bool
    /// The version of the image: "20260503-1a2b3c4d"; `nil` if it is not known.
    var version: String?
    var state: Work
    /// How the last update ended, as a sentence for the user; `nil` if there was none.
    var sentence: String?
  }

  /// The most bytes of a bundle: more than a system partition has room for.
  package static let maxBytes = 400 << 20
  static let requestName = "update-request"
  /// The name of a received bundle in the state directory.
  static let bundleName = "update.raucb"
  private static let longestAddress = 1_000
  /// The first bytes of a bundle, which is a squashfs file system.
  private static let magic = Array("hsqs".utf8)

  /// Nanoseconds after which a request that nothing has taken is withdrawn: the unit of the image takes it at once.
  static let patience: Int64 = .seconds(60)

  /// What the last call of `look` found.
  private struct Seen {
    /// The stamp of the file in which the image writes how the last update ended.
    var result: FileStamp?
    /// Since when a request waits to be taken; `nil` while there is none.
    var waitingSince: MediaTime?
    /// What OnAir itself says of the last request, "" for nothing yet; `nil` if the image has the last word.
    var own: String?
  }

  private let places: (results: String, requests: String)?
  private let directory: String
  private let turn = UploadTurn()
  private let seen: Mutex<Seen>

  /// - Parameters:
  ///   - environment: `ONAIR_UPDATES` names the folder in which the image writes how updates go, and
  ///     `RUNTIME_DIRECTORY` the folder for requests. Without both, updates are not available.
  ///   - directory: the state directory.
  package init(environment: [String: String], directory: String) {
    places = environment["ONAIR_UPDATES"].flatMap { results in
      environment["RUNTIME_DIRECTORY"].map { (results, $0) }
    }
    self.directory = directory
    seen = Mutex(Seen(result: places.flatMap { FileStamp(path: "\($0.results)/result") }))
    if places != nil { removeBundle() }
  }

  var isAvailable: Bool { places != nil }

  package var state: State {
    guard let places else { return State(available: false, state: .idle) }
    let own = seen.withLock { $0.own }
    return State(
      available: true, version: SystemUpdate.imageVersion, state: work(places),
      sentence: own.map { $0.isEmpty ? nil : $0 } ?? File.firstLine("\(places.results)/result"))
  }

  /// An event of an update, with a sentence for the user.
  package struct Report {
    var code: Event.Code
    var sentence: String
  }

  /// Reports how an update goes, and withdraws a request that nothing takes. To be called every few seconds.
  package func look(_ now: MediaTime) -> [Report] {
    guard let places else { return [] }
    let result = FileStamp(path: "\(places.results)/result")
    let isWaiting = File.names(in: places.requests).contains(SystemUpdate.requestName)
    let (isNew, isForgotten) = seen.withLock { seen -> (Bool, Bool) in
      let isNew = result != nil && result != seen.result
      seen.result = result
      seen.waitingSince = isWaiting ? seen.waitingSince ?? now : nil
      let isOverdue = seen.waitingSince.map { now - $0 >= SystemUpdate.patience } ?? false
      // The image may take the request at this moment. Then the update goes on, with its bundle.
      let isForgotten = isOverdue && File.unlink("\(places.requests)/\(SystemUpdate.requestName)")
      if isForgotten { (seen.waitingSince, seen.own) = (nil, SystemUpdate.forgotten) }
      if isNew, !isForgotten { seen.own = nil }
      return (isNew, isForgotten)
    }
    var reports: [Report] = []
    if isNew, let sentence = File.firstLine("\(places.results)/result") {
      reports.append(Report(code: SystemUpdate.code(ofResult: sentence), sentence: sentence))
    }
    if isForgotten {
      removeBundle()
      reports.append(Report(code: .updateFailed, sentence: SystemUpdate.forgotten))
    }
    return reports
  }

  private static let forgotten =
    "The update has not begun within a minute, and was given up: restart the box, then try again."

  /// The event for what the image says of an update: /usr/lib/onair/update and /usr/lib/onair/confirm write it.
  static func code(ofResult sentence: String) -> Event.Code {
    if sentence.hasPrefix("The update is installed") { return .updating }
    return sentence.hasSuffix(" is confirmed: it can stream.") ? .updated : .updateFailed
  }

  private func work(_ places: (results: String, requests: String)) -> Work {
    if turn.isTaken { return .receiving }
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
    /// The first bytes, while they are too few to be checked; `nil` once they are known to be those of a bundle.
    private let head = Mutex<[UInt8]?>([])

    fileprivate init(_ update: SystemUpdate, allowsOlder: Bool) throws(UpdateError) {
      self.update = update
      self.allowsOlder = allowsOlder
      file = try FileUpload(
        "\(update.directory)/\(SystemUpdate.bundleName).upload", limit: SystemUpdate.maxBytes,
        turn: update.turn)
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
        try update.ask("file", allowsOlder: allowsOlder)
      } catch {
        update.removeBundle()
        throw error
      }
    }
  }

  /// - Parameter allowsOlder: whether a system older than the present one is accepted; otherwise it is refused.
  package func begin(allowsOlder: Bool = false) throws(UpdateError) -> Upload {
    guard places != nil else { throw .notAvailable }
    guard state.state == .idle else { throw .busy }
    return try turn.begin { () throws(UpdateError) in try Upload(self, allowsOlder: allowsOlder) }
  }

  /// Requests an update with a bundle that is fetched from an address.
  /// - Parameter allowsOlder: whether a system older than the present one is accepted; otherwise it is refused.
  /// - Returns: a sentence for the user.
  package func fetch(_ address: String, allowsOlder: Bool = false) throws(UpdateError) -> String {
    guard places != nil else { throw .notAvailable }
    guard state.state == .idle else { throw .busy }
    guard address.utf8.count <= SystemUpdate.longestAddress,
      address.utf8.allSatisfy({ 0x21...0x7E ~= $0 }),
      ["https://", "http://"].contains(where: address.hasPrefix)
    else { throw .unfitAddress }
    try ask(address, allowsOlder: allowsOlder)
    let sentence = "The update is downloaded, and then installed."
    return address.hasPrefix("https://")
      ? sentence
      : "\(sentence) Its address is http://, not https://: others in the network can see it, and hold it back. What "
        + "they change is refused."
  }

  private func ask(_ what: String, allowsOlder: Bool) throws(UpdateError) {
    guard let places else { throw .notAvailable }
    seen.withLock { ($0.waitingSince, $0.own) = (nil, "") }
    do throws(SystemError) {
      try File.replace(
        SystemUpdate.requestName, in: places.requests,
        with: Array("\(what)\n\(allowsOlder ? "older\n" : "")".utf8))
    } catch {
      throw .notSaved(error)
    }
  }

  private func removeBundle() {
    for name in [SystemUpdate.bundleName, "\(SystemUpdate.bundleName).upload"] {
      File.unlink("\(directory)/\(name)")
    }
  }

  /// The version of the image, `IMAGE_VERSION` of os-release(5); `nil` if there is none.
  private static let imageVersion: String? = File.kernelText("/etc/os-release")?
    .split(separator: "\n").first { $0.hasPrefix("IMAGE_VERSION=") }
    .map { String($0.dropFirst("IMAGE_VERSION=".count)) }
}

extension UpdateError {
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
  package func look(at update: SystemUpdate) {
    guard update.isAvailable else { return }
    jobs.submit { [self] in
      for report in update.look(clock.now) {
        events.report(
          report.code, level: report.code == .updateFailed ? .warning : .notice,
          subject: "system", report.sentence)
      }
    }
  }

  /// Whether a broadcast is wanted or under way.
  package var isBroadcasting: Bool {
    state.withLock { $0.isOnAir || $0.director.intent.broadcast != .off }
  }
}
