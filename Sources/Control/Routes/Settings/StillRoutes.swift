// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Base
internal import Box
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Settings
internal import Video

extension Routes {
  /// Adds the routes for stills: the images that viewers see instead of the camera.
  func addStills(to table: inout RouteTable) {
    table.on(.get, "api/stills/:still", needs: .read) { [station] _, context in
      guard let still = Routes.still(context) else { return Routes.noStill }
      let path = still.path(station.settings)
      guard !path.isEmpty else {
        return Answer.bytes(still.builtIn.bytes, headers: [.contentType: "image/png"])
      }
      let (file, head) = try await station.jobs.run {
        let file = try? FileBody(path)
        return (file, (try? file?.beginning(4)) ?? [])
      }
      // Only a JPEG or a PNG is sent: the setting may name any file of this machine.
      let isJPEG = head.starts(with: [0xFF, 0xD8, 0xFF])
      guard let file, isJPEG || head == [0x89, 0x50, 0x4E, 0x47] else {
        return Answer.fault("no_such_file", "\(still.setting): its file cannot be read.", .notFound)
      }
      return file.answer(headers: [.contentType: isJPEG ? "image/jpeg" : "image/png"])
    }
    table.on(.put, "api/stills/:still", needs: .admin) { [self] request, context in
      guard let still = Routes.still(context) else { return Routes.noStill }
      // A body that is too long is refused before any of it is read.
      if let length = request.headers[.contentLength].flatMap({ Int($0) }),
        length > StillImage.maxBytes
      {
        return Answer.reply(StillUploadError.tooLong.reply, .contentTooLarge)
      }
      let origin = context.origin
      do {
        let upload = try await JobThread.uploads.run { [uploads] in try uploads.beginUpload(still) }
        for try await piece in request.body {
          let bytes = Array(buffer: piece)
          try await JobThread.uploads.run { try upload.write(bytes) }
        }
        try await JobThread.images.run { try upload.check() }
        let path = try await JobThread.uploads.run { try upload.finish(still) }
        return Answer.reply(
          try await station.jobs.run { [desk, uploads] in
            let reply = desk.answer(SettingsPatch([still.setting: .text(path)]), by: origin)
            uploads.clean(still, keeping: still.path(desk.station.settings))
            return reply
          })
      } catch let fault as StillUploadError {
        return Answer.reply(fault.reply, fault.httpStatus)
      }
    }
    table.on(.delete, "api/stills/:still", needs: .admin) { [self] _, context in
      guard let still = Routes.still(context) else { return Routes.noStill }
      let origin = context.origin
      let patch = SettingsPatch([still.setting: nil])
      try await checkImages(of: patch, isRemote: false)
      return Answer.reply(
        try await station.jobs.run { [desk, uploads] in
          let reply = desk.answer(patch, by: origin)
          uploads.clean(still, keeping: still.path(desk.station.settings))
          return reply
        })
    }
  }

  /// The still that the path of a request names; `nil` if there is no such still.
  private static func still(_ context: APIContext) -> StillName? {
    context.parameters.get("still").flatMap { StillName(rawValue: $0) }
  }

  /// The answer to a request for an unknown still.
  private static var noStill: Response {
    let names = StillName.allCases.map(\.rawValue).joined(separator: ", ")
    return Answer.fault("no_such_still", "There is no such image; there are \(names).", .notFound)
  }
}

extension StillUploadError {
  /// The status of the response that reports the error.
  fileprivate var httpStatus: HTTPResponse.Status {
    switch self {
    case .busy, .notSaved: .conflict
    case .tooLong: .contentTooLarge
    case .unfit: .badRequest
    }
  }
}
