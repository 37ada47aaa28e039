import Foundation

/// The accounts of a dump that can be created.
struct ClassicAccounts {
    private(set) var people: [ClassicPlan.Person] = []
    private(set) var lines: [String] = []
    private var names: Set<String> = []
    private var emails: Set<String> = []
    private var devices: Set<Device.Address> = []

    init(_ all: [ClassicDump.Person], voted: Set<String>, bcryptCosts: ClosedRange<Int>) {
        for (index, person) in all.enumerated() {
            let place = person.username.map { "users \($0.shown)" } ?? "users, document \(index + 1)"
            add(person, at: place, hasVoted: person.username.map(voted.contains) ?? false, bcryptCosts)
        }
    }

    private mutating func add(
        _ person: ClassicDump.Person, at place: String, hasVoted: Bool, _ bcryptCosts: ClosedRange<Int>
    ) {
        guard let email = self.email(of: person, at: place) else { return }
        guard emails.insert(EmailAddress.folded(email.text)).inserted else {
            lines.append("\(place): email belongs to another account, too. It is left out.")
            return
        }
        guard let name = self.name(of: person, email: email, at: place) else {
            lines.append("\(place): username cannot be used here, nor can the address. It is left out.")
            return
        }
        names.insert(UserName.folded(name.text))
        let hash = person.password.flatMap { Self.isBcrypt($0, bcryptCosts) ? $0 : nil }
        if hash == nil {
            let reason =
                person.password == nil
                ? "is missing"
                : "is not a bcrypt hash of a cost from \(bcryptCosts.lowerBound) to \(bcryptCosts.upperBound)"
            lines.append("\(place): password \(reason). An e-mail asks for a new one.")
        }
        people.append(
            ClassicPlan.Person(
                username: person.username ?? "", name: name, email: email, passwordHash: hash,
                picture: person.profilePicture.flatMap { $0.isEmpty ? nil : $0 },
                device: self.device(of: person, at: place), created: person.created, hasVoted: hasVoted))
    }

    /// The address; a user name that is one will do.
    private mutating func email(of person: ClassicDump.Person, at place: String) -> EmailAddress? {
        let given = person.email.flatMap { $0.isEmpty ? nil : $0 }
        // Which of the rules it breaks does not matter.
        if let email = try? EmailAddress(given ?? person.username ?? "") { return email }
        let reason = given == nil ? "is missing" : "is not an e-mail address"
        lines.append("\(place): email \(reason), and an account needs one. It is left out.")
        return nil
    }

    /// The name, with a number if another account has it in other letters; else the part of the address before the @.
    private mutating func name(of person: ClassicDump.Person, email: EmailAddress, at place: String) -> UserName? {
        let local = String(email.text.prefix { $0 != "@" })
        for text in [person.username ?? "", local] where (try? UserName(text)) != nil {
            let numbered = [text] + (2...99).map { "\(text)-\($0)" }
            let free = numbered.lazy
                .compactMap { try? UserName($0) }
                .first { !names.contains(UserName.folded($0.text)) }
            guard let free else { continue }
            if free.text != person.username {
                lines.append("\(place): username cannot be kept. The log-in is with \(free.text.shown) or the address.")
            }
            return free
        }
        return nil
    }

    private mutating func device(of person: ClassicDump.Person, at place: String) -> Device.Address? {
        guard let token = person.deviceToken, !token.isEmpty else { return nil }
        // Apple's tokens are hexadecimal, Firebase's contain a colon.
        let apple = try? Device.Address.apns(validating: token)
        guard let address = apple ?? (try? Device.Address.fcm(validating: token)) else {
            lines.append("\(place): deviceToken is not a token of a push service. It is left out.")
            return nil
        }
        guard devices.insert(address).inserted else {
            lines.append("\(place): deviceToken belongs to another account, too. It is left out.")
            return nil
        }
        return address
    }

    /// `$2a$`, `$2b$` or `$2y$`, cost, and 53 characters of salt and hash (crypt(5)).
    private static func isBcrypt(_ hash: String, _ costs: ClosedRange<Int>) -> Bool {
        let form = /\$2[aby]\$([0-9]{2})\$[.\/A-Za-z0-9]{53}/
        guard let match = hash.wholeMatch(of: form), let cost = Int(match.1) else { return false }
        return costs.contains(cost)
    }
}
