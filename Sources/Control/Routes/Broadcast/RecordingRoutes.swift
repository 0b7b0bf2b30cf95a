// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Base
internal import Box
internal import HTTPTypes
internal import Hummingbird
internal import Posix

extension Routes {
  /// How many recordings a list has if the request does not say.
  private static let usualListed = 200
  /// The most characters of the name with which a recording begins.
  private static let longestTitle = 100

  private struct Change: RequestBody {
    static let fields: Set = ["name", "kept"]
    var name: String?
    var kept: Bool?
  }

  private struct Start: RequestBody {
    static let fields: Set = ["name"]
    var name: String?
  }

  /// Adds the routes that list, give and change recordings, and that begin and end them.
  func addRecordings(to table: inout RouteTable) {
    table.on(.get, "api/recordings", needs: .read) { [self] request, _ in
      let counts = 1...Station.mostListed
      guard let limit = Routes.number(request, "limit", counts, default: Routes.usualListed) else {
        return Routes.unfitNumber("limit", counts)
      }
      let after = request.uri.queryParameters["after"].map(String.init)
      return try await withRecordings { [station] in
        Answer.json(try station.listRecordings(most: limit, after: after))
      }
    }
    table.on(.get, "api/recordings/:id", needs: .read) { [self] _, context in
      let id = Routes.id(context)
      return try await withRecordings { [station] in Answer.json(try station.recording(id)) }
    }
    table.on(.patch, "api/recordings/:id", needs: .control) { [self] request, context in
      let change = try await Routes.decode(Change.self, request)
      let (id, origin) = (Routes.id(context), context.origin)
      return try await withRecordings { [station] in
        do throws(RecordingFault) {
          return Answer.json(
            try station.changeRecording(id, name: change.name, kept: change.kept, by: origin))
        } catch {
          guard error.kind == .unfit else { throw error }
          return Answer.fault(error.code, error.sentence, .badRequest)
        }
      }
    }
    table.on(.delete, "api/recordings/:id", needs: .control) { [self] _, context in
      let (id, origin) = (Routes.id(context), context.origin)
      return try await withRecordings { [station] in
        try station.deleteRecording(id, by: origin)
        return Answer.reply(
          ControlReply(
            changed: true,
            "The recording is deleted. For a minute, \"onair record undelete \(id)\" brings it back."
          ))
      }
    }
    table.on(.post, "api/recordings/:id/undo", needs: .control) { [self] request, context in
      _ = try await Routes.body(of: request)
      let (id, origin) = (Routes.id(context), context.origin)
      return try await withRecordings { [station] in
        Answer.json(try station.restoreRecording(id, by: origin))
      }
    }
    table.on(.get, "api/recordings/:id/file", needs: .control) { [self] request, context in
      let id = Routes.id(context)
      let isSaved = request.uri.queryParameters["save"] == "1"
      return try await withRecordings { [station] in
        let (recording, file) = try station.openRecording(id)
        guard let body = try? FileBody(file) else {
          return Answer.fault("disk_failed", "The recording cannot be read.", .conflict)
        }
        return Routes.film(
          body, request,
          headers: [
            .contentType: "video/mp4",
            .contentDisposition: Routes.disposition(recording.file, isSaved: isSaved),
          ])
      }
    }
    table.on(.get, "api/recordings/:id/picture", needs: .control) { [self] _, context in
      let id = Routes.id(context)
      return try await withRecordings { [station] in
        Answer.bytes(try station.recordingPicture(id), headers: [.contentType: "image/jpeg"])
      }
    }
    addRecord(to: &table)
  }

  /// Adds the routes that begin and end a recording.
  private func addRecord(to table: inout RouteTable) {
    table.on(.post, "api/record/start", needs: .operate) { [station] request, context in
      let body = try await Routes.body(of: request)
      let start = body.isEmpty ? Start() : try Routes.decode(Start.self, body)
      let title = start.name ?? ""
      guard title.count <= Routes.longestTitle else {
        return Answer.fault(
          "unfit_name", "The name has at most \(Routes.longestTitle) characters.", .badRequest)
      }
      let (mayOpenCamera, origin, jobs) = (
        context.mayViewOffAir, context.origin, station.recordingJobs
      )
      let reply = try await jobs.run {
        station.startRecording(title, mayOpenCamera: mayOpenCamera, by: origin)
      }
      return Answer.reply(reply, reply.code == "scope_too_small" ? .forbidden : nil)
    }
    table.on(.post, "api/record/stop", needs: .operate) { [station] request, context in
      _ = try await Routes.body(of: request)
      return Answer.reply(station.stopRecording(by: context.origin))
    }
    table.on(.post, "api/record/mark", needs: .operate) { [station] request, context in
      _ = try await Routes.body(of: request)
      return Answer.reply(station.markRecording(by: context.origin))
    }
    table.on(.post, "api/record/eject", needs: .operate) { [station] request, context in
      _ = try await Routes.body(of: request)
      return Answer.reply(station.ejectStick(by: context.origin))
    }
  }

  /// Answers a request on the thread that may wait for the disk with the recordings.
  private func withRecordings(
    _ body: @escaping @Sendable () throws -> Response
  ) async throws -> Response {
    let jobs = station.recordingJobs
    do {
      return try await jobs.run { try body() }
    } catch let fault as RecordingFault {
      return Answer.fault(fault.code, fault.sentence, fault.httpStatus)
    }
  }

  /// The whole file, or the range that a request asks for (RFC 9110, section 14).
  private static func film(
    _ body: FileBody, _ request: Request, headers: HTTPFields
  ) -> Response {
    var headers = headers
    (headers[.eTag], headers[.acceptRanges]) = (body.tag, "bytes")
    let isSame = request.headers[.ifRange].map { $0 == body.tag } ?? true
    guard isSame, let wanted = request.headers[.range].flatMap({ ByteRange($0) }) else {
      return body.answer(headers: headers)
    }
    if let range = wanted.within(body.bytes) { return body.answer(range, headers: headers) }
    var response = Answer.fault(
      "no_such_range", "The file has \(body.bytes) bytes.", .rangeNotSatisfiable)
    response.headers[.contentRange] = "bytes */\(body.bytes)"
    return response
  }

  private static func id(_ context: APIContext) -> String { context.parameters.get("id") ?? "" }

  /// The field Content-Disposition (RFC 6266), with the name in ASCII and in UTF-8 (RFC 8187).
  static func disposition(_ name: String, isSaved: Bool) -> String {
    let ascii = name.utf8.map { byte in
      isPlain(byte) || byte == UInt8(ascii: " ") ? String(UnicodeScalar(byte)) : "_"
    }
    let encoded = name.utf8.map { byte -> String in
      let hex = String(byte, radix: 16, uppercase: true)
      return isPlain(byte)
        ? String(UnicodeScalar(byte)) : "%\(hex.utf8.count < 2 ? "0" : "")\(hex)"
    }
    let kind = isSaved ? "attachment" : "inline"
    return "\(kind); filename=\"\(ascii.joined())\"; filename*=UTF-8''\(encoded.joined())"
  }

  /// Whether a byte stands for itself in a name: letters, digits, "-", ".", "_" and "~".
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }
}

extension RecordingFault {
  /// The status of the response that reports the error.
  fileprivate var httpStatus: HTTPResponse.Status {
    switch kind {
    case .missing: .notFound
    case .unfit, .conflict: .conflict
    }
  }
}
