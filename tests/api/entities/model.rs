//! Random operations of the management API, held against a model of what there is: after each one the
//! lists say what the model says, and refusals change nothing. `PORTCULLIS_SEQUENCES` runs as many
//! sequences as wanted, `PORTCULLIS_OPERATIONS` makes each as long as wanted.

mod rows;

use crate::support::naive::Dice;
use crate::support::{get, revision, send};
use http::Method;
use portcullis_storage::tables::RecordCounts;
use portcullis_testkit::{Harness, Reply};
use rows::{KINDS, Kind, Row};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Names of which each kind uses few, so that they collide.
const NAMES: [&str; 6] = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"];

struct World {
    controller: Harness,
    admin: String,
    /// What there is of each kind, by id.
    rows: [BTreeMap<String, Row>; KINDS.len()],
    /// What there was before the model began.
    others: BTreeSet<String>,
    /// Ids of what was deleted.
    gone: Vec<(usize, String)>,
}

impl World {
    async fn new() -> Self {
        let controller = Harness::start().await;
        let admin = controller.admin().await;
        let mut world = Self {
            controller,
            admin,
            rows: Default::default(),
            others: BTreeSet::new(),
            gone: Vec::new(),
        };
        for kind in &KINDS {
            let ids: Vec<_> = world.list(kind.path).await.into_keys().collect();
            world.others.extend(ids);
        }
        world
    }

    async fn list(&self, path: &str) -> BTreeMap<String, Value> {
        let reply = get(&self.controller, &self.admin, &format!("{path}?limit=-1")).await;
        let Value::Array(rows) = reply.data() else {
            panic!("no list: {}", reply.text())
        };
        let by_id = rows.into_iter().map(|row| {
            let id = row["id"].as_str().unwrap().to_owned();
            (id, row)
        });
        by_id.filter(|(id, _)| !self.others.contains(id)).collect()
    }

    async fn ask(&self, method: Method, path: &str, body: &Value) -> Reply {
        send(&self.controller, &self.admin, (method, path), body).await
    }

    /// Something happens; answers what.
    async fn happen(&mut self, dice: &mut Dice) -> String {
        let kind = dice.roll(KINDS.len());
        let before = revision(&self.controller);
        let (what, is_refused) = match dice.roll(9) {
            0..=3 => self.create(kind, dice).await,
            4 => self.change(Method::PATCH, kind, dice).await,
            5 => self.change(Method::PUT, kind, dice).await,
            6 => self.delete(kind, dice).await,
            7 => self.visit_gone(dice).await,
            _ => self.compare_related(dice).await,
        };
        if is_refused {
            assert_eq!(revision(&self.controller), before, "{what} is refused");
        }
        what
    }

    /// Something like a row, which now and then names what is not there.
    fn draw(&self, kind: usize, dice: &mut Dice) -> (Row, bool) {
        let bogus = dice.one_in(10);
        let ids = |kind: usize| self.rows[kind].keys().cloned().collect::<Vec<_>>();
        let mut row = Row::draw(&KINDS[kind], dice.word(&NAMES), dice, ids);
        let names_nothing = bogus && row.name_nothing(&KINDS[kind]);
        (row, names_nothing)
    }

    /// Whether another one of the kind has the name.
    fn is_taken(&self, kind: usize, name: &str, own: Option<&str>) -> bool {
        let mut rows = self.rows[kind].iter();
        rows.any(|(id, row)| row.name == name && Some(id.as_str()) != own)
    }

    async fn create(&mut self, kind: usize, dice: &mut Dice) -> (String, bool) {
        let (row, names_nothing) = self.draw(kind, dice);
        let path = KINDS[kind].path;
        let what = format!("POST {path} {row:?}");
        let reply = self.ask(Method::POST, path, &row.body(&KINDS[kind])).await;
        let is_refused = names_nothing || self.is_taken(kind, &row.name, None);
        assert_eq!(
            reply.status.is_success(),
            !is_refused,
            "{what}: {}",
            reply.text()
        );
        if !is_refused {
            self.rows[kind].insert(reply.id(), row);
        }
        (what, is_refused)
    }

    async fn change(&mut self, method: Method, kind: usize, dice: &mut Dice) -> (String, bool) {
        let ids: Vec<_> = self.rows[kind].keys().cloned().collect();
        if ids.is_empty() {
            return ("nothing to change".to_owned(), true);
        }
        let id = dice.pick(&ids).clone();
        let (drawn, mut is_refused) = self.draw(kind, dice);
        let mut row = self.rows[kind][&id].clone();
        let body = if method == Method::PUT {
            row = drawn;
            row.body(&KINDS[kind])
        } else {
            let (body, names_roles) = row.merge(&KINDS[kind], drawn, dice);
            // What is not named in a merge cannot be wrong in it.
            is_refused &= names_roles;
            body
        };
        is_refused |= self.is_taken(kind, &row.name, Some(&id));
        let path = format!("{}/{id}", KINDS[kind].path);
        let what = format!("{method} {path} {body}");
        let reply = self.ask(method, &path, &body).await;
        assert_eq!(
            reply.status.is_success(),
            !is_refused,
            "{what}: {}",
            reply.text()
        );
        if !is_refused {
            self.rows[kind].insert(id, row);
        }
        (what, is_refused)
    }

    async fn delete(&mut self, kind: usize, dice: &mut Dice) -> (String, bool) {
        let ids: Vec<_> = self.rows[kind].keys().cloned().collect();
        if ids.is_empty() {
            return ("nothing to delete".to_owned(), true);
        }
        let id = dice.pick(&ids).clone();
        let path = format!("{}/{id}", KINDS[kind].path);
        let reply = self.ask(Method::DELETE, &path, &json!({})).await;
        assert_eq!(reply.status, 200, "DELETE {path}: {}", reply.text());
        self.rows[kind].remove(&id);
        // Whoever named it forgets it.
        for (other, rows) in KINDS.iter().zip(&mut self.rows) {
            for row in rows.values_mut() {
                row.forget(other, kind, &id);
            }
        }
        self.gone.push((kind, id));
        (format!("DELETE {path}"), false)
    }

    async fn visit_gone(&self, dice: &mut Dice) -> (String, bool) {
        if self.gone.is_empty() {
            return ("nothing is gone".to_owned(), true);
        }
        let (kind, id) = dice.pick(&self.gone);
        let path = format!("{}/{id}", KINDS[*kind].path);
        let method = dice
            .pick(&[Method::GET, Method::DELETE, Method::PATCH])
            .clone();
        let reply = self.ask(method.clone(), &path, &json!({"tags": {}})).await;
        assert_eq!(reply.status, 404, "{method} {path}: {}", reply.text());
        (format!("{method} {path}"), true)
    }

    /// Whom a policy selects is worked out from the words of its roles.
    async fn compare_related(&self, dice: &mut Dice) -> (String, bool) {
        let policies: Vec<(&Kind, &String, &Row)> = KINDS
            .iter()
            .zip(&self.rows)
            .flat_map(|(kind, rows)| rows.iter().map(move |(id, row)| (kind, id, row)))
            .filter(|(kind, ..)| !kind.roles.is_empty())
            .collect();
        if policies.is_empty() {
            return ("no policies".to_owned(), true);
        }
        let (kind, id, row) = dice.pick(&policies);
        for (number, (_, target)) in kind.roles.iter().enumerate() {
            let below = KINDS[*target].path;
            let path = format!("{}/{id}{below}", kind.path);
            let shown: BTreeSet<_> = self.list(&path).await.into_keys().collect();
            let selected = self.rows[*target].iter();
            let selected = selected.filter(|(id, it)| row.selects(number, id, it));
            let expected: BTreeSet<_> = selected.map(|(id, _)| id.clone()).collect();
            assert_eq!(shown, expected, "{path} of {row:?}");
        }
        (format!("whom {} {id} selects", kind.path), true)
    }

    /// Every list says what the model says.
    async fn check(&self, history: &[String]) {
        for (kind, rows) in KINDS.iter().zip(&self.rows) {
            let shown = self.list(kind.path).await;
            let shown: BTreeMap<_, _> = shown
                .into_iter()
                .map(|(id, row)| (id, Row::shown(kind, &row)))
                .collect();
            assert_eq!(&shown, rows, "{} after {history:#?}", kind.path);
        }
        let view = self.controller.engine.snapshot().unwrap();
        assert_eq!(
            RecordCounts::verify(&*view).unwrap(),
            [],
            "after {history:#?}"
        );
    }
}

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |count| count.parse().unwrap())
}

#[tokio::test]
async fn lists_say_what_was_done() {
    for seed in 0..number("PORTCULLIS_SEQUENCES", 2) {
        let mut dice = Dice(seed);
        let mut world = World::new().await;
        let mut history = vec![format!("seed {seed}")];
        for _ in 0..number("PORTCULLIS_OPERATIONS", 80) {
            let what = world.happen(&mut dice).await;
            history.push(what);
            world.check(&history).await;
        }
    }
}
