// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Playout

/// The routes of the play-out: `/live/programme.flv` is HTTP-FLV, `/live/programme.m3u8` Low-Latency HLS.
struct PlayoutRoutes: Sendable {
  /// The folder of all addresses.
  private static let folder = "/live/\(Playout.stream)"
  private static let flv = "\(folder).flv"
  /// The addresses of the playlist, each with the path of its files' folder.
  private static let playlists = [
    "\(folder).m3u8": "\(Playout.stream)/", "\(folder)/index.m3u8": "",
  ]

  let playout: Playout
  /// Tells when the keys of addresses expire.
  let wallClock: WallClock

  /// The responder for all requests.
  var responder: some HTTPResponder<APIContext> {
    let router = Router(context: APIContext.self)
    router.add(middleware: OpenToPages())
    router.get("\(PlayoutRoutes.flv)") { request, _ in
      _ = try key(of: request, for: [PlayoutRoutes.flv])
      return stream(try playout.reader())
    }
    for (path, folder) in PlayoutRoutes.playlists {
      router.get("\(path)") { request, context in
        let key = try key(of: request, for: [path])
        let query = request.uri.queryParameters
        let reload = try BlockedReload.read(
          segment: query["_HLS_msn"].map { String($0) },
          part: query["_HLS_part"].map { String($0) })
        let text = try await playout.playlist(
          reload, for: address(of: context), folder: folder,
          query: key.map { "?auth_key=\($0.text)" } ?? "")
        return Answer.bytes(
          Array(text.utf8), headers: [.contentType: "application/vnd.apple.mpegurl"])
      }
    }
    router.get("\(PlayoutRoutes.folder)/:file") { request, context in
      _ = try key(of: request, for: Array(PlayoutRoutes.playlists.keys))
      let bytes = try await playout.file(
        context.parameters.get("file") ?? "", for: address(of: context))
      return Answer.bytes(bytes, headers: [.contentType: "video/mp4"])
    }
    return router.buildResponder()
  }

  /// The response that lasts as long as the broadcast.
  private func stream(_ reader: FLVReader) -> Response {
    Response(
      status: .ok,
      headers: [
        .contentType: "video/x-flv", .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
      ],
      body: ResponseBody { writer in
        while let piece = await reader.next() {
          try await writer.write(ByteBuffer(bytes: piece))
        }
        try await writer.finish(nil)
      })
  }

  /// The IP address of the client.
  private func address(of context: APIContext) -> String {
    context.channel.remoteAddress?.ipAddress ?? ""
  }

  /// Checks the key of a request.
  /// - Parameter paths: the addresses of which the key may be.
  /// - Returns: the key; `nil` if none is needed.
  /// - Throws: `unfitKey` if the key is missing or of none of `paths`, or has expired.
  private func key(of request: Request, for paths: [String]) throws(PlayoutError) -> AuthKey? {
    let secret = playout.secret
    guard secret.isSet else { return nil }
    let key = request.uri.queryParameters["auth_key"].flatMap { AuthKey(String($0)) }
    guard let key, paths.contains(where: { key.opens($0, secret: secret, now: wallClock.seconds) })
    else { throw .unfitKey }
    return key
  }
}

/// A middleware that lets the pages of all sites play what the play-out has, and turns errors into responses.
private struct OpenToPages: RouterMiddleware {
  func handle(
    _ request: Request, context: APIContext,
    next: (Request, APIContext) async throws -> Response
  ) async throws -> Response {
    var response: Response
    do {
      response =
        request.method == .options
        ? Response(status: .noContent) : try await next(request, context)
    } catch let error as PlayoutError {
      response = Answer.text("\(error)\n", error.status)
    } catch let error as HTTPError {
      response = Answer.text("There is no such address.\n", error.status)
    }
    response.headers[.accessControlAllowOrigin] = "*"
    if request.method == .options {
      response.headers[.accessControlAllowMethods] = "GET, HEAD"
      response.headers[.accessControlAllowHeaders] = "Range"
    }
    return response
  }
}

extension PlayoutError {
  /// The status of the response that reports the error.
  fileprivate var status: HTTPResponse.Status {
    switch self {
    case .offAir, .noSuchFile: .notFound
    case .unfitReload: .badRequest
    case .unfitKey: .forbidden
    case .full, .timedOut, .failed: .serviceUnavailable
    }
  }
}
