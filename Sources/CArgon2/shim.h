// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Argon2 (RFC 9106), the reference implementation.

#pragma once

#include <argon2.h>
