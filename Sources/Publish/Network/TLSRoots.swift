// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CGnuTLS
internal import Posix
internal import Synchronization

/// The certificate authorities to verify servers with: the system's, or those of a file.
///
/// Debian's list has 139 authorities, which take 4 MB of memory and 20 ms to load on a PC. So a list is loaded when it
/// is first needed, and kept for all destinations.
@safe final class TLSRoots: @unchecked Sendable {
  /// GnuTLS's object with the authorities. After `init` it is only read, which GnuTLS allows from several threads at
  /// once.
  let credentials: gnutls_certificate_credentials_t

  /// The lists that are loaded, by the name of their file; "" for the system's.
  private static let loaded = Mutex<[String: TLSRoots]>([:])

  private init(_ credentials: gnutls_certificate_credentials_t) {
    unsafe self.credentials = unsafe credentials
  }

  deinit { unsafe gnutls_certificate_free_credentials(credentials) }

  /// The authorities of a file, or the system's. Loads them at the first call.
  /// - Parameter file: a PEM file; "" for the system's authorities.
  /// - Throws: `.rootsMissing` if the file has no certificate.
  static func load(_ file: String) throws(PublishError) -> TLSRoots {
    if let roots = loaded.withLock({ $0[file] }) { return roots }
    // GnuTLS has to be initialised first, which the first RTMP_Init does.
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

  /// The largest file that is loaded, in bytes. The check of the settings has the same limit, but the file may have
  /// changed since that check.
  private static let maxFileBytes = 1 << 20

  /// Makes the next `load` read the file again, in case somebody has added a missing authority.
  static func forget(_ file: String) { loaded.withLock { $0[file] = nil } }
}
