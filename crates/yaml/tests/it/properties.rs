//! Random documents.

use std::time::Duration;

use portcullis_yaml::syntax::GoDuration;
use portcullis_yaml::{
    Diagnostics, Limits, Node, SourceId, SourceLocation, Span, Value, decode, expand,
    expand_environment, parse,
};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, RngSeed};

fn config() -> Config {
    Config {
        cases: 400,
        rng_algorithm: RngAlgorithm::ChaCha,
        rng_seed: RngSeed::Fixed(0x0000_7961_6d6c),
        failure_persistence: None,
        ..Config::default()
    }
}

/// Text of the pieces that YAML gives a meaning to.
fn yaml_like() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\n"),
        Just("  "),
        Just("- "),
        Just(": "),
        Just("? "),
        Just("{"),
        Just("}"),
        Just("["),
        Just("]"),
        Just(","),
        Just("&a "),
        Just("*a"),
        Just("<<: "),
        Just("!!int "),
        Just("!x"),
        Just("!"),
        Just("!<"),
        Just("%"),
        Just("|\n"),
        Just(">-\n"),
        Just("'"),
        Just("\""),
        Just("\\"),
        Just("\\x4"),
        Just("#"),
        Just("---\n"),
        Just("...\n"),
        Just("%YAML 1.1\n"),
        Just("%TAG ! x\n"),
        Just("key"),
        Just("017"),
        Just("yes"),
        Just("~"),
        Just("${A}"),
        Just("$"),
        Just("\t"),
        Just("\r"),
        Just("é"),
        Just("\u{2028}"),
        Just("\u{FEFF}"),
        Just("%41"),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

/// Checks that every place lies in the text and in its parent.
fn check_places(node: &Node, text: &str, within: Span) {
    let SourceLocation {
        span, line, column, ..
    } = node.location;
    assert!(text.get(span.start..span.end).is_some(), "{node:?}");
    assert!(line >= 1 && column >= 1, "{node:?}");
    assert!(
        within.start <= span.end && span.start <= within.end.max(text.len()),
        "{node:?}"
    );
    match &node.value {
        Value::List(items) => items.iter().for_each(|item| check_places(item, text, span)),
        Value::Map(map) => map.iter().for_each(|entry| {
            check_places(&entry.key, text, span);
            check_places(&entry.value, text, span);
        }),
        _ => {},
    }
}

fn read_all(text: &str) {
    let limits = Limits {
        alias_nodes: 2_000,
        alias_bytes: 64 << 10,
        ..Limits::default()
    };
    // Of what is passed over nobody but the original knows whether it is right.
    let shallow = Limits {
        depth: 1,
        skipped_depth: 3,
        ..limits.clone()
    };
    if let Err(error) = parse(text, SourceId(0), &shallow) {
        assert!(error.location.span.start <= text.len(), "{error:?}");
        assert!(!error.to_diagnostic(text).message.is_empty());
    }
    match parse(text, SourceId(0), &limits) {
        Ok(mut document) => {
            // Copies made by aliases stand elsewhere, so only plain documents are checked in full.
            if !text.contains('*') && !text.ends_with('\\') {
                check_places(
                    &document.root,
                    text,
                    Span {
                        start: 0,
                        end: text.len(),
                    },
                );
            }
            let lookup = |name: &str| (name == "A").then(|| "value".to_owned());
            expand_environment(&mut document.root, &lookup, &mut Diagnostics::default());
        },
        Err(error) => {
            assert!(
                error.location.line >= 1 && error.location.column >= 1,
                "{error:?}"
            );
            assert!(!error.to_diagnostic(text).message.is_empty());
        },
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn no_text_makes_the_reader_panic(text in yaml_like()) {
        read_all(&text);
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(text) = decode(&bytes, SourceId(0)) {
            read_all(&text);
        }
    }

    #[test]
    fn integers_survive_every_notation(number in any::<i64>()) {
        let sign = if number < 0 { "-" } else { "" };
        let magnitude = number.unsigned_abs();
        let notations = [
            format!("{number}"),
            format!("{sign}0x{magnitude:X}"),
            format!("{sign}0b{magnitude:b}"),
            format!("{sign}0o{magnitude:o}"),
            format!("{sign}0{magnitude:o}"),
        ];
        for notation in notations {
            let document = parse(&format!("number: {notation}\n"), SourceId(0), &Limits::default()).expect("text is YAML");
            let found = document.root.as_map().and_then(|map| map.get("number")).and_then(|entry| entry.value.as_integer());
            prop_assert_eq!(found, Some(i128::from(number)), "{}", notation);
        }
    }

    #[test]
    fn json_strings_survive(text in any::<String>()) {
        let quoted = serde_json::to_string(&text).expect("a string is JSON");
        if let Ok(document) = parse(&quoted, SourceId(0), &Limits::default()) {
            prop_assert_eq!(document.root.as_str(), Some(text.as_str()));
        } else {
            // JSON leaves DEL and the C1 controls as they are, YAML forbids them.
            prop_assert!(text.chars().any(|c| ('\u{7F}'..='\u{9F}').contains(&c) || c > '\u{FFFD}' && c < '\u{10000}'
                || c > '\u{FFFF}' && quoted.contains("\\u")), "{:?}", quoted);
        }
    }

    #[test]
    fn text_without_dollars_is_never_expanded(text in "[^$]*") {
        let (expanded, variables) = expand(&text, &|_| Some("x".to_owned()));
        prop_assert_eq!(expanded, text);
        prop_assert!(variables.is_empty());
    }

    #[test]
    fn durations_survive_being_written(nanoseconds in any::<i64>()) {
        let duration = GoDuration::from_nanoseconds(nanoseconds);
        prop_assert_eq!(duration.to_string().parse::<GoDuration>(), Ok(duration));
        prop_assert_eq!(duration.as_std().is_some(), nanoseconds >= 0);
        prop_assert!(duration.as_std().is_none_or(|std| std <= Duration::from_nanos(i64::MAX as u64)));
    }
}
