// swift-tools-version: 6.2
// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import PackageDescription

/// What every Swift target is compiled with: unsafe code is marked where it stands, and nothing is merely warned of.
let strict: [SwiftSetting] = [
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

/// The same for targets whose loops would be too slow for tests at -Onone: optimised in debug builds, too.
let optimized = strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// The functions with which CGuest replaces those of the C library, also for libraries that are loaded at run time.
let exportedByGuests = ["bind", "connect", "getaddrinfo", "sendmsg", "socket"].flatMap {
  ["-Xlinker", "--export-dynamic-symbol=\($0)"]
}

let package = Package(
  name: "onair",
  products: [
    .executable(name: "onair", targets: ["onair"]),
    .executable(name: "onair-filter", targets: ["onair-filter"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(
      url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
  ],
  targets: [
    // C: a module map and the few inline shims that Swift cannot do without.
    .systemLibrary(name: "CALSA"),
    .systemLibrary(name: "CArgon2"),
    .systemLibrary(name: "CFFmpeg"),
    .systemLibrary(name: "CFilter"),
    .systemLibrary(name: "CGPIOD"),
    .systemLibrary(name: "CGnuTLS"),
    .systemLibrary(name: "CPosix"),
    .systemLibrary(name: "CQRencode"),
    .systemLibrary(name: "CRTMP"),
    .systemLibrary(name: "CSpeexDSP"),
    .systemLibrary(name: "CSystemd"),
    .systemLibrary(name: "CTurboJPEG"),
    .systemLibrary(name: "CV4L2"),
    .systemLibrary(name: "CX264"),
    .systemLibrary(name: "CYUV"),
    .systemLibrary(name: "CZip"),

    // C that ends its functions by longjmp, behind functions that do not.
    .target(name: "CJPEG", linkerSettings: [.linkedLibrary("jpeg")]),
    .target(name: "CPNG", linkerSettings: [.linkedLibrary("png16")]),

    // Processes that are not trusted: how OnAir starts them, and how they take rights from themselves.
    .target(name: "CProcess"),
    // The process of a guest's reader. The samples of each block of audio pass a loop of it.
    .target(
      name: "CGuest", dependencies: ["CProcess"],
      cSettings: [.unsafeFlags(["-O2"], .when(configuration: .debug))]),

    // Loops over samples. At -O0 they would be too slow for tests that play in real time.
    .target(
      name: "CPixels", cSettings: [.unsafeFlags(["-O2"], .when(configuration: .debug))]),
    .target(
      name: "CSamples", cSettings: [.unsafeFlags(["-O2"], .when(configuration: .debug))]),

    // Cairo and Pango behind a few functions. Pango's headers lie in folders of their own; those of GLib differ from
    // processor to processor, and a folder that is not there counts as empty.
    .target(
      name: "CDrawing",
      cSettings: [
        .unsafeFlags(
          [
            "pango-1.0", "cairo", "glib-2.0", "harfbuzz", "freetype2", "fribidi", "libpng16",
          ].flatMap { ["-iwithsysroot", "/usr/include/\($0)"] }
            + ["x86_64", "aarch64"].flatMap {
              ["-iwithsysroot", "/usr/lib/\($0)-linux-gnu/glib-2.0/include"]
            })
      ],
      linkerSettings: [
        "pangocairo-1.0", "pangoft2-1.0", "pango-1.0", "cairo", "fontconfig", "gobject-2.0",
        "glib-2.0",
      ].map { .linkedLibrary($0) }),

    // The page and the stills, as they are.
    .target(name: "CEmbedded"),

    // C++: toml++ behind a C interface.
    .target(
      name: "CTOML", cxxSettings: [.unsafeFlags(["-O2"], .when(configuration: .debug))],
      linkerSettings: [.linkedLibrary("stdc++")]),

    // Files, errors and sockets of the operating system. Not called System: swift-nio asks `canImport(System)`, and
    // takes a module of that name for Apple's.
    .target(name: "Posix", dependencies: ["CPosix"], swiftSettings: strict),

    // Threads, clocks, texts and the options that modules share.
    .target(name: "Base", dependencies: ["CPosix"], swiftSettings: strict),

    // The media path: each knows `Base`, `Media` and its C targets, and none of its neighbours.
    .target(name: "Media", dependencies: ["Base"], swiftSettings: strict),
    .target(
      name: "Capture",
      dependencies: [
        "CALSA", "CFFmpeg", "CGnuTLS", "CGuest", "CPosix", "CProcess", "CV4L2", "CYUV", "Base",
        "Media", "Mux", "Posix",
      ],
      swiftSettings: strict),
    .target(
      name: "Video",
      dependencies: [
        "Base", "Media", "Posix", "CEmbedded", "CFilter", "CJPEG", "CPNG", "CPixels", "CProcess",
        "CYUV",
      ],
      exclude: ["Stills"], swiftSettings: strict),
    .target(
      name: "Overlay", dependencies: ["Base", "Media", "Posix", "Video", "CDrawing", "CZip"],
      swiftSettings: strict),
    .target(
      name: "Audio", dependencies: ["Base", "Media", "CSamples", "CSpeexDSP"],
      swiftSettings: optimized),
    .target(
      name: "Encode", dependencies: ["Base", "Media", "CFFmpeg", "CSamples", "CX264"],
      swiftSettings: strict),
    .target(name: "Mux", dependencies: ["Base", "Media", "CFFmpeg"], swiftSettings: strict),
    .target(
      name: "Publish",
      dependencies: ["Base", "Media", "Mux", "Posix", "CGnuTLS", "CRTMP", "CPosix"],
      swiftSettings: strict),
    .target(
      name: "Preview", dependencies: ["Base", "Media", "Mux", "CFFmpeg", "CTurboJPEG"],
      swiftSettings: strict),
    .target(
      name: "Playout", dependencies: ["Base", "Media", "Mux", "Preview", "CGnuTLS"],
      swiftSettings: strict),

    .target(
      name: "Recording", dependencies: ["Base", "Media", "Mux", "Posix", "CFFmpeg", "CTurboJPEG"],
      swiftSettings: optimized),

    // The decisions: values in, values out.
    .target(name: "Director", dependencies: ["Base"], swiftSettings: strict),
    .target(
      name: "Guests", dependencies: ["Base"], exclude: ["README.md"], swiftSettings: strict),
    .target(name: "RateControl", dependencies: ["Base"], swiftSettings: strict),
    .target(
      name: "Schedule", dependencies: ["Base"], exclude: ["Timetable/README.md"],
      swiftSettings: strict),

    // The pipelines with their sources and sinks: here the modules of the media path meet.
    .target(
      name: "Studio",
      dependencies: [
        "Base", "Media", "Posix", "Capture", "Video", "Overlay", "Audio", "Encode", "Publish",
        "Director",
        "RateControl", "Settings", "CPosix", "CSamples",
      ],
      swiftSettings: strict),

    // The box around it.
    .target(
      name: "Access", dependencies: ["CArgon2", "CGnuTLS", "Base", "Posix"],
      swiftSettings: strict),
    .target(
      name: "Page", dependencies: ["CEmbedded"], exclude: ["API", "Assets", "page.png"],
      swiftSettings: strict),
    .target(
      name: "Panel", dependencies: ["Director", "Base", "Posix", "CGPIOD"],
      swiftSettings: strict),
    .target(name: "Sticks", dependencies: ["Base", "Posix"], swiftSettings: strict),
    .target(
      name: "Networking", dependencies: ["Base", "Settings", "CSystemd"],
      swiftSettings: strict),
    .target(
      name: "Figures",
      dependencies: ["Audio", "Base", "Posix", "Publish", "Settings", "Studio"],
      swiftSettings: strict),
    .target(
      name: "Events",
      dependencies: [
        "Audio", "Capture", "Director", "Figures", "Base", "Posix", "Publish", "RateControl",
        "Settings",
        "Studio", .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),

    // The box as others see it, without a web server.
    .target(
      name: "Box",
      dependencies: [
        "Access", "Audio", "Capture", "Director", "Encode", "Events", "Figures", "Guests", "Base",
        "Media", "Overlay",
        "Panel",
        "Posix",
        "Publish", "RateControl", "Recording", "Schedule", "Settings", "Sticks", "Studio", "Video",
        "CPosix",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
    .target(
      name: "Control",
      dependencies: [
        "Access", "Box", "CQRencode", "Director", "Events", "Figures", "Base", "Media",
        "Networking",
        "Page", "Playout", "Posix", "Preview", "Settings", "Studio", "Video",
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      swiftSettings: strict),
    // Each test that starts a box reads them.
    .target(
      name: "Settings", dependencies: ["CTOML", "Base", "Posix"],
      swiftSettings: optimized),
    .target(
      name: "Appliance",
      dependencies: [
        "Access", "Box", "CPosix", "Control", "Director", "Events", "Base", "Networking",
        "Panel",
        "Posix", "Settings", "Studio", .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "onair",
      dependencies: [
        "Appliance", "Box", "Capture", "Control", "Figures", "Base", "Networking", "Panel",
        "Posix", "Settings", "Studio",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict,
      // A hundred thousand relocations packed, and no names for a program that nobody links with: 4 MB less to
      // read at the start and to keep in memory.
      linkerSettings: [
        .unsafeFlags(
          [
            "-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker",
            "--no-export-dynamic",
          ] + exportedByGuests)
      ]),

    // The process of a filter: it confines itself, and runs a plug-in of frei0r or another program. C, since it is to have
    // little memory and nothing that could get in the way of its limits. Without what starts Swift it has 30 kB, not 9 MB.
    .executableTarget(
      name: "onair-filter", dependencies: ["CProcess"],
      cSettings: [.headerSearchPath("../CFilter/include")],
      linkerSettings: [
        .linkedLibrary("yuv"), .linkedLibrary("m"),
        .unsafeFlags(["-nostartfiles", "-Xlinker", "--as-needed", "-Xlinker", "--gc-sections"]),
      ]),

    // The loudness of a reference, for the tests of the meter.
    .systemLibrary(name: "CEBUR128", path: "Tests/CEBUR128"),

    // An RTMP server that does what a script says.
    .target(
      name: "FakeServer", dependencies: ["Base", "Mux", "Publish"],
      path: "Tests/FakeServer",
      swiftSettings: strict),

    // A NetworkManager of objects, without a radio.
    .target(
      name: "FakeNetwork", dependencies: ["Base", "Networking"], path: "Tests/FakeNetwork",
      swiftSettings: strict),

    // What several tests share: waiting, random numbers, folders, and a machine of files.
    .target(
      name: "TestSupport", dependencies: ["Base"], path: "Tests/TestSupport",
      swiftSettings: strict),

    // Links in virtual time, and the rules of others.
    .target(
      name: "LinkLab", dependencies: ["RateControl", "TestSupport"], path: "Tests/LinkLab",
      swiftSettings: strict),

    // board/bench network: those rules, side by side.
    .executableTarget(
      name: "linktable", dependencies: ["LinkLab"], path: "board/bench.d/LinkTable",
      swiftSettings: strict),

    // board/bench: OnAir beside ffmpeg, GStreamer and bare x264.
    .executableTarget(
      name: "bench",
      dependencies: [
        "Audio", "CFFmpeg", "CYUV", "FakeServer", "Base", "Media", "Mux", "Overlay", "Publish",
        "RateControl", "TestSupport", "Video",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "board/bench.d/Programs", swiftSettings: strict),

    // A reader of guests that does what its argument says, for the tests of Capture.
    .executableTarget(
      name: "guest-probe", dependencies: ["CGuest"], path: "Tests/GuestProbe",
      cSettings: [.headerSearchPath("../../Sources/CGuest")],
      linkerSettings: [.unsafeFlags(["-use-ld=lld"] + exportedByGuests)]),

    .testTarget(
      name: "PosixTests", dependencies: ["Posix", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "BaseTests", dependencies: ["Base", "TestSupport"], swiftSettings: strict),
    .testTarget(name: "MediaTests", dependencies: ["Base", "Media"], swiftSettings: strict),
    .testTarget(
      name: "CaptureTests",
      dependencies: [
        "CFFmpeg", "CGnuTLS", "CProcess", "CV4L2", "Capture", "Base", "Media", "Mux", "Posix",
        "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "VideoTests",
      dependencies: ["Video", "Base", "Media", "Posix", "CPNG", "CTurboJPEG", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "OverlayTests",
      dependencies: ["Overlay", "Base", "Media", "TestSupport", "Video"],
      swiftSettings: strict),
    // These make minutes of sound, sample by sample.
    .testTarget(
      name: "AudioTests", dependencies: ["Audio", "Base", "CEBUR128", "Media", "TestSupport"],
      swiftSettings: optimized),
    .testTarget(
      name: "EncodeTests", dependencies: ["CFFmpeg", "Encode", "Base", "Media", "TestSupport"],
      swiftSettings: strict),
    .testTarget(name: "MuxTests", dependencies: ["Base", "Media", "Mux"], swiftSettings: strict),
    .testTarget(
      name: "PublishTests",
      dependencies: [
        "FakeServer", "Publish", "Base", "Media", "Mux", "CGnuTLS", "CPosix", "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "PreviewTests",
      dependencies: ["CTurboJPEG", "Encode", "Base", "Media", "Mux", "Preview", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "PlayoutTests",
      dependencies: ["Base", "Media", "Mux", "Playout", "Preview", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "RecordingTests",
      dependencies: ["Encode", "Base", "Media", "Mux", "Posix", "Recording", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "DirectorTests", dependencies: ["Director", "Base", "TestSupport"],
      swiftSettings: strict),
    // These try thousands of sequences.
    .testTarget(
      name: "GuestsTests", dependencies: ["Guests", "Base", "TestSupport"],
      swiftSettings: optimized),
    .testTarget(
      name: "RateControlTests",
      dependencies: ["LinkLab", "Base", "Media", "RateControl", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "SticksTests", dependencies: ["Base", "Posix", "Sticks", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "ScheduleTests", dependencies: ["Base", "Schedule", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "NetworkingTests",
      dependencies: ["FakeNetwork", "Base", "Networking", "Settings"],
      swiftSettings: strict),
    .testTarget(
      name: "FiguresTests",
      dependencies: [
        "Audio", "Figures", "Base", "Publish", "Studio", "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "EventsTests",
      dependencies: [
        "Audio", "Capture", "Director", "Encode", "Events", "Figures", "Base", "Publish",
        "Settings", "Studio", "TestSupport", .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "BoxTests",
      dependencies: [
        "Box", "Capture", "Director", "Events", "FakeServer", "Figures", "Guests", "Base", "Media",
        "Posix", "Publish", "RateControl", "Recording", "Schedule", "Settings", "Sticks", "Studio",
        "TestSupport",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "ControlTests",
      dependencies: [
        "Access", "Box", "Capture", "Control", "Director", "Events", "FakeNetwork", "FakeServer",
        "Figures", "Base", "Networking", "Page", "Posix", "Preview", "Settings", "Studio",
        "TestSupport",
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "PanelTests",
      dependencies: ["Director", "Base", "Panel", "Posix", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "AccessTests",
      dependencies: ["Access", "CArgon2", "Base", "Posix", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "SettingsTests", dependencies: ["Base", "Posix", "Settings", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "StudioTests",
      dependencies: [
        "Studio", "Audio", "Capture", "CFFmpeg", "CPNG", "Director", "Encode", "FakeServer",
        "Base", "Media", "Mux", "Overlay", "Preview", "Publish", "RateControl", "Settings",
        "Video", "TestSupport",
      ],
      swiftSettings: optimized),
    .testTarget(
      name: "ApplianceTests",
      dependencies: [
        "Access", "Appliance", "Box", "Events", "Base", "Posix", "Settings", "TestSupport",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .gnu2x,
  cxxLanguageStandard: .cxx17
)
