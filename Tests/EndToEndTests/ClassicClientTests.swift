import Domain
import Foundation
import Storage
import TestSupport
import Testing

/// The real programs, as an operator and a first mobile client use them.
@Suite struct ClassicClientTests {
    @Test(arguments: Installation.Store.allCases)
    func `A first client gets from the first commands to the refused second vote`(
        store: Installation.Store
    ) async throws {
        try await Installation.with(store) { installation in
            let team = try await installation.run(.api, "team", "add", "Blue", "--policy", "immediate")
            #expect(team.status == 0, "\(team.log)")
            let user = try await installation.run(
                .api, "user", "add", "anna", "anna@example.org", "--team", "Blue", input: "purple lamp 9\n")
            #expect(user.status == 0, "\(user.log)")
            let generated = try await installation.run(
                .api, "user", "add", "bert", "bert@example.org", "--team", "Blue")
            #expect(generated.status == 0 && generated.output.contains("Password: "), "\(generated.log)")

            let (server, url) = try await installation.serve()
            let logIn = try await HTTPProbe.post(
                "\(url)/user/login", form: "username=anna%40example.org&password=purple%20lamp%209")
            let token = try #require(logIn.object["accessToken"] as? String, "\(logIn.text)")
            #expect(logIn.object["email"] as? String == "anna@example.org")
            let current = try await HTTPProbe.get("\(url)/happiness/currentSprint", token: token)
            let sprint = try #require(current.object["sprint"] as? String)
            let year = sprint.prefix { $0 != "/" }
            let encoded = sprint.replacing("/", with: "%2F")

            let before = try await HTTPProbe.get("\(url)/happiness/hasVoted?sprint=\(encoded)", token: token)
            #expect(before.text == #"{"voted":false}"#)
            let vote = try await HTTPProbe.post(
                "\(url)/happiness/track", token: token, form: "happiness=7&sprint=\(encoded)&feedback=all%20fine")
            #expect(vote.status == 200, "\(vote.text)")
            let second = try await HTTPProbe.post(
                "\(url)/happiness/track", token: token, json: #"{"happiness":"7","sprint":"\#(sprint)","feedback":""}"#)
            #expect(second.status == 400 && second.text == #"{"message":"Already voted!"}"#)
            let after = try await HTTPProbe.get("\(url)/happiness/hasVoted?sprint=\(sprint)", token: token)
            #expect(after.text == #"{"voted":true}"#)
            let sprints = try await HTTPProbe.get("\(url)/happiness/sprints?sprintyear=\(year)", token: token)
            #expect(sprints.text.contains(#""feedbacks":["all fine"],"happiness":7,"happinesssum":7,"#))
            let profile = try await HTTPProbe.get("\(url)/user/profile", token: token)
            #expect(profile.object["username"] as? String == "anna")
            let initials = try #require(profile.object["profilePictureLink"] as? String)
            let initialsPicture = try await Self.loadPicture(initials, from: url)
            #expect(initialsPicture.status == 200 && initialsPicture.mediaType == "image/png")
            let upload = try await HTTPProbe.post(
                "\(url)/user/uploadProfilePicture", token: token, type: "multipart/form-data; boundary=3f2d-41",
                bytes: try Self.form)
            let link = try #require(upload.object["profilePictureLink"] as? String, "\(upload.text)")
            let picture = try await Self.loadPicture(link, from: url)
            #expect(picture.status == 200 && picture.mediaType == "image/jpeg")

            server.terminate()
            #expect(try await server.untilEnd() == 0)
            #expect(!server.log.contains(token) && !server.log.contains("anna"), "\(server.log)")
        }
    }

    /// The product's own picture as the part `image`, declared like the first clients do.
    private static var form: [UInt8] {
        get throws {
            let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().appending(path: "public/default-picture.png")
            let head =
                "--3f2d-41\r\nContent-Disposition: form-data; name=\"image\"; filename=\"picture.jpg\"\r\n"
                + "Content-Type: image/jpg\r\n\r\n"
            return Array(head.utf8) + Array(try Data(contentsOf: file)) + Array("\r\n--3f2d-41--\r\n".utf8)
        }
    }

    /// Loads a link from the server's actual port, which it chose itself.
    private static func loadPicture(
        _ link: String, from url: String
    ) async throws -> (status: Int, mediaType: String?, bytes: [UInt8]) {
        let path = try #require(link.firstRange(of: "/pictures/"))
        return try await ObjectStoreUnderTest.load(url + link[path.lowerBound...])
    }

    @Test(arguments: Installation.Store.allCases)
    func `The worker publishes a sprint that has ended`(store: Installation.Store) async throws {
        try await Installation.with(store) { installation in
            try await installation.withStores { stores in
                let team = try await VotingTeam.make(5, in: stores)
                let (server, url) = try await installation.serve()
                let sprint = try await team.runningSprint(at: url)
                for voter in team.voters.prefix(4) {
                    #expect(try await team.vote(voter, at: url, sprint: sprint.label).status == 201)
                }
                try await server.kill()
                let later = sprint.end.addingTimeInterval(60).formatted(.iso8601)
                let worker = try await installation.run(.worker, "--once", "--now", later, "--close-sprints")
                #expect(worker.status == 0, "\(worker.log)")
                let record = try #require(try await stores.read { try $0.sprint(of: team.id, labelled: sprint.label) })
                #expect(record.state.isClosed && record.state.published.count == 4 && record.eligible == 6)
            }
        }
    }
}
