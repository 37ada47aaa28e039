/// The version of all programs. A test compares it with `openapi.yaml`, and `scripts/build-deb.sh` with
/// `debian/changelog`.
package enum ProductVersion {
    /// Semantic Versioning 2.0.0.
    package static let current = "0.1.0"
}
