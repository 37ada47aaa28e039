import Domain
import Logging

/// A feedback as a store keeps it: encrypted until its sprint is cleared, in plain text from then on.
struct StoredFeedback: Hashable, Sendable {
    /// The text, in plain or encrypted form.
    enum Content: Hashable, Sendable {
        case sealed(SealedFeedback)
        case plain(String)
    }

    let id: Feedback.ID
    /// The number of the snapshot that releases it.
    let snapshot: Int
    package let content: Content

    /// The readable form, once it is released; `nil` if the secret cannot decrypt it.
    func opened(in sprint: Sprint.Key, secret: BallotSecret) -> Feedback? {
        switch content {
        case .plain(let text):
            return Feedback(id: id, text: text)
        case .sealed(let sealed):
            guard let text = sealed.opened(in: sprint, secret: secret) else {
                Logger(label: "store").error("A feedback cannot be opened: it was sealed with another BALLOT_SECRET")
                return nil
            }
            return Feedback(id: id, text: text)
        }
    }
}

extension [StoredFeedback] {
    /// The feedback that remains when the sprint is cleared: the published texts under new random ids,
    /// ordered by id. Nothing shows in which order, or with which group of ballots, they were written.
    func rewritten(publishedNumber: Int, in sprint: Sprint.Key, secret: BallotSecret) -> [Feedback] {
        filter { $0.snapshot <= publishedNumber }
            .compactMap { $0.opened(in: sprint, secret: secret) }
            .map { Feedback(id: .random(), text: $0.text) }
            .sorted { $0.id < $1.id }
    }
}
