// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// D-Bus through libsystemd's sd-bus(3). Only functions that are not variadic are used: Swift cannot call the others.

#pragma once

#include <stdlib.h>
#include <systemd/sd-bus.h>
