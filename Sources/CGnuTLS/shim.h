// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// GnuTLS for Swift: hash functions, and TLS over a socket that OnAir opens, with the functions by which GnuTLS reads
// and writes, and the calls that Swift cannot make.

#pragma once

#include <errno.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <sys/socket.h>
#include <sys/types.h>

// The connection under a session. Its address must not change while the session exists.
typedef struct {
  int socket;
  // errno of the read or write that broke the connection; 0 while it works. Afterwards nothing is read or written:
  // gnutls_bye(3) would block once more.
  int failure;
  // Bytes read since this was last set to 0.
  size_t received;
  // The first bytes from the server. They show whether the server speaks TLS at all.
  unsigned char first[2];
  unsigned first_count;
  // What the server's certificate has to match: the host, and its use for servers.
  gnutls_typed_vdata_st expected[2];
} onair_tls_transport;

// Reads for GnuTLS. Never blocks, since the rest of a record may never arrive.
static inline ssize_t onair_tls_pull(gnutls_transport_ptr_t pointer, void *bytes, size_t size) {
  onair_tls_transport *transport = (onair_tls_transport *)pointer;
  ssize_t count;
  if (transport->failure != 0) {
    errno = transport->failure;
    return -1;
  }
  do {
    count = recv(transport->socket, bytes, size, MSG_DONTWAIT);
  } while (count < 0 && errno == EINTR);
  if (count < 0 && errno != EAGAIN) transport->failure = errno;
  if (count > 0) transport->received += (size_t)count;
  for (ssize_t i = 0; i < count && transport->first_count < sizeof transport->first; i++)
    transport->first[transport->first_count++] = ((unsigned char *)bytes)[i];
  return count;
}

// Writes for GnuTLS. Blocks until everything is written, or until SO_SNDTIMEO. GnuTLS would turn a partial write into
// GNUTLS_E_AGAIN, which librtmp takes for the end of the connection. errno is never left at EINTR, at which librtmp
// repeats the write.
static inline ssize_t onair_tls_push(gnutls_transport_ptr_t pointer, const void *bytes, size_t size) {
  onair_tls_transport *transport = (onair_tls_transport *)pointer;
  size_t done = 0;
  while (transport->failure == 0 && done < size) {
    ssize_t count = send(transport->socket, (const char *)bytes + done, size - done, MSG_NOSIGNAL);
    if (count >= 0) done += (size_t)count;
    else if (errno != EINTR) transport->failure = errno;
  }
  errno = transport->failure;
  return errno == 0 ? (ssize_t)size : -1;
}

// Creates a client session that requires a server certificate for `host`, a name or an address. The caller owns `host`,
// whose address must not change during the session. Returns a GnuTLS status. PROFILE_MEDIUM requires 112 bits of
// security, so RSA keys below 2,048 bits are rejected, which GnuTLS accepts by default; -RSA excludes the key exchange
// of TLS 1.2 without forward secrecy.
static inline int onair_tls_begin(
    gnutls_session_t *session, gnutls_certificate_credentials_t roots, onair_tls_transport *transport,
    char *host) {
  int status = gnutls_init(session, GNUTLS_CLIENT | GNUTLS_NONBLOCK);
  if (status < 0) return status;
  status = gnutls_set_default_priority_append(*session, "-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-RSA:%PROFILE_MEDIUM", NULL, 0);
  if (status >= 0) status = gnutls_credentials_set(*session, GNUTLS_CRD_CERTIFICATE, roots);
  if (status < 0) {
    gnutls_deinit(*session);
    return status;
  }
  transport->expected[0].type = GNUTLS_DT_DNS_HOSTNAME;
  transport->expected[0].data = (unsigned char *)host;
  transport->expected[0].size = 0;
  transport->expected[1].type = GNUTLS_DT_KEY_PURPOSE_OID;
  transport->expected[1].data = (unsigned char *)GNUTLS_KP_TLS_WWW_SERVER;
  transport->expected[1].size = 0;
  gnutls_session_set_verify_cert2(*session, transport->expected, 2, 0);
  gnutls_transport_set_ptr(*session, transport);
  gnutls_transport_set_pull_function(*session, onair_tls_pull);
  gnutls_transport_set_push_function(*session, onair_tls_push);
  return 0;
}

// Loads the certificate authorities of a PEM file's bytes, or the system's if pem is NULL. Sets *count to their number,
// to 0, or to a GnuTLS error; returns NULL unless there is at least one.
static inline gnutls_certificate_credentials_t onair_tls_roots(
    const unsigned char *pem, size_t size, int *count) {
  gnutls_certificate_credentials_t roots = NULL;
  gnutls_datum_t file = {(unsigned char *)pem, (unsigned)size};
  *count = gnutls_certificate_allocate_credentials(&roots);
  if (*count < 0) return NULL;
  if (pem == NULL) {
    *count = gnutls_certificate_set_x509_system_trust(roots);
  } else {
    *count = gnutls_certificate_set_x509_trust_mem(roots, &file, GNUTLS_X509_FMT_PEM);
  }
  if (*count > 0) return roots;
  gnutls_certificate_free_credentials(roots);
  return NULL;
}
