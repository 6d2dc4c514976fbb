//! What the model knows of an entity.

use crate::support::naive::Dice;
use serde_json::{Value, json};

/// A kind of entity.
#[derive(Debug)]
pub(super) struct Kind {
    pub(super) path: &'static str,
    /// Whether it has role attributes.
    has_attributes: bool,
    /// What else a creation needs.
    more: &'static str,
    /// Members with roles, and the number of the kind that they select.
    pub(super) roles: &'static [(&'static str, usize)],
}

pub(super) const KINDS: [Kind; 6] = [
    Kind {
        path: "/identities",
        has_attributes: true,
        more: r#"{"type": "Default", "isAdmin": false}"#,
        roles: &[],
    },
    Kind {
        path: "/services",
        has_attributes: true,
        more: r#"{"encryptionRequired": true}"#,
        roles: &[],
    },
    Kind {
        path: "/edge-routers",
        has_attributes: true,
        more: "{}",
        roles: &[],
    },
    Kind {
        path: "/service-policies",
        has_attributes: false,
        more: r#"{"type": "Dial"}"#,
        roles: &[("identityRoles", 0), ("serviceRoles", 1)],
    },
    Kind {
        path: "/edge-router-policies",
        has_attributes: false,
        more: "{}",
        roles: &[("identityRoles", 0), ("edgeRouterRoles", 2)],
    },
    Kind {
        path: "/service-edge-router-policies",
        has_attributes: false,
        more: "{}",
        roles: &[("serviceRoles", 1), ("edgeRouterRoles", 2)],
    },
];

const ATTRIBUTES: [&str; 3] = ["one", "two", "three"];

/// An entity.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub(super) name: String,
    tags: Value,
    /// Sorted.
    attributes: Vec<String>,
    semantic: Option<&'static str>,
    /// Sorted, in the order of [`Kind::roles`].
    roles: Vec<Vec<String>>,
}

impl Row {
    pub(super) fn draw(
        kind: &Kind,
        name: &str,
        dice: &mut Dice,
        ids: impl Fn(usize) -> Vec<String>,
    ) -> Self {
        let semantic = *dice.pick(&["AnyOf", "AllOf"]);
        let roles = kind.roles.iter().map(|(_, target)| {
            // Everybody stands alone.
            if dice.one_in(4) {
                return vec!["#all".to_owned()];
            }
            let mut words = ATTRIBUTES.map(|it| format!("#{it}")).to_vec();
            // All of an id and something else is hardly ever anybody.
            if semantic == "AnyOf" {
                words.extend(ids(*target).iter().map(|id| format!("@{id}")));
            }
            some_of(&words, dice)
        });
        let roles: Vec<_> = roles.collect();
        Self {
            name: name.to_owned(),
            tags: json!({"number": dice.roll(3)}),
            attributes: if kind.has_attributes {
                some_of(&ATTRIBUTES.map(str::to_owned), dice)
            } else {
                Vec::new()
            },
            semantic: (!roles.is_empty()).then_some(semantic),
            roles,
        }
    }

    /// Has it name an id that nothing has; whether it can.
    pub(super) fn name_nothing(&mut self, kind: &Kind) -> bool {
        if kind.roles.is_empty() {
            return false;
        }
        self.roles[0] = vec!["@nothing-has-it".to_owned()];
        true
    }

    /// The body that creates or replaces it.
    pub(super) fn body(&self, kind: &Kind) -> Value {
        let mut body: Value = serde_json::from_str(kind.more).unwrap();
        body["name"] = json!(self.name);
        body["tags"] = self.tags.clone();
        if kind.has_attributes {
            body["roleAttributes"] = json!(self.attributes);
        }
        if let Some(semantic) = self.semantic {
            body["semantic"] = json!(semantic);
        }
        for ((member, _), roles) in kind.roles.iter().zip(&self.roles) {
            body[member] = json!(roles);
        }
        body
    }

    /// Takes some members of another one; answers the body that does so, and whether it names roles.
    pub(super) fn merge(&mut self, kind: &Kind, from: Self, dice: &mut Dice) -> (Value, bool) {
        let whole = from.body(kind);
        let mut body = json!({});
        let mut take = |members: &[&str], dice: &mut Dice| {
            let is_taken = dice.one_in(2);
            for member in members.iter().filter(|_| is_taken) {
                body[member] = whole[member].clone();
            }
            is_taken
        };
        if take(&["name"], dice) {
            self.name = from.name;
        }
        if take(&["tags"], dice) {
            self.tags = from.tags;
        }
        if kind.has_attributes && take(&["roleAttributes"], dice) {
            self.attributes = from.attributes;
        }
        let mut members: Vec<_> = kind.roles.iter().map(|(member, _)| *member).collect();
        members.push("semantic");
        let names_roles = from.semantic.is_some() && take(&members, dice);
        if names_roles {
            (self.semantic, self.roles) = (from.semantic, from.roles);
        }
        (body, names_roles)
    }

    /// Takes an id out of the roles that select its kind.
    pub(super) fn forget(&mut self, kind: &Kind, gone: usize, id: &str) {
        for ((_, target), roles) in kind.roles.iter().zip(&mut self.roles) {
            if *target == gone {
                roles.retain(|role| role.strip_prefix('@') != Some(id));
            }
        }
    }

    /// Whether the roles with this number select an entity.
    pub(super) fn selects(&self, number: usize, id: &str, row: &Self) -> bool {
        let holds = |role: &String| match role.split_at(1) {
            ("@", named) => named == id,
            (_, "all") => true,
            (_, attribute) => row.attributes.iter().any(|it| it == attribute),
        };
        let roles = &self.roles[number];
        match self.semantic {
            Some("AllOf") => !roles.is_empty() && roles.iter().all(holds),
            _ => roles.iter().any(holds),
        }
    }

    /// What a list shows.
    pub(super) fn shown(kind: &Kind, row: &Value) -> Self {
        let texts = |member: &str| {
            let texts = row[member].as_array().map_or(&[][..], Vec::as_slice);
            let mut texts: Vec<_> = texts
                .iter()
                .map(|text| text.as_str().unwrap().to_owned())
                .collect();
            texts.sort();
            texts
        };
        let semantic = row["semantic"].as_str().map(|shown| {
            let known = ["AnyOf", "AllOf"].into_iter().find(|it| *it == shown);
            known.unwrap_or_else(|| panic!("{row}"))
        });
        Self {
            name: row["name"].as_str().unwrap().to_owned(),
            tags: row["tags"].clone(),
            attributes: texts("roleAttributes"),
            semantic,
            roles: kind.roles.iter().map(|(member, _)| texts(member)).collect(),
        }
    }
}

/// Some of the words, sorted.
fn some_of(words: &[String], dice: &mut Dice) -> Vec<String> {
    let mut some: Vec<_> = words.iter().filter(|_| dice.one_in(3)).cloned().collect();
    some.sort();
    some
}
