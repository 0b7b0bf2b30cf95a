// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// V4L2 for Swift, which cannot import its request numbers (macros with a cast) and its unions. Each function makes one
// ioctl (or two that belong together) with the single-planar or the multi-planar API, and returns 0 or errno.
// Kernel documentation: userspace-api/media/v4l.

#pragma once

#include <errno.h>
#include <libv4lconvert.h>
#include <linux/videodev2.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

static inline int onair_v4l2_ioctl(int fd, unsigned long request, void *argument) {
  return ioctl(fd, request, argument) < 0 ? errno : 0;
}

static inline uint32_t onair_v4l2_type(bool planar) {
  return planar ? V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE : V4L2_BUF_TYPE_VIDEO_CAPTURE;
}

struct onair_v4l2_identity {
  char driver[17];
  char card[33];
  char bus[33];
  /// V4L2_CAP_* of this node, not of the whole device.
  uint32_t capabilities;
};

/// VIDIOC_QUERYCAP.
static inline int onair_v4l2_identify(int fd, struct onair_v4l2_identity *identity) {
  struct v4l2_capability answer;
  memset(&answer, 0, sizeof answer);
  int status = onair_v4l2_ioctl(fd, VIDIOC_QUERYCAP, &answer);
  memset(identity, 0, sizeof *identity);
  memcpy(identity->driver, answer.driver, sizeof answer.driver);
  memcpy(identity->card, answer.card, sizeof answer.card);
  memcpy(identity->bus, answer.bus_info, sizeof answer.bus_info);
  identity->capabilities = answer.capabilities & V4L2_CAP_DEVICE_CAPS ? answer.device_caps
                                                                      : answer.capabilities;
  return status;
}

/// The status of the selected input: V4L2_IN_ST_* of VIDIOC_ENUMINPUT.
static inline int onair_v4l2_input_status(int fd, uint32_t *status) {
  int index = 0;
  int result = onair_v4l2_ioctl(fd, VIDIOC_G_INPUT, &index);
  if (result != 0) return result;
  struct v4l2_input input;
  memset(&input, 0, sizeof input);
  input.index = (uint32_t)index;
  result = onair_v4l2_ioctl(fd, VIDIOC_ENUMINPUT, &input);
  *status = input.status;
  return result;
}

/// Sets an HDMI receiver to the timings of its source. Fails with ENOTTY or ENODATA if the device is not a receiver.
static inline int onair_v4l2_follow_timings(int fd) {
  struct v4l2_dv_timings timings;
  memset(&timings, 0, sizeof timings);
  int status = onair_v4l2_ioctl(fd, VIDIOC_QUERY_DV_TIMINGS, &timings);
  return status != 0 ? status : onair_v4l2_ioctl(fd, VIDIOC_S_DV_TIMINGS, &timings);
}

struct onair_v4l2_pixel_format {
  uint32_t fourcc;
  char description[33];
};

/// VIDIOC_ENUM_FMT; EINVAL after the last.
static inline int onair_v4l2_enumerate_format(
    int fd, bool planar, uint32_t index, struct onair_v4l2_pixel_format *format) {
  struct v4l2_fmtdesc answer;
  memset(&answer, 0, sizeof answer);
  answer.index = index;
  answer.type = onair_v4l2_type(planar);
  int status = onair_v4l2_ioctl(fd, VIDIOC_ENUM_FMT, &answer);
  memset(format, 0, sizeof *format);
  format->fourcc = answer.pixelformat;
  memcpy(format->description, answer.description, sizeof answer.description);
  return status;
}

/// One size (step 0), or a range of sizes.
struct onair_v4l2_sizes {
  uint32_t min_width, max_width, step_width;
  uint32_t min_height, max_height, step_height;
};

/// VIDIOC_ENUM_FRAMESIZES; EINVAL after the last.
static inline int onair_v4l2_enumerate_sizes(
    int fd, uint32_t fourcc, uint32_t index, struct onair_v4l2_sizes *sizes) {
  struct v4l2_frmsizeenum answer;
  memset(&answer, 0, sizeof answer);
  answer.index = index;
  answer.pixel_format = fourcc;
  int status = onair_v4l2_ioctl(fd, VIDIOC_ENUM_FRAMESIZES, &answer);
  memset(sizes, 0, sizeof *sizes);
  if (status != 0) return status;
  if (answer.type == V4L2_FRMSIZE_TYPE_DISCRETE) {
    sizes->min_width = sizes->max_width = answer.discrete.width;
    sizes->min_height = sizes->max_height = answer.discrete.height;
  } else {
    sizes->min_width = answer.stepwise.min_width;
    sizes->max_width = answer.stepwise.max_width;
    sizes->step_width = answer.stepwise.step_width ? answer.stepwise.step_width : 1;
    sizes->min_height = answer.stepwise.min_height;
    sizes->max_height = answer.stepwise.max_height;
    sizes->step_height = answer.stepwise.step_height ? answer.stepwise.step_height : 1;
  }
  return 0;
}

/// Frame intervals in seconds: one value (both members are equal), or a range from the shortest to the longest.
struct onair_v4l2_intervals {
  struct v4l2_fract least, greatest;
};

/// VIDIOC_ENUM_FRAMEINTERVALS; EINVAL after the last.
static inline int onair_v4l2_enumerate_intervals(
    int fd, uint32_t fourcc, uint32_t width, uint32_t height, uint32_t index,
    struct onair_v4l2_intervals *intervals) {
  struct v4l2_frmivalenum answer;
  memset(&answer, 0, sizeof answer);
  answer.index = index;
  answer.pixel_format = fourcc;
  answer.width = width;
  answer.height = height;
  int status = onair_v4l2_ioctl(fd, VIDIOC_ENUM_FRAMEINTERVALS, &answer);
  memset(intervals, 0, sizeof *intervals);
  if (status != 0) return status;
  bool discrete = answer.type == V4L2_FRMIVAL_TYPE_DISCRETE;
  intervals->least = discrete ? answer.discrete : answer.stepwise.min;
  intervals->greatest = discrete ? answer.discrete : answer.stepwise.max;
  return 0;
}

/// The format of a frame in one memory plane.
struct onair_v4l2_format {
  uint32_t fourcc, width, height, field;
  uint32_t bytes_per_line, size_image;
  uint32_t colorspace, ycbcr_encoding, quantization, transfer;
  /// The number of memory planes; more than 1 is not supported.
  uint32_t planes;
};

/// VIDIOC_S_FMT. `format` is set to the driver's answer.
static inline int onair_v4l2_set_format(int fd, bool planar, struct onair_v4l2_format *format) {
  struct v4l2_format f;
  memset(&f, 0, sizeof f);
  f.type = onair_v4l2_type(planar);
  if (planar) {
    struct v4l2_pix_format_mplane *pixels = &f.fmt.pix_mp;
    pixels->width = format->width;
    pixels->height = format->height;
    pixels->pixelformat = format->fourcc;
    pixels->field = V4L2_FIELD_NONE;
    pixels->num_planes = 1;
    int status = onair_v4l2_ioctl(fd, VIDIOC_S_FMT, &f);
    if (status != 0) return status;
    format->fourcc = pixels->pixelformat;
    format->width = pixels->width;
    format->height = pixels->height;
    format->field = pixels->field;
    format->bytes_per_line = pixels->plane_fmt[0].bytesperline;
    format->size_image = pixels->plane_fmt[0].sizeimage;
    format->colorspace = pixels->colorspace;
    format->ycbcr_encoding = pixels->ycbcr_enc;
    format->quantization = pixels->quantization;
    format->transfer = pixels->xfer_func;
    format->planes = pixels->num_planes;
  } else {
    struct v4l2_pix_format *pixels = &f.fmt.pix;
    pixels->width = format->width;
    pixels->height = format->height;
    pixels->pixelformat = format->fourcc;
    pixels->field = V4L2_FIELD_NONE;
    // Without the magic value, the kernel ignores the fields after `priv`.
    pixels->priv = V4L2_PIX_FMT_PRIV_MAGIC;
    int status = onair_v4l2_ioctl(fd, VIDIOC_S_FMT, &f);
    if (status != 0) return status;
    bool extended = pixels->priv == V4L2_PIX_FMT_PRIV_MAGIC;
    format->fourcc = pixels->pixelformat;
    format->width = pixels->width;
    format->height = pixels->height;
    format->field = pixels->field;
    format->bytes_per_line = pixels->bytesperline;
    format->size_image = pixels->sizeimage;
    format->colorspace = pixels->colorspace;
    format->ycbcr_encoding = extended ? pixels->ycbcr_enc : 0;
    format->quantization = extended ? pixels->quantization : 0;
    format->transfer = extended ? pixels->xfer_func : 0;
    format->planes = 1;
  }
  return 0;
}

/// Sets the frame interval (VIDIOC_S_PARM). `interval` is set to the driver's answer. ENOTTY: it cannot be set.
static inline int onair_v4l2_set_interval(int fd, bool planar, struct v4l2_fract *interval) {
  struct v4l2_streamparm parameters;
  memset(&parameters, 0, sizeof parameters);
  parameters.type = onair_v4l2_type(planar);
  int status = onair_v4l2_ioctl(fd, VIDIOC_G_PARM, &parameters);
  if (status != 0) return status;
  if (parameters.parm.capture.capability & V4L2_CAP_TIMEPERFRAME) {
    parameters.parm.capture.timeperframe = *interval;
    status = onair_v4l2_ioctl(fd, VIDIOC_S_PARM, &parameters);
    if (status != 0) return status;
  }
  *interval = parameters.parm.capture.timeperframe;
  return 0;
}

/// The least number of buffers (V4L2_CID_MIN_BUFFERS_FOR_CAPTURE), or 0 if the driver does not state it.
static inline int onair_v4l2_least_buffers(int fd) {
  struct v4l2_control control;
  memset(&control, 0, sizeof control);
  control.id = V4L2_CID_MIN_BUFFERS_FOR_CAPTURE;
  return onair_v4l2_ioctl(fd, VIDIOC_G_CTRL, &control) == 0 ? control.value : 0;
}

/// VIDIOC_REQBUFS for mapped memory. `count` is set to the number of buffers; 0 frees all.
static inline int onair_v4l2_request_buffers(int fd, bool planar, uint32_t *count) {
  struct v4l2_requestbuffers request;
  memset(&request, 0, sizeof request);
  request.count = *count;
  request.type = onair_v4l2_type(planar);
  request.memory = V4L2_MEMORY_MMAP;
  int status = onair_v4l2_ioctl(fd, VIDIOC_REQBUFS, &request);
  *count = request.count;
  return status;
}

struct onair_v4l2_buffer {
  struct v4l2_buffer buffer;
  struct v4l2_plane plane;
};

static inline void onair_v4l2_prepare(struct onair_v4l2_buffer *b, bool planar, uint32_t index) {
  memset(b, 0, sizeof *b);
  b->buffer.index = index;
  b->buffer.type = onair_v4l2_type(planar);
  b->buffer.memory = V4L2_MEMORY_MMAP;
  if (planar) {
    b->buffer.m.planes = &b->plane;
    b->buffer.length = 1;
  }
}

/// VIDIOC_QUERYBUF and mmap.
/// - `address`: null on failure.
static inline int onair_v4l2_map(
    int fd, bool planar, uint32_t index, void **address, uint32_t *length) {
  struct onair_v4l2_buffer b;
  onair_v4l2_prepare(&b, planar, index);
  *address = NULL;
  int status = onair_v4l2_ioctl(fd, VIDIOC_QUERYBUF, &b.buffer);
  if (status != 0) return status;
  *length = planar ? b.plane.length : b.buffer.length;
  off_t offset = planar ? b.plane.m.mem_offset : b.buffer.m.offset;
  void *memory = mmap(NULL, *length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
  if (memory == MAP_FAILED) return errno;
  *address = memory;
  return 0;
}

/// VIDIOC_QBUF.
static inline int onair_v4l2_queue(int fd, bool planar, uint32_t index) {
  struct onair_v4l2_buffer b;
  onair_v4l2_prepare(&b, planar, index);
  return onair_v4l2_ioctl(fd, VIDIOC_QBUF, &b.buffer);
}

struct onair_v4l2_filled {
  uint32_t index, flags, sequence;
  /// The start of the frame in the buffer, and its length, in bytes.
  uint32_t offset, length;
  /// The driver's timestamp; `flags` states its clock.
  int64_t nanos;
};

/// VIDIOC_DQBUF; EAGAIN if no buffer is filled.
static inline int onair_v4l2_dequeue(int fd, bool planar, struct onair_v4l2_filled *filled) {
  struct onair_v4l2_buffer b;
  onair_v4l2_prepare(&b, planar, 0);
  int status = onair_v4l2_ioctl(fd, VIDIOC_DQBUF, &b.buffer);
  if (status != 0) return status;
  uint32_t used = planar ? b.plane.bytesused : b.buffer.bytesused;
  filled->index = b.buffer.index;
  filled->flags = b.buffer.flags;
  filled->sequence = b.buffer.sequence;
  filled->offset = planar && b.plane.data_offset < used ? b.plane.data_offset : 0;
  filled->length = used - filled->offset;
  filled->nanos = (int64_t)b.buffer.timestamp.tv_sec * 1000000000 +
                  (int64_t)b.buffer.timestamp.tv_usec * 1000;
  return 0;
}

/// VIDIOC_STREAMON or VIDIOC_STREAMOFF.
static inline int onair_v4l2_stream(int fd, bool planar, bool on) {
  int type = (int)onair_v4l2_type(planar);
  return onair_v4l2_ioctl(fd, on ? VIDIOC_STREAMON : VIDIOC_STREAMOFF, &type);
}

/// A colour description with V4L2's defaults filled in (V4L2_COLORSPACE_*, V4L2_YCBCR_ENC_*,
/// V4L2_QUANTIZATION_*, V4L2_XFER_FUNC_*).
struct onair_v4l2_colour {
  uint32_t colorspace, ycbcr_encoding, quantization, transfer;
};

/// Replaces each DEFAULT as the kernel's documentation "Colorspaces" defines. `rgb`: the pixels are not Y'CbCr.
static inline struct onair_v4l2_colour onair_v4l2_resolve(struct onair_v4l2_colour c, bool rgb) {
  if (c.colorspace == V4L2_COLORSPACE_DEFAULT)
    c.colorspace = V4L2_MAP_COLORSPACE_DEFAULT(false, false);
  if (c.ycbcr_encoding == V4L2_YCBCR_ENC_DEFAULT)
    c.ycbcr_encoding = V4L2_MAP_YCBCR_ENC_DEFAULT(c.colorspace);
  if (c.quantization == V4L2_QUANTIZATION_DEFAULT)
    c.quantization = V4L2_MAP_QUANTIZATION_DEFAULT(rgb, c.colorspace, c.ycbcr_encoding);
  if (c.transfer == V4L2_XFER_FUNC_DEFAULT)
    c.transfer = V4L2_MAP_XFER_FUNC_DEFAULT(c.colorspace);
  return c;
}

/// v4lconvert_convert to YU12 of the same size without row padding.
/// Returns the bytes written, or -1.
static inline int onair_v4l2_convert(
    struct v4lconvert_data *converter, const struct onair_v4l2_format *format, void *source,
    int source_length, void *destination, int destination_length) {
  struct v4l2_format from, to;
  memset(&from, 0, sizeof from);
  from.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  from.fmt.pix.width = format->width;
  from.fmt.pix.height = format->height;
  from.fmt.pix.pixelformat = format->fourcc;
  from.fmt.pix.field = V4L2_FIELD_NONE;
  from.fmt.pix.bytesperline = format->bytes_per_line;
  from.fmt.pix.sizeimage = format->size_image;
  to = from;
  to.fmt.pix.pixelformat = V4L2_PIX_FMT_YUV420;
  v4lconvert_fixup_fmt(&to);
  return v4lconvert_convert(converter, &from, &to, (unsigned char *)source, source_length,
                            (unsigned char *)destination, destination_length);
}
