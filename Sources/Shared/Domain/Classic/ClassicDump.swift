package import Foundation

/// What the database of the first system holds, as it was read: nothing is checked yet.
///
/// That system had one team, with a sprint every second ISO week.
package struct ClassicDump: Sendable {
    /// The accounts, in the order of their ids, which is the order of their creation.
    package let people: [Person]
    /// The sprints' aggregates.
    package let results: [Result]
    /// Who voted in which sprint.
    package let votes: [Vote]

    /// Takes documents that were read.
    package init(people: [Person], results: [Result], votes: [Vote]) {
        self.people = people
        self.results = results
        self.votes = votes
    }

    /// A document of `users`. A field that is missing, or isn't text, is `nil`.
    package struct Person: Hashable, Sendable {
        /// When the account was created; `nil` if its id does not say.
        package let created: Date?
        /// The name for the login.
        package let username: String?
        /// The e-mail address.
        package let email: String?
        /// The bcrypt hash.
        package let password: String?
        /// The address of the picture.
        package let profilePicture: String?
        /// The address of the phone at its push service.
        package let deviceToken: String?

        /// By default without picture and phone.
        package init(
            created: Date?, username: String?, email: String?, password: String?, profilePicture: String? = nil,
            deviceToken: String? = nil
        ) {
            self.created = created
            self.username = username
            self.email = email
            self.password = password
            self.profilePicture = profilePicture
            self.deviceToken = deviceToken
        }
    }

    /// A document of `happinesses`. A field that is missing, or has another type, is `nil`.
    package struct Result: Hashable, Sendable {
        /// The name, such as `2019/21`.
        package let sprint: String?
        /// The mean.
        package let happiness: Double?
        /// The number of values.
        package let votes: Int?
        /// The sum of the values.
        package let happinesssum: Double?
        /// 0 (January) ... 11.
        package let month: Int?
        /// The texts, in the order in which they were written.
        package let feedbacks: [String]

        /// Takes the fields of a document.
        package init(
            sprint: String?, happiness: Double?, votes: Int?, happinesssum: Double?, month: Int?, feedbacks: [String]
        ) {
            self.sprint = sprint
            self.happiness = happiness
            self.votes = votes
            self.happinesssum = happinesssum
            self.month = month
            self.feedbacks = feedbacks
        }
    }

    /// A document of `usersprints`: a person has voted in a sprint.
    package struct Vote: Hashable, Sendable {
        /// As in the person's document.
        package let username: String
        /// As in the result's document.
        package let sprint: String

        /// Takes the fields of a document.
        package init(username: String, sprint: String) {
            self.username = username
            self.sprint = sprint
        }
    }

    /// The fields of `users` whose names are not certain.
    package enum Field: String, CaseIterable, Sendable {
        case username
        case email
        case password
        case profilePicture
        case deviceToken
    }
}
