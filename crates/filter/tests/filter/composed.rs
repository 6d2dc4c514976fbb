//! Predicates that programs make.

use crate::support::*;
use portcullis_filter::Predicate;

fn printed(predicate: &Predicate) -> String {
    let text = predicate.to_string();
    assert_eq!(parse(&IDENTITIES, &text).predicate, *predicate, "{text}");
    text
}

#[test]
fn tests_are_made_for_symbols_that_fit() {
    let element = Predicate::has_element(&IDENTITIES, "roleAttributes", "a\"b").unwrap();
    assert_eq!(printed(&element), r#"anyOf(roleAttributes) = "a\"b""#);
    let equals = Predicate::equals(&IDENTITIES, "id", "x").unwrap();
    assert_eq!(printed(&equals), r#"id = "x""#);
    assert!(Predicate::has_element(&SERVICES, "configs", "c").is_some());

    for symbol in ["nope", "Id", "isAdmin", "createdAt", "tags", "tags.x"] {
        let found = Predicate::equals(&IDENTITIES, symbol, "x");
        assert_eq!(found, None, "{symbol}");
        let found = Predicate::has_element(&IDENTITIES, symbol, "x");
        assert_eq!(found, None, "{symbol}");
    }
    assert_eq!(
        Predicate::equals(&IDENTITIES, "roleAttributes", "x"),
        None,
        "a set"
    );
    assert_eq!(
        Predicate::has_element(&IDENTITIES, "id", "x"),
        None,
        "no set"
    );
}

#[test]
fn connected_predicates_are_flat_and_constants_are_worked_out() {
    const ADMIN: &str = "isAdmin = true";
    const NAMED: &str = r#"name = "a""#;
    for (operands, all, any) in [
        (vec![], "true", "false"),
        (vec![ADMIN], ADMIN, ADMIN),
        (vec!["true"], "true", "true"),
        (vec!["false"], "false", "false"),
        (vec!["true", ADMIN], ADMIN, "true"),
        (vec![ADMIN, "false"], "false", ADMIN),
        (
            vec![ADMIN, NAMED],
            r#"isAdmin = true and name = "a""#,
            r#"isAdmin = true or name = "a""#,
        ),
        (
            vec![ADMIN, r#"name = "a" and name = "b""#],
            r#"isAdmin = true and name = "a" and name = "b""#,
            r#"isAdmin = true or (name = "a" and name = "b")"#,
        ),
        (
            vec![r#"name = "a" or name = "b""#, ADMIN],
            r#"(name = "a" or name = "b") and isAdmin = true"#,
            r#"name = "a" or name = "b" or isAdmin = true"#,
        ),
        (
            vec!["not isAdmin", NAMED],
            r#"(not isAdmin = true) and name = "a""#,
            r#"(not isAdmin = true) or name = "a""#,
        ),
    ] {
        let parsed = || {
            operands
                .iter()
                .map(|text| parse(&IDENTITIES, text).predicate)
        };
        assert_eq!(printed(&Predicate::all(parsed())), all, "{operands:?}");
        assert_eq!(printed(&Predicate::any(parsed())), any, "{operands:?}");
    }
}
