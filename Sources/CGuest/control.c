// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "cguest.h"

/* The answer to a request for a connection. */
struct answer {
  uint32_t number;
  int32_t error;
};

/* Room for the descriptors that come with a message. */
union given {
  struct cmsghdr header;
  char bytes[CMSG_SPACE(ONAIR_GUEST_GIVEN * sizeof(int))];
};

int onair_guest_control(int ends[2]) { return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends); }

int onair_guest_call(const char *path, const int descriptors[], size_t count) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path || count > ONAIR_GUEST_GIVEN) {
    errno = EINVAL;
    return -1;
  }
  strcpy(address.sun_path, path);
  const int control = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (control < 0) return -1;
  union given rights;
  struct iovec whole = {(char[]){0}, 1};
  struct msghdr header = {
    .msg_iov = &whole, .msg_iovlen = 1, .msg_control = &rights, .msg_controllen = CMSG_SPACE(count * sizeof(int))};
  struct cmsghdr *part = CMSG_FIRSTHDR(&header);
  *part = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(count * sizeof(int))};
  memcpy(CMSG_DATA(part), descriptors, count * sizeof(int));
  if (connect(control, (struct sockaddr *)&address, sizeof address) == 0 && sendmsg(control, &header, MSG_NOSIGNAL) == 1)
    return control;
  const int error = errno;
  close(control);
  errno = error;
  return -1;
}

int onair_guest_take_descriptors(void) {
  enum { patience = 10000 };
  /* Other readers have the same user. They must not look into this process, which gets the guest's address and key now. */
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return -1;
  struct pollfd waiting = {ONAIR_GUEST_CONTROL, POLLIN, 0};
  union given rights;
  char nothing;
  struct iovec whole = {&nothing, 1};
  struct msghdr header = {.msg_iov = &whole, .msg_iovlen = 1, .msg_control = &rights, .msg_controllen = sizeof rights};
  if (poll(&waiting, 1, patience) != 1 || recvmsg(ONAIR_GUEST_CONTROL, &header, MSG_DONTWAIT) != 1) return -1;
  const struct cmsghdr *part = CMSG_FIRSTHDR(&header);
  if (!part || part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) return -1;
  const size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  int given[ONAIR_GUEST_GIVEN];
  memcpy(given, CMSG_DATA(part), count * sizeof(int));
  /* High numbers first, so that none is overwritten before it has its place. */
  for (size_t index = 0; index < count; index++) given[index] = fcntl(given[index], F_DUPFD, 16);
  for (size_t index = 0; index < count; index++) {
    if (dup2(given[index], ONAIR_GUEST_MEMORY + (int)index) < 0) return -1;
    close(given[index]);
  }
  return 0;
}

/* Takes the descriptors out of a message, closes all but the first one, and returns that; -1 if there is none. */
static int descriptor_of(struct msghdr *header, size_t *total) {
  int kept = -1;
  for (struct cmsghdr *part = CMSG_FIRSTHDR(header); part; part = CMSG_NXTHDR(header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    *total += count;
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
  /* Room for one descriptor, and for a second one on some processors: the kernel closes any further ones (MSG_CTRUNC). Many of
   * them on their way would keep other readers from sending theirs: who sends more than one breaks the protocol. */
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
  size_t count = 0;
  *descriptor = descriptor_of(&header, &count);
  if (length != sizeof *message || header.msg_flags & (MSG_TRUNC | MSG_CTRUNC) || count > 1) return -1;
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
