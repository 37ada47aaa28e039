import Storage
import Synchronization
import TestSupport
import Testing

@testable import Services

@Suite struct SharedCallsTests {
    /// A call that has begun and returns when it is resumed.
    private struct Begun: Sendable {
        let keys: [Int]
        let end: CheckedContinuation<Void, Never>
    }

    @Test func `Keys that arrive during calls share the next one, each once`() async throws {
        let (stream, begun) = AsyncStream.makeStream(of: Begun.self)
        let calls = SharedCalls<Int, String> { keys in
            await withCheckedContinuation { begun.yield(Begun(keys: keys.sorted(), end: $0)) }
            return Dictionary(uniqueKeysWithValues: keys.filter { $0 != 5 }.map { ($0, "\($0)") })
        }
        var started = stream.makeAsyncIterator()
        try await withThrowingTaskGroup(of: (Int, String?).self) { group in
            // Two calls are under way at once, and no more.
            var open: [Begun] = []
            for key in [1, 2] {
                group.addTask { (key, try await calls.value(for: key)) }
                let call = try #require(await started.next())
                #expect(call.keys == [key])
                open.append(call)
            }
            for key in [3, 4, 5, 3, 3] { group.addTask { (key, try await calls.value(for: key)) } }
            while calls.waitingCount < 5 { await Task.yield() }
            open[0].end.resume()
            let shared = try #require(await started.next())
            #expect(shared.keys == [3, 4, 5])
            shared.end.resume()
            open[1].end.resume()
            var results: [Int: [String?]] = [:]
            for try await (key, value) in group { results[key, default: []].append(value) }
            #expect(results == [1: ["1"], 2: ["2"], 3: ["3", "3", "3"], 4: ["4"], 5: [nil]])
        }
    }

    @Test func `An error reaches the caller, and the next call is a new one`() async throws {
        let fails = Atomic(true)
        let calls = SharedCalls<Int, Int> { keys in
            if fails.load(ordering: .relaxed) { throw StorageError.unavailable }
            return Dictionary(uniqueKeysWithValues: keys.map { ($0, $0) })
        }
        await #expect(throws: StorageError.unavailable) { _ = try await calls.value(for: 1) }
        fails.store(false, ordering: .relaxed)
        #expect(try await calls.value(for: 1) == 1)
    }

    @Test(.timeLimit(.minutes(1))) func `If the store is away, nobody waits for a second call`() async throws {
        let (stream, begun) = AsyncStream.makeStream(of: Begun.self)
        let calls = SharedCalls<Int, Int> { keys in
            await withCheckedContinuation { begun.yield(Begun(keys: keys, end: $0)) }
            throw StorageError.unavailable
        }
        var started = stream.makeAsyncIterator()
        await withTaskGroup(of: Bool.self) { group in
            func ask(_ key: Int) {
                group.addTask {
                    do { _ = try await calls.value(for: key) } catch { return error as? StorageError == .unavailable }
                    return false
                }
            }
            var open: [Begun] = []
            for key in 0..<2 {
                ask(key)
                if let call = await started.next() { open.append(call) }
            }
            // More than one call could take.
            for key in 2..<500 { ask(key) }
            while calls.waitingCount < 498 { await Task.yield() }
            for call in open { call.end.resume() }
            for await isRefused in group { #expect(isRefused) }
        }
    }

    @Test func `A key that cannot be read does not refuse the others`() async throws {
        struct Unreadable: Error {}
        let calls = SharedCalls<Int, Int> { keys in
            if keys.contains(7) { throw Unreadable() }
            return Dictionary(uniqueKeysWithValues: keys.map { ($0, $0) })
        }
        await withTaskGroup(of: Bool.self) { group in
            for key in 0..<20 {
                group.addTask {
                    do {
                        return try await calls.value(for: key) == key && key != 7
                    } catch {
                        return error is Unreadable && key == 7
                    }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }

    @Test(.timeLimit(.minutes(1))) func `If the store goes away while keys are read one by one, the rest are refused`()
        async throws
    {
        struct Unreadable: Error {}
        let (stream, begun) = AsyncStream.makeStream(of: Begun.self)
        let alone = Atomic(0)
        let calls = SharedCalls<Int, Int> { keys in
            if keys[0] < 2 {
                await withCheckedContinuation { begun.yield(Begun(keys: keys, end: $0)) }
                return [:]
            }
            if keys.count > 1 { throw Unreadable() }
            alone.add(1, ordering: .relaxed)
            throw StorageError.unavailable
        }
        var started = stream.makeAsyncIterator()
        await withTaskGroup(of: Bool.self) { group in
            func ask(_ key: Int) {
                group.addTask {
                    do { return try await calls.value(for: key) == nil && key < 2 } catch {
                        return error as? StorageError == .unavailable && key >= 2
                    }
                }
            }
            var open: [Begun] = []
            for key in 0..<2 {
                ask(key)
                if let call = await started.next() { open.append(call) }
            }
            for key in 2..<30 { ask(key) }
            while calls.waitingCount < 28 { await Task.yield() }
            for call in open { call.end.resume() }
            for await isRight in group { #expect(isRight) }
        }
        #expect(alone.load(ordering: .relaxed) == 1)
    }

    @Test func `Many callers at once all get their value`() async throws {
        let calls = SharedCalls<Int, Int> { keys in
            #expect(keys.count <= 64 && Set(keys).count == keys.count)
            return Dictionary(uniqueKeysWithValues: keys.map { ($0, -$0) })
        }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for key in 0..<2_000 { group.addTask { try await calls.value(for: key % 700) == -(key % 700) } }
            for try await isRight in group { #expect(isRight) }
        }
    }
}
