// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cguest.h"

/* The answer to a request for a connection. */
struct answer {
  uint32_t number;
  int32_t error;
};

int onair_guest_control(int ends[2]) { return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends); }

/* Takes the descriptors out of a message, closes all but the first one, and returns that; -1 if there is none. */
static int descriptor_of(struct msghdr *header) {
  int kept = -1;
  for (struct cmsghdr *part = CMSG_FIRSTHDR(header); part; part = CMSG_NXTHDR(header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t index = 0; index < count; index++) {
      int descriptor;
      memcpy(&descriptor, CMSG_DATA(part) + index * sizeof(int), sizeof(int));
      if (kept < 0) kept = descriptor;
      else close(descriptor);
    }
  }
  return kept;
}

int onair_guest_accept(int listening, struct onair_guest_endpoint *peer) {
  struct sockaddr_storage address = {0};
  socklen_t length = sizeof address;
  const int accepted = accept4(listening, (struct sockaddr *)&address, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
  peer->length = length < sizeof peer->bytes ? length : sizeof peer->bytes;
  memcpy(peer->bytes, &address, sizeof peer->bytes);
  return accepted;
}

int onair_guest_receive(int control, struct onair_guest_message *message, int *descriptor) {
  /* Room for one descriptor: the kernel closes any further ones (MSG_CTRUNC). */
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
  } rights;
  struct iovec whole = {message, sizeof *message};
  struct msghdr header = {
    .msg_iov = &whole, .msg_iovlen = 1, .msg_control = &rights, .msg_controllen = sizeof rights};
  *descriptor = -1;
  const ssize_t length = recvmsg(control, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (length < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1;
  *descriptor = descriptor_of(&header);
  if (length != sizeof *message || header.msg_flags & MSG_TRUNC) return -1;
  message->video_codec[sizeof message->video_codec - 1] = 0;
  message->audio_codec[sizeof message->audio_codec - 1] = 0;
  message->detail[sizeof message->detail - 1] = 0;
  return 1;
}

static int option_of(int descriptor, int option) {
  int value = -1;
  socklen_t length = sizeof value;
  return getsockopt(descriptor, SOL_SOCKET, option, &value, &length) == 0 ? value : -1;
}

int onair_guest_connect(int descriptor, const struct onair_guest_endpoint *endpoint) {
  /* The option fails for what is no socket. The reader cannot make a socket blocking again (see onair_guest_confine). */
  const int family = option_of(descriptor, SO_DOMAIN), protocol = option_of(descriptor, SO_PROTOCOL);
  const int never_blocks = protocol == IPPROTO_UDP || fcntl(descriptor, F_GETFL) & O_NONBLOCK;
  if (family != AF_INET && family != AF_INET6) return EPERM;
  if ((protocol != IPPROTO_TCP && protocol != IPPROTO_UDP) || !never_blocks) return EPERM;
  struct sockaddr_storage address = {0};
  memcpy(&address, endpoint->bytes, sizeof endpoint->bytes);
  return connect(descriptor, (struct sockaddr *)&address, endpoint->length) == 0 ? 0 : errno;
}

void onair_guest_answer(int control, uint32_t number, int error) {
  const struct answer answer = {number, error};
  send(control, &answer, sizeof answer, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void onair_guest_tell(int control, const struct onair_guest_message *message) {
  while (send(control, message, sizeof *message, MSG_NOSIGNAL) < 0 && errno == EINTR) {}
}
