import TestSupport
import Testing

/// `MAX_CONNECTIONS`. Runs a real process, since Hummingbird's test server has no limit.
@Suite struct MaximumConnectionsTests {
    private static let request = "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"

    @Test func `A client over the limit is served once a place is free`() async throws {
        try await Installation.with(.sqlite) { installation in
            let (server, url) = try await installation.serve(["MAX_CONNECTIONS": "16"])
            let port = try #require(url.split(separator: ":").last.flatMap { Int($0) })
            // The probe that waited for the server may still hold a connection.
            var served: [RawConnection] = []
            for _ in 1...15 {
                let connection = try await RawConnection.open(port: port)
                try await connection.send(Self.request)
                #expect(await connection.receive { $0.contains(" 200 OK") })
                served.append(connection)
            }

            // One more connection may be served, the second one is not.
            let further = try await RawConnection.open(port: port)
            let late = try await RawConnection.open(port: port)
            try await late.send(Self.request)
            // Enough time to get a response if it were served.
            for count in 2...20 {
                try await served[0].send(Self.request)
                #expect(await served[0].receive { $0.split(separator: " 200 OK").count > count })
            }
            #expect(late.received.isEmpty)

            for connection in served { try await connection.close() }
            #expect(await late.receive { $0.contains(" 200 OK") })
            try await further.close()
            try await late.close()
            try await server.kill()
        }
    }
}
