//! Lists compared with what a simple-minded reader makes of the same rows: random filters, orders
//! and pages, with changes between them.

use crate::support::lists::{list, pagination};
use crate::support::naive::{Condition, Dice, Maker, Symbol, Type, compare, sort, sort_text};
use crate::support::text;
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::tags::{TagValue, Tags};
use portcullis_storage::tables::{Entity, Found, RowsMut, UniqueIndex, UniqueValue};
use portcullis_testkit::Harness;
use serde_json::{Value, json};

const fn symbol(name: &'static str, kind: Type, shown: fn(&Value) -> Value) -> Symbol {
    Symbol { name, kind, shown }
}

macro_rules! symbols {
    ($($name:literal: $kind:ident = $($pointer:literal)? $(|$row:ident| $shown:expr)?;)*) => {
        [
            $crate::lists::random::symbol("id", $crate::support::naive::Type::Text, |row| row["id"].clone()),
            $crate::lists::random::symbol("createdAt", $crate::support::naive::Type::Time, |row| row["createdAt"].clone()),
            $crate::lists::random::symbol("updatedAt", $crate::support::naive::Type::Time, |row| row["updatedAt"].clone()),
            $crate::lists::random::symbol("isSystem", $crate::support::naive::Type::Boolean, |row| (row["id"] == "default").into()),
            $crate::lists::random::symbol("tags.site", $crate::support::naive::Type::Tag, |row| row["tags"]["site"].clone()),
            $crate::lists::random::symbol("tags.level", $crate::support::naive::Type::Tag, |row| row["tags"]["level"].clone()),
            $crate::lists::random::symbol("tags.x.y-z", $crate::support::naive::Type::Tag, |row| row["tags"]["x.y-z"].clone()),
            $(
                $($crate::lists::random::symbol($name, $crate::support::naive::Type::$kind, |row| {
                    row.pointer($pointer).cloned().unwrap_or_default()
                }),)?
                $($crate::lists::random::symbol($name, $crate::support::naive::Type::$kind, |$row| $shown),)?
            )*
        ]
    };
}

mod auth_policies;
mod authenticators;
mod authorities;
mod enrollments;
mod identities;
mod managed;
mod revocations;
mod routers;
mod sessions;
mod signers;

/// A list under comparison.
struct Comparison<'c> {
    controller: &'c Harness,
    admin: &'c str,
    path: &'static str,
    symbols: &'static [Symbol],
}

impl Comparison<'_> {
    /// Asks `questions` times, and lets `change` do its work before every fourth.
    async fn run(&self, seed: u64, questions: usize, mut change: impl AsyncFnMut(&mut Dice)) {
        let mut dice = Dice(seed);
        let mut rows = Vec::new();
        for question in 0..questions {
            if question % 4 == 0 {
                for _ in 0..dice.roll(4) {
                    change(&mut dice).await;
                }
                rows = self.rows().await;
            }
            self.ask(
                &mut dice,
                &rows,
                &format!("seed {seed}, question {question}"),
            )
            .await;
        }
    }

    /// All rows, as they are shown.
    async fn rows(&self) -> Vec<Value> {
        let reply = list(self.controller, self.admin, self.path, &[("limit", "-1")]).await;
        let Value::Array(rows) = reply.data() else {
            panic!("{}", reply.text())
        };
        assert_eq!(pagination(&reply).2, rows.len());
        rows
    }

    async fn ask(&self, dice: &mut Dice, rows: &[Value], place: &str) {
        let symbols = self.symbols;
        let condition = if dice.one_in(12) {
            Condition::Constant(true)
        } else {
            let depth = dice.roll(4);
            Maker { symbols, rows }.condition(dice, depth)
        };
        let order = sort(dice, symbols);
        let mut expected: Vec<_> = rows.iter().filter(|row| condition.holds(row)).collect();
        expected.sort_by(|left, right| compare(&order, left, right));
        let total = expected.len();
        let edges = [
            0,
            1,
            5,
            total / 2,
            total.saturating_sub(1),
            total,
            total + 7,
        ];
        let offset = *dice.pick(&edges);
        let (limit, most) = *dice.pick(&[
            ("", 10),
            ("0", 10),
            ("1", 1),
            ("7", 7),
            ("100", 100),
            ("501", 500),
            ("-1", usize::MAX),
            ("-5", 10),
        ]);
        let expected: Vec<_> = expected.into_iter().skip(offset).take(most).collect();

        let (mut filter, sort) = (condition.text(), sort_text(&order));
        let offset = offset.to_string();
        let mut parameters = Vec::new();
        if !sort.is_empty() {
            if dice.one_in(2) {
                filter.extend([" sort by ", &sort]);
                // What stands in the filter counts.
                parameters.push(("sort", "id desc"));
            } else {
                parameters.push(("sort", &*sort));
            }
        }
        if dice.one_in(3) {
            filter.extend([" skip ", &offset]);
            parameters.push(("offset", "3"));
        } else {
            parameters.push(("offset", &*offset));
        }
        if limit == "-1" && dice.one_in(2) {
            filter.push_str(" limit none");
        } else {
            parameters.push(("limit", limit));
        }
        parameters.push(("filter", &*filter));
        let reply = list(self.controller, self.admin, self.path, &parameters).await;
        assert_eq!(
            reply.status,
            200,
            "{place}: {parameters:?}: {}",
            reply.text()
        );
        assert_eq!(pagination(&reply).2, total, "{place}: {parameters:?}");
        let given = reply.data();
        let given: Vec<_> = given.as_array().unwrap().iter().collect();
        let ids = |rows: &[&Value]| -> Vec<String> {
            rows.iter().map(|row| text(row, "id").to_owned()).collect()
        };
        assert_eq!(ids(&given), ids(&expected), "{place}: {parameters:?}");
        assert_eq!(given, expected, "{place}: {parameters:?}");
    }
}

/// Lets the clock stand, or moves it on.
fn tick(controller: &Harness, dice: &mut Dice) {
    let by = *dice.pick(&[0, 0, 1, 1000, 60_000]);
    controller.clock.advance(SignedDuration::from_millis(by));
}

/// Makes the first rows of a kind, on a clock that goes on.
async fn fill(
    controller: &Harness,
    dice: &mut Dice,
    count: usize,
    mut make: impl AsyncFnMut(&mut Dice, usize),
) {
    for number in 0..count {
        tick(controller, dice);
        make(dice, number).await;
    }
}

fn name(dice: &mut Dice, number: usize) -> String {
    let word = dice.pick(&[
        "alpha", "Alpha", "beta", "naïve", "we\"ird", "back\\", "n", "ÄB c",
    ]);
    format!("{word}{}{number}", "0".repeat(dice.roll(3)))
}

fn tags(dice: &mut Dice) -> Value {
    let mut tags = json!({});
    if dice.one_in(2) {
        let sites = [
            json!("berlin"),
            json!("Oslo"),
            json!(true),
            json!(2),
            json!(null),
        ];
        tags["site"] = dice.pick(&sites).clone();
    }
    if dice.one_in(2) {
        let levels = [
            json!(-1),
            json!(0),
            json!(1),
            json!(1.5),
            json!(3),
            json!("3"),
            json!(false),
        ];
        tags["level"] = dice.pick(&levels).clone();
    }
    if dice.one_in(4) {
        tags["x.y-z"] = dice.pick(&[json!(12), json!("n0"), json!(true)]).clone();
    }
    tags
}

fn stored_tags(dice: &mut Dice) -> Tags {
    let Value::Object(tags) = tags(dice) else {
        unreachable!()
    };
    let value = |value| match value {
        Value::Null => TagValue::Null,
        Value::Bool(value) => TagValue::Bool(value),
        Value::Number(number) => TagValue::Number(number),
        Value::String(text) => TagValue::Text(text),
        other => panic!("no tag: {other}"),
    };
    tags.into_iter()
        .map(|(key, one)| (key, value(one)))
        .collect()
}

fn found<E: Entity>(rows: &RowsMut<'_>, index: UniqueIndex, value: &str) -> Found<E> {
    let value = UniqueValue::new(index, value);
    rows.rows().find(&value).unwrap().unwrap()
}
