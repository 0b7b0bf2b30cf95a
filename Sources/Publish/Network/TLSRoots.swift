// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CGnuTLS
internal import Posix
internal import Synchronization

/// The certificate authorities to verify servers with: the system's, or those of a file.
///
/// Debian's list has 139, which take 4 MB of memory and 20 ms to load on a PC. So they are loaded when first needed
/// and kept for all destinations.
@safe final class TLSRoots: @unchecked Sendable {
  /// Only read after `init`, which GnuTLS allows from several threads at once.
  let credentials: gnutls_certificate_credentials_t

  private static let loaded = Mutex<[String: TLSRoots]>([:])

  private init(_ credentials: gnutls_certificate_credentials_t) {
    unsafe self.credentials = unsafe credentials
  }

  deinit { unsafe gnutls_certificate_free_credentials(credentials) }

  /// - Parameter file: PEM; "" for the system's.
  /// - Throws: `.rootsMissing` if there is no certificate.
  static func load(_ file: String) throws(PublishError) -> TLSRoots {
    if let roots = loaded.withLock({ $0[file] }) { return roots }
    // The first RTMP_Init initialises GnuTLS.
    RTMPLibrary.ready
    var count = GNUTLS_E_FILE_ERROR
    let pem = file.isEmpty ? nil : try? File.read(file, limit: maxFileBytes).bytes
    guard file.isEmpty || pem != nil,
      let credentials = unsafe onair_tls_roots(pem, pem?.count ?? 0, &count)
    else {
      throw .failed(.rootsMissing, said: count < 0 ? TLSSession.errorText(count) : "")
    }
    let roots = unsafe TLSRoots(credentials)
    loaded.withLock { $0[file] = roots }
    return roots
  }

  /// The same limit as in the check of the settings. The file may have changed since that check.
  private static let maxFileBytes = 1 << 20

  /// Makes the next `load` read the file again, in case somebody has added a missing authority.
  static func forget(_ file: String) { loaded.withLock { $0[file] = nil } }
}
