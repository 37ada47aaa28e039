import Foundation
import Mongo
import TestSupport
import Testing

/// Checks that run in parallel to their caller's work.
@Suite(.needsMongod) struct QuestionTests {
    @Test func `The answer arrives while the caller holds a transaction`() async throws {
        let client = try await MongoServer.shared.client()
        let count = try await onAThread {
            try client.runBlocking { database in
                try database.collection("items").insertOne(["_id": 1])
                return try client.whileAsking {
                    try $0.collection("items").count()
                } _: { answer in
                    try database.transaction { transaction in
                        try database.collection("items").insertOne(["_id": 2], in: transaction)
                        return try answer.get() + answer.get()
                    }
                }
            }
        }
        // The committed query ran twice.
        #expect(count == 2)
        #expect(try await client.run { try $0.collection("items").count() } == 2)
    }

    @Test func `An error of the question becomes the answer`() async throws {
        let client = try await MongoServer.shared.client()
        let error = await #expect(throws: MongoError.self) {
            try await onAThread {
                try client.whileAsking {
                    try $0.command(["noSuchCommand": 1])
                } _: {
                    try $0.get()
                }
            }
        }
        #expect(error?.kind == .command(code: 59))
    }

    @Test func `A query has ended when its caller continues`() async throws {
        struct GivenUp: Error {}
        let client = try await MongoServer.shared.client()
        let name = "A query has ended when its caller continues"
        await #expect(throws: GivenUp.self) {
            try await onAThread {
                try client.whileAsking {
                    try $0.collection("items").insertOne(["_id": .string(name)])
                } _: { _ in
                    throw GivenUp()
                }
            }
        }
        #expect(try await client.run { try $0.collection("items").count() } == 1)
    }

    @Test func `Calls that hold every thread of the pool do not hold up a question`() async throws {
        var options = MongoOptions()
        options.poolSize = 2
        options.blockingPoolSize = 1
        options.questionPoolSize = 1
        let client = try await MongoServer.shared.client(options: options)
        let (entered, report) = AsyncStream.makeStream(of: Void.self)
        let release = DispatchSemaphore(value: 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<5 {
                group.addTask {
                    try await client.run { _ in
                        report.yield()
                        release.wait()
                    }
                }
            }
            var blocked = entered.makeAsyncIterator()
            for _ in 0..<2 { await blocked.next() }
            let isUp = try await onAThread {
                try client.runBlocking { _ in
                    try client.whileAsking {
                        try $0.hello()["ok"]?.doubleValue == 1
                    } _: {
                        try $0.get()
                    }
                }
            }
            #expect(isUp == true)
            for _ in 0..<5 { release.signal() }
            try await group.waitForAll()
        }
    }

    /// Each of them holds a connection while it waits for one for its check.
    @Test func `More blocking callers than connections all get their answers`() async throws {
        var options = MongoOptions()
        options.poolSize = 1
        options.blockingPoolSize = 3
        options.questionPoolSize = 3
        let client = try await MongoServer.shared.client(options: options)
        try await withThrowingTaskGroup(of: Bool?.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    try await onAThread {
                        try client.runBlocking { _ in
                            try client.whileAsking {
                                try $0.hello()["ok"]?.doubleValue == 1
                            } _: {
                                try $0.get()
                            }
                        }
                    }
                }
            }
            for try await isUp in group { #expect(isUp == true) }
        }
    }

    @Test func `A caller that finds no thread to ask is told at once`() async throws {
        var options = MongoOptions()
        options.questionPoolSize = 0
        let without = try await MongoServer.shared.client(options: options)
        #expect(
            try await onAThread {
                try without.whileAsking {
                    try $0.hello()
                } _: { _ in
                    true
                }
            } == nil)

        options.questionPoolSize = 1
        let client = try await MongoServer.shared.client(options: options)
        let answered = try await onAThread {
            let (entered, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            return try client.whileAsking { _ in
                entered.signal()
                release.wait()
            } _: { first in
                entered.wait()
                // One check is running, another one waits, and there is no room for a third.
                let second: Bool? = try client.whileAsking {
                    try $0.hello()
                } _: { second in
                    let third = try client.whileAsking {
                        try $0.hello()
                    } _: {
                        try $0.get()
                    }
                    release.signal()
                    try first.get()
                    return try third == nil && second.get()["ok"]?.doubleValue == 1
                }
                return second
            }
        }
        #expect(answered == true)
    }

    @Test func `Closing waits for questions and then takes none`() async throws {
        let client = try await MongoServer.shared.client()
        let answer = try await onAThread {
            let closed = DispatchSemaphore(value: 0)
            let entered = DispatchSemaphore(value: 0)
            let result = try client.whileAsking { database in
                entered.signal()
                return try database.hello()["ok"]?.doubleValue
            } _: { answer in
                entered.wait()
                Thread {
                    client.close()
                    closed.signal()
                }.start()
                return try answer.get()
            }
            closed.wait()
            return result
        }
        #expect(answer == 1)
        #expect(
            try await onAThread {
                try client.whileAsking {
                    try $0.hello()
                } _: {
                    try $0.get()
                }
            } == nil)
    }

    private func onAThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Swift.Result { try body() }) }.start()
        }
    }
}
