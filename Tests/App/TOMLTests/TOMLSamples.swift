/// Documents, most of them from the specification's examples (https://toml.io/en/v1.0.0).
enum TOMLSamples {
    static let valid = keys + strings + plain + collections + tables

    private static let keys = [
        "", "\n", "# comment", "# é\tü\r\n", "a=1", "  a = 1  # b", "\ta\t=\t1", "1234 = 1\n-_ = 2\nbare_key-1 = 3",
        #""127.0.0.1" = 1"#, #""ʎǝʞ" = 1"#, "'quoted \"value\"' = 1", #""" = 1"#, "'' = 1", #""a\tb\u00e9" = 1"#,
        "physical.color = 'orange'\nphysical.shape = 'round'\nsite.\"google.com\" = true", "fruit . flavor = 'x'",
        "3.14159 = 'pi'", "apple.type = 1\norange.type = 2\napple.skin = 3", "true = 1\ninf = 2\nnan = 3",
        "\"a\u{301}\" = 1", "\"\u{E9}\" = 1\n\"e\u{301}\" = 2", "a.'b'.\"c\" = {}",
    ]

    private static let strings = [
        #"a = "I'm a string. \"You can quote me\". Name\tJos\u00E9\nLocation\tSF.""#,
        #"a = "\b\t\n\f\r\"\\\U0001F600""#,
        #"a = 'C:\Users\nodejs'"#, "a = '<\\i\\c*\\s*>'", "a = \"\"\n", "a = ''", "a = \"\"\"\"\"\"", "a = ''''''",
        "a = \"\"\"\nRoses are red\nViolets are blue\"\"\"", "a = \"\"\"\r\nx\r\ny\"\"\"",
        "a = \"\"\"x\\\n   \n  y\"\"\"",
        "a = \"\"\"x\\  \t\r\n y\"\"\"", "a = \"\"\"\\\n   \"\"\"", "a = \"\"\"two \"\" and \\\"\"\" x\"\"\"",
        "a = \"\"\"\"one\"\"\"\"", "a = \"\"\"\"\"two\"\"\"\"\"", "a = ''''one''''", "a = '''''two'''''",
        "a = '''\nI [dw]on't\n  need \\d{2}\n'''", "a = \"\t\"", "a = '\t'", "a = '''\t\n'''",
        "a = \"\u{7FF}\u{FFFD}\u{10FFFF}\"",
        "a = \"# no comment\" # comment",
    ]

    private static let plain = [
        "a = +99\nb = 42\nc = 0\nd = -17\ne = +0\nf = -0", "a = 1_000\nb = 5_349_221\nc = 53_49_221\nd = 1_2_3_4_5",
        "a = 0xDEADBEEF\nb = 0xdead_beef\nc = 0o01234567\nd = 0b11010110\ne = 0x0", "a = 9223372036854775807",
        "a = -9223372036854775808", "a = +1.0\nb = 3.1415\nc = -0.01",
        "a = 5e+22\nb = 1e06\nc = -2E-2\nd = 6.626e-34\ne = 224_617.445_991_228",
        "a = 0e0\nb = 0.0\nc = -0.0\nd = 1e400",
        "a = inf\nb = +inf\nc = -inf\nd = nan\ne = +nan\nf = -nan", "a = true\nb = false",
        "a = 1979-05-27T07:32:00Z\nb = 1979-05-27T00:32:00-07:00\nc = 1979-05-27T00:32:00.999999-07:00",
        "a = 1979-05-27 07:32:00Z\nb = 1979-05-27t07:32:00z", "a = 1979-05-27T07:32:00\nb = 1979-05-27T00:32:00.5",
        "a = 1979-05-27\nb = 2000-02-29\nc = 2024-02-29 # leap", "a = 07:32:00\nb = 00:32:00.999999",
        "a = [1979-05-27, 07:32:00]",
        "a = 123e-5", "a = 1e-5_0", "a = 0001-01-01",
    ]

    private static let collections = [
        "a = []", "a = [ 1, 2, 3 ]", "a = [ 1, 'x', 0.1, true, [ 2 ], { b = 1 } ]", "a = [\n  1, 2\n]",
        "a = [\n 1,\n 2, # c\n]",
        "a = [ # c\n\n # d\n 1 # e\n , # f\n 2\n # g\n ]", "a = [[], [[]]]", "a = {}", "a = { }",
        "a = { x = 1, y = 2 }",
        "a = { x.y = 1, x.z = 2, 'q' = { r = [ { s = 1 } ] } }", "a = [ { x = 1,\ty = 2 }, { x = 7 } ]",
        "a = {b = [\n1\n]}",
        "a = [\"\"\"\nx\n\"\"\", '''y''']",
    ]

    private static let tables = [
        "[a]", "[a]\nx = 1\n[b]\nx = 2", "[dog.\"tater.man\"]\ntype.name = 'pug'",
        "[a.b.c]\n[ d.e.f ]\n[ g .  h  . i ]\n[j . \"ʞ\" . 'l']",
        "[x.y.z.w]\n[x]", "[fruit.apple]\n[animal]\n[fruit.orange]", "name = 1\n[breed]\nx = 1",
        "[fruit]\napple.color = 1\napple.taste.sweet = true\n[fruit.apple.texture]\nsmooth = true",
        "[[products]]\nname = 'Hammer'\n[[products]] # empty\n[[products]]\nname = 'Nail'",
        "[[fruits]]\nname='a'\n[fruits.physical]\ncolor='red'\n[[fruits.varieties]]\nname='x'\n[[fruits.varieties]]\n"
            + "name='y'\n"
            + "[[fruits]]\nname='b'\n[[fruits.varieties]]\nname='z'", "[[a.b]]\nx=1\n[a]\ny=2",
        "[a.b]\nx=1\n[a]\nb2.c=1",
        "[a.b.c]\nz=9\n[a]\nb.x=1", "['']\na=1", "[[a]]\n[[a.b]]\n[a.b.c]\nd.e = 1\n[[a.b]]\n[a.b.c]\nd.e = 2",
        "[a] # c\r\nb = 1\r\n", "a.b.c = 1\na.d = 2\n[e]\na.b = 1",
    ]

    /// Documents that are no TOML.
    static let invalid = [
        "a", "a =", "= 1", "a = # c", "a b = 1", "a.b. = 1", ".a = 1", "a..b = 1", "é = 1", "a = 1 b = 2", "a = 1 2",
        "a = = 1",
        "a = 1\r", "a = 1\u{0}", "# \u{1}", "# \u{7F}", "# \r x", "\"\"\"a\"\"\" = 1", "'''a''' = 1", "\"a\nb\" = 1",
        "'a = 1",
        "a = \"x", "a = 'x", "a = \"x\ny\"", "a = 'x\ny'", "a = \"\\q\"", "a = \"\\u12\"", "a = \"\\uD800\"",
        "a = \"\\U00110000\"",
        "a = \"\\x41\"", "a = \"\\e\"", "a = \"\u{1}\"", "a = '\u{1F}'", "a = \"\u{7F}\"", "a = \"\"\"x", "a = '''x",
        "a = \"\"\"x\\q\"\"\"",
        "a = \"\"\"x\u{0}\"\"\"", "a = \"\"\"x\ry\"\"\"", "a = '''x\ry'''", "a = \"\"\"x\"\"\"\"\"\"",
        "a = ''''''x''''''", "a = \"\"\"\\ x\"\"\"", "a = 9223372036854775808",
        "a = word", "a = TRUE", "a = truex", "a = +true", "a = 01", "a = -01", "a = +-1", "a = 1_", "a = _1",
        "a = 1__0", "a = 0x", "a = 0xg",
        "a = 0x_1", "a = +0x1", "a = 0X1", "a = 0b2", "a = 0o8", "a = 0_1", "a = 0x1_", "a = 1.", "a = .1", "a = 1.e3",
        "a = 1e", "a = 1e+",
        "a = 1_.0", "a = 1._0", "a = 1.0_", "a = 1e_1", "a = 01.0", "a = Inf", "a = infinity", "a = +nann", "a = 1.2.3",
        "a = 1e1.0", "a = 0x1.8",
        "a = 1979-5-27", "a = 1979-13-27", "a = 1979-02-29", "a = 1900-02-29", "a = 0000-01-01", "a = 1979-05-27T",
        "a = 1979-05-27 7:32:00",
        "a = 1979-05-27T24:00:00", "a = 07:32", "a = 07:60:00", "a = 07:32:60", "a = 07:32:00.", "a = 07:32:00Z",
        "a = 1979-05-27T07:32:00+24:00",
        "a = 1979-05-27T07:32:00+7:00", "a = 1979-05-27T07:32Z", "a = 1979-05-27Z", "a = 1979-05-27  07:32:00",
        "a = 1979-05-32", "a = 1979-05-27_07:32:00",
        "a = [", "a = [1", "a = [1 2]", "a = [,]", "a = [1,,2]", "a = [1],", "a = ]", "a = {", "a = {x}", "a = {x=1",
        "a = {x=1,}", "a = {,}", "a = {x=1\n}",
        "a = {\nx=1}", "a = {x=1 y=2}", "a = {x=1, x=2}", "a = {x.y=1, x=2}", "a = {x={y=1}, x.z=2}", "a = { # c\n}",
        "a = {x=1}\na.y = 2", "a = {x=1}\n[a]",
        "a = {x=1}\n[a.b]", "a = {x={}}\n[a.x.y]", "a = {}\na.b = 1", "[a", "a]", "[]", "[a.]", "[.a]", "[a..b]",
        "[a]]", "[[a]", "[[a] ]", "[ [a]]", "[a] b = 1",
        "[a]x", "[a\nb]", "[a]\n[a]", "a = 1\na = 2", "a = 1\n\"a\" = 2", "a = 1\n'a' = 2", "a.b = 1\na = 2",
        "a = 1\na.b = 2", "a = 1\n[a]", "a = 1\n[a.b]",
        "a = 1\n[[a]]", "a.b = 1\n[a]", "[a]\nb.c = 1\n[a.b]", "[a]\nb.c.d = 1\n[a.b.c]", "[a.b]\n[a]\nb.c = 1",
        "[a.b.c]\nz=9\n[a]\nb.c.t = 1",
        "[a.b.c]\n[a]\nb.x = 1\n[a.b]", "a = []\n[[a]]", "[[a]]\n[a]", "[a]\n[[a]]", "[a.b]\n[[a]]",
        "[[a.b]]\n[a]\nb.y = 2", "[[a]]\na.b = 1\n[[a.a]]",
        "[fruit.physical]\n[[fruit]]", "[[fruits]]\n[[fruits.varieties]]\n[fruits.varieties]",
        "[[fruits]]\n[fruits.physical]\n[[fruits.physical]]",
        "[a]\nb = 1\n[a.b]", "[a]\nb = [{}]\n[a.b]", "[a]\nb = [{}]\n[[a.b]]", "a = \"x\" \"y\"", "a = 'x'y",
        "[a]#c\nb", "a=1;b=2", "a: 1", "a = 'x' # \u{2}",
    ]
}
