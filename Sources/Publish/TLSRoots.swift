// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CGnuTLS
internal import Synchronization

/// The certificate authorities that servers are judged by: the system's, or those of a file.
///
/// Debian's are 139, take 4 MB and 20 ms on a PC. So they are loaded when first needed and kept for
/// all destinations.
@safe final class TLSRoots: @unchecked Sendable {
  /// Only ever read, as GnuTLS allows from several threads at once.
  let credentials: gnutls_certificate_credentials_t

  private static let kept = Mutex<[String: TLSRoots]>([:])

  private init(_ credentials: gnutls_certificate_credentials_t) {
    unsafe self.credentials = unsafe credentials
  }

  deinit { unsafe gnutls_certificate_free_credentials(credentials) }

  /// - Parameter file: PEM; "" for the system's.
  /// - Throws: `.rootsMissing`, if there is not one certificate.
  static func load(_ file: String) throws(PublishEnd) -> TLSRoots {
    if let roots = kept.withLock({ $0[file] }) { return roots }
    // The first RTMP_Init sets GnuTLS up.
    RTMPLibrary.ready
    var count: Int32 = 0
    guard let credentials = unsafe onair_tls_roots(file.isEmpty ? nil : file, &count) else {
      throw .failed(.rootsMissing, said: count < 0 ? TLSSession.words(count) : "")
    }
    let roots = unsafe TLSRoots(credentials)
    kept.withLock { $0[file] = roots }
    return roots
  }

  /// Has them loaded anew next time: what was refused may be known by then.
  static func forget(_ file: String) { kept.withLock { $0[file] = nil } }
}
