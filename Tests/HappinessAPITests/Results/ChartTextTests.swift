import Domain
import HTTPTypes
import HummingbirdTesting
import TestSupport
import Testing

@testable import HappinessAPI

/// Charts take their words from the catalogue.
@Suite struct ChartTextTests {
    @Test func `A reworded text is in a chart at once, in its language only`() async throws {
        try await TestApp.with(files: ServerFiles(Repository.resources)) { app in
            let admin = try await app.token(of: try await app.makeUser("admin", role: .admin))
            let team = try await app.makeTeam("Blue")
            func chart(_ language: String) async throws -> String {
                try await app.get("\(team.path)/chart.svg?language=\(language)", token: team.lead.token).text
            }
            #expect(try await chart("en").contains("Happiness per sprint"))
            #expect(try await chart("de").contains("Zufriedenheit je Sprint"))
            let response = try await app.put(
                "/api/v1/admin/texts/en/charts.subtitle", token: admin, json: #"{"text":"Mood & more"}"#)
            #expect(response.status == .ok)
            let english = try await chart("en")
            #expect(english.contains("Mood &amp; more") && !english.contains("Happiness per sprint"))
            #expect(try await chart("de").contains("Zufriedenheit je Sprint"))
            let french = try await app.get("\(team.path)/chart.svg?language=fr", token: team.lead.token)
            #expect(french.status == .badRequest)
        }
    }
}
