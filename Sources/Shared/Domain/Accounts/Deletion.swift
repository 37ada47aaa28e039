import Foundation

/// That something was deleted at a person's request, so that a restored backup does not bring it back.
///
/// What it was can be recognised with its id and `BALLOT_SECRET`. Everybody else sees a random number.
package struct Deletion: Hashable, Sendable {
    /// What can be deleted for good.
    package enum Subject: Hashable, Sendable {
        /// A person's account.
        case account(User.ID)
        /// A team with its results.
        case team(Team.ID)
        /// A person's picture, also one that was replaced.
        case picture(ProfilePicture.ID)
    }

    /// Bytes of a hash. A collision would delete someone else: half of these bits are enough for four thousand million
    /// ids.
    package static let hashLength = 16

    /// Says what was deleted.
    package let hash: [UInt8]
    /// The day in UTC.
    package let day: CalendarDay

    /// Takes what a store or list has kept.
    package init(hash: [UInt8], day: CalendarDay) {
        self.hash = hash
        self.day = day
    }

    /// Remembers that `subject` was deleted on a day in UTC.
    package init(of subject: Subject, on day: CalendarDay, secret: BallotSecret) {
        self.init(hash: Self.hash(of: subject, secret: secret), day: day)
    }

    /// The hash that the deletion of `subject` has, or would have.
    package static func hash(of subject: Subject, secret: BallotSecret) -> [UInt8] {
        let text =
            switch subject {
            case .account(let id): "account|\(id)"
            case .team(let id): "team|\(id)"
            case .picture(let id): "picture|\(id)"
            }
        return Array(SecureBytes.hmac(Data(text.utf8), key: secret.deletionKey).prefix(hashLength))
    }
}
