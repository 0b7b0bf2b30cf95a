// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import HTTPTypes
internal import Hummingbird
internal import Networking

/// The middleware of the TCP listener: it finds out who sends a request, and refuses requests that a page of another
/// site may have sent.
struct Gatekeeper: RouterMiddleware {
  /// Decides by host name and origin which requests are refused.
  let requestGuard: RequestGuard
  /// The session and device cookies of this listener.
  let cookies: Cookies
  /// The sessions and tokens by which clients are recognised.
  let access: Access
  /// Tells whether the box's own Wi-Fi is up.
  let network: Network

  /// Notes in the context who sends the request and calls the route, or refuses the request.
  func handle(
    _ request: Request, context: APIContext,
    next: (Request, APIContext) async throws -> Response
  ) async throws -> Response {
    let headers = request.headers
    if let redirect = hotspotRedirect(request, context) { return redirect }
    // Allow a link on another site to open the page: the browser sends no session cookie when it follows such a link,
    // and the page then makes requests of its own.
    let isLink =
      request.method.isSafe && headers[FieldName.secFetchDest] == "document"
      // Split the path as the router does, which treats two slashes as one.
      && request.uri.path.split(separator: "/").first != "api"
    if let objection = requestGuard.objection(
      authority: request.head.authority, origin: headers[.origin],
      site: isLink ? nil : headers[FieldName.secFetchSite])
    {
      return refuse(request, context, objection)
    }
    guard let peer = context.channel.remoteAddress?.ipAddress.flatMap(Address.init) else {
      return Answer.fault("forbidden", "This address is not understood.", .forbidden)
    }
    var address = peer
    if requestGuard.isFromProxy(authority: request.head.authority, peer: peer),
      let client = Gatekeeper.forwardedFor(headers)
    {
      address = client
    }
    var context = context
    let isForwarded =
      requestGuard.isProxy(request.head.authority)
      || FieldName.ofProxies.contains { headers.contains($0) }
    context.caller = .remote(address, isForwarded: isForwarded)
    identify(headers, &context)
    if let credential = context.credential {
      context.channel.triggerUserOutboundEvent(ClientIsKnown(by: credential), promise: nil)
    }
    // Refuse a change that has a session but no Origin. Browsers send Origin with every request that changes something,
    // and a form on another site cannot prevent that.
    if context.session != nil, !request.method.isSafe, headers[.origin] == nil,
      headers[FieldName.secFetchSite] != "same-origin"
    {
      return Answer.fault(
        "forbidden", "A change with a session needs the header Origin; scripts use a token.",
        .forbidden)
    }
    return try await next(request, context)
  }

  /// Redirects a phone in the box's own Wi-Fi to the page. In that Wi-Fi all host names resolve to the box, and a phone
  /// that checks for internet access shows the page to which it is redirected. The response contains no data of the
  /// box.
  private func hotspotRedirect(_ request: Request, _ context: APIContext) -> Response? {
    guard request.method.isSafe, let address = context.channel.localAddress,
      address.ipAddress == HotspotSettings.address, network.state.hotspot?.up ?? false,
      requestGuard.objection(authority: request.head.authority, origin: nil) != nil
    else { return nil }
    let port = address.port.map { $0 == 80 ? "" : ":\($0)" } ?? ""
    return Response(
      status: .found,
      headers: [.location: "http://\(HotspotSettings.address)\(port)/", .cacheControl: "no-store"])
  }

  /// Whether the client of a long-lived response is still logged in: its session or token may have been removed since
  /// the request.
  static func isStillLoggedIn(_ context: APIContext, _ access: Access) -> Bool {
    if let session = context.session { return access.scope(ofSession: session) != nil }
    if let token = context.token { return access.scope(ofToken: token) != nil }
    return true
  }

  /// Finds out who sends a request, by its token or its session cookies.
  private func identify(_ headers: HTTPFields, _ context: inout APIContext) {
    if let authorization = headers[.authorization] {
      // Cookies are ignored in a request with a token, even with an invalid one.
      let words = authorization.split(separator: " ", maxSplits: 1)
      if words.count == 2, words[0].lowercased() == "bearer" {
        context.token = String(words[1])
        context.scope = access.scope(ofToken: String(words[1]))
        if context.scope != nil { context.tokenName = access.name(ofToken: String(words[1])) }
      }
      return
    }
    for secret in cookies.sessions(in: headers) {
      guard let scope = access.scope(ofSession: secret) else { continue }
      (context.scope, context.session) = (scope, secret)
      // A request without these fields may come from a page of another site: without TLS, browsers do not tell the box
      // which site's page requests an image.
      context.isSameOrigin =
        headers[FieldName.secFetchSite] == "same-origin" || headers[FieldName.ownPage] != nil
      return
    }
  }

  /// Refuses a request. A browser that has opened the box under a host name that is not accepted gets a page with a
  /// link to the IP address of the box.
  private func refuse(_ request: Request, _ context: APIContext, _ objection: String) -> Response {
    guard request.method.isSafe, request.headers[.accept]?.contains("text/html") == true else {
      return Answer.fault("forbidden", objection, .forbidden)
    }
    var boxURL: String?
    // Give no link if the local address is a loopback address, as behind a proxy or a tunnel: the client cannot use it.
    if let address = context.channel.localAddress, let host = address.ipAddress,
      let known = Address(host), !known.isLoopback
    {
      let port = address.port.map { $0 == 80 ? "" : ":\($0)" } ?? ""
      boxURL = "http://\(host.contains(":") ? "[\(known)]" : "\(known)")\(port)/"
    }
    return Answer.refusal(boxURL)
  }

  /// The client's address in X-Forwarded-For: the last address, which the proxy next to the box has added. The client
  /// may have forged the addresses before it.
  private static func forwardedFor(_ headers: HTTPFields) -> Address? {
    let names = headers[values: FieldName.forwardedFor].joined(separator: ",").split(separator: ",")
    return names.last.map { String($0.trimming(" ")) }.flatMap(Address.init)
  }
}

extension HTTPRequest.Method {
  /// Whether the method only reads (RFC 9110, section 9.2.1).
  var isSafe: Bool { self == .get || self == .head || self == .options }
}
