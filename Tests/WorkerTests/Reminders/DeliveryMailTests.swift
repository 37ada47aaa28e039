import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

@testable import Worker

/// The mails of reminders and messages: their subjects, their authors, and the link that ends them.
@Suite struct DeliveryMailTests {
    @Test func `A reminder has the team's title, and a link that ends such mails`() async throws {
        try await DeliveryWorker.with(.sqlite) { worker in
            let team = try await worker.addTeam()
            let member = try await worker.addMember(to: team)
            var settings = try await worker.stores.reminderSettings(of: team.id)
            settings[.first, .english] = ReminderText(title: "{team}, Ärger oder Freude?")
            try await worker.stores.update(settings, of: team.id)
            try await worker.run()
            let mail = try #require(worker.mailgun.mails.first)
            #expect(mail["subject"] == "Platypus, Ärger oder Freude?")
            let link = UnsubscribeTokens.test.link(publicURL: MailSender.site, ending: .reminders, of: member.id)
            #expect(mail["h:List-Unsubscribe"] == "<\(link)>")
            #expect(mail["h:List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click")
            #expect(mail["text"]?.contains(link) == true)
            #expect(mail["text"]?.contains("Remind me later: \(MailSender.site)/teams/\(team.id)/vote/later") == true)
        }
    }

    @Test func `A message names its author, but not to guests or after the account's deletion`() async throws {
        try await DeliveryWorker.with(.sqlite) { worker in
            let team = try await worker.addTeam()
            let author = try await worker.addMember(to: team, mail: false)
            try await worker.addMember(to: team)
            try await worker.addMember(to: team, role: .guest)
            _ = try await worker.addDelivery(.message, to: team, by: author)
            _ = try await worker.addDelivery(.message, to: team, by: nil)
            try await worker.run()
            let messages = worker.mailgun.mails.filter { $0["subject"] == "Retro" }
            #expect(messages.count == 4)
            #expect(messages.count { $0["text"]?.contains(author.name) == true } == 1)
            #expect(messages.count { $0["text"]?.contains("A message to everyone in Platypus:") == true } == 3)
            #expect(messages.allSatisfy { $0["h:List-Unsubscribe"] != nil })
        }
    }
}
