/// A form of a page behind the login: its fields, and the form token.
struct OwnForm<Fields: Decodable>: Decodable {
    let fields: Fields
    let formToken: String?

    private enum CodingKeys: CodingKey {
        case formToken
    }

    init(from decoder: any Decoder) throws {
        fields = try Fields(from: decoder)
        formToken = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(String.self, forKey: .formToken)
    }
}

/// A form that is only a button.
struct NoFields: Decodable {}
