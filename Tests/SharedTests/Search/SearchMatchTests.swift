import Domain
import Services
import Testing

@Suite struct SearchMatchTests {
    private func page(_ title: String, _ rank: SearchTerms.Rank) -> SearchMatch {
        SearchMatch(.page("/\(title)"), title: title, detail: "", rank: rank)
    }

    private func sprint(_ number: Int, _ rank: SearchTerms.Rank) -> SearchMatch {
        SearchMatch(
            .sprint(SprintLabel(year: 2026, number: number), .random()), title: "\(number)", detail: "", rank: rank)
    }

    @Test func `The best six come first, equally good ones by their kind`() {
        let matches = [
            sprint(3, .title), sprint(2, .title), page("b", .title), page("a", .text), page("c", .beginning),
        ]
        #expect(SearchMatch.best(of: matches).map(\.title) == ["c", "b", "3", "2", "a"])
    }

    @Test func `One kind does not crowd out the others`() {
        let pages = (1...9).map { page("page \($0)", .beginning) }
        let mixed = SearchMatch.best(of: pages + [sprint(1, .inside), sprint(2, .inside)])
        #expect(mixed.map(\.title) == ["page 1", "page 2", "page 3", "page 4", "1", "2"])
        #expect(SearchMatch.best(of: pages).count == SearchMatch.shown)
    }
}
