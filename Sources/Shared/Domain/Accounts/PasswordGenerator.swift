import Foundation

/// Generates passwords that people read from a screen and type once.
package enum PasswordGenerator {
    /// 32 characters, so five bits each; without the easily confused l, o, 0 and 1.
    static let alphabet = Array("abcdefghijkmnpqrstuvwxyz23456789")
    /// Sixteen characters are 80 bits: infeasible to guess even with the hash.
    package static let groups = 4
    static let groupLength = 4

    /// Such as `k7fm-9xqp-tr4w-hn2d`, from the system's cryptographic generator; with a capital letter if the policy
    /// requires one.
    package static func password(for policy: PasswordPolicy = .length) -> String {
        while true {
            let text = text()
            let password = policy == .classes ? text.capitalizingFirstLetter() : text
            // One in a hundred has no digit, and hardly any has no letter: then try again.
            if policy.missingKinds(in: password).isEmpty { return password }
        }
    }

    private static func text() -> String {
        var generator = SystemRandomNumberGenerator()
        let texts = (0..<groups).map { _ in
            String((0..<groupLength).map { _ in alphabet[Int.random(in: alphabet.indices, using: &generator)] })
        }
        return texts.joined(separator: "-")
    }
}

extension String {
    fileprivate func capitalizingFirstLetter() -> String {
        guard let index = firstIndex(where: \.isLetter) else { return self }
        return replacingCharacters(in: index...index, with: self[index].uppercased())
    }
}
