//! Schemas and data that are made to take long.

use crate::support::{compile, object};
use portcullis_domain::FieldError;
use serde_json::{Map, Value, json};
use std::thread;
use std::time::{Duration, Instant};

/// Longer than any of it takes in a build without optimization on a busy machine, and far shorter
/// than it would take without bounds.
const LONG: Duration = Duration::from_secs(20);

/// Length of the largest body that is read.
const BODY: usize = 1024 * 1024;

/// Compiles and checks on a stack as small as that of threads that serve requests.
fn run(name: &str, schema: Value, data: Value) -> Result<(), FieldError> {
    let job = move || {
        let began = Instant::now();
        let schema = compile(schema);
        let compiled = began.elapsed();
        let outcome = schema.and_then(|schema| {
            let data = object(data);
            schema.validate(&data).map(|_| ())
        });
        (compiled, began.elapsed(), outcome)
    };
    let thread = thread::Builder::new()
        .stack_size(2 * 1024 * 1024)
        .spawn(job);
    let (compiled, all, outcome) = thread.unwrap().join().unwrap();
    println!(
        "{name}: {compiled:?} to compile, {all:?} with the check, {:?}",
        outcome.as_ref().err()
    );
    assert!(all < LONG, "{name} took {all:?}");
    outcome
}

fn with_definitions(definitions: Map<String, Value>, x: Value) -> Value {
    let mut schema = json!({"type": "object", "properties": {}});
    schema["definitions"] = Value::Object(definitions);
    schema["properties"]["x"] = x;
    schema
}

/// Definitions each of which refers twice to the next, by `refer`.
fn doubling(levels: usize, refer: impl Fn(Value) -> Value) -> Value {
    let definitions = (0..=levels).map(|level| {
        let next = json!({"$ref": format!("#/definitions/d{}", level + 1)});
        let schema = if level == levels {
            json!({"type": "integer"})
        } else {
            refer(next)
        };
        (format!("d{level}"), schema)
    });
    with_definitions(definitions.collect(), json!({"$ref": "#/definitions/d0"}))
}

fn nested(depth: usize, leaf: Value, around: impl Fn(Value) -> Value) -> Value {
    (0..depth).fold(leaf, |inner, _| around(inner))
}

fn items(count: usize, item: impl Fn(usize) -> Value) -> Value {
    Value::Array((0..count).map(item).collect())
}

#[test]
fn doubling_references_are_refused_when_they_are_written() {
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let schema = doubling(100, |next| json!({keyword: [next, next]}));
        let error = run(keyword, schema, json!({"x": 1})).unwrap_err();
        assert_eq!(error.field, "schema", "{error}");
    }
    let error = run(
        "forty",
        doubling(40, |next| json!({"allOf": [next, next]})),
        json!({"x": 1}),
    );
    assert_eq!(
        error.unwrap_err().reason,
        "is too complex: it applies more than 10000 schemas to one value"
    );
    let schema = doubling(100, |next| json!({"not": {"allOf": [next, next]}}));
    assert_eq!(
        run("not", schema, json!({"x": 1})).unwrap_err().field,
        "schema"
    );
}

#[test]
fn doubling_with_every_level_of_the_data_is_refused() {
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let schema = doubling(
            100,
            |next| json!({keyword: [{"items": next}, {"items": next}]}),
        );
        let data = json!({"x": nested(60, json!("leaf"), |inner| json!([inner]))});
        let error = run(keyword, schema, data).unwrap_err();
        assert_eq!(error.field, "(root)", "{error}");
    }
    // Two members each refer to the next definition; the data has one of them.
    let schema = doubling(100, |next| json!({"properties": {"a": next, "b": next}}));
    let data = json!({"x": nested(60, json!("leaf"), |inner| json!({"a": inner}))});
    run("members", schema, data).unwrap();
    let branching = json!({
        "type": "object",
        "anyOf": [
            {"properties": {"x": {"$ref": "#"}, "k": {"const": 1}}},
            {"properties": {"x": {"$ref": "#"}, "k": {"const": 2}}},
            {"properties": {"x": {"$ref": "#"}, "k": {"const": 3}}},
        ],
    });
    let data = nested(60, json!({"k": 4}), |inner| json!({"x": inner, "k": 3}));
    assert_eq!(run("choices", branching, data).unwrap_err().field, "(root)");
}

#[test]
fn deep_nesting_stays_on_the_stack() {
    let deep = json!({"x": nested(60, json!(1), |inner| json!([inner]))});
    let recursive = |levels| {
        let items = json!({"items": {"$ref": "#/definitions/r"}});
        let schema = nested(levels, items, |inner| json!({"allOf": [inner]}));
        with_definitions(
            object(json!({"r": schema})),
            json!({"$ref": "#/definitions/r"}),
        )
    };
    let error = run("recursive", recursive(20), deep.clone()).unwrap_err();
    assert_eq!(
        error.reason,
        "is nested too deeply for the schema of its config type"
    );
    run(
        "as deep as allowed",
        recursive(3),
        json!({"x": nested(58, json!(1), |inner| json!([inner]))}),
    )
    .unwrap();
    let plain = with_definitions(
        object(json!({"r": {"items": {"$ref": "#/definitions/r"}}})),
        json!({"$ref": "#/definitions/r"}),
    );
    run("plain", plain, deep.clone()).unwrap();
    let fits = |levels| {
        let schema = nested(
            levels,
            json!({"type": "integer"}),
            |inner| json!({"items": inner}),
        );
        json!({"type": "object", "properties": {"x": schema}})
    };
    run(
        "schema",
        fits(55),
        json!({"x": nested(55, json!(1), |inner| json!([inner]))}),
    )
    .unwrap();
    let error = run("deep schema", fits(500), deep).unwrap_err();
    assert_eq!(error.field, "schema");
    let error = run(
        "deep data",
        json!({"type": "object"}),
        json!({"x": nested(500, json!(1), |inner| json!([inner]))}),
    );
    assert_eq!(error.unwrap_err().reason, "has more than 64 levels");
    let chain = (0..500).map(|at| {
        let next = json!({"allOf": [{"$ref": format!("#/definitions/c{}", at + 1)}]});
        (format!("c{at}"), if at == 499 { json!({}) } else { next })
    });
    let chain = with_definitions(chain.collect(), json!({"$ref": "#/definitions/c0"}));
    assert_eq!(
        run("chain", chain, json!({"x": 1})).unwrap_err().field,
        "schema"
    );
}

#[test]
fn large_enumerations_and_lists_are_bounded() {
    let numbers = json!({"enum": items(10_000, |at| json!(at))});
    let every = json!({"type": "object", "properties": {"x": {"items": numbers}}});
    assert!(
        run(
            "numbers",
            every,
            json!({"x": items(100_000, |at| json!(at % 9))})
        )
        .is_err()
    );
    let words = json!({"enum": items(4000, |at| json!(format!("w{at}")))});
    let every = json!({"type": "object", "properties": {"x": {"items": words}}});
    assert!(
        run(
            "words",
            every,
            json!({"x": items(100_000, |_| json!("w3999"))})
        )
        .is_err()
    );
    let constants = items(4000, |_| json!({"const": "abcdefgh"}));
    let every = json!({"type": "object", "properties": {"x": {"items": {"allOf": constants}}}});
    assert!(
        run(
            "constants",
            every,
            json!({"x": items(80_000, |_| json!("abcdefgh"))})
        )
        .is_err()
    );
}

/// As much as is allowed of what takes longest.
#[test]
fn the_most_that_is_allowed_is_quick() {
    let bounds = items(7, |at| json!({"minimum": at, "maximum": 1_000_000 + at}));
    let schema = json!({"type": "object", "properties": {"x": {"items": {"allOf": bounds}}}});
    run(
        "bounds",
        schema,
        json!({"x": items(50_000, |at| json!(at + 100))}),
    )
    .unwrap();
    let choices = items(9, |at| json!({"const": at}));
    let schema = json!({"type": "object", "properties": {"x": {"items": {"anyOf": choices}}}});
    run(
        "choices",
        schema.clone(),
        json!({"x": items(20_000, |_| json!(8))}),
    )
    .unwrap();
    let field = run(
        "none fits",
        schema,
        json!({"x": items(20_000, |_| json!(9))}),
    )
    .unwrap_err()
    .field;
    assert_eq!(field, "x.0");
    let integers = json!({"type": "object", "properties": {"x": {"items": {"type": "integer"}}}});
    let error = run(
        "told",
        integers,
        json!({"x": items(40_000, |_| json!("a"))}),
    )
    .unwrap_err();
    assert_eq!(error.field, "x.0");
    let formats = json!({"type": "object", "properties": {"x": {"items": {"format": "uri"}}}});
    let address = "https://example.test/a/long/path?with=a&query";
    run(
        "formats",
        formats,
        json!({"x": items(15_000, |_| json!(address))}),
    )
    .unwrap();
}

#[test]
fn large_data_is_checked() {
    let unique = |item: Value| json!({"type": "object", "properties": {"x": {"uniqueItems": true, "items": item}}});
    let numbers = json!({"x": items(100_000, |at| json!(at))});
    run(
        "unique numbers",
        unique(json!({"type": "integer"})),
        numbers,
    )
    .unwrap();
    let texts = json!({"x": items(40_000, |at| json!(format!("host{at}.example.test")))});
    run("unique texts", unique(json!({"type": "string"})), texts).unwrap();
    let objects = json!({"x": items(30_000, |at| json!({"low": at, "high": 65_535}))});
    run("unique objects", unique(json!({"type": "object"})), objects).unwrap();
    // Every item is a fault of its own.
    let faults = json!({"x": items(100_000, |at| json!(at))});
    let error = run("faults", unique(json!({"type": "string"})), faults).unwrap_err();
    assert_eq!(error.field, "x.0");
    let names: Map<_, _> = (0..50_000)
        .map(|at| (format!("name{at}"), json!(1)))
        .collect();
    let schema = json!({"type": "object", "additionalProperties": false});
    assert!(run("unknown members", schema, Value::Object(names)).is_err());
}

#[test]
fn patterns_run_in_linear_time() {
    let long = "a".repeat(BODY - 100) + "!";
    for pattern in [
        "(a+)+$",
        "^(a|a)*$",
        "^(a|aa)+$",
        "(.*)*b",
        "^(([a-z])+.)+[A-Z]$",
        "^(a?){50}a{50}$",
    ] {
        let schema = json!({"type": "object", "properties": {"x": {"pattern": pattern}}});
        assert!(run(pattern, schema, json!({"x": long})).is_err());
    }
    // Whose states double with each repetition, which no table of states holds.
    let mut random = 1_u64;
    let text: String = (0..300_000)
        .map(|_| {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            if random >> 63 == 0 { 'a' } else { 'b' }
        })
        .collect();
    for pattern in ["(a|b)*a(a|b){14}c", "[ab]*a[ab]{14}c"] {
        let schema = json!({"type": "object", "properties": {"x": {"pattern": pattern}}});
        let field = |length| {
            let data = json!({"x": text.get(..length)});
            run(pattern, schema.clone(), data).unwrap_err().field
        };
        assert_eq!(
            (field(30_000), field(300_000)),
            ("x".into(), "(root)".into())
        );
    }
    let words: Vec<_> = (0..100).map(|at| format!("^a{{{},}}b", at + 1)).collect();
    let all =
        json!({"allOf": words.iter().map(|word| json!({"pattern": word})).collect::<Vec<_>>()});
    let schema = json!({"type": "object", "properties": {"x": all}});
    assert!(run("a hundred patterns", schema, json!({"x": long})).is_err());
    let matching: Map<_, _> = words
        .into_iter()
        .map(|word| (word, json!({"type": "null"})))
        .collect();
    let schema = json!({"type": "object", "patternProperties": matching});
    let names: Map<_, _> = (0..20_000)
        .map(|at| (format!("{}{at}", "a".repeat(40)), json!(1)))
        .collect();
    assert!(run("names", schema, Value::Object(names)).is_err());
}

#[test]
fn large_patterns_are_refused_quickly() {
    for pattern in ["(a{1000}){1000}", r"\p{L}{500}", "((a{100}){100}){100}"] {
        let many: Map<_, _> = (0..500)
            .map(|at| {
                (
                    format!("p{at}"),
                    json!({"pattern": format!("{pattern}{at}")}),
                )
            })
            .collect();
        let schema = json!({"type": "object", "properties": many});
        assert_eq!(run(pattern, schema, json!({})).unwrap_err().field, "schema");
    }
    let many: Map<_, _> = (0..1000)
        .map(|at| {
            (
                format!("p{at}"),
                json!({"pattern": format!("[a-z]{{1,99}}{at}")}),
            )
        })
        .collect();
    let schema = json!({"type": "object", "properties": many});
    assert_eq!(run("many", schema, json!({})).unwrap_err().field, "schema");
}

/// Faults repeat values and schemas, and there may be many.
#[test]
fn faults_do_not_fill_the_memory() {
    let choices = items(1500, |at| json!({"required": [format!("m{at}")]}));
    let schema = json!({"type": "object", "anyOf": choices});
    let data: Map<_, _> = (0..50_000)
        .map(|at| (format!("n{at}"), json!("0123456")))
        .collect();
    assert!(run("choices", schema, Value::Object(data)).is_err());
    let excluded = json!({"not": {"enum": items(6000, |at| json!(at))}});
    let schema = json!({"type": "object", "properties": {"x": {"items": excluded}}});
    assert!(run("excluded", schema, json!({"x": items(200, |at| json!(at))})).is_err());
}

#[test]
fn as_many_references_as_allowed_are_compiled() {
    let every: Map<_, _> = (0..500)
        .map(|at| (format!("p{at}"), json!({"$ref": "#/definitions/d"})))
        .collect();
    let mut schema = json!({
        "type": "object",
        "definitions": {"d": {"properties": every, "additionalProperties": false}},
    });
    run("fan", schema.clone(), json!({})).unwrap();
    schema["definitions"]["d"]["items"] = items(20, |_| json!({"$ref": "#/definitions/d"}));
    assert_eq!(
        run("too many", schema, json!({})).unwrap_err().field,
        "schema"
    );
}

/// Items that differ in where brackets stand, or in `null` and a number, are told apart as quickly
/// as others are.
#[test]
fn look_alike_items_are_compared_quickly() {
    let schema = json!({"type": "object", "properties": {"x": {"uniqueItems": true}}});
    let bracketed = |at: usize| {
        items(14, |place| {
            if at >> place & 1 == 0 {
                json!(1)
            } else {
                json!([1])
            }
        })
    };
    run(
        "brackets",
        schema.clone(),
        json!({"x": items(10_000, bracketed)}),
    )
    .unwrap();
    let numbered = |at: usize| {
        let value = |place: usize| {
            if at >> place & 1 == 0 {
                Value::Null
            } else {
                json!(1.591_474_884e-314)
            }
        };
        (0..14)
            .map(|place| (place.to_string(), value(place)))
            .collect::<Map<_, _>>()
    };
    let objects = items(5_000, |at| Value::Object(numbered(at)));
    run("null or a number", schema.clone(), json!({"x": objects})).unwrap();
    let fine = json!({"type": "object", "properties": {"x": {"type": "array", "multipleOf": 1e-300,
        "items": {"multipleOf": 1e-300}}}});
    let _ = run(
        "multiples",
        fine,
        json!({"x": items(50_000, |at| json!(f64::from(u32::try_from(at).unwrap()) * 1e290 + 0.5))}),
    );
    for (list, field) in [
        (json!([1, 1.0]), "x"),
        (json!([{"a": 1, "b": 2}, {"b": 2, "a": 1.0}]), "x"),
    ] {
        assert_eq!(
            run("twice", schema.clone(), json!({"x": list}))
                .unwrap_err()
                .field,
            field
        );
    }
    for list in [
        json!([1, true]),
        json!([0, false]),
        json!(["1", 1]),
        json!([[1], 1]),
        json!([null, "null"]),
    ] {
        run("once", schema.clone(), json!({"x": list})).unwrap();
    }
}
