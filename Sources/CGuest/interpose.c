// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Replaces functions of the C library that make connections, for this program and the libraries that it loads. In OnAir they do
// the same as those of the C library. In a confined reader, which may not make connections itself, they let OnAir make them, or
// use the one that it has got. They enforce nothing: the rules of onair_guest_confine do.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "layout.h"

struct onair_guest_host onair_guest_host;

// --- Requests to OnAir ----------------------------------------------------------------------------

// One request is under way at a time.
static pthread_mutex_t asking = PTHREAD_MUTEX_INITIALIZER;
static uint32_t last_number;

// The most milliseconds until OnAir answers: it never waits for a connection.
#define PATIENCE 5000

// Sends a request with a descriptor; -1 for none. Returns 0 or an error number.
static int send_request(int descriptor, const struct onair_guest_message *message) {
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
  } rights = {0};
  struct iovec whole = {(void *)(uintptr_t)message, sizeof *message};
  struct msghdr header = {.msg_iov = &whole, .msg_iovlen = 1};
  if (descriptor >= 0) {
    header.msg_control = &rights;
    header.msg_controllen = sizeof rights;
  }
  rights.header.cmsg_level = SOL_SOCKET;
  rights.header.cmsg_type = SCM_RIGHTS;
  rights.header.cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(&rights.header), &descriptor, sizeof descriptor);
  return syscall(SYS_sendmsg, ONAIR_GUEST_CONTROL, &header, MSG_NOSIGNAL) < 0 ? errno : 0;
}

// Sends a request and waits for its answer. Returns 0 or an error number.
static int ask(struct onair_guest_message *message, int descriptor) {
  pthread_mutex_lock(&asking);
  message->number = ++last_number;
  int error = send_request(descriptor, message);
  while (error == 0) {
    struct {
      uint32_t number;
      int32_t error;
    } answer;
    struct pollfd waiting = {ONAIR_GUEST_CONTROL, POLLIN, 0};
    const int ready = poll(&waiting, 1, PATIENCE);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) error = ETIMEDOUT;
    else if (recv(ONAIR_GUEST_CONTROL, &answer, sizeof answer, MSG_DONTWAIT) != sizeof answer) error = ECONNABORTED;
    // The answer to an earlier request came too late.
    else if (answer.number == message->number) {
      error = answer.error;
      break;
    }
  }
  pthread_mutex_unlock(&asking);
  return error;
}

// Lets OnAir connect a socket. Returns 0 or an error number.
static int ask_to_connect(int descriptor, const struct sockaddr *address, socklen_t length) {
  struct onair_guest_message message = {.kind = ONAIR_GUEST_CONNECT, .endpoint.length = length};
  if (length > sizeof message.endpoint.bytes) return EAFNOSUPPORT;
  memcpy(message.endpoint.bytes, address, length);
  return ask(&message, descriptor);
}

int onair_guest_ask_to_publish(const char *key) {
  struct onair_guest_message message = {.kind = ONAIR_GUEST_PUBLISH};
  if (strlen(key) > ONAIR_GUEST_DETAIL) return EACCES;
  strcpy(message.detail, key);
  return ask(&message, -1);
}

static int result(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

int connect(int descriptor, const struct sockaddr *address, socklen_t length) {
  if (!onair_guest_host.is_confined) return (int)syscall(SYS_connect, descriptor, address, length);
  return result(ask_to_connect(descriptor, address, length));
}

// --- Datagrams ------------------------------------------------------------------------------------

// A reader that receives has got its socket for datagrams: libsrt makes one to wait for a caller.
int socket(int family, int type, int protocol) {
  const int is_given = onair_guest_host.is_confined && onair_guest_host.receives && (type & 0xF) == SOCK_DGRAM;
  return is_given ? dup(ONAIR_GUEST_SOCKET) : (int)syscall(SYS_socket, family, type, protocol);
}

// libsrt binds its socket to any address before it sends. Connecting does that, too; and a socket that a reader has got is bound.
int bind(int descriptor, const struct sockaddr *address, socklen_t length) {
  if (!onair_guest_host.is_confined) return (int)syscall(SYS_bind, descriptor, address, length);
  if (onair_guest_host.receives) return 0;
  static const struct in6_addr any;
  const struct sockaddr_in *v4 = (const struct sockaddr_in *)(const void *)address;
  const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)(const void *)address;
  if (address->sa_family == AF_INET && length >= sizeof *v4 && v4->sin_port == 0 && v4->sin_addr.s_addr == 0) return 0;
  if (address->sa_family == AF_INET6 && length >= sizeof *v6 && v6->sin6_port == 0 &&
      memcmp(&v6->sin6_addr, &any, sizeof any) == 0)
    return 0;
  return result(EPERM);
}

// Whether a socket is connected to an address.
static int is_connected(int descriptor, const struct sockaddr *address) {
  struct sockaddr_storage peer = {0};
  socklen_t length = sizeof peer;
  if (getpeername(descriptor, (struct sockaddr *)&peer, &length) != 0 || peer.ss_family != address->sa_family) return 0;
  // Family, port and address; not the flow and the scope of IPv6.
  const int is_v4 = peer.ss_family == AF_INET;
  const size_t place = is_v4 ? 4 : 8;
  return memcmp(&peer, address, 4) == 0 &&
         memcmp((const char *)&peer + place, (const char *)address + place, is_v4 ? 4 : 16) == 0;
}

ssize_t sendmsg(int descriptor, const struct msghdr *message, int flags) {
  if (!onair_guest_host.is_confined) return syscall(SYS_sendmsg, descriptor, message, flags);
  if (message->msg_name && !is_connected(descriptor, message->msg_name)) {
    const int error = ask_to_connect(descriptor, message->msg_name, message->msg_namelen);
    if (error != 0) return result(error);
  }
  if (message->msg_iovlen == 1) return send(descriptor, message->msg_iov->iov_base, message->msg_iov->iov_len, flags);
  char whole[65536];
  size_t length = 0;
  for (size_t index = 0; index < message->msg_iovlen; index++) {
    const struct iovec part = message->msg_iov[index];
    if (part.iov_len > sizeof whole - length) return result(EMSGSIZE);
    memcpy(whole + length, part.iov_base, part.iov_len);
    length += part.iov_len;
  }
  return send(descriptor, whole, length, flags);
}

// --- Names ----------------------------------------------------------------------------------------

static in_port_t *port_of(struct sockaddr_storage *address) {
  return address->ss_family == AF_INET ? &((struct sockaddr_in *)address)->sin_port
                                       : &((struct sockaddr_in6 *)address)->sin6_port;
}

// Makes an entry that freeaddrinfo(3) of the C library can free.
static struct addrinfo *new_entry(
  const struct addrinfo *hints, const struct sockaddr_storage *address, socklen_t length, in_port_t port) {
  struct addrinfo *entry = calloc(1, sizeof *entry + sizeof *address);
  if (!entry) return NULL;
  struct sockaddr_storage *copy = (struct sockaddr_storage *)(void *)(entry + 1);
  *copy = *address;
  *port_of(copy) = port;
  entry->ai_family = copy->ss_family;
  entry->ai_socktype = hints && hints->ai_socktype ? hints->ai_socktype : SOCK_STREAM;
  entry->ai_protocol = hints && hints->ai_protocol          ? hints->ai_protocol
                       : entry->ai_socktype == SOCK_DGRAM ? IPPROTO_UDP
                                                            : IPPROTO_TCP;
  entry->ai_addrlen = length;
  entry->ai_addr = (struct sockaddr *)copy;
  return entry;
}

static int look_up(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **result) {
  char *end = NULL;
  const unsigned long port = service ? strtoul(service, &end, 10) : 0;
  if ((end && *end) || port > 65535) return EAI_SERVICE;
  if (host && strcasecmp(host, onair_guest_host.name) != 0) return EAI_NONAME;
  // Without a host: any address, for bind(2).
  const struct onair_guest_endpoint any[] = {
    {sizeof(struct sockaddr_in), {AF_INET}}, {sizeof(struct sockaddr_in6), {AF_INET6}}};
  const struct onair_guest_endpoint *endpoints = host ? onair_guest_host.endpoints : any;
  const uint32_t count = host ? onair_guest_host.count : 2;
  struct addrinfo *first = NULL, **next = &first;
  for (uint32_t index = 0; index < count && index < ONAIR_GUEST_ENDPOINTS; index++) {
    struct sockaddr_storage address = {0};
    memcpy(&address, endpoints[index].bytes, sizeof endpoints[index].bytes);
    if (hints && hints->ai_family != AF_UNSPEC && hints->ai_family != address.ss_family) continue;
    *next = new_entry(hints, &address, endpoints[index].length, htons((uint16_t)port));
    if (!*next) break;
    next = &(*next)->ai_next;
  }
  *result = first;
  return first ? 0 : EAI_NONAME;
}

int getaddrinfo(
  const char *restrict host, const char *restrict service, const struct addrinfo *restrict hints,
  struct addrinfo **restrict result) {
  if (onair_guest_host.is_confined) return look_up(host, service, hints, result);
  static int (*original)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
  // Each thread finds the same function.
  if (!__atomic_load_n(&original, __ATOMIC_RELAXED))
    __atomic_store_n(&original, dlsym(RTLD_NEXT, "getaddrinfo"), __ATOMIC_RELAXED);
  return original ? original(host, service, hints, result) : EAI_SYSTEM;
}
