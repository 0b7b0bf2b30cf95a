// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import HTTPTypes
internal import Hummingbird
internal import Page

extension Routes {
  /// The Content-Security-Policy of the page's files (CSP Level 3): nothing from other origins, and no inline script.
  private static let policy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob: data:",
    "media-src 'self' blob:", "connect-src 'self'", "manifest-src 'self'", "form-action 'self'",
    "frame-ancestors 'none'", "base-uri 'none'",
  ].joined(separator: "; ")

  /// Adds the routes for the page's files and the description of the API. They need no login, since they hold no
  /// secret.
  func addPage(to table: inout RouteTable) {
    for asset in Asset.all {
      let path = asset.name == "index.html" ? "/" : asset.name
      table.on(.get, path, needs: nil) { request, _ in Routes.answer(asset, request) }
    }
    table.on(.get, "api/openapi.yaml", needs: nil) { request, _ in
      Routes.answer(.openAPI, request)
    }
  }

  /// The response with a file of the page; without a body if the client has the file's present version.
  private static func answer(_ asset: Asset, _ request: Request) -> Response {
    let contents = asset.contents
    var headers: HTTPFields = [
      .contentType: asset.type, .eTag: contents.tag, .cacheControl: "no-cache",
      .xContentTypeOptions: "nosniff",
    ]
    headers[.contentSecurityPolicy] = policy
    headers[FieldName.referrerPolicy] = "no-referrer"
    headers[FieldName.frameOptions] = "DENY"
    if request.headers[.ifNoneMatch] == contents.tag {
      return Response(status: .notModified, headers: headers)
    }
    return Response(status: .ok, headers: headers, body: Answer.body(contents.bytes))
  }
}
