// swift-tools-version: 6.2

import PackageDescription

/// Settings of all our targets: Swift 6 mode, warnings as errors, explicit access levels for imports.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// For code that computes much in tests: simulated sprints and statistics are twenty times slower without optimisation.
/// A package that depends on this one cannot use such targets, so not for what HappinessClient needs.
let optimizedInDebugBuilds: [SwiftSetting] = strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// For code that passes memory to C: every unsafe use must be marked.
let strictWithUnsafeMarked = strict + [.strictMemorySafety()]

/// The libraries that targets name below.
extension Target.Dependency {
    static var argumentParser: Self { .product(name: "ArgumentParser", package: "swift-argument-parser") }
    static var asyncHTTPClient: Self { .product(name: "AsyncHTTPClient", package: "async-http-client") }
    static var bigInt: Self { .product(name: "BigInt", package: "BigInt") }
    static var configuration: Self { .product(name: "Configuration", package: "swift-configuration") }
    static var crypto: Self { .product(name: "Crypto", package: "swift-crypto") }
    static var cryptoExtras: Self { .product(name: "CryptoExtras", package: "swift-crypto") }
    static var grdb: Self { .product(name: "GRDB", package: "GRDB.swift") }
    static var grdbSQLite: Self { .product(name: "GRDBSQLite", package: "GRDB.swift") }
    static var httpTypes: Self { .product(name: "HTTPTypes", package: "swift-http-types") }
    static var hummingbird: Self { .product(name: "Hummingbird", package: "hummingbird") }
    static var hummingbirdTesting: Self { .product(name: "HummingbirdTesting", package: "hummingbird") }
    static var jwtKit: Self { .product(name: "JWTKit", package: "jwt-kit") }
    static var logging: Self { .product(name: "Logging", package: "swift-log") }
    static var metrics: Self { .product(name: "Metrics", package: "swift-metrics") }
    static var mustache: Self { .product(name: "Mustache", package: "swift-mustache") }
    static var nioCore: Self { .product(name: "NIOCore", package: "swift-nio") }
    static var nioEmbedded: Self { .product(name: "NIOEmbedded", package: "swift-nio") }
    static var nioHTTP1: Self { .product(name: "NIOHTTP1", package: "swift-nio") }
    static var nioHTTP2: Self { .product(name: "NIOHTTP2", package: "swift-nio-http2") }
    static var nioHTTPTypes: Self { .product(name: "NIOHTTPTypes", package: "swift-nio-extras") }
    static var nioPosix: Self { .product(name: "NIOPosix", package: "swift-nio") }
    static var nioSSL: Self { .product(name: "NIOSSL", package: "swift-nio-ssl") }
    static var serviceLifecycle: Self { .product(name: "ServiceLifecycle", package: "swift-service-lifecycle") }
    static var subprocess: Self { .product(name: "Subprocess", package: "swift-subprocess") }
    static var systemPackage: Self { .product(name: "SystemPackage", package: "swift-system") }
    static var unixSignals: Self { .product(name: "UnixSignals", package: "swift-service-lifecycle") }
    static var yams: Self { .product(name: "Yams", package: "Yams") }
}

// Versions are exact because Package.resolved is not kept in the repository.
let package = Package(
    name: "happiness-metric",
    // What HappinessClient needs (`Mutex`); the programs run on Linux.
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .executable(name: "happiness", targets: ["happiness"]),
        .library(name: "HappinessClient", targets: ["HappinessClient"]),
        .executable(name: "HappinessAPI", targets: ["HappinessAPI"]),
        .executable(name: "PictureTool", targets: ["PictureTool"]),
        .executable(name: "Worker", targets: ["WorkerProgram"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-configuration", exact: "1.4.0"),
        .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", exact: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        .package(url: "https://github.com/apple/swift-nio-extras", exact: "1.35.2"),
        .package(url: "https://github.com/apple/swift-system", exact: "1.8.1"),
        .package(url: "https://github.com/attaswift/BigInt", exact: "6.0.1"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", exact: "2.1.1"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", exact: "1.0.2"),
        .package(url: "https://github.com/vapor/jwt-kit", exact: "5.7.1"),
    ],
    targets: [
        .systemLibrary(
            name: "CMongoC", pkgConfig: "libmongoc-1.0", providers: [.apt(["libmongoc-dev"])]),
        .systemLibrary(name: "CCrypt", pkgConfig: "libcrypt", providers: [.apt(["libcrypt-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CVips", pkgConfig: "vips", providers: [.apt(["libvips-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "Mongo", dependencies: ["CMongoC"], swiftSettings: strictWithUnsafeMarked),
        .target(name: "Product", swiftSettings: strict),
        // Additions on P-256, which swift-crypto does not have.
        .target(
            name: "Commitments",
            dependencies: ["COpenSSL", .crypto],
            swiftSettings: optimizedInDebugBuilds + [.strictMemorySafety()]),
        .target(
            name: "Domain",
            dependencies: ["Commitments", .crypto],
            path: "Sources/Shared/Domain",
            swiftSettings: optimizedInDebugBuilds),
        .target(
            name: "Storage",
            dependencies: ["Commitments", "Domain", "Mongo", .crypto, .grdb, .grdbSQLite, .logging],
            path: "Sources/Shared/Storage",
            swiftSettings: strict),
        // What every client of another service needs, whichever service that is.
        .target(
            name: "Outbound",
            dependencies: ["Domain", .asyncHTTPClient, .nioCore, .nioHTTP1, .nioPosix, .nioSSL],
            swiftSettings: strict),
        // What the drivers of mails, messages, objects and telemetry implement and are given.
        .target(
            name: "Ports",
            dependencies: ["Domain", .configuration, .crypto, .metrics],
            path: "Sources/Shared/Ports",
            swiftSettings: strict),
        .target(
            name: "Services",
            dependencies: [
                "CCrypt", "Commitments", "Domain", "Outbound", "Ports", "Product", "Storage", .configuration, .crypto,
                .cryptoExtras, .jwtKit, .logging, .metrics, .serviceLifecycle, .systemPackage,
            ],
            path: "Sources/Shared/Services",
            swiftSettings: strict),
        .target(
            name: "Mail",
            dependencies: ["CCurl", "Domain", "Outbound", "Ports", .asyncHTTPClient, .mustache, .nioCore, .nioHTTP1],
            swiftSettings: strictWithUnsafeMarked),
        .target(
            name: "Push",
            dependencies: [
                "Domain", "Outbound", "Ports", .asyncHTTPClient, .crypto, .jwtKit, .logging, .nioCore, .nioHTTP1,
            ],
            swiftSettings: strict),
        .target(
            name: "ObjectStorage",
            dependencies: [
                "Domain", "Outbound", "Ports", .asyncHTTPClient, .crypto, .logging, .nioCore, .nioHTTP1, .nioPosix,
                .nioSSL, .systemPackage,
            ],
            swiftSettings: strict),
        .target(
            name: "Telemetry",
            dependencies: [
                "Domain", "Outbound", "Ports", "Product", .asyncHTTPClient, .logging, .nioCore, .nioHTTP1,
                .serviceLifecycle,
            ],
            swiftSettings: strict),
        .target(
            name: "OpenIDConnect",
            dependencies: ["Domain", "Outbound", .asyncHTTPClient, .crypto, .jwtKit, .logging, .nioCore, .nioHTTP1],
            swiftSettings: strict),
        // For apps: it must not depend on anything of the server.
        .target(
            name: "HappinessClient",
            dependencies: [.bigInt, .crypto, .cryptoExtras],
            swiftSettings: strict),
        .executableTarget(
            name: "happiness",
            dependencies: ["HappinessClient", "Product", .argumentParser, .crypto, .systemPackage],
            swiftSettings: strict),
        .executableTarget(
            name: "HappinessAPI",
            dependencies: [
                "CZlib", "Commitments", "Domain", "Mail", "ObjectStorage", "OpenIDConnect", "Outbound",
                "PictureToolInterface", "Ports", "Product", "Services", "Storage", "Telemetry", "Worker",
                .argumentParser, .asyncHTTPClient, .configuration, .crypto, .httpTypes, .hummingbird, .logging,
                .metrics, .mustache, .nioCore, .nioHTTP1, .nioHTTPTypes, .nioPosix, .serviceLifecycle, .subprocess,
                .systemPackage, .unixSignals,
            ],
            swiftSettings: strict),
        // Picture decoders, with the hundred libraries they need, run in a separate process.
        .executableTarget(
            name: "PictureTool", dependencies: ["CVips", "PictureToolInterface"], swiftSettings: strictWithUnsafeMarked),
        // The meaning of that process's exit statuses and output, for both ends of the pipe.
        .target(name: "PictureToolInterface", swiftSettings: strict),
        .target(
            name: "Worker",
            dependencies: [
                "Domain", "Mail", "ObjectStorage", "Ports", "Product", "Push", "Services", "Storage", "Telemetry",
                .argumentParser, .asyncHTTPClient, .configuration, .hummingbird, .logging, .serviceLifecycle,
                .unixSignals,
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "WorkerProgram", dependencies: ["Product", "Worker", .argumentParser], swiftSettings: strict),
        .executableTarget(
            name: "BenchmarkSeed",
            dependencies: [
                "Domain", "Services", "Storage", .argumentParser, .cryptoExtras, .hummingbird, .logging, .nioCore,
                .nioHTTP1, .nioPosix,
            ],
            path: "Benchmarks/Seed",
            swiftSettings: strict),
        .target(
            name: "TestSupport",
            dependencies: [
                "Domain", "Mongo", "ObjectStorage", "Ports", "Services", "Storage", .asyncHTTPClient, .crypto,
                .cryptoExtras, .httpTypes, .hummingbird, .logging, .nioCore, .nioHTTP1, .nioHTTP2, .nioPosix, .nioSSL,
                .subprocess,
            ],
            path: "Tests/TestSupport",
            exclude: ["kill_at_call.c", "object_store.py", "oidc_provider.py", "smtp_server.py"],
            swiftSettings: strict),
        .testTarget(name: "MongoTests", dependencies: ["Mongo", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "SharedTests",
            dependencies: [
                "Commitments", "Domain", "ObjectStorage", "Ports", "Product", "Services", "Storage", "TestSupport",
                "Worker", .bigInt, .crypto, .jwtKit, .logging, .metrics,
            ],
            swiftSettings: strict),
        // Plays sprints until a million ballots are counted.
        .testTarget(
            name: "SimulationTests",
            dependencies: ["Commitments", "Domain", "TestSupport"],
            swiftSettings: optimizedInDebugBuilds),
        .testTarget(
            name: "HappinessClientTests",
            dependencies: ["Commitments", "HappinessClient", "TestSupport", .crypto, .cryptoExtras],
            swiftSettings: strict),
        .testTarget(
            name: "MailTests",
            dependencies: [
                "Domain", "Mail", "Ports", "Services", "TestSupport", .asyncHTTPClient, .nioCore, .nioHTTP1,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "PushTests",
            dependencies: [
                "Domain", "Ports", "Push", "Services", "TestSupport", .asyncHTTPClient, .crypto, .jwtKit, .logging,
                .nioCore, .nioHTTP1,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "TelemetryTests",
            dependencies: [
                "Ports", "Product", "Services", "Telemetry", "TestSupport", .asyncHTTPClient, .logging, .metrics,
                .nioCore, .nioHTTP1, .serviceLifecycle,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "OutboundTests",
            dependencies: ["Outbound", "TestSupport", .asyncHTTPClient, .nioHTTP1],
            swiftSettings: strict),
        .testTarget(
            name: "ObjectStorageTests",
            dependencies: [
                "Domain", "ObjectStorage", "Ports", "Services", "Storage", "TestSupport", .asyncHTTPClient, .crypto,
                .logging, .nioCore, .nioHTTP1,
            ],
            swiftSettings: strict),
        // Runs the built program, so it depends on it without importing it.
        .testTarget(
            name: "PictureToolTests",
            dependencies: [
                "Domain", "HappinessAPI", "PictureTool", "PictureToolInterface", "Services", "TestSupport", .logging,
                .subprocess, .systemPackage,
            ],
            exclude: ["make_pictures.py"],
            swiftSettings: strict),
        .testTarget(
            name: "OpenIDConnectTests",
            dependencies: ["Domain", "OpenIDConnect", "TestSupport", .asyncHTTPClient, .logging],
            swiftSettings: strict),
        .testTarget(
            name: "StoreContractTests",
            dependencies: [
                "Commitments", "Domain", "Mongo", "ObjectStorage", "Ports", "Services", "Storage", "TestSupport",
                "Worker", .crypto, .grdb, .logging,
            ],
            swiftSettings: strict),
        // Tests what an observer of the threat model can find out.
        .testTarget(
            name: "AttackTests",
            dependencies: ["Domain", "Mongo", "Ports", "Services", "Storage", "TestSupport", .grdb],
            swiftSettings: strict),
        .testTarget(
            name: "HappinessAPITests",
            dependencies: [
                "Commitments", "Domain", "HappinessAPI", "Mail", "ObjectStorage", "Ports", "Product", "Services",
                "Storage", "TestSupport", "Worker", .crypto, .httpTypes, .hummingbird, .hummingbirdTesting, .logging,
                .nioCore, .nioEmbedded, .nioHTTPTypes, .yams,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "WorkerTests",
            dependencies: [
                "Domain", "Mail", "ObjectStorage", "Ports", "Push", "Services", "Storage", "TestSupport", "Worker",
                .argumentParser, .asyncHTTPClient, .crypto, .logging, .metrics, .serviceLifecycle,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "Domain", "Mongo", "Ports", "Product", "Services", "Storage", "TestSupport", .asyncHTTPClient, .crypto,
                .grdb, .nioHTTP1, .nioCore,
            ],
            exclude: ["Stores"],
            swiftSettings: strict),
    ]
)
