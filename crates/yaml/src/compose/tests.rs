use super::*;
use crate::node::Value;

fn read(text: &str) -> Document {
    parse(text, SourceId(7), &Limits::default()).unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

fn refuse(text: &str) -> ParseError {
    match parse(text, SourceId(7), &Limits::default()) {
        Ok(_) => panic!("{text:.60?} was read"),
        Err(error) => error,
    }
}

fn at<'tree>(node: &'tree Node, path: &[&str]) -> &'tree Node {
    path.iter().fold(node, |node, key| match &node.value {
        Value::Map(map) => &map.get(key).unwrap_or_else(|| panic!("no {key}")).value,
        Value::List(items) => &items[key.parse::<usize>().expect("list index")],
        scalar => panic!("{scalar:?} has no {key}"),
    })
}

#[test]
fn every_key_and_scalar_has_its_place() {
    let text = "# comment\na: one\nlist:\n  - 'zwei'\n  - {b: \"drei\", ü: |\n      vier\n    }\nempty:\nlast: [x,  y]\n";
    let text = text.replace("|\n      vier\n    ", "vier");
    let root = read(&text).root;
    let cases: &[(&[&str], u32, u32, &str)] = &[
        (&["a"], 2, 4, "one"),
        (&["list", "0"], 4, 5, "'zwei'"),
        (&["list", "1"], 5, 5, "{b: \"drei\", ü: vier}"),
        (&["list", "1", "b"], 5, 9, "\"drei\""),
        (&["list", "1", "ü"], 5, 20, "vier"),
        (&["empty"], 6, 7, ""),
        (&["last", "1"], 7, 12, "y"),
    ];
    for (path, line, column, written) in cases {
        let place = at(&root, path).location;
        assert_eq!((place.line, place.column), (*line, *column), "{path:?}");
        assert_eq!(
            text.get(place.span.start..place.span.end),
            Some(*written),
            "{path:?}"
        );
        assert_eq!(place.source, SourceId(7));
    }
    let key = &root
        .as_map()
        .and_then(|map| map.get("last"))
        .expect("last is there")
        .key;
    assert_eq!((key.location.line, key.location.column), (7, 1));
}

#[test]
fn quotes_keep_text_from_being_typed() {
    let root = read("a: no\nb: 'no'\nc: \"1\"\nd: 017\ne: |-\n  yes\nf: !!str 5\ng: '<<'\n").root;
    assert_eq!(at(&root, &["a"]).as_bool(), Some(false));
    assert_eq!(at(&root, &["b"]).as_str(), Some("no"));
    assert_eq!(at(&root, &["c"]).as_str(), Some("1"));
    assert_eq!(at(&root, &["d"]).as_integer(), Some(15));
    assert_eq!(at(&root, &["d"]).text(), Some("017"));
    assert!(at(&root, &["d"]).is_plain && !at(&root, &["c"]).is_plain);
    assert_eq!(at(&root, &["e"]).as_str(), Some("yes"));
    assert_eq!(at(&root, &["f"]).as_str(), Some("5"));
}

#[test]
fn encodings_line_ends_and_json_are_read() {
    for text in [
        "\u{FEFF}a: 1\nb: 2\n",
        "a: 1\r\nb: 2\r\n",
        "a: 1\rb: 2",
        "{\"a\": 1,\n\t\"b\":2,}",
        "--- \na: 1\nb: 2\n...",
    ] {
        let root = read(text).root;
        assert_eq!(at(&root, &["b"]).as_integer(), Some(2), "{text:?}");
    }
    let marked = "\u{FEFF}a: 1\nb: 2\n";
    let place = at(&read(marked).root, &["b"]).location;
    assert_eq!(marked.get(place.span.start..place.span.end), Some("2"));
}

#[test]
fn aliases_are_copies_of_their_anchor() {
    let root = read("a: &x {k: 1}\nb: *x\nc: [*x, &y 2, *y]\nd: &n\ne: *n\n").root;
    assert_eq!(at(&root, &["b", "k"]).as_integer(), Some(1));
    assert_eq!(at(&root, &["b", "k"]).location.line, 1);
    assert_eq!(at(&root, &["c", "2"]).as_integer(), Some(2));
    assert!(at(&root, &["e"]).is_null());
}

#[test]
fn merges_follow_the_order_of_the_text() {
    let text = "base: &base {a: 1, b: 1}\nmore: &more {b: 2, c: 2}\n\
                below: {<<: *base, b: 9}\nabove: {b: 9, <<: *base}\n\
                list: {<<: [*base, *more]}\ninline: {<<: {z: 5}}\nquoted: {'<<': 3}\n";
    let document = read(text);
    let number = |path: &[&str]| at(&document.root, path).as_integer();
    assert_eq!(number(&["below", "b"]), Some(9));
    assert_eq!(number(&["above", "b"]), Some(1));
    assert_eq!(number(&["list", "b"]), Some(1));
    assert_eq!(number(&["list", "c"]), Some(2));
    assert_eq!(number(&["inline", "z"]), Some(5));
    assert_eq!(number(&["quoted", "<<"]), Some(3));

    let found: Vec<_> = document
        .diagnostics
        .iter()
        .map(|d| (d.code, d.path.to_string(), d.line, d.column))
        .collect();
    assert_eq!(found, [("merge-overrides", "above.b".to_owned(), 4, 9)]);
}

#[test]
fn of_equal_keys_the_last_counts_and_is_reported() {
    let document = read("a: 1\nb: {c: 1, 'c': 2}\n\"a\": 3\n5: x\n'5': y\n");
    assert_eq!(at(&document.root, &["a"]).as_integer(), Some(3));
    assert_eq!(at(&document.root, &["b", "c"]).as_integer(), Some(2));
    assert_eq!(
        document.root.as_map().map(crate::Map::len),
        Some(4),
        "5 and '5' are two keys"
    );

    let found: Vec<_> = document
        .diagnostics
        .iter()
        .map(|d| (d.code, d.path.to_string(), d.line, d.column))
        .collect();
    assert_eq!(
        found,
        [
            ("duplicate-key", "b.c".to_owned(), 2, 11),
            ("duplicate-key", "a".to_owned(), 3, 1)
        ]
    );
    assert!(
        document.diagnostics[0].message.contains("line 2"),
        "{:?}",
        document.diagnostics[0]
    );
}

#[test]
fn what_follows_the_first_document_is_reported_not_read() {
    for text in [
        "a: 1\n---\nv: [",
        "a: 1\n...\n@broken",
        "{a: 1}\n---\nb: 2\n",
        "[1] 2",
    ] {
        let document = read(text);
        let codes: Vec<_> = document.diagnostics.iter().map(|d| d.code).collect();
        assert_eq!(codes, ["yaml-second-document"], "{text:?}");
    }
    for text in ["a: 1\n...\n", "---\na: 1\n", "a: 1"] {
        assert_eq!(read(text).diagnostics, [], "{text:?}");
    }
}

#[test]
fn what_is_not_yaml_is_located() {
    let cases = [
        ("", "yaml-empty", 1, 1),
        ("# nothing\n", "yaml-empty", 2, 1),
        ("a: 1\nb: @x\n", "yaml-syntax", 2, 4),
        ("a: b: c\n", "yaml-syntax", 1, 5),
        ("a:\n\tb: 1\n", "yaml-syntax", 2, 1),
        ("a: {b: ${X}}\n", "yaml-syntax", 1, 9),
        ("a: 'open\n", "yaml-syntax", 1, 4),
        ("a: \"\\q\"\n", "yaml-syntax", 1, 5),
        ("a: \"\\", "yaml-syntax", 1, 4),
        ("a: {b: c #d}\ne: f\n", "yaml-syntax", 1, 10),
        ("a: [\n  b #c]\n", "yaml-syntax", 2, 5),
        ("a: b\nc = d:e\n\nf: g\n", "yaml-syntax", 2, 1),
        ("a: \0\n", "yaml-control-character", 1, 4),
        ("a: 1 #\u{C}\n", "yaml-control-character", 1, 7),
        ("a: *none\n", "yaml-alias", 1, 4),
        ("a: &x [1, *x]\n", "yaml-alias", 1, 11),
        ("? [a]\n: 1\n", "yaml-key", 1, 3),
        ("a: {{ endpoint }}\n", "yaml-key", 1, 5),
        ("<<: 5\n", "yaml-merge", 1, 5),
        ("<<: [5]\n", "yaml-merge", 1, 5),
        ("a: &a [{b: 1}]\nc:\n  <<: *a\n", "yaml-merge", 3, 7),
        ("a: &a [{b: 1}]\nc:\n  <<: [*a]\n", "yaml-merge", 3, 7),
        ("a: [udp://1.1.1.1:53?x=y]\n", "yaml-syntax", 1, 5),
        ("a: {k: [b], c: pkcs11:/x?s}\n", "yaml-syntax", 1, 16),
        ("a: [b:?c]\n", "yaml-syntax", 1, 5),
        ("a: [b:[c]]\n", "yaml-syntax", 1, 7),
        ("a: !!int five\n", "yaml-tag", 1, 4),
        ("%YAML 1.2\n---\na: 1\n", "yaml-version", 1, 1),
    ];
    for (text, code, line, column) in cases {
        let error = refuse(text);
        assert_eq!(
            (
                error.kind.code(),
                error.location.line,
                error.location.column
            ),
            (code, line, column),
            "{text:?}: {error}"
        );
    }
}

#[test]
fn hints_name_the_usual_cause() {
    let cases = [
        ("a:\n\tb: 1\n", "tabs"),
        ("a: @x\n", "quotes"),
        ("a: {b: ${X}}\n", "quotes"),
        ("a: {{x}}\n", "template"),
        ("a: b\nc = d:e\nf: g\n", "instead of `=`"),
        ("a: b\nc:d=e\nf: g\n", "after the colon"),
        ("a: \"b\nc: d\n", "same quote"),
        ("a: *.b\n", "reserves"),
        ("a:\n  - *.b\n", "reserves"),
        ("a: b: c\n", "colon"),
        ("a:\n  - b: c\n     d: e\n", "indentation"),
        ("a:\n  - b: c\n   d: e\n", "indentation"),
        ("a:\n  b: c\n d: e\n", "indentation"),
        ("a:\n  b: c\n   d: e\n", "indentation"),
        ("a: 'Joe's'\nb: c\n", "twice"),
        ("a: \"Joe\"s\"\nb: c\n", "`\\\"`"),
        ("a: {b: c #d}\n", "`#`"),
    ];
    for (text, word) in cases {
        let diagnostic = refuse(text).to_diagnostic(text);
        let help = diagnostic.help.unwrap_or_default();
        assert!(help.contains(word), "{text:?}: {help}");
    }
}

#[test]
fn aliases_cannot_grow_a_document_without_bound() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..10 {
        let below = format!("*a{}, ", level - 1).repeat(10);
        bomb = format!("{bomb}a{level}: &a{level} [{below}]\n");
    }
    let error = refuse(&bomb);
    assert_eq!(
        error.to_string(),
        "line 6, column 10: the aliases up to here expand to more than 250000 values"
    );

    let long = format!(
        "a: &a {}\nb: [{}]\n",
        "x".repeat(1 << 20),
        "*a, ".repeat(20)
    );
    assert_eq!(
        refuse(&long).to_string(),
        "line 2, column 65: the aliases up to here expand to more than 16777216 bytes of text"
    );
}

#[test]
fn limits_are_kept() {
    let limits = Limits {
        size: 20,
        depth: 2,
        skipped_depth: 4,
        values: 12,
        alias_nodes: 4,
        alias_bytes: 6,
    };
    let kind = |text: &str| {
        parse(text, SourceId(0), &limits)
            .map(|_| ())
            .map_err(|error| error.kind)
    };
    assert_eq!(kind("[[1]]"), Ok(()));
    assert_eq!(kind("[[[1]]]"), Ok(()));
    assert_eq!(
        kind("123456789012345678901"),
        Err(ParseErrorKind::TooLarge { limit: 20 })
    );
    assert_eq!(kind("[[[[1]]]]"), Ok(()));
    assert_eq!(
        kind("[[[[[1]]]]]"),
        Err(ParseErrorKind::TooDeep { limit: 4 })
    );
    assert_eq!(kind("- - - - a"), Ok(()));
    assert_eq!(
        kind("- - - - - a"),
        Err(ParseErrorKind::TooDeep { limit: 4 })
    );
    assert_eq!(kind("1,2,3,4,5,"), Ok(()));
    assert_eq!(kind("[1,2,3,4,5,6,7]"), Ok(()));
    let aliases = Limits {
        size: 100,
        ..limits.clone()
    };
    let kind = |text: &str| {
        parse(text, SourceId(0), &aliases)
            .map(|_| ())
            .map_err(|error| error.kind)
    };
    assert_eq!(kind("[1,2,3,4,5,6,7,8,9,10,11]"), Ok(()));
    assert_eq!(
        kind("[1,2,3,4,5,6,7,8,9,10,11,12]"),
        Err(ParseErrorKind::TooManyValues { limit: 12 })
    );
    let refused = |limit, unit| Err(ParseErrorKind::AliasesTooLarge { limit, unit });
    assert_eq!(kind("[1,2,3,4,5,6,7,8,&a 9,&b 10]"), Ok(()));
    // The kept copy counts like every use.
    assert_eq!(kind("[&a x,*a,*a,*a]"), Ok(()));
    assert_eq!(kind("[&a x,*a,*a,*a,*a]"), refused(4, "values"));
    assert_eq!(kind("[&a abc,*a]"), Ok(()));
    assert_eq!(kind("[&a abc,*a,*a]"), refused(6, "bytes of text"));
}

#[test]
fn a_parser_that_gives_up_is_an_error() {
    let error = refuse("a: 1\nb: [ab!c, !a,b]");
    assert_eq!(
        (
            error.kind.code(),
            error.location.line,
            error.location.column
        ),
        ("yaml-syntax", 2, 11)
    );
}

#[test]
fn a_colon_before_a_bracket_or_comma_belongs_to_the_text() {
    let cases: &[(&str, &[&str], Option<&str>)] = &[
        ("x: [a:, b]", &["x", "0"], Some("a:")),
        ("x: [a;:, ^:, b]", &["x", "1"], Some("^:")),
        ("x: [http:]", &["x", "0"], Some("http:")),
        ("x: {b:,c: d}", &["x", "c"], Some("d")),
        ("x: {b:}", &["x", "b:"], None),
        (
            "\u{FEFF}x: {'a:,': 'b:]'}\nz: [k:]",
            &["x", "a:,"],
            Some("b:]"),
        ),
        ("x: [a?:, b]\n", &[], None),
        ("x: a?b\nz: [?c]", &["x"], Some("a?b")),
        ("x: [[a], {b: c}]\nz: a?b", &["z"], Some("a?b")),
    ];
    for (text, path, expected) in cases {
        if path.is_empty() {
            assert_eq!(refuse(text).kind.code(), "yaml-syntax", "{text}");
        } else {
            let root = read(text).root;
            assert_eq!(at(&root, path).as_str(), *expected, "{text}");
        }
    }
    let root = read("x: [a:, bc]").root;
    let place = at(&root, &["x", "1"]).location;
    assert_eq!((place.span.start, place.span.end), (8, 10));
}

#[test]
fn many_colons_before_commas_take_bounded_time() {
    let text = format!("x: [{}]", "a:,".repeat(100_000));
    assert_eq!(refuse(&text).kind.code(), "yaml-syntax");
}

#[test]
fn what_is_nested_too_deep_is_left_out_and_reported() {
    let text = format!("a: {}{}\nb: 1\n", "[".repeat(3_000), "]".repeat(3_000));
    let document = read(&text);
    assert_eq!(at(&document.root, &["b"]).as_integer(), Some(1));
    let found: Vec<_> = document
        .diagnostics
        .iter()
        .map(|d| (d.severity, d.code, d.line, d.column))
        .collect();
    assert_eq!(found, [(Severity::Error, "yaml-limit", 1, 131)]);
}

#[test]
fn ten_thousand_levels_are_passed_over_in_every_form() {
    let forms = [
        ("a: ", "[", "]", 10_000, (1, 10_004)),
        ("a: ", "{k: ", "}", 10_000, (1, 40_004)),
        ("a: ", "[l: &a [\"]\", ']', # ]\n", "]]", 5_000, (5_001, 1)),
        // The map around the list is a level; a list in the same column as its key is not.
        ("a:\n  ", "- ", "", 9_999, (2, 20_001)),
        ("a:\n", "- ", "", 10_000, (2, 20_001)),
    ];
    for (start, open, close, levels, place) in forms {
        let file = |more: &str| {
            let inside = format!("{}{more}x", open.repeat(levels));
            format!("{start}{inside}{}\nb: 1\n", close.repeat(levels))
        };
        let document = read(&file(""));
        assert_eq!(at(&document.root, &["b"]).as_integer(), Some(1), "{open}");
        let codes: Vec<_> = document.diagnostics.iter().map(|d| d.code).collect();
        assert_eq!(codes, ["yaml-limit"], "{open}");

        let error = refuse(&file(if open == "- " { "- " } else { "[" }));
        assert_eq!(error.kind, ParseErrorKind::TooDeep { limit: 10_000 });
        assert_eq!(
            (error.location.line, error.location.column),
            place,
            "{open}"
        );
    }
}

#[test]
fn brackets_that_are_passed_over_must_fit() {
    let deep = |inside: &str| refuse(&format!("a: {}{inside}", "[".repeat(200)));
    let cases = [
        ("", "the `[` is never closed", 203),
        ("{", "the `{` is never closed", 204),
        ("{]", "`]` cannot close `{`", 205),
        ("'{'}", "`}` cannot close `[`", 207),
    ];
    for (inside, message, column) in cases {
        let error = deep(inside);
        assert_eq!(error.kind.to_string(), message, "{inside}");
        assert_eq!(
            (error.location.line, error.location.column),
            (1, column),
            "{inside}"
        );
    }
    let text = format!("{}ü, \"{}", "[".repeat(140), "]".repeat(140));
    assert!(parse(&text, SourceId(0), &Limits::default()).is_err());
    let text = format!("a: {}ü{}, b: c: d", "[".repeat(140), "]".repeat(139));
    assert_eq!(refuse(&text).location.column, 290);
}

#[test]
fn many_values_without_aliases_are_read() {
    let text = format!("a: &all [{}]\n", "x,".repeat(240_000));
    let root = read(&text).root;
    assert_eq!(at(&root, &["a"]).as_list().map(<[_]>::len), Some(240_000));
}

#[test]
fn marks_of_files_that_were_joined_belong_to_the_key() {
    let text =
        "\u{FEFF}a: 1\n\u{FEFF}b: 2\n\u{FEFF}# c: |\n  x\nd: \"\n\u{FEFF}e\"\n\u{FEFF}{f}: 3\n";
    let document = read(text);
    let keys: Vec<_> = document.root.as_map().into_iter().flatten().collect();
    let keys: Vec<_> = keys.iter().map(|entry| entry.key.text()).collect();
    let expected = ["a", "\u{FEFF}b", "\u{FEFF}# c", "d", "\u{FEFF}{f}"].map(Some);
    assert_eq!(keys, expected);
    assert_eq!(at(&document.root, &["d"]).as_str(), Some(" \u{FEFF}e"));
    let found: Vec<_> = document
        .diagnostics
        .iter()
        .map(|d| (d.severity, d.code, d.line, d.column))
        .collect();
    let warning = |line| (Severity::Warning, "byte-order-mark", line, 1);
    assert_eq!(found, [warning(2), warning(3), warning(7)]);
    let place = at(&document.root, &["\u{FEFF}b"]).location;
    assert_eq!(text.get(place.span.start..place.span.end), Some("2"));
}

#[test]
fn a_mistake_is_reported_once_under_its_key() {
    let cases = [
        ("a: b: c\n", "a"),
        ("a:\n  a: b: c\n", "a.a"),
        ("a:\n  - b\n  - c: d: e\n", "a[1].c"),
        ("a: [b, c: d: e]\n", "a"),
        ("a: {b: c: d}\n", "a"),
        ("a:\n  b: [c: d: e]\n", "a.b"),
    ];
    for (text, path) in cases {
        assert_eq!(refuse(text).path.to_string(), path, "{text:?}");
    }
}
