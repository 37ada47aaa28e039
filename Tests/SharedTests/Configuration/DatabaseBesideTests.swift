import Storage
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

    @Test(arguments: [
        ("mongodb://u:hunter2@a:1,b:2/x?replicaSet=rs0", "mongodb://a:1,b:2/x"), ("mongodb+srv://a", "mongodb+srv://a"),
        ("mongodb://a/?authMechanismProperties=x:hunter2@b", "mongodb://a/"), ("mongodb://u:hun/ter2@a/x", "MongoDB"),
    ])
    func `A database is shown without its log-in`(uri: String, shown: String) {
        #expect(StoreLocation.mongodb(uri: uri).shown == shown)
    }

    @Test func `A file is in the folder of the trial`() {
        #expect(StoreLocation.sqlite(path: "/a/b").trial(dataDirectory: "/t") == .sqlite(path: "/t/happiness.sqlite"))
    }
}
