import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Loads answers, and follows no redirect. Foundation's `data(for:)` follows each on Linux, and has no limit of size.
final class HTTPLoader: NSObject, URLSessionDataDelegate {
    private struct Loading {
        let continuation: CheckedContinuation<(Data, HTTPURLResponse), any Error>
        var data = Data()
    }

    /// By task identifier.
    private let loading = Mutex<[Int: Loading]>([:])
    /// Bytes; more than 520 sprints with their texts have.
    private static let limit = 8 << 20

    func load(_ request: URLRequest, in session: URLSession) async throws -> (Data, HTTPURLResponse) {
        let task = session.dataTask(with: request)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                loading.withLock { $0[task.taskIdentifier] = Loading(continuation: continuation) }
                task.resume()
                // Cancelled before: the end of the task may have been reported before anyone waited for it.
                if Task.isCancelled { giveUp(task) }
            }
        } onCancel: {
            giveUp(task)
        }
    }

    private func giveUp(_ task: URLSessionTask) {
        task.cancel()
        loading.withLock { $0.removeValue(forKey: task.taskIdentifier) }?
            .continuation.resume(throwing: CancellationError())
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLarge = loading.withLock { loading in
            loading[dataTask.taskIdentifier]?.data.append(data)
            return loading[dataTask.taskIdentifier].map { $0.data.count > Self.limit } ?? false
        }
        if isTooLarge { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let loaded = loading.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        if let error {
            loaded.continuation.resume(throwing: error)
        } else if let response = task.response as? HTTPURLResponse {
            loaded.continuation.resume(returning: (loaded.data, response))
        } else {
            loaded.continuation.resume(throwing: URLError(.badServerResponse))
        }
    }
}
