import Services
import Testing

/// The names of databases beside another one.
@Suite struct DatabaseBesideTests {
    @Test(arguments: [
        ("mongodb://a/happiness?replicaSet=rs0", "mongodb://a/happiness_trial?replicaSet=rs0"),
        ("mongodb://a:1,b:2/x", "mongodb://a:1,b:2/x_trial"),
        ("mongodb://a", "mongodb://a/happiness_trial"),
        ("mongodb://a/?tls=true", "mongodb://a/happiness_trial?tls=true"),
        ("mongodb+srv://u:p@a/x", "mongodb+srv://u:p@a/x_trial?authSource=x"),
        ("mongodb://u:p@a/?tls=true", "mongodb://u:p@a/happiness_trial?tls=true&authSource=admin"),
        ("mongodb://u:p@a/x?authSource=admin", "mongodb://u:p@a/x_trial?authSource=admin"),
    ])
    func `The log-in stays the same`(uri: String, beside: String) {
        #expect(StoreLocation.mongodb(uri: uri).trial(dataDirectory: "/t") == .mongodb(uri: beside))
    }

    @Test func `A file is in the folder of the trial`() {
        #expect(StoreLocation.sqlite(path: "/a/b").trial(dataDirectory: "/t") == .sqlite(path: "/t/happiness.sqlite"))
    }
}
