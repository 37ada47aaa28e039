/// The version of all programs. `openapi.yaml` and the Debian packages have the same; tests compare them.
package enum ProductVersion {
    /// Semantic Versioning 2.0.0.
    package static let current = "0.1.0"
}
