import Testing

@testable import HappinessAPI

/// Success messages in addresses.
@Suite struct FormNoticeTests {
    /// The keys of all notices' texts. `Every text that is used exists…` looks for them, and misses those of a group
    /// that is not listed here.
    static let keys: [String] =
        all(ActionNotice.self) + all(AdminNotice.self) + all(ClientErrorNotice.self) + all(ManageNotice.self)
        + all(SettingsNotice.self) + all(TextNotice.self)

    private static func all<Notice: FormNotice>(_ group: Notice.Type) -> [String] {
        group.allCases.map(\.rawValue)
    }

    @Test func `A notice is found by its name in the address`() {
        for notice in AdminNotice.allCases {
            #expect(AdminNotice(addressName: notice.addressName) == notice)
        }
        #expect(ManageNotice.quietDayRemoved.addressName == "quiet-day-removed")
        #expect(AdminNotice(addressName: "already-a-member") == .alreadyAMember)
    }

    @Test(arguments: ["quiet-days", "quietDays", "settings.themeDone", "", "nonsense"])
    func `A page ignores a name that its group does not have`(name: String) {
        #expect(SettingsNotice(addressName: name) == nil)
    }
}
