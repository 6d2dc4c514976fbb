//! What is said of data that does not fit, and of schemas that are none.

use crate::support::{check, compile, object, schema_of};
use portcullis_config_types::{MAX_SCHEMA_SIZE, Schema};
use serde_json::{Value, json};

/// Of several faults, the one that explains the others is told.
#[test]
fn the_fault_that_helps_most_is_told() {
    let address = json!({"protocol": "tcp", "port": 1, "adress": "a"});
    let wrong_flag = json!({"forwardProtocol": "yes", "address": "a", "port": 1});
    let rows = [
        // A condition says what it demands, not that there was one.
        (json!({"port": 80}), "(root)", "`protocol` is required"),
        (
            json!({"forwardProtocol": true, "address": "a", "port": 1}),
            "(root)",
            "`allowedProtocols` is required",
        ),
        // The misspelled member, not the one that is missing for it.
        (address, "(root)", "unknown property `adress`"),
        // The member of the wrong type, not what is missing because of it.
        (
            wrong_flag,
            "forwardProtocol",
            "must be a boolean, not a string",
        ),
        // The form that was meant.
        (
            translations(json!([{"from": "1.2.3.4", "to": "5.6.7.8", "prefixLength": 33}])),
            "forwardAddressTranslations.0.prefixLength",
            "must be at most 32",
        ),
        (
            translations(json!([{"from": "x"}])),
            "forwardAddressTranslations.0.from",
            "must be a valid `ipv4`, or must be a valid `ipv6`",
        ),
        (
            translations(json!([{}])),
            "forwardAddressTranslations.0",
            "matches more than one of the `oneOf` schemas",
        ),
    ];
    let schema = schema_of("host.v1");
    for (data, field, reason) in rows {
        let error = schema.validate(&object(data.clone())).unwrap_err();
        assert!(
            error.field == field && error.reason.starts_with(reason),
            "{data} gives {error}"
        );
    }
    let groups = json!({"listeners": [{"bind": "tls:0.0.0.0:80", "groups": 5}]});
    let error = schema_of("router.link.v1")
        .validate(&object(groups))
        .unwrap_err();
    assert_eq!(error.field, "listeners.0.groups");
    assert_eq!(
        error.reason,
        "must be a string, not an integer, or must be an array, not an integer"
    );
}

fn translations(table: Value) -> Value {
    let mut data = json!({
        "protocol": "tcp", "port": 1, "forwardAddress": true, "allowedAddresses": ["*"],
    });
    data["forwardAddressTranslations"] = table;
    data
}

#[test]
fn every_keyword_says_what_it_demands() {
    let rows = [
        (
            json!({"type": "integer"}),
            json!(1.5),
            "must be an integer, not a number",
        ),
        (
            json!({"type": ["string", "null"]}),
            json!(1),
            "must be null or a string, not an integer",
        ),
        (
            json!({"enum": ["a", "b"]}),
            json!("c"),
            "must be one of a, b",
        ),
        (json!({"const": true}), json!(false), "must be true"),
        (json!({"minimum": 1}), json!(0), "must be at least 1"),
        (json!({"maximum": 1}), json!(2), "must be at most 1"),
        (
            json!({"exclusiveMinimum": 1}),
            json!(1),
            "must be more than 1",
        ),
        (
            json!({"exclusiveMaximum": 1}),
            json!(1),
            "must be less than 1",
        ),
        (
            json!({"minimum": 1, "exclusiveMinimum": true}),
            json!(1),
            "must be more than 1",
        ),
        (
            json!({"maximum": 1, "exclusiveMaximum": true}),
            json!(1),
            "must be less than 1",
        ),
        (
            json!({"multipleOf": 5}),
            json!(7),
            "must be a multiple of 5",
        ),
        (
            json!({"minLength": 2}),
            json!("a"),
            "must have at least 2 characters",
        ),
        (
            json!({"maxLength": 1}),
            json!("ab"),
            "must have at most 1 character",
        ),
        (json!({"pattern": "^a$"}), json!("b"), "must match `^a$`"),
        (
            json!({"format": "ipv4"}),
            json!("b"),
            "must be a valid `ipv4`",
        ),
        (
            json!({"minItems": 1}),
            json!([]),
            "must have at least 1 item",
        ),
        (
            json!({"maxItems": 1}),
            json!([1, 2]),
            "must have at most 1 item",
        ),
        (
            json!({"uniqueItems": true}),
            json!([1, 1]),
            "must not have duplicate items",
        ),
        (
            json!({"contains": {"const": 1}}),
            json!([2]),
            "must contain at least one matching item",
        ),
        (
            json!({"items": [{}], "additionalItems": false}),
            json!([1, 2]),
            "must have at most 1 item",
        ),
        (
            json!({"minProperties": 1}),
            json!({}),
            "must have at least 1 property",
        ),
        (
            json!({"maxProperties": 0}),
            json!({"a": 1}),
            "must have at most 0 properties",
        ),
        (
            json!({"propertyNames": {"maxLength": 1}}),
            json!({"ab": 1}),
            "unknown property `ab`",
        ),
        (
            json!({"dependencies": {"a": ["b"]}}),
            json!({"a": 1}),
            "`b` is required",
        ),
        (
            json!({"not": {"const": 1}}),
            json!(1),
            "must not match the schema",
        ),
        (
            json!({"anyOf": [{"const": 1}, {"const": 2}]}),
            json!(3),
            "must be 1, or must be 2",
        ),
        (json!(false), json!(3), "is not allowed"),
    ];
    for (keyword, value, reason) in rows {
        let schema = json!({"type": "object", "properties": {"x": keyword}});
        let error = check(schema, json!({"x": value})).unwrap_err();
        assert_eq!(error.field, "x", "{keyword}");
        assert!(error.reason.starts_with(reason), "{keyword}: {error}");
    }
}

#[test]
fn the_order_of_faults_is_that_of_the_paths() {
    let schema = json!({
        "type": "object",
        "properties": {
            "a": {"type": "array", "items": {"type": "integer"}},
            "b": {"type": "string"},
        },
        "required": ["c"],
    });
    let items: Vec<_> = (0..12)
        .map(|place| if place < 2 { json!(1) } else { json!("x") })
        .collect();
    let mut data = json!({"a": items, "b": 1});
    let field = |data: &Value| check(schema.clone(), data.clone()).unwrap_err().field;
    assert_eq!(field(&data), "(root)");
    data["c"] = json!(1);
    assert_eq!(field(&data), "a.2");
    data["a"] = json!([]);
    assert_eq!(field(&data), "b");
}

#[test]
fn schemas_that_are_none_are_refused() {
    let long = "x".repeat(usize::try_from(MAX_SCHEMA_SIZE).unwrap());
    let rows = [
        (json!({"type": "string"}), "must have the type `object`"),
        (json!({"properties": {}}), "must have the type `object`"),
        (json!({"type": ["object"]}), "must have the type `object`"),
        (
            json!({"type": "object", "properties": 5}),
            "`/properties` must be an object, not an integer",
        ),
        (
            json!({"type": "object", "properties": {"a": 5}}),
            "`/properties/a` must be",
        ),
        (
            json!({"type": "object", "required": "a"}),
            "`/required` must be an array",
        ),
        (
            json!({"type": "object", "properties": {"a": {"type": "text"}}}),
            "`/properties/a/type`",
        ),
        (json!({"type": "object", "allOf": []}), "`/allOf`"),
        (json!({"type": "object", "allOf": 5}), "`/allOf`"),
        (json!({"type": "object", "enum": 5}), "`/enum`"),
        (
            json!({"type": "object", "$id": 5}),
            "`/$id` must be a string",
        ),
        (
            json!({"type": "object", "title": long}),
            "must be at most 65536 bytes",
        ),
        (
            at("pattern", json!("(")),
            "`/properties/a/pattern` has the pattern `(`",
        ),
        (
            at("pattern", json!("(?=a)b")),
            "`/properties/a/pattern` has the pattern",
        ),
        (
            at("pattern", json!(5)),
            "`/properties/a/pattern` must be a string",
        ),
        (
            at("$ref", json!("http://example.test/x.json")),
            "`/properties/a/$ref` points to another document",
        ),
        (
            at("$ref", json!("file:///etc/passwd")),
            "`/properties/a/$ref` points to another document",
        ),
        (
            at("$ref", json!("http://json-schema.org/draft-07/schema#")),
            "`/properties/a/$ref` points to another document",
        ),
        (
            at("$ref", json!("x.json#/definitions/a")),
            "`/properties/a/$ref` points to another document",
        ),
        (
            at("$ref", json!("#/definitions/none")),
            "has a `$ref` that does not point to a schema: `#/definitions/none`",
        ),
        (
            at("$ref", json!(5)),
            "`/properties/a/$ref` must be a string",
        ),
        (at("$ref", json!("#/properties/a")), "refers to itself"),
        (json!({"type": "object", "$ref": "#"}), "refers to itself"),
        (
            json!({"type": "object", "properties": {"a": {"$id": "x.json", "items": {"$ref": "#"}}}}),
            "`/properties/a/items/$ref` is in a separate document",
        ),
    ];
    for (schema, reason) in rows {
        let shown = schema.to_string();
        let error = compile(schema).map(|_| ()).unwrap_err();
        assert_eq!(error.field, "schema");
        assert!(
            error.reason.starts_with(reason),
            "{}\n{error}",
            &shown[..shown.len().min(200)]
        );
        assert!(!error.value.is_empty() && error.value.len() < 300);
    }
}

fn at(keyword: &str, value: Value) -> Value {
    let mut schema = json!({"type": "object", "properties": {"a": {}}});
    schema["properties"]["a"][keyword] = value;
    schema
}

#[test]
fn what_drafts_say_can_be_mixed() {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-04/schema#",
        "id": "http://example.test/mixed.json",
        "type": "object",
        "definitions": {
            "port": {"id": "#port", "type": "integer", "minimum": 0, "exclusiveMinimum": true},
            "a/b %": {"const": "c"},
        },
        "properties": {
            "id": {"type": "string", "format": "made-up", "unheard-of": true},
            "$ref": {"type": "string"},
            "one": {"$ref": "#/definitions/port", "type": "string"},
            "two": {"$ref": "#port"},
            "three": {"$ref": "http://example.test/mixed.json#/definitions/port"},
            "four": {"$ref": "#/properties/one"},
            "five": {"$ref": "#/definitions/a~1b%20%25"},
            "self": {"$ref": "#"},
            "address": {"type": "string", "format": "idn-hostname"},
        },
        "if": {"required": ["id"]},
        "then": {"required": ["one"]},
    });
    for data in [
        json!({"id": "x", "one": 1}),
        json!({"$ref": "x", "two": 2, "three": 3.0, "four": 4, "five": "c"}),
        json!({"self": {"self": {"one": 1}}}),
        json!({"address": "*.example.test"}),
        json!({"address": "10.0.0.0/8"}),
    ] {
        check(schema.clone(), data.clone()).unwrap_or_else(|error| panic!("{data}: {error}"));
    }
    for (data, field) in [
        (json!({"id": "x"}), "(root)"),
        (json!({"one": 0}), "one"),
        (json!({"two": 0}), "two"),
        (json!({"three": 0}), "three"),
        (json!({"four": 0}), "four"),
        (json!({"five": "d"}), "five"),
        (json!({"self": {"self": {"one": 0}}}), "self.self.one"),
    ] {
        assert_eq!(check(schema.clone(), data).unwrap_err().field, field);
    }
}

#[test]
fn without_a_schema_any_object_will_do() {
    for schema in [Schema::ANY, compile(json!({})).unwrap()] {
        let data = object(json!({"i": 2.0, "f": 1.5, "deep": [{"a": null}]}));
        let kept = schema.validate(&data).unwrap();
        assert_eq!(
            Value::Object(kept).to_string(),
            r#"{"deep":[{"a":null}],"f":1.5,"i":2}"#
        );
    }
}

#[test]
fn numbers_without_fraction_are_integers() {
    let schema = json!({"type": "object", "properties": {"port": {"type": "integer"}}});
    let kept = check(schema.clone(), json!({"port": 80.0})).unwrap();
    assert_eq!(kept["port"].to_string(), "80");
    assert_eq!(
        check(schema, json!({"port": 80.5})).unwrap_err().value,
        "80.5"
    );
}
