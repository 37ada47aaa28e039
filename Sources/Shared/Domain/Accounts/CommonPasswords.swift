/// The passwords an attacker tries first: those of eight or more characters near the top of every published list of
/// leaked ones, in English and German. Compared in lower case.
enum CommonPasswords {
    static let list = Set(text.split(whereSeparator: \.isWhitespace).map(String.init))

    private static let text = """
        12345678 123456789 1234567890 0123456789 12345678910 123456789a 1234567891 12341234 11223344 1122334455
        87654321 987654321 9876543210 0987654321 10203040 12121212 13131313 123123123 123321123 123454321 1234554321
        112233445566 147258369 159357159 159753159 741852963 789456123 456789123 963852741 31415926 314159265 20202020
        01234567 01230123 12344321 23456789 234567890 13579246 24681012 98765432 55555555 11111111 00000000 88888888
        password password1 password12 password123 password1234 password! password1! passw0rd p@ssword p@ssw0rd
        p@ssw0rd1 pa$$word pa55word passwort passwort1 passwort12 passwort123 passwort! kennwort kennwort1 passphrase
        mypassword newpassword yourpassword thepassword password01 password11 password2 password99 passwords
        qwertyui qwertyuiop qwerty12 qwerty123 qwerty1234 qwerty12345 qwertyqwerty qwerty01 1qaz2wsx 1qaz2wsx3edc
        qazwsxedc qazwsx123 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y q1w2e3r4 q1w2e3r4t5 asdfghjk asdfghjkl asdf1234
        asdfasdf zxcvbnm1 zxcvbnm123 zaq12wsx zaq1zaq1 qwertzui qwertzuiop qwertz12 qwertz123 qwertz1234 yxcvbnm1
        1qayxsw2 !qaz2wsx 1234qwer qwer1234 abcd1234 abcdefgh abcdefghi abcdefg1 abc12345 abc123456 abcabcabc abc123abc
        a1b2c3d4 a1b2c3d4e5 a1234567 a12345678 a123456789 aa123456 aa12345678 1a2b3c4d 123456aa 123456ab 12345abc
        123456abc 1234abcd 12345678a 123456qwe 123qweasd 123qweasdzxc qweasdzxc qweasd123 zxcasdqwe iloveyou iloveyou1
        iloveyou2 iloveyou! ichliebedich iloveme1 ilovegod loveyou1 lovelove loveme123 sunshine sunshine1 princess
        princess1 football football1 baseball baseball1 basketball superman superman1 batman123 spiderman spiderman1
        starwars starwars1 trustno1 whatever whatever1 welcome1 welcome12 welcome123 welcome! willkommen willkommen1
        letmein1 letmein123 letmein! changeme changeme1 changeme123 changeit default1 administrator admin123 admin1234
        admin12345 administrator1 adminadmin rootroot root1234 toortoor test1234 test12345 testtest testtest1 testing1
        testing123 tester123 guest123 guest1234 user1234 username username1 user12345 login123 secret123 secret1234
        geheim123 geheim12 topsecret computer computer1 internet internet1 samsung1 samsung123 microsoft windows10
        facebook facebook1 linkedin google123 instagram whatsapp1 youtube1 minecraft minecraft1 pokemon1 pokemon123
        michelle jennifer jennifer1 jonathan jordan23 charlie1 charlie123 michael1 daniel123 thomas123 andreas1
        alexander alexander1 sebastian christian stefanie stephanie elizabeth victoria victoria1 nicholas benjamin
        samantha patricia danielle veronica valentina caroline isabella maximilian dominik1 matthias fernando alejandro
        butterfly butterfly1 chocolate chocolate1 strawberry blink182 metallica metallica1 slipknot1 liverpool
        liverpool1 chelsea1 arsenal1 manchester manutd123 barcelona barcelona1 realmadrid juventus bayern123 schalke04
        schalke1 borussia dortmund rapidwien austria1 hallo123 hallo1234 hallohallo schatz123 schatzi1 sommer2024
        sommer2025 sommer2026 winter2024 winter2025 winter2026 summer2024 summer2025 summer2026 spring2025 spring2026
        herbst2025 herbst2026 corvette mercedes mercedes1 porsche911 mustang1 harley123 yamaha123 dragon123 dragonball
        monkey123 master123 shadow123 hunter12 killer123 ninja123 pussycat jesus123 jesuschrist computer123 freedom1
        peaches1 cookie123 cheese123 midnight maverick phoenix1 scorpion blessed1 forever1 happy123 happyday newyork1
        """
}
