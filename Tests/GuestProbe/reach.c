// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "probe.h"

// Whether a socket answers "hello" with "hello". UDP sends it as libsrt does: in parts, with the address.
static int gets_echo(int socket, const struct addrinfo *udp) {
  struct iovec parts[] = {{"hel", 3}, {"lo", 2}};
  const struct msghdr message = {
    .msg_name = udp ? udp->ai_addr : NULL, .msg_namelen = udp ? udp->ai_addrlen : 0, .msg_iov = parts, .msg_iovlen = 2};
  struct pollfd waiting = {socket, POLLIN, 0};
  char answer[8] = "";
  return sendmsg(socket, &message, 0) == 5 && poll(&waiting, 1, 60000) == 1 &&
         recv(socket, answer, sizeof answer, 0) == 5 && memcmp(answer, "hello", 5) == 0;
}

static int is_connected_soon(int socket) {
  struct pollfd waiting = {socket, POLLOUT, 0};
  int error = 0;
  socklen_t length = sizeof error;
  return poll(&waiting, 1, 60000) == 1 && getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length) == 0 && error == 0;
}

static const char *failed_step(const char *address) {
  char host[64], port[8];
  if (sscanf(address, "http://%63[^:/]:%7[0-9]", host, port) != 2) return "address";
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list = NULL;
  if (getaddrinfo("example.com", port, &hints, &list) == 0) return "another name";
  if (getaddrinfo(NULL, "0", &(struct addrinfo){.ai_family = AF_INET, .ai_socktype = SOCK_DGRAM}, &list) != 0)
    return "any address";
  const int udp = socket(AF_INET, SOCK_DGRAM, 0), tcp = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (bind(udp, list->ai_addr, list->ai_addrlen) != 0) return "binding";
  freeaddrinfo(list);
  if (getaddrinfo(host, port, &hints, &list) != 0) return "name";
  struct sockaddr_in other = *(struct sockaddr_in *)(void *)list->ai_addr;
  // A socket that could block is not connected: OnAir must not wait.
  if (connect(socket(AF_INET, SOCK_STREAM, 0), list->ai_addr, list->ai_addrlen) == 0 || errno != EPERM) return "blocking";
  if (connect(tcp, list->ai_addr, list->ai_addrlen) != 0 && errno != EINPROGRESS) return "connecting";
  if (!is_connected_soon(tcp) || !gets_echo(tcp, NULL)) return "TCP";
  if (!gets_echo(udp, list) || !gets_echo(udp, list)) return "UDP";
  other.sin_port = htons((uint16_t)(ntohs(other.sin_port) ^ 1));
  const int second = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (connect(second, (struct sockaddr *)&other, sizeof other) == 0 || errno != EACCES) return "another port";
  freeaddrinfo(list);
  // Libraries that are loaded find these functions, and not those of the C library.
  if (dlsym(RTLD_DEFAULT, "connect") != (void *)connect || dlsym(RTLD_DEFAULT, "bind") != (void *)bind ||
      dlsym(RTLD_DEFAULT, "sendmsg") != (void *)sendmsg || dlsym(RTLD_DEFAULT, "getaddrinfo") != (void *)getaddrinfo)
    return "libraries";
  return NULL;
}

void reach(const char *address) {
  const char *step = failed_step(address);
  if (step) tell(ONAIR_GUEST_FAILED, 10, step);
  else tell(ONAIR_GUEST_ENDED, 0, "");
}
