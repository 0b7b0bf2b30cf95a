// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Base
internal import Box
internal import HTTPTypes
internal import Hummingbird
internal import Settings

extension Routes {
  /// Adds the routes that list, download, upload and delete media files, which people upload for viewers.
  func addMedia(to table: inout RouteTable) {
    table.on(.get, "api/media", needs: .read) { [desk, media] _, _ in
      Answer.json(try await desk.station.jobs.run { media.list(desk.configuration) })
    }
    table.on(.get, "api/media/:name", needs: .admin) { [media] _, context in
      let name = Routes.mediaName(context)
      let file = try await station.jobs.run {
        try name.flatMap { media.path(of: $0) }.map { try FileBody($0) }
      }
      guard let file else {
        return Answer.fault("no_such_file", "There is no such file.", .notFound)
      }
      // Send the file as an attachment, so that no browser shows it: an HTML file would run as a page of the box.
      return file.answer(headers: [
        .contentType: "application/octet-stream", .contentDisposition: "attachment",
      ])
    }
    table.on(.put, "api/media/:name", needs: .admin) { [station, media] request, context in
      let length = request.headers[.contentLength].flatMap { Int($0) }
      do {
        guard let name = Routes.mediaName(context) else { throw MediaFilesError.unfitName }
        let upload = try await JobThread.uploads.run { try media.beginUpload(name, bytes: length) }
        for try await piece in request.body {
          let bytes = Array(buffer: piece)
          try await JobThread.uploads.run { try upload.write(bytes) }
        }
        try await JobThread.uploads.run { try upload.finish(name) }
        station.events.report(
          .mediaChanged, subject: name, "The file \(name) was uploaded \(context.origin).")
        return Answer.reply(
          ControlReply(
            changed: true,
            "The file \(name) is on the box; settings call it \(MediaFolder.directoryName)/\(name)."
          ))
      } catch let fault as MediaFilesError {
        return Answer.reply(fault.reply, fault.httpStatus)
      }
    }
    table.on(.delete, "api/media/:name", needs: .admin) { [desk, media] _, context in
      do {
        guard let name = Routes.mediaName(context) else { throw MediaFilesError.unfitName }
        try await desk.station.jobs.run {
          try desk.withConfiguration { configuration throws(MediaFilesError) in
            try media.remove(name, configuration)
          }
        }
        desk.station.events.report(
          .mediaChanged, subject: name, "The file \(name) was deleted \(context.origin).")
        return Answer.reply(ControlReply(changed: true, "The file \(name) is deleted."))
      } catch let fault as MediaFilesError {
        return Answer.reply(fault.reply, fault.httpStatus)
      }
    }
  }

  /// The file name in a request's path, percent-decoded; `nil` if that fails.
  private static func mediaName(_ context: APIContext) -> String? {
    context.parameters.get("name").flatMap(percentDecoded)
  }

  /// Decodes percent-encoded text of a URL path (RFC 3986, section 2.1); `nil` if the encoding is faulty or the result
  /// is not UTF-8.
  static func percentDecoded(_ text: String) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2)
      guard digits.count == 2, digits.allSatisfy({ isHexDigit($0) }),
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }
}

extension MediaFilesError {
  /// The status of the response that reports the error.
  fileprivate var httpStatus: HTTPResponse.Status {
    switch self {
    case .busy, .noRoom, .tooMany, .inUse, .notSaved: .conflict
    case .tooLong: .contentTooLarge
    case .unfitName, .unfitFont: .badRequest
    case .unknown: .notFound
    }
  }
}
