// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Base
internal import Box
internal import HTTPTypes
internal import Hummingbird
internal import Media
internal import NIOCore
internal import Preview
internal import Settings
internal import Studio
internal import Synchronization

extension Routes {
  /// How long a request waits for the first chunk of the preview: a camera may have to be opened.
  private static let firstChunkTimeout = Duration.seconds(10)
  /// How many snapshots a request may ask for.
  private static let snapshotCounts = 1...1_000
  /// The intervals between snapshots for which a request may ask, in seconds.
  private static let snapshotIntervals = 0.2...3_600.0

  /// Adds the routes for the preview of what viewers get: fragmented MP4, HLS and JPEG snapshots.
  func addPreview(to table: inout RouteTable) {
    table.on(.get, "api/preview.mp4", needs: .read) { [self] request, context in
      if let refusal = refuseView(context, Routes.viewingRequest(request)) { return refusal }
      let reader = try preview.reader()
      let first = try await Routes.first(of: reader)
      return Response(
        status: .ok,
        headers: [
          .contentType: "video/mp4; codecs=\"\(first.codecs ?? "")\"", .cacheControl: "no-store",
          .xContentTypeOptions: "nosniff",
          FieldName.codecs: first.codecs ?? "",
        ],
        body: ResponseBody { [self] writer in
          var chunk: Chunk? = first
          while let present = chunk {
            if refuseView(context, .more) != nil { break }
            if present.beginsWithKeyframe, !Gatekeeper.isStillLoggedIn(context, access) { break }
            try await writer.write(ByteBuffer(bytes: present.bytes))
            chunk = await reader.next()
          }
          try await writer.finish(nil)
        })
    }
    table.on(.get, "api/preview.m3u8", needs: .read) { [self] request, context in
      if let refusal = refuseView(context, Routes.viewingRequest(request)) { return refusal }
      return Answer.bytes(
        Array(try await preview.playlist().utf8),
        headers: [.contentType: "application/vnd.apple.mpegurl"])
    }
    table.on(.get, "api/preview/:segment", needs: .read) { [self] _, context in
      if let refusal = refuseView(context, .first) { return refusal }
      guard let bytes = preview.segment(context.parameters.get("segment") ?? "") else {
        return Answer.fault("no_such_segment", "There is no such segment any more.", .notFound)
      }
      return Answer.bytes(bytes, headers: [.contentType: "video/mp4"])
    }
    table.on(.get, "api/snapshot.jpg", needs: .read) { [self] request, context in
      guard let count = Routes.number(request, "count", Routes.snapshotCounts, default: 1) else {
        return Routes.unfitNumber("count", Routes.snapshotCounts)
      }
      let query = request.uri.queryParameters["interval"].map { Double($0) } ?? 1
      guard let interval = query, Routes.snapshotIntervals.contains(interval) else {
        return Answer.fault(
          "not_understood", "interval must be a number of seconds from 0.2 to 3600.", .badRequest)
      }
      if let refusal = refuseView(context, Routes.viewingRequest(request)) { return refusal }
      if count > 1 { return series(count, every: interval, request, context) }
      let image = try await preview.snapshot()
      // The broadcast may have ended while the camera was being opened.
      if let refusal = refuseView(context, .more) { return refusal }
      return Answer.bytes(image, headers: [.contentType: "image/jpeg"])
    }
  }

  /// The first chunk of a preview, which is the initialization segment.
  /// - Throws: `PreviewError.noPicture` if there is none within `firstChunkTimeout`.
  private static func first(of reader: PreviewReader) async throws -> Chunk {
    try await withThrowingTaskGroup(of: Chunk?.self) { group in
      group.addTask { await reader.next() }
      group.addTask {
        try await Task.sleep(for: firstChunkTimeout)
        return nil
      }
      defer { group.cancelAll() }
      guard let first = try await group.next() ?? nil else { throw PreviewError.noPicture }
      return first
    }
  }

  /// The kind of a request to see the preview: the page sends `again=1` when a person has tapped "Show the camera".
  private static func viewingRequest(_ request: Request) -> OffAirViewing.Request {
    request.uri.queryParameters["again"] == "1" ? .again : .first
  }

  /// Refuses to show the preview if the camera may not be shown to the caller now.
  /// - Returns: the refusal; `nil` if the caller may see the preview.
  private func refuseView(_ context: APIContext, _ request: OffAirViewing.Request) -> Response? {
    let verdict = station.viewVerdict(
      request, by: viewer(context), mayViewOffAir: context.mayViewOffAir,
      isSameOrigin: context.isSameOrigin)
    return switch verdict {
    case .open: nil
    case .needsPage:
      Answer.fault(
        "forbidden",
        "Off air, a session opens the camera only from the box's own page: send the header X-OnAir, or use a token.",
        .forbidden)
    case .spent:
      Answer.fault(
        "aiming_spent",
        "Off air, tokens may look for \(OffAirViewing.tokenMinutes) minutes an hour: wait, or look on the page.",
        .conflict)
    case .needsControl:
      Answer.fault(
        "scope_too_small", "Off air this opens the camera, which needs the scope \"control\".",
        .forbidden)
    case .over:
      Answer.fault(
        "aiming_over",
        "The camera was shown for ten minutes, or the room is private: press \"Show the camera\" to see it.",
        .conflict)
    }
  }

  /// The person or script that asks for the preview, in words for the list of viewers and for events.
  private func viewer(_ context: APIContext) -> OffAirViewing.Viewer {
    let address = context.caller?.address.map { " (\($0))" } ?? ""
    if let token = context.token {
      let name = access.name(ofToken: token).map { "the token \($0)" } ?? "a token"
      return OffAirViewing.Viewer(name: name + address, isToken: true)
    }
    return OffAirViewing.Viewer(
      name: context.session == nil ? "the command line" : "the page" + address, isToken: false)
  }

  /// A response of several JPEG snapshots (multipart/x-mixed-replace). It ends early when the caller may not see the
  /// next one, or has hung up.
  private func series(
    _ count: Int, every seconds: Double, _ request: Request, _ context: APIContext
  ) -> Response {
    let boundary = "onair-snapshot"
    return Response(
      status: .ok,
      headers: [
        .contentType: "multipart/x-mixed-replace; boundary=\(boundary)", .cacheControl: "no-store",
        // The connection is closed afterwards: while the server watches for a hang-up, it cannot read a further
        // request.
        .connection: "close",
      ],
      body: ResponseBody { [self] writer in
        try await request.body.consumeWithCancellationOnInboundClose { _ in
          for number in 1...count {
            if number > 1 { try await Task.sleep(for: .seconds(seconds)) }
            guard maySeeMore(context) else { break }
            let image = try await preview.snapshot()
            guard maySeeMore(context) else { break }
            let head =
              "--\(boundary)\r\nContent-Type: image/jpeg\r\nContent-Length: \(image.count)\r\n\r\n"
            try await writer.write(ByteBuffer(string: head))
            try await writer.write(ByteBuffer(bytes: image))
            try await writer.write(ByteBuffer(string: "\r\n"))
          }
        }
        try await writer.write(ByteBuffer(string: "--\(boundary)--\r\n"))
        try await writer.finish(nil)
      })
  }

  /// Whether the caller, who has seen a part of the preview, may see more of it.
  private func maySeeMore(_ context: APIContext) -> Bool {
    Gatekeeper.isStillLoggedIn(context, access) && refuseView(context, .more) == nil
  }
}

/// Attaches the preview's packet sink to the studio while somebody watches the preview.
final class PreviewUser: Sendable {
  /// The station whose studio the preview uses.
  private let station: Station
  /// The registration of the preview's sink with the studio; `nil` while nobody watches.
  private let user = Mutex<StudioUser?>(nil)

  init(_ station: Station) { self.station = station }

  /// Lets the studio open camera and microphone, as far as the settings name them, and pass packets to `sink`.
  func attach(_ sink: any PacketSink) {
    let settings = station.settings
    var needs: StudioNeeds = []
    if settings.video.source != .none { needs.insert(.video) }
    if settings.audio.source != .none { needs.insert(.audio) }
    let new = station.studio.enter(needs)
    new.add(sink)
    user.withLock { $0 = new }
    station.notePreview(isOpen: true)
  }

  /// Detaches the sink from the studio, which then may close camera and microphone.
  func detach() {
    let old = user.withLock { user in
      defer { user = nil }
      return user
    }
    old?.leave()
    station.notePreview(isOpen: false)
  }
}

extension PreviewError {
  /// The error as a code for programs.
  var code: String {
    switch self {
    case .busy: "too_many"
    case .noPicture: "no_picture"
    case .undecodable: "undecodable"
    case .noLibrary: "no_library"
    case .notWritten: "not_written"
    case .closed: "closed"
    }
  }

  /// The error as a sentence for people.
  var sentence: String {
    let text = description
    return "\(text.prefix(1).uppercased())\(text.dropFirst())."
  }
}
