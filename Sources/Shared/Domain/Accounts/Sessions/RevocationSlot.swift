/// One of 256 groups of users, by the last two digits of their random ids.
///
/// The store counts for each slot how often something that permits requests was taken away from one of its users: a
/// session, or a membership or its role. Processes compare these numbers to see whether what they remember is still
/// true. They name nobody, and keep no time.
package struct RevocationSlot: Hashable, Sendable, LosslessStringConvertible {
    /// Two lower-case hexadecimal digits.
    package let description: String

    /// The slot of a user.
    package init(of userID: User.ID) {
        description = String(userID.description.suffix(2))
    }

    /// As stored; `nil` if it is not two lower-case hexadecimal digits.
    package init?(_ description: String) {
        guard description.utf8.count == 2, description.allSatisfy({ $0.isHexDigit && !$0.isUppercase }) else {
            return nil
        }
        self.description = description
    }
}
