package import Domain

/// The texts in every language. An installation may change them while the program runs.
package protocol TextSource: Sendable {
    /// All current texts.
    var texts: Texts { get }
}
