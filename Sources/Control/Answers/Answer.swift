// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Box
internal import Figures
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// Builds the HTTP responses of the API.
enum Answer {
  /// The content type of JSON.
  static let json = "application/json; charset=utf-8"
  /// Bytes of a body that are written to the channel at a time: few enough that a slow client takes them within
  /// `Patience.reading`.
  static let chunkBytes = 16_384

  /// The response with a body that is JSON text.
  static func json(
    _ bytes: [UInt8], _ status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
  ) -> Response {
    var headers = headers
    headers[.contentType] = json
    return Answer.bytes(bytes, status, headers: headers)
  }

  /// The response whose body is a value as JSON.
  static func json(_ value: some Encodable, headers: HTTPFields = [:]) -> Response {
    json(JSON.encode(value), headers: headers)
  }

  /// The response whose body is plain text.
  static func text(_ text: String, _ status: HTTPResponse.Status = .ok) -> Response {
    bytes(Array(text.utf8), status, headers: [.contentType: "text/plain; charset=utf-8"])
  }

  /// The response with these bytes as its body. Clients do not store it, unless `headers` has a Cache-Control.
  static func bytes(
    _ bytes: [UInt8], _ status: HTTPResponse.Status = .ok, headers: HTTPFields
  ) -> Response {
    var headers = headers
    if headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
    headers[.xContentTypeOptions] = "nosniff"
    return Response(status: status, headers: headers, body: body(bytes))
  }

  /// A response body of known length, written in pieces of `chunkBytes` bytes.
  static func body(_ bytes: [UInt8]) -> ResponseBody {
    guard bytes.count > chunkBytes else {
      return ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
    }
    return ResponseBody(contentLength: bytes.count) { writer in
      for start in stride(from: 0, to: bytes.count, by: chunkBytes) {
        let part = bytes[start..<min(start + chunkBytes, bytes.count)]
        try await writer.write(ByteBuffer(bytes: part))
      }
      try await writer.finish(nil)
    }
  }

  /// The response that contains a `ControlReply` as JSON.
  /// - Parameter status: `nil` for the status that fits the reply.
  static func reply(_ reply: ControlReply, _ status: HTTPResponse.Status? = nil) -> Response {
    json(JSON.encode(reply), status ?? reply.httpStatus)
  }

  /// The response that reports an error: a JSON object with a code and a sentence.
  static func fault(
    _ code: String, _ sentence: String, _ status: HTTPResponse.Status
  ) -> Response {
    reply(ControlReply(fault: code, sentence), status)
  }

  /// The HTML page for a browser that has opened the box under a host name that the box does not accept.
  /// - Parameter boxURL: the URL of the box to link to; `nil` for no link.
  static func refusal(_ boxURL: String?) -> Response {
    let link = boxURL.map { "<p><a href=\"\($0)\">\($0)</a></p>" } ?? ""
    let page = """
      <!doctype html><html lang="en"><meta charset="utf-8"><title>OnAir</title>
      <meta name="viewport" content="width=device-width">
      <h1>OnAir</h1>
      <p>This box does not answer under this address, since another site could have led you here. \
      Open it by its IP address or its own name\(boxURL == nil ? "." : ":")</p>
      <p lang="zh">为防止其他网站冒用，此设备不响应这个地址。请用它的 IP 地址或设备自己的名称打开\(boxURL == nil ? "。" : "：")</p>
      \(link)</html>
      """
    return bytes(
      Array(page.utf8), .forbidden,
      headers: [
        .contentType: "text/html; charset=utf-8",
        .contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'",
      ])
  }

  /// The response that reports an `AccessError`.
  static func fault(_ error: AccessError) -> Response {
    var response = fault(error.code, error.sentence, error.httpStatus)
    if case .tooManyAttempts(let seconds) = error { response.headers[.retryAfter] = "\(seconds)" }
    return response
  }
}

extension AccessError {
  /// The status of the response that reports the error.
  fileprivate var httpStatus: HTTPResponse.Status {
    switch self {
    case .wrongPassword: .unauthorized
    case .tooManyAttempts: .tooManyRequests
    case .codeNeeded, .wrongCode: .forbidden
    case .unfitPassword, .simplePassword, .samePassword, .unfitTokenName: .badRequest
    case .unfitPassphrase, .wrongPassphrase, .unreadableFile: .badRequest
    case .busy: .serviceUnavailable
    case .unknownToken: .notFound
    case .alreadySetUp, .notSetUp, .notSaved, .unreadable, .tokenExists, .tooManyTokens: .conflict
    }
  }
}

extension ControlReply {
  /// The status of the response that contains the reply.
  fileprivate var httpStatus: HTTPResponse.Status {
    if ok { return .ok }
    return switch code {
    case ControlReply.unknown: .notFound
    case "unfit_settings" where problems != nil: .badRequest
    default: .conflict
    }
  }
}
