//! What the words of a text are.

use super::*;
use crate::token::Keyword;
use crate::value::Number;

/// All words of a text, without the end.
fn words(text: &str) -> Result<Vec<TokenKind<'_>>, Problem> {
    let mut lexer = Lexer::new(text);
    let mut kinds = Vec::new();
    loop {
        match lexer.next().map_err(|fault| fault.problem)?.kind {
            TokenKind::End => return Ok(kinds),
            kind => kinds.push(kind),
        }
    }
}

fn one(text: &str) -> Option<TokenKind<'_>> {
    match words(text).ok()?.as_slice() {
        [kind] => Some(kind.clone()),
        _ => None,
    }
}

#[test]
fn longest_match_decides_between_keyword_and_symbol() {
    for symbol in [
        "order",
        "android",
        "tags.limit",
        "isEmptyish",
        "limit.a-b",
        "a_b",
        "not_",
        "a.b-",
    ] {
        assert_eq!(one(symbol), Some(TokenKind::Symbol(symbol)), "{symbol}");
    }
    for (text, keyword) in [
        ("AND", Keyword::And),
        ("IsEmpty", Keyword::IsEmpty),
        ("anyof", Keyword::AnyOf),
        ("Not In", Keyword::NotIn),
        ("not\tin", Keyword::NotIn),
        ("not \n contains", Keyword::NotContains),
        ("NOT  ICONTAINS", Keyword::NotIcontains),
        ("not   between", Keyword::NotBetween),
    ] {
        assert_eq!(one(text), Some(TokenKind::Keyword(keyword)), "{text}");
    }
}

#[test]
fn two_blanks_inside_not_in_are_two_words() {
    let expected = vec![
        TokenKind::Keyword(Keyword::Not),
        TokenKind::Keyword(Keyword::In),
    ];
    assert_eq!(words("not  in"), Ok(expected));
}

#[test]
fn a_symbol_that_begins_like_an_operator_is_a_symbol() {
    let expected = vec![
        TokenKind::Keyword(Keyword::Not),
        TokenKind::Symbol("inside"),
    ];
    assert_eq!(words("not inside"), Ok(expected));
}

#[test]
fn numbers_are_integers_only_when_written_so_and_in_range() {
    for (text, expected) in [
        ("0", Number::Integer(0)),
        ("-0", Number::Integer(0)),
        ("-12", Number::Integer(-12)),
        ("9223372036854775807", Number::Integer(i64::MAX)),
        (
            "9223372036854775808",
            Number::Float(9_223_372_036_854_775_808.0),
        ),
        ("5.0", Number::Float(5.0)),
        ("1e3", Number::Float(1000.0)),
        ("1E-2", Number::Float(0.01)),
        ("-2.5e+1", Number::Float(-25.0)),
    ] {
        assert_eq!(one(text), Some(TokenKind::Number(expected)), "{text}");
    }
    assert_eq!(words("1e999"), Err(Problem::NumberOutOfRange));
    assert_eq!(words("007").map(|kinds| kinds.len()), Ok(3));
}

#[test]
fn strings_are_decoded_once_from_left_to_right() {
    for (text, expected) in [
        (r#""""#, ""),
        (r#""say \"hi\"""#, "say \"hi\""),
        (r#""\\""#, "\\"),
        (r#""\\\\""#, "\\\\"),
        (r#""\\n""#, "\\n"),
        (r#""\f\n\r\t""#, "\u{c}\n\r\t"),
        ("\"naïve ☂\u{7f}\"", "naïve ☂\u{7f}"),
    ] {
        assert_eq!(
            one(text),
            Some(TokenKind::Text(expected.to_owned())),
            "{text}"
        );
    }
    assert_eq!(words("\"a\tb\""), Err(Problem::ControlCharacter('\t')));
    assert_eq!(words(r#""caf\u00e9""#), Err(Problem::UnknownEscape));
    assert_eq!(words("\"abc"), Err(Problem::UnclosedString));
    assert_eq!(words("\"abc\\"), Err(Problem::UnclosedString));
}

#[test]
fn datetimes_are_rfc_3339_with_zone() {
    for (inside, expected) in [
        ("2031-01-02T03:04:05Z", "2031-01-02T03:04:05Z"),
        (" \t2031-01-02t03:04:05z\n", "2031-01-02T03:04:05Z"),
        ("2031-01-02T00:00:00.000+02:00", "2031-01-01T22:00:00Z"),
        ("2031-01-02T00:00:00.5-00:30", "2031-01-02T00:30:00.5Z"),
        ("9999-12-31T23:59:59Z", "9999-12-30T22:00:00.999999999Z"),
        ("0000-01-01T00:00:00+23:59", "0000-01-01T00:00:00Z"),
        (
            "2031-01-02T00:00:00.1234567899Z",
            "2031-01-02T00:00:00.123456789Z",
        ),
    ] {
        let text = format!("datetime({inside})");
        let expected = TokenKind::Datetime(expected.parse().unwrap());
        assert_eq!(one(&text), Some(expected), "{inside}");
    }
    for inside in [
        "",
        "2031-01-02",
        "2031-01-02T03:04:05",
        "2031-01-02 03:04:05Z",
        "2031-01-02T03:04:60Z",
        "2031-02-30T03:04:05Z",
        "2031-13-01T03:04:05Z",
        "2031-01-02T24:00:00Z",
        "2031-01-02T03:04:05.Z",
        "2031-01-02T03:04:05+0200",
        "2031-01-02T03:04:05+24:00",
        "2031-01-02T03:04:05Z[Europe/Berlin]",
        "２０３１-01-02T03:04:05Z",
        "\"2031-01-02T03:04:05Z\"",
    ] {
        let text = format!("datetime({inside})");
        assert_eq!(words(&text), Err(Problem::InvalidTimestamp), "{inside}");
    }
}

#[test]
fn characters_without_meaning_are_refused() {
    for text in [
        "name = @",
        "!isAdmin",
        "cost = .5",
        "a && b",
        "é",
        "name = “x”",
        "5.",
        "-",
        "'a",
        "\0",
    ] {
        let result = words(text);
        assert!(
            matches!(result, Err(Problem::UnknownCharacter { .. })),
            "{text}: {result:?}"
        );
    }
}

#[test]
fn digits_in_symbols_are_named_as_such() {
    assert_eq!(words("tags.zone2 = 1"), Err(Problem::DigitInSymbol));
    assert!(words("name 2").is_ok());
}
