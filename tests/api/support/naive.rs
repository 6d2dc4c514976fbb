//! A simple-minded reading of filters and orders, over rows as the API shows them.
//!
//! It shares nothing with the code that answers lists: conditions are made at random, written as a
//! client would write them, and worked out from the words of the language's description.

use serde_json::Value;
use std::cmp::Ordering;

/// What a symbol stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    Text,
    Integer,
    Boolean,
    /// Instants are shown at one width, so their texts order as they do.
    Time,
    Tag,
    Set,
}

/// A symbol, and where the value under it is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Symbol {
    pub(crate) name: &'static str,
    pub(crate) kind: Type,
    pub(crate) shown: fn(&Value) -> Value,
}

/// Chance that comes again when it begins with the same seed.
#[derive(Debug)]
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % sides as u64).unwrap()
    }

    pub(crate) fn pick<'t, T>(&mut self, items: &'t [T]) -> &'t T {
        &items[self.roll(items.len())]
    }

    pub(crate) fn word(&mut self, words: &[&'static str]) -> &'static str {
        words[self.roll(words.len())]
    }

    pub(crate) fn one_in(&mut self, times: usize) -> bool {
        self.roll(times) == 0
    }
}

#[derive(Debug, Clone)]
pub(crate) enum Condition {
    Constant(bool),
    Bare(Symbol),
    IsEmpty(Symbol),
    Test(Subject, &'static str, Vec<Literal>),
    Not(Box<Self>),
    And(Box<Self>, Box<Self>),
    Or(Box<Self>, Box<Self>),
}

#[derive(Debug, Clone)]
pub(crate) enum Subject {
    Value(Symbol),
    AnyOf(Symbol),
    AllOf(Symbol),
    Count(Symbol),
}

#[derive(Debug, Clone)]
pub(crate) enum Literal {
    Text(String),
    Number(&'static str),
    Time(String),
    Boolean(bool),
    Null,
}

const SIGNS: &[&str] = &["=", "=", "!=", "<", "<=", ">", ">="];
const LISTS: &[&str] = &["in", "in", "not in"];
const PARTS: &[&str] = &["contains", "not contains", "icontains", "not icontains"];
const NUMBERS: &[&str] = &["-1", "0", "1", "2", "3", "1.5", "2.5", "12"];
const ODD_TEXTS: &[&str] = &[
    "", "a", "A", "n0", "1", "é", "Ï", "\"", "\\", "%", "true", "2", "zz", " ",
];

/// Makes conditions about rows.
pub(crate) struct Maker<'r> {
    pub(crate) symbols: &'r [Symbol],
    pub(crate) rows: &'r [Value],
}

impl Maker<'_> {
    pub(crate) fn condition(&self, dice: &mut Dice, depth: usize) -> Condition {
        if depth == 0 || dice.one_in(3) {
            return self.leaf(dice);
        }
        let mut inner = || Box::new(self.condition(dice, depth - 1));
        let (left, right) = (inner(), inner());
        match dice.roll(5) {
            0 | 1 => Condition::And(left, right),
            2 | 3 => Condition::Or(left, right),
            _ => Condition::Not(left),
        }
    }

    fn leaf(&self, dice: &mut Dice) -> Condition {
        if dice.one_in(40) {
            return Condition::Constant(dice.one_in(2));
        }
        let symbol = *dice.pick(self.symbols);
        let value = Subject::Value(symbol);
        let null = |dice: &mut Dice, subject| {
            Condition::Test(subject, dice.word(&SIGNS[1..3]), vec![Literal::Null])
        };
        match symbol.kind {
            Type::Text | Type::Integer | Type::Time if dice.one_in(10) => null(dice, value),
            Type::Text => self.about_text(dice, symbol, value),
            Type::Integer => about_number(dice, value),
            Type::Boolean => match dice.roll(4) {
                0 => Condition::Bare(symbol),
                1 => null(dice, value),
                _ => about_truth(dice, value),
            },
            Type::Time => self.about_time(dice, symbol, value),
            Type::Tag => match dice.roll(8) {
                0 => Condition::Bare(symbol),
                1 => null(dice, value),
                2 => about_truth(dice, value),
                3 | 4 => about_number(dice, value),
                _ => self.about_text(dice, symbol, value),
            },
            Type::Set => match dice.roll(8) {
                0 => Condition::IsEmpty(symbol),
                1 => about_number(dice, Subject::Count(symbol)),
                2 | 3 => self.about_text(dice, symbol, Subject::AllOf(symbol)),
                _ => self.about_text(dice, symbol, Subject::AnyOf(symbol)),
            },
        }
    }

    fn about_text(&self, dice: &mut Dice, symbol: Symbol, subject: Subject) -> Condition {
        let mut literal = || Literal::Text(self.text(dice, symbol));
        let literals = [literal(), literal(), literal()];
        let is_tag = symbol.kind == Type::Tag;
        match dice.roll(10) {
            0..4 => Condition::Test(subject, dice.word(SIGNS), literals[..1].to_vec()),
            4 | 5 => {
                let count = 1 + dice.roll(3);
                Condition::Test(subject, dice.word(LISTS), literals[..count].to_vec())
            },
            // Numbers are texts to a text; what they are to a tag is asked for elsewhere.
            6 if !is_tag => {
                let literal = Literal::Number(dice.word(NUMBERS));
                Condition::Test(subject, dice.word(&["=", "contains"]), vec![literal])
            },
            _ => Condition::Test(subject, dice.word(PARTS), literals[..1].to_vec()),
        }
    }

    fn about_time(&self, dice: &mut Dice, symbol: Symbol, subject: Subject) -> Condition {
        let mut literal = || Literal::Time(self.time(dice, symbol));
        let literals = vec![literal(), literal()];
        match dice.roll(5) {
            0 => Condition::Test(subject, dice.word(LISTS), literals),
            1 => Condition::Test(subject, dice.word(BOUNDS), literals),
            _ => Condition::Test(subject, dice.word(SIGNS), literals[..1].to_vec()),
        }
    }

    /// What some row has, a part of that, or neither.
    fn text(&self, dice: &mut Dice, symbol: Symbol) -> String {
        let found = match (symbol.shown)(dice.pick(self.rows)) {
            Value::Array(elements) if !elements.is_empty() => text(dice.pick(&elements)),
            value => text(&value),
        };
        let Some(found) = found else {
            return dice.word(ODD_TEXTS).to_owned();
        };
        let characters: Vec<char> = found.chars().collect();
        match dice.roll(8) {
            0 => dice.word(ODD_TEXTS).to_owned(),
            1 => found.to_lowercase(),
            2 => format!("{found}0"),
            3 | 4 if !characters.is_empty() => {
                let start = dice.roll(characters.len());
                let end = start + 1 + dice.roll((characters.len() - start).min(4));
                characters[start..end.min(characters.len())]
                    .iter()
                    .collect()
            },
            _ => found,
        }
    }

    fn time(&self, dice: &mut Dice, symbol: Symbol) -> String {
        match (symbol.shown)(dice.pick(self.rows)) {
            Value::String(time) => match dice.roll(6) {
                0 => time.replace(".009Z", ".010Z"),
                1 => time.replace("2031-", "2030-"),
                _ => time,
            },
            _ => "2031-04-05T06:07:08.009Z".to_owned(),
        }
    }
}

const BOUNDS: &[&str] = &["between", "not between"];

fn about_number(dice: &mut Dice, subject: Subject) -> Condition {
    let mut literal = || Literal::Number(dice.word(NUMBERS));
    let literals = vec![literal(), literal()];
    match dice.roll(5) {
        0 => Condition::Test(subject, dice.word(LISTS), literals),
        1 => Condition::Test(subject, dice.word(BOUNDS), literals),
        _ => Condition::Test(subject, dice.word(SIGNS), literals[..1].to_vec()),
    }
}

fn about_truth(dice: &mut Dice, subject: Subject) -> Condition {
    let literal = Literal::Boolean(dice.one_in(2));
    Condition::Test(subject, dice.word(&["=", "!="]), vec![literal])
}

impl Condition {
    /// As a client writes it. What stands to the right of an operator belongs to it.
    pub(crate) fn text(&self) -> String {
        let grouped = |left: &Self| match left {
            Self::Not(_) | Self::And(..) | Self::Or(..) => format!("({})", left.text()),
            leaf => leaf.text(),
        };
        match self {
            Self::Constant(value) => value.to_string(),
            Self::Bare(symbol) => symbol.name.to_owned(),
            Self::IsEmpty(symbol) => format!("isEmpty({})", symbol.name),
            Self::Not(inner) => format!("not {}", inner.text()),
            Self::And(left, right) => format!("{} and {}", grouped(left), right.text()),
            Self::Or(left, right) => format!("{} or {}", grouped(left), right.text()),
            Self::Test(subject, operator, literals) => {
                let subject = match subject {
                    Subject::Value(symbol) => symbol.name.to_owned(),
                    Subject::AnyOf(symbol) => format!("anyOf({})", symbol.name),
                    Subject::AllOf(symbol) => format!("allOf({})", symbol.name),
                    Subject::Count(symbol) => format!("count({})", symbol.name),
                };
                let literals: Vec<_> = literals.iter().map(Literal::text).collect();
                match operator.rsplit(' ').next() {
                    Some("in") => format!("{subject} {operator} [{}]", literals.join(", ")),
                    _ => format!("{subject} {operator} {}", literals.join(" and ")),
                }
            },
        }
    }

    pub(crate) fn holds(&self, row: &Value) -> bool {
        match self {
            Self::Constant(value) => *value,
            Self::Bare(symbol) => (symbol.shown)(row) == true,
            Self::IsEmpty(symbol) => elements(symbol, row).is_empty(),
            Self::Not(inner) => !inner.holds(row),
            Self::And(left, right) => left.holds(row) && right.holds(row),
            Self::Or(left, right) => left.holds(row) || right.holds(row),
            Self::Test(subject, operator, literals) => {
                let test = |kind, value: &Value, sign| passes(kind, value, sign, literals);
                match operator.strip_prefix("not ") {
                    None => subject.holds(row, |kind, value| test(kind, value, operator)),
                    // Of one element, where the other negations are about all of them.
                    Some(sign) if sign.ends_with("contains") => {
                        subject.holds(row, |kind, value| !test(kind, value, sign))
                    },
                    Some(sign) => !subject.holds(row, |kind, value| test(kind, value, sign)),
                }
            },
        }
    }
}

impl Subject {
    fn holds(&self, row: &Value, test: impl Fn(Type, &Value) -> bool) -> bool {
        match self {
            Self::Value(symbol) => test(symbol.kind, &(symbol.shown)(row)),
            Self::AnyOf(symbol) => elements(symbol, row)
                .iter()
                .any(|one| test(Type::Text, one)),
            Self::AllOf(symbol) => elements(symbol, row)
                .iter()
                .all(|one| test(Type::Text, one)),
            Self::Count(symbol) => test(Type::Integer, &elements(symbol, row).len().into()),
        }
    }
}

impl Literal {
    fn text(&self) -> String {
        match self {
            Self::Text(text) => {
                let mut quoted = String::from('"');
                for character in text.chars() {
                    match character {
                        '"' | '\\' => quoted.extend(['\\', character]),
                        '\n' => quoted.push_str("\\n"),
                        '\r' => quoted.push_str("\\r"),
                        '\t' => quoted.push_str("\\t"),
                        other => quoted.push(other),
                    }
                }
                quoted.push('"');
                quoted
            },
            Self::Number(number) => (*number).to_owned(),
            Self::Time(time) => format!("datetime({time})"),
            Self::Boolean(value) => value.to_string(),
            Self::Null => "null".to_owned(),
        }
    }
}

fn elements(symbol: &Symbol, row: &Value) -> Vec<Value> {
    match (symbol.shown)(row) {
        Value::Array(elements) => elements,
        Value::Null => Vec::new(),
        other => panic!("no set: {other}"),
    }
}

/// A test without negation, of one value.
fn passes(kind: Type, value: &Value, operator: &str, literals: &[Literal]) -> bool {
    let compare = |sign, literal: &Literal| {
        let order = order(kind, value, literal);
        order.map_or(sign == "!=", |order| match sign {
            "=" => order.is_eq(),
            "!=" => order.is_ne(),
            "<" => order.is_lt(),
            "<=" => order.is_le(),
            ">" => order.is_gt(),
            ">=" => order.is_ge(),
            other => panic!("no sign: {other}"),
        })
    };
    let part = |literal: &Literal| match literal {
        Literal::Text(text) => text.clone(),
        Literal::Number(number) => (*number).to_owned(),
        other => panic!("no part of a text: {other:?}"),
    };
    match (operator, literals) {
        ("in", list) => list.iter().any(|literal| compare("=", literal)),
        ("between", [low, high]) => compare(">=", low) && compare("<", high),
        ("contains", [needle]) => text(value).is_some_and(|text| text.contains(&part(needle))),
        ("icontains", [needle]) => text(value)
            .is_some_and(|text| text.to_uppercase().contains(&part(needle).to_uppercase())),
        ("=", [Literal::Null]) => value.is_null(),
        ("!=", [Literal::Null]) => !value.is_null(),
        ("=", [Literal::Boolean(wanted)]) => (*value == true) == *wanted,
        ("!=", [Literal::Boolean(wanted)]) => (*value == true) != *wanted,
        (sign, [literal]) => compare(sign, literal),
        other => panic!("no test: {other:?}"),
    }
}

/// How a value stands to a literal, if the literal sees a value there.
fn order(kind: Type, value: &Value, literal: &Literal) -> Option<Ordering> {
    match literal {
        Literal::Text(literal) => Some(text(value)?.as_str().cmp(literal)),
        Literal::Number(number) if kind == Type::Text => Some(text(value)?.as_str().cmp(number)),
        Literal::Number(number) => value.as_f64()?.partial_cmp(&number.parse().unwrap()),
        Literal::Time(time) => Some(value.as_str()?.cmp(time)),
        Literal::Boolean(_) | Literal::Null => None,
    }
}

/// A value as tests of texts see it.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Number(number) => Some(number.as_f64().unwrap().to_string()),
        _ => None,
    }
}

/// An order of rows; `true` stands for descending.
pub(crate) type Sort = Vec<(Symbol, bool)>;

/// Makes an order.
pub(crate) fn sort(dice: &mut Dice, symbols: &[Symbol]) -> Sort {
    let is_plain = |symbol: &&Symbol| !matches!(symbol.kind, Type::Tag | Type::Set);
    let symbols: Vec<_> = symbols.iter().filter(is_plain).collect();
    let count = *dice.pick(&[0, 1, 1, 1, 2, 3]);
    let mut sort: Sort = (0..count)
        .map(|_| (**dice.pick(&symbols), dice.one_in(2)))
        .collect();
    // Times of creation are often the same, and so what stands behind them counts.
    let plain = |name| **symbols.iter().find(|symbol| symbol.name == name).unwrap();
    if dice.one_in(5) {
        sort.push((plain("createdAt"), dice.one_in(2)));
    }
    if dice.one_in(3) {
        sort.push((plain("id"), dice.one_in(2)));
    }
    sort
}

/// An order as a client writes it.
pub(crate) fn sort_text(sort: &Sort) -> String {
    let keys = sort.iter().map(|(symbol, is_down)| {
        let direction = if *is_down { " desc" } else { "" };
        format!("{}{direction}", symbol.name)
    });
    keys.collect::<Vec<_>>().join(", ")
}

/// Compares rows as an order says; the id decides where it says nothing.
pub(crate) fn compare(sort: &Sort, left: &Value, right: &Value) -> Ordering {
    let keys = sort.iter().map(|(symbol, is_down)| {
        let order = compare_values(&(symbol.shown)(left), &(symbol.shown)(right));
        if *is_down { order.reverse() } else { order }
    });
    let ids = || left["id"].as_str().cmp(&right["id"].as_str());
    keys.fold(Ordering::Equal, Ordering::then).then_with(ids)
}

/// What is missing comes first.
fn compare_values(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Null, Value::Null) => Ordering::Equal,
        (Value::Null, _) => Ordering::Less,
        (_, Value::Null) => Ordering::Greater,
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        (Value::Number(left), Value::Number(right)) => {
            left.as_f64().partial_cmp(&right.as_f64()).unwrap()
        },
        (left, right) => left.as_str().unwrap().cmp(right.as_str().unwrap()),
    }
}
