/// The product's version. `openapi.yaml` contains the same; a test compares the two.
package enum ProductVersion {
    /// Semantic Versioning 2.0.0.
    package static let current = "1.0.0"
}
