/// The body of a first-API response that has no other content.
struct ClassicMessage: Encodable {
    let message: String
}
