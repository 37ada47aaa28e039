/// A device's name that its owner recognizes: `Firefox · Windows`.
///
/// Browsers' user agents contain the names of other browsers (RFC 9110 §10.1.5), so the order of the tables matters:
/// Edge also says Chrome, Chrome says Safari, Android says Linux.
struct DeviceName: Sendable {
    let text: String

    /// - Parameter userAgent: `Session.device`; the names that apps send are kept unchanged.
    init(userAgent: String) {
        let browser = Self.browsers.first { userAgent.contains($0.mark) }?.name
        let system = Self.systems.first { userAgent.contains($0.mark) }?.name
        guard userAgent.hasPrefix("Mozilla/"), let browser else {
            text = userAgent
            return
        }
        text = [browser, system].compactMap { $0 }.joined(separator: " · ")
    }

    private typealias Mark = (mark: String, name: String)

    private static let browsers: [Mark] = [
        ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"), ("Firefox/", "Firefox"),
        ("FxiOS/", "Firefox"), ("CriOS/", "Chrome"), ("Chrome/", "Chrome"), ("Safari/", "Safari"),
    ]
    private static let systems: [Mark] = [
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"), ("Mac OS X", "Mac"),
        ("CrOS", "ChromeOS"), ("Linux", "Linux"),
    ]
}
