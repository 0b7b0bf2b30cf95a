/* SPDX-FileCopyrightText: 2026 The OnAir authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The built-in stills. */
#include "cembedded.h"

static const uint8_t pause[] = {
#embed "../Video/Stills/pause.png"
};
static const uint8_t no_camera[] = {
#embed "../Video/Stills/no-camera.png"
};
static const uint8_t poor_network[] = {
#embed "../Video/Stills/poor-network.png"
};

const onair_file onair_still_pause = {"pause.png", pause, sizeof pause};
const onair_file onair_still_no_camera = {"no-camera.png", no_camera, sizeof no_camera};
const onair_file onair_still_poor_network = {"poor-network.png", poor_network, sizeof poor_network};
