//! Tests of [`Members`].

use super::*;

fn members(text: &str) -> Members {
    Members::parse(text.as_bytes(), "body").unwrap()
}

fn field(error: DecodeError) -> FieldError {
    match error {
        DecodeError::Field(error) => error,
        DecodeError::Parse(text) => panic!("{text}"),
    }
}

#[test]
fn missing_body_is_a_field_error_on_the_parameter() {
    for text in ["", " \n"] {
        let error = field(Members::parse(text.as_bytes(), "identity").unwrap_err());
        assert_eq!(error.field, "identity");
        assert_eq!(error.reason, "is required");
        assert_eq!(error.value, "");
        assert!(Members::parse_optional(text.as_bytes()).is_ok());
    }
}

#[test]
fn body_must_be_an_object_or_null() {
    assert!(members("null").optional_bool("a").unwrap().is_none());
    for text in ["[]", "\"a\"", "1", "true", "{", "{\"a\""] {
        let bytes = text.as_bytes();
        for read in [
            Members::parse(bytes, "body"),
            Members::parse_optional(bytes),
        ] {
            let error = read.unwrap_err();
            assert!(matches!(error, DecodeError::Parse(_)), "{text}: {error:?}");
        }
    }
}

#[test]
fn names_match_without_regard_to_case_and_the_last_one_wins() {
    for (text, value) in [
        (r#"{"isAdmin": true}"#, Some(true)),
        (r#"{"ISADMIN": true}"#, Some(true)),
        (r#"{"isAdmin": false, "isadmin": true}"#, Some(true)),
        (r#"{"isadmin": true, "isAdmin": false}"#, Some(false)),
        (r#"{"isAdmin": true, "isAdmin": false}"#, Some(false)),
        (r#"{"isAdmin": true, "IsAdmin": null}"#, None),
        (r#"{"is_admin": true, "isAdmin2": true}"#, None),
    ] {
        assert_eq!(
            members(text).optional_bool("isAdmin").unwrap(),
            value,
            "{text}"
        );
    }
}

#[test]
fn null_and_absence_are_alike() {
    for text in ["{}", r#"{"a": null}"#] {
        assert_eq!(members(text).optional_string("a").unwrap(), None);
        assert_eq!(members(text).string_list("a").unwrap(), None);
        assert_eq!(members(text).json_object("a").unwrap(), None);
        assert_eq!(members(text).u16_map("a").unwrap(), None);
        assert!(members(text).object("a").unwrap().is_none());
        for error in [
            members(text).required_string("a").unwrap_err(),
            members(text).required_bool("a").unwrap_err(),
            members(text).required_integer("a").unwrap_err(),
            members(text).required_time("a").unwrap_err(),
            members(text).required_choice("a", &["x"]).unwrap_err(),
        ] {
            let error = field(error);
            assert_eq!(error.field, "a");
            assert_eq!(error.reason, "is required");
            assert_eq!(error.value, "<nil>");
        }
    }
}

#[test]
fn wrong_types_are_parse_errors() {
    type Take = fn(&mut Members) -> Result<(), DecodeError>;
    let string: Take = |members| members.required_string("a").map(drop);
    let boolean: Take = |members| members.required_bool("a").map(drop);
    let number: Take = |members| members.required_integer("a").map(drop);
    let cost: Take = |members| members.optional_u16("a").map(drop);
    let time: Take = |members| members.required_time("a").map(drop);
    let list: Take = |members| members.string_list("a").map(drop);
    let object: Take = |members| members.object("a").map(drop);
    let costs: Take = |members| members.u16_map("a").map(drop);
    let texts: Take = |members| members.string_map("a").map(drop);
    for (take, wrong) in [
        (string, &["1", "true", "[]", "{}"][..]),
        (boolean, &["1", "\"true\"", "[]"]),
        (number, &["1.0", "1.5", "\"1\"", "18446744073709551615"]),
        (cost, &["1e2", "\"1\"", "true"]),
        (time, &["1", "\"\"", "\"tomorrow\"", "\"2031-04-05\""]),
        (list, &["\"a\"", "[1]", "[\"a\", null]", "{}"]),
        (object, &["\"a\"", "[]", "true"]),
        (costs, &["[]", "{\"s\": \"1\"}", "{\"s\": null}"]),
        (texts, &["[]", "{\"s\": 1}"]),
    ] {
        for value in wrong {
            let text = format!(r#"{{"a": {value}}}"#);
            let error = take(&mut members(&text)).unwrap_err();
            assert!(matches!(error, DecodeError::Parse(_)), "{text}: {error:?}");
        }
    }
}

#[test]
fn items_that_are_no_texts_are_named_by_their_place() {
    for (value, said) in [
        ("[5]", "a.0 must be a string, not a number"),
        (r#"["x", null]"#, "a.1 must be a string, not null"),
        ("5", "a must be a list of strings, not a number"),
    ] {
        let text = format!(r#"{{"a": {value}}}"#);
        let read = members(&text).string_list("a");
        assert_eq!(read, Err(DecodeError::Parse(said.to_owned())));
    }
    let mut outer = members(r#"{"a": {"b": [true]}}"#);
    let read = outer.required_object("a").unwrap().string_list("b");
    let said = "a.b.0 must be a string, not a boolean";
    assert_eq!(read, Err(DecodeError::Parse(said.to_owned())));
}

#[test]
fn lengths_count_characters() {
    let bounded = |text: &str| members(&format!(r#"{{"a": "{text}"}}"#)).bounded_string("a", 2..=3);
    assert_eq!(bounded("äö").unwrap().as_deref(), Some("äö"));
    assert_eq!(bounded("äöü").unwrap().as_deref(), Some("äöü"));
    assert_eq!(bounded("").unwrap(), None);
    assert_eq!(field(bounded("ä").unwrap_err()).value, "ä");
    assert_eq!(field(bounded("äöüß").unwrap_err()).field, "a");
    let long = "x".repeat(10_000);
    assert_eq!(
        field(bounded(&long).unwrap_err()).value.len(),
        MAX_EXCERPT_CHARS
    );
}

#[test]
fn secrets_are_not_repeated() {
    for text in ["abcd", &"opensesame".repeat(20)] {
        let body = format!(r#"{{"password": "{text}"}}"#);
        assert_eq!(format!("{:?}", members(&body)), r#"{"password"}"#);
        let error = members(&body)
            .bounded_secret("password", 5..=100)
            .unwrap_err();
        assert!(!format!("{error:?} {error}").contains(text), "{error:?}");
        assert_eq!(field(error).value, "");
    }
}

#[test]
fn nested_members_are_named_by_their_path() {
    let mut outer = members(r#"{"envInfo": {"os": "linuxlinux"}, "costs": {"s1": 70000}}"#);
    let mut inner = outer.object("ENVINFO").unwrap().unwrap();
    let error = inner.bounded_string("os", 0..=5).unwrap_err();
    assert_eq!(field(error).field, "ENVINFO.os");
    let error = field(outer.u16_map("costs").unwrap_err());
    assert_eq!(
        (error.field.as_str(), error.value.as_str()),
        ("costs.s1", "70000")
    );
}

#[test]
fn free_objects_keep_their_names_and_nulls() {
    let map = members(r#"{"tags": {"A": 1, "a": null, "a": [2]}}"#)
        .json_object("tags")
        .unwrap()
        .unwrap();
    assert_eq!(serde_json::json!({"A": 1, "a": [2]}), Value::Object(map));
}
