use super::*;
use crate::{Limits, SourceId, expand_environment, parse};

const KEYS: &[Key] = &[
    Key::supported("name"),
    Key::supported("count"),
    Key::supported("part"),
    Key::supported("on"),
    Key::supported("wait"),
    Key::supported("mode"),
    Key::supported("items"),
    Key::supported("sub"),
    Key::ignored("old", "there is no such feature"),
];

/// Reads `text` with all kinds of access and returns the findings.
fn check(text: &str) -> Vec<String> {
    let mut document = parse(text, SourceId(0), &Limits::default()).expect("text is YAML");
    let mut list = Diagnostics::default();
    let lookup = |name: &str| (name == "SET").then(|| "word".to_owned());
    expand_environment(&mut document.root, &lookup, &mut Diagnostics::default());
    let Some(root) = Section::root(&document.root, &mut list) else {
        return shown(list);
    };
    root.check_keys_with_hints(KEYS, &[("cert", "it belongs to `identity`")], &mut list);
    root.require("name", "text", &mut list)
        .and_then(|field| field.non_empty(&mut list));
    root.get("count")
        .and_then(|field| field.integer(1..=10u16, &mut list));
    root.get("part")
        .and_then(|field| field.number(0.0..=0.5, &mut list));
    root.get("on").and_then(|field| field.boolean(&mut list));
    root.get("wait").and_then(|field| field.duration(&mut list));
    root.get("mode")
        .and_then(|field| field.one_of(&[("host", 1), ("tproxy", 2), ("proxy", 3)], &mut list));
    for item in root
        .get("items")
        .and_then(|field| field.list(&mut list))
        .unwrap_or_default()
    {
        item.string(&mut list);
    }
    if let Some(sub) = root.get("sub").and_then(|field| field.section(&mut list)) {
        sub.require("inner", "1", &mut list);
    }
    shown(list)
}

fn shown(list: Diagnostics) -> Vec<String> {
    list.into_sorted().iter().map(ToString::to_string).collect()
}

#[test]
fn a_good_section_says_nothing() {
    let text = "name: x\ncount: 10\npart: 0.5\n'on': \"TRUE\"\nwait: 5m\nmode: host\nitems: [a]\nsub: {inner: 1}\n";
    assert_eq!(check(text), [] as [&str; 0]);
}

/// Texts and the findings about them.
const MISTAKES: &[(&str, &[&str])] = &[
    (
        "- 1",
        &["1:1: error[wrong-type]: the file must be a map of keys, not a list"],
    ),
    (
        "count: 1",
        &["1:1: error[missing-key]: the file has no `name` (name); write `name: text`"],
    ),
    (
        "name:",
        &["1:1: error[missing-key]: `name` has no value (name); write `name: text`"],
    ),
    (
        "name: ' '",
        &["1:7: error[invalid-value]: `name` must not be empty (name)"],
    ),
    (
        "name: no",
        &[
            "1:7: error[wrong-type]: `name` must be a string, not a boolean (`no`) (name); \
               write `\"no\"` in quotes, or YAML reads it as another type",
        ],
    ),
    (
        "name: x\nold: 1",
        &["2:1: warning[ignored-key]: `old` has no effect: there is no such feature (old)"],
    ),
    (
        "name: x\nnmae: 1",
        &["2:1: error[unknown-key]: unknown key `nmae` (nmae); did you mean `name`?"],
    ),
    (
        "name: x\ncert: 1",
        &["2:1: error[unknown-key]: unknown key `cert` (cert); it belongs to `identity`"],
    ),
    (
        "name: x\nbanana: 1",
        &["2:1: error[unknown-key]: unknown key `banana` (banana); \
               known keys: name, count, part, on, wait, mode, items, sub"],
    ),
    // YAML 1.1 turns the key into a boolean, which no table can list.
    (
        "name: x\non: 1",
        &[
            "2:1: error[unknown-key]: unknown key `on` (on); write `\"on\"` in quotes; YAML reads it as a boolean",
        ],
    ),
    (
        "name: x\ncount: 11",
        &["2:8: error[out-of-range]: `count` must be from 1 to 10 (count)"],
    ),
    (
        "name: x\ncount: '5'",
        &[
            "2:8: error[wrong-type]: `count` must be an integer, not a string (`5`) (count); \
               write a number without quotes",
        ],
    ),
    ("name: x\npart: 0", &[]),
    (
        "name: x\npart: 0.51",
        &["2:7: error[out-of-range]: `part` must be from 0 to 0.5 (part)"],
    ),
    (
        "name: x\npart: .nan",
        &["2:7: error[out-of-range]: `part` must be from 0 to 0.5 (part)"],
    ),
    (
        "name: x\npart: '0.1'",
        &[
            "2:7: error[wrong-type]: `part` must be a number, not a string (`0.1`) (part); \
               write a number without quotes",
        ],
    ),
    (
        "name: x\nwait: 30",
        &[
            "2:7: error[invalid-value]: `30` is not a duration: the unit is missing (wait); \
               write the unit too, such as `30s` or `30ms`",
        ],
    ),
    (
        "name: x\nwait: 5 m",
        &[
            "2:7: error[invalid-value]: `5 m` is not a duration: the unit is not one of ns, us, ms, s, m, h \
               (wait); write a number with a unit, such as `30s`, `5m`, `1h30m` or `500ms`",
        ],
    ),
    (
        "name: x\nmode: hsot",
        &["2:7: error[invalid-value]: `mode` must not be `hsot` (mode); did you mean `host`?"],
    ),
    (
        "name: x\nmode: banana",
        &[
            "2:7: error[invalid-value]: `mode` must not be `banana` (mode); write host, tproxy or proxy",
        ],
    ),
    (
        "name: x\nitems: a",
        &[
            "2:8: error[wrong-type]: `items` must be a list, not a string (`a`) (items); \
               write `[a]`, or one item per line after `- `",
        ],
    ),
    (
        "name: x\nitems: [a, 5]",
        &[
            "2:12: error[wrong-type]: `items[1]` must be a string, not an integer (`5`) (items[1]); \
               write `\"5\"` in quotes, or YAML reads it as another type",
        ],
    ),
    (
        "name: x\nsub: {}",
        &["2:1: error[missing-key]: `sub` has no `inner` (sub.inner); write `inner: 1`"],
    ),
    (
        "name: x\nsub:",
        &["2:1: error[no-value]: `sub` has no value (sub); give it a value or remove the key"],
    ),
    (
        "name: x\nmode: ${NONE}",
        &["2:7: error[invalid-value]: `mode` must not be `` (mode); write host, tproxy or proxy"],
    ),
    (
        "name: ${NONE}",
        &[
            "1:7: error[invalid-value]: `name` must not be empty (name); the environment variable `NONE` is not set",
        ],
    ),
    (
        "name: x\ncount: ${SET}",
        &[
            "2:8: error[wrong-type]: `count` must be an integer, not a string (`${SET}`) (count); \
               a value with an environment variable is always a string",
        ],
    ),
    (
        "name: 5\ncount: 0\nwait: x\nother: 1",
        &[
            "1:7: error[wrong-type]: `name` must be a string, not an integer (`5`) (name); \
                 write `\"5\"` in quotes, or YAML reads it as another type",
            "2:8: error[out-of-range]: `count` must be from 1 to 10 (count)",
            "3:7: error[invalid-value]: `x` is not a duration: expected a number before the unit (wait); \
                 write a number with a unit, such as `30s`, `5m`, `1h30m` or `500ms`",
            "4:1: error[unknown-key]: unknown key `other` (other); \
                 known keys: name, count, part, on, wait, mode, items, sub",
        ],
    ),
];

#[test]
fn every_mistake_is_found_and_explained() {
    for (text, expected) in MISTAKES {
        assert_eq!(check(text), *expected, "{text:?}");
    }
}
