// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
package import Box
internal import Figures
internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
package import Networking
internal import Posix
package import Settings

/// Why a request to a running OnAir has failed: OnAir cannot be reached, or refuses it.
package struct ControlError: Error, Sendable {
  /// The reason, in words that follow "Cannot reach the OnAir …:"; if `isRefusal`, a sentence.
  package var reason: String
  /// Whether no OnAir listens at the socket.
  package var isNotRunning = false
  /// Whether OnAir has answered, and refuses the request: then `reason` is the sentence of its answer.
  package var isRefusal = false
}

/// The answer to a request to begin an uplink test.
package enum UplinkAnswer: Sendable {
  /// The test has begun. The value is its state.
  case begun(Uplink)
  /// The test has not begun. The value says why.
  case refused(ControlReply)
}

/// The answer to a request to begin a lip-sync measurement.
package enum LipSyncAnswer: Sendable {
  case begun(LipSync)
  case refused(ControlReply)
}

/// Sends requests to a running OnAir through its Unix socket.
package enum ControlClient {
  /// The time to wait for an answer, after which the running OnAir counts as hanging. An answer takes milliseconds, but
  /// a request with a body may take longer: a change is written to a slow card, a password is hashed.
  private static func answerTimeout(_ body: [UInt8]) -> TimeAmount {
    body.isEmpty ? .seconds(5) : .seconds(30)
  }
  /// The most bytes that an answer may have.
  private static let longestAnswer = 1 << 20

  /// The path of the control socket in a state directory.
  static func socket(in directory: String) -> String { "\(directory)/control" }

  /// Sends a command.
  /// - Parameters:
  ///   - word: the command, such as "pause".
  ///   - directory: the state directory of the OnAir that gets the command.
  package static func command(
    _ word: String, directory: String
  ) throws(ControlError) -> ControlReply {
    try decode(ControlReply.self, request(.POST, "/api/\(word)", directory: directory))
  }

  /// - Returns: the state of the box and of its broadcast.
  package static func status(directory: String) throws(ControlError) -> Status {
    try decode(Status.self, request(.GET, "/api/status", directory: directory))
  }

  /// - Returns: the list of all settings as JSON.
  package static func settings(directory: String) throws(ControlError) -> String {
    String(decoding: try request(.GET, "/api/settings", directory: directory), as: UTF8.self)
  }

  /// Exports the settings that differ from their defaults.
  /// - Parameter passphrase: encrypts the file, which then has the secrets, too; `nil` for a plain file without
  ///   secrets.
  /// - Returns: the text of the settings file.
  package static func exportSettings(
    passphrase: String?, directory: String
  ) throws(ControlError) -> String {
    let bytes =
      if let passphrase {
        try request(
          .POST, "/api/settings/export", JSON.encode(["passphrase": passphrase]),
          directory: directory)
      } else {
        try request(.GET, "/api/settings/export", directory: directory)
      }
    // Only a refusal is JSON; an exported settings file never is.
    if let refusal = try? JSON.decode(ControlReply.self, bytes) {
      throw ControlError(reason: refusal.sentence ?? "It is refused.", isRefusal: true)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether the text of an exported settings file is encrypted, so that its import needs a passphrase.
  package static func isSealed(_ text: String) -> Bool { Access.isSealed(text) }

  /// Imports the settings of an exported settings file.
  /// - Parameter passphrase: decrypts the file; `nil` if it is not encrypted.
  package static func importSettings(
    _ text: String, passphrase: String?, directory: String
  ) throws(ControlError) -> ControlReply {
    var body = ["text": text]
    body["passphrase"] = passphrase
    return try post("settings/import", body, directory: directory)
  }

  /// Begins an uplink test: a test of the connection to the platform.
  package static func testUplink(directory: String) throws(ControlError) -> UplinkAnswer {
    let bytes = try request(.POST, "/api/uplink", directory: directory)
    if let begun = try? JSON.decode(Uplink.self, bytes) { return .begun(begun) }
    return .refused(try decode(ControlReply.self, bytes))
  }

  /// - Returns: the state of the last uplink test.
  package static func uplink(directory: String) throws(ControlError) -> Uplink {
    try decode(Uplink.self, request(.GET, "/api/uplink", directory: directory))
  }

  /// Begins a lip-sync measurement.
  package static func measureLipSync(directory: String) throws(ControlError) -> LipSyncAnswer {
    let bytes = try request(.POST, "/api/lipsync", directory: directory)
    if let begun = try? JSON.decode(LipSync.self, bytes) { return .begun(begun) }
    return .refused(try decode(ControlReply.self, bytes))
  }

  /// - Returns: the state of the last lip-sync measurement.
  package static func lipSync(directory: String) throws(ControlError) -> LipSync {
    try decode(LipSync.self, request(.GET, "/api/lipsync", directory: directory))
  }

  /// - Returns: the relays of the settings, with their state.
  package static func relays(directory: String) throws(ControlError) -> [RelayStatus] {
    try entries(of: RelaySettings.list, directory: directory)
  }

  /// The entries of a list of the settings.
  package static func entries<Entry: Decodable>(
    of list: NamedList, directory: String
  ) throws(ControlError) -> [Entry] {
    try decode([Entry].self, request(.GET, "/api/\(list.path)", directory: directory))
  }

  /// Adds an entry to a list of the settings.
  /// - Parameter fields: the values of the entry's settings as text, by their names. "name" is the name of the entry;
  ///   without it the box chooses one.
  package static func addEntry(
    _ fields: [String: String], to list: NamedList, directory: String
  ) throws(ControlError) -> ControlReply {
    try post("\(list.path)", fields, directory: directory)
  }

  /// Changes an entry of a list of the settings.
  /// - Parameter fields: the new values as text, by the names of the entry's settings.
  package static func changeEntry(
    _ name: String, of list: NamedList, _ fields: [String: String], directory: String
  ) throws(ControlError) -> ControlReply {
    let path = "/api/\(list.path)/\(name)"
    return try decode(
      ControlReply.self, request(.PATCH, path, SettingsPatch.json(fields), directory: directory))
  }

  /// Removes an entry from a list of the settings.
  package static func removeEntry(
    _ name: String, of list: NamedList, directory: String
  ) throws(ControlError) -> ControlReply {
    let path = "/api/\(list.path)/\(name)"
    return try decode(ControlReply.self, request(.DELETE, path, directory: directory))
  }

  /// The texts that replace the placeholders `{api:NAME}` in text overlays.
  package static func texts(directory: String) throws(ControlError) -> [BoardText] {
    try decode([BoardText].self, request(.GET, "/api/text", directory: directory))
  }

  /// Sets the text that replaces the placeholder `{api:NAME}` in text overlays.
  /// - Parameter name: the NAME of the placeholder.
  package static func setText(
    _ name: String, to text: String, directory: String
  ) throws(ControlError) -> ControlReply {
    try decode(
      ControlReply.self,
      request(.PATCH, "/api/text/\(name)", JSON.encode(["text": text]), directory: directory))
  }

  /// Adds a relay, which sends the broadcast to a further server.
  /// - Parameters:
  ///   - url: the address of the server.
  ///   - key: the stream key; empty for none.
  package static func addRelay(
    _ name: String, url: String, key: String, isEnabled: Bool, directory: String
  ) throws(ControlError) -> ControlReply {
    struct Relay: Encodable { var name: String, url: String, key: String, enabled: Bool }
    return try post(
      "relays", Relay(name: name, url: url, key: key, enabled: isEnabled), directory: directory)
  }

  /// Changes one field of a relay.
  /// - Parameter field: the name of the field in the body of `PATCH /api/relays/NAME`.
  package static func changeRelay(
    _ name: String, _ field: String, to value: String, directory: String
  ) throws(ControlError) -> ControlReply {
    try changeEntry(name, of: RelaySettings.list, [field: value], directory: directory)
  }

  /// Removes a relay from the settings.
  package static func removeRelay(
    _ name: String, directory: String
  ) throws(ControlError) -> ControlReply {
    try removeEntry(name, of: RelaySettings.list, directory: directory)
  }

  /// Starts, stops, pauses or resumes a relay.
  /// - Parameter name: the relay's name; `nil` for all relays.
  package static func relay(
    _ action: RelayAction, _ name: String?, directory: String
  ) throws(ControlError) -> ControlReply {
    let path = (name.map { "\($0)/" } ?? "") + action.rawValue
    return try decode(
      ControlReply.self, request(.POST, "/api/relays/\(path)", directory: directory))
  }

  /// The state of the box's network.
  package static func network(directory: String) throws(ControlError) -> NetworkState {
    try decode(NetworkState.self, request(.GET, "/api/network", directory: directory))
  }

  /// Begins a scan for Wi-Fis.
  package static func scanWiFis(directory: String) throws(ControlError) -> ControlReply {
    try post("network/wifi/scan", [String: String](), directory: directory)
  }

  /// Begins to join a Wi-Fi.
  /// - Parameter password: empty for an open Wi-Fi, or to use the saved password of a known one.
  package static func joinWiFi(
    _ name: String, password: String, isHidden: Bool, directory: String
  ) throws(ControlError) -> ControlReply {
    struct Request: Encodable { var name: String, password: String, hidden: Bool }
    return try post(
      "network/wifi/join", Request(name: name, password: password, hidden: isHidden),
      directory: directory)
  }

  /// Forgets a known Wi-Fi and its password.
  package static func forgetWiFi(
    _ name: String, directory: String
  ) throws(ControlError) -> ControlReply {
    try post("network/wifi/forget", ["name": name], directory: directory)
  }

  /// Confirms a change of the network, which is otherwise undone after some time.
  package static func confirmNetwork(directory: String) throws(ControlError) -> ControlReply {
    try post("network/confirm", [String: String](), directory: directory)
  }

  /// Changes settings.
  /// - Parameter values: the new values as text, by the name of the setting; `nil` unsets a setting.
  package static func change(
    _ values: [String: String?], directory: String
  ) throws(ControlError) -> ControlReply {
    try decode(
      ControlReply.self,
      request(.PATCH, "/api/settings", SettingsPatch.json(values), directory: directory))
  }

  /// Sets or changes the owner's password.
  package static func setPassword(
    _ new: String, directory: String
  ) throws(ControlError) -> ControlReply {
    try post("password", ["new": new], directory: directory)
  }

  /// Sets, changes or removes the operator's password.
  /// - Parameter new: the new password; `nil` removes it.
  package static func setOperatorPassword(
    _ new: String?, directory: String
  ) throws(ControlError) -> ControlReply {
    try post("operator_password", ["new": new], directory: directory)
  }

  /// Forgets both passwords, all sessions and all tokens.
  package static func resetAccess(directory: String) throws(ControlError) -> ControlReply {
    try decode(ControlReply.self, request(.POST, "/api/access/reset", directory: directory))
  }

  /// Restarts the machine, or switches it off.
  /// - Parameter isForced: whether the machine is restarted or switched off even during a broadcast.
  package static func power(
    _ action: MachinePower.Action, isForced: Bool, directory: String
  ) throws(ControlError) -> ControlReply {
    try post("box/\(action.rawValue)", ["even_live": isForced], directory: directory)
  }

  /// Resets the box to its factory state: ends the broadcast, and removes all settings, passwords and uploaded files.
  package static func resetToFactory(directory: String) throws(ControlError) -> ControlReply {
    try post("factory_reset", ["confirm": "reset"], directory: directory)
  }

  /// - Returns: the tokens for scripts, without their secrets.
  package static func tokens(directory: String) throws(ControlError) -> [TokenReply] {
    try decode([TokenReply].self, request(.GET, "/api/tokens", directory: directory))
  }

  /// The names of the scopes that a token can have; the first is "read". Each scope includes all that come before it.
  package static let scopes = Scope.allCases.map(\.rawValue)

  /// Makes a token for a script.
  /// - Parameter scope: one of `scopes`.
  package static func makeToken(
    _ name: String, scope: String, directory: String
  ) throws(ControlError) -> TokenReply {
    try post("tokens", ["name": name, "scope": scope], directory: directory)
  }

  /// Removes a token. From then on it is not accepted.
  package static func removeToken(
    _ name: String, directory: String
  ) throws(ControlError) -> ControlReply {
    try decode(ControlReply.self, request(.DELETE, "/api/tokens/\(name)", directory: directory))
  }

  /// Sends a POST request, and decodes the answer.
  /// - Parameter path: the path after "/api/".
  static func post<Value: Decodable>(
    _ path: String, _ body: some Encodable, directory: String
  ) throws(ControlError) -> Value {
    try decode(
      Value.self, request(.POST, "/api/\(path)", JSON.encode(body), directory: directory))
  }

  /// Decodes an answer. Throws the sentence of the answer if it is a refusal.
  static func decode<Value: Decodable>(
    _ type: Value.Type, _ bytes: [UInt8]
  ) throws(ControlError) -> Value {
    if let value = try? JSON.decode(type, bytes) { return value }
    if let fault = try? JSON.decode(ControlReply.self, bytes), let sentence = fault.sentence {
      throw ControlError(reason: sentence, isRefusal: true)
    }
    throw ControlError(reason: "its answer is not understood: is it of another version?")
  }

  /// Sends a request and waits for the answer.
  /// - Parameter timeout: the time to wait; `nil` for the usual one.
  /// - Returns: the body of the answer, whatever its status is.
  static func request(
    _ method: HTTPMethod, _ path: String, _ body: [UInt8] = [], within timeout: TimeAmount? = nil,
    directory: String
  ) throws(ControlError) -> [UInt8] {
    let socket = socket(in: directory)
    guard UnixSocketAddress(socket) != nil else {
      throw ControlError(reason: "the path is too long for a socket")
    }
    var head = HTTPRequestHead(version: .http1_1, method: method, uri: path)
    head.headers = [
      "Host": "onair", "Connection": "close", "Content-Length": "\(body.count)",
    ]
    let group = MultiThreadedEventLoopGroup.singleton
    let answer = group.next().makePromise(of: [UInt8].self)
    let exchange = Exchange(head: head, body: body, answer: answer)
    do {
      let channel = try ClientBootstrap(group: group).connectTimeout(.seconds(5))
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHTTPClientHandlers()
            try pipeline.addHandlers(
              NIOHTTPClientResponseAggregator(maxContentLength: longestAnswer), exchange.handler())
          }
        }.connect(unixDomainSocketPath: socket).wait()
      channel.eventLoop.scheduleTask(in: timeout ?? answerTimeout(body)) {
        answer.fail(ControlError(reason: "it does not answer"))
        channel.close(promise: nil)
      }
    } catch {
      answer.fail(error)
      let code = (error as? IOError)?.errnoCode
      throw ControlError(
        reason: code == EACCES
          ? "only root and the user that it runs as may do that: try with sudo"
          : code.map { "\(SystemError($0))" } ?? "\(error)",
        isNotRunning: code == ENOENT || code == ECONNREFUSED)
    }
    do {
      return try answer.futureResult.wait()
    } catch {
      throw error as? ControlError ?? ControlError(reason: "it has closed the connection")
    }
  }

  /// A request, and the promise of its answer.
  private struct Exchange: Sendable {
    let head: HTTPRequestHead
    let body: [UInt8]
    let answer: EventLoopPromise<[UInt8]>

    func handler() -> some ChannelInboundHandler { Handler(exchange: self) }
  }

  /// Writes a request to its connection, and fulfils the promise of the answer.
  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = NIOHTTPClientResponseFull
    typealias OutboundOut = HTTPClientRequestPart

    private let exchange: Exchange

    init(exchange: Exchange) { self.exchange = exchange }

    func channelActive(context: ChannelHandlerContext) {
      context.write(wrapOutboundOut(.head(exchange.head)), promise: nil)
      context.write(
        wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: exchange.body)))), promise: nil)
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let response = unwrapInboundIn(data)
      exchange.answer.succeed(response.body.map { Array(buffer: $0) } ?? [])
      context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
      exchange.answer.fail(ControlError(reason: "it has closed the connection"))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      exchange.answer.fail(ControlError(reason: "it has closed the connection"))
      context.close(promise: nil)
    }
  }
}
