import Services
import Testing

/// Misspelled settings are found before anyone wonders why they have no effect.
@Suite struct SettingsFileTests {
    @Test func `Keys that are no settings are listed in their order`() {
        let file = SettingsFile(
            text: """
                # MAIL_DRIVE=smtp
                MAIL_DRIVR=smtp
                PORT=8081
                OIDC_PROVIDERS=company
                OIDC_COMPANY_ISSUER=https://id.example.org
                OIDC_COMPANY_ISUER=https://id.example.org
                port=8081

                no setting at all
                """)
        #expect(file.unknownKeys == ["MAIL_DRIVR", "OIDC_COMPANY_ISUER", "port"])
    }

    @Test func `Every setting is known`() {
        let file = SettingsFile(text: Settings.keys.map { "\($0)=x" }.joined(separator: "\n"))
        #expect(file.unknownKeys.isEmpty)
    }
}
