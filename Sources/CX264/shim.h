// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <stdint.h>

#include <x264.h>

// x264_encoder_open is a macro that adds the library's build number to the name of the function: Swift cannot import
// it.
static inline x264_t *onair_x264_open(x264_param_t *parameters) {
  return x264_encoder_open(parameters);
}

static inline const char *onair_x264_pointver(void) { return X264_POINTVER; }

static const int onair_x264_keyint_infinite = X264_KEYINT_MAX_INFINITE;
static const int onair_x264_csp_i420 = X264_CSP_I420;
static const int onair_x264_type_auto = X264_TYPE_AUTO;
static const int onair_x264_type_idr = X264_TYPE_IDR;
static const int onair_x264_rc_abr = X264_RC_ABR;
static const int onair_x264_rc_cqp = X264_RC_CQP;
static const int onair_x264_me_dia = X264_ME_DIA;
static const int onair_x264_me_hex = X264_ME_HEX;
static const int onair_x264_me_umh = X264_ME_UMH;
static const unsigned int onair_x264_intra_partitions = X264_ANALYSE_I4x4 | X264_ANALYSE_I8x8;
static const unsigned int onair_x264_inter_partitions = X264_ANALYSE_PSUB16x16 | X264_ANALYSE_BSUB16x16;
static const int onair_x264_log_none = X264_LOG_NONE;
