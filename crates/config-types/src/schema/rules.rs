//! Reading a schema: what the validator is given, and the plan of what it will do.
//!
//! Schemas mix what the drafts 4, 6 and 7 say. The validator knows one draft at a time, so they
//! are brought into the form of draft 7. Only keywords that check something are handed on.
//! References stay within the document, and are written as pointers into it; the validator never
//! sees the name of a document, and so has nothing to look for elsewhere.

mod keywords;
mod names;

use super::pattern;
use super::plan::{Node, NodeId, Plan};
use keywords::Keyword;
use names::Names;
use portcullis_domain::config::Object;
use serde_json::Value;
use std::collections::BTreeMap;

/// Most references of a schema.
const MOST_REFERENCES: usize = 512;

/// How large the patterns of a schema may be together when they are compiled, in bytes.
const LARGEST_PATTERNS: usize = 512 * 1024;

/// A schema as it is checked.
pub(super) struct Rules {
    /// What the validator is given.
    pub(super) document: Value,
    /// What it will do.
    pub(super) plan: Plan,
}

impl Rules {
    /// Reads `schema`, which does not lie deep.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in words: either with the schema or, led by a pointer, with a part.
    pub(super) fn read(schema: &Object) -> Result<Self, String> {
        let mut reader = Reader {
            names: Names::read(schema)?,
            plan: Plan::default(),
            places: BTreeMap::new(),
            references: Vec::new(),
            patterns: 0,
        };
        let here = Place::default();
        let (document, _) = reader.object(schema, &here)?;
        reader.lead_references()?;
        reader.plan.check_unfolded()?;
        Ok(Self {
            document,
            plan: reader.plan,
        })
    }
}

/// Where a schema stands in its document.
#[derive(Debug, Clone, Default)]
struct Place {
    /// The pointer that leads there.
    pointer: String,
    /// Whether references there would start from the name of another document.
    foreign: bool,
}

impl Place {
    fn of(&self, name: &str) -> Self {
        let name = name.replace('~', "~0").replace('/', "~1");
        Self {
            pointer: format!("{}/{name}", self.pointer),
            foreign: self.foreign,
        }
    }

    fn fault(&self, reason: impl std::fmt::Display) -> String {
        let pointer = super::text::shortened(&self.pointer);
        match pointer.as_str() {
            "" => reason.to_string(),
            pointer => format!("`{pointer}` {reason}"),
        }
    }
}

struct Reader {
    names: Names,
    plan: Plan,
    /// The schemas of the document, by pointer.
    places: BTreeMap<String, NodeId>,
    /// References: whence, and the pointer where they lead.
    references: Vec<(NodeId, String)>,
    /// How large the patterns are that were seen, in bytes.
    patterns: usize,
}

impl Reader {
    fn schema(&mut self, schema: &Value, here: &Place) -> Result<(Value, NodeId), String> {
        match schema {
            Value::Object(schema) => self.object(schema, here),
            // What is no schema at all is refused by the validator, which says so better.
            other => {
                let id = self.enter(here);
                Ok((other.clone(), id))
            },
        }
    }

    fn enter(&mut self, here: &Place) -> NodeId {
        let id = self.plan.reserve();
        self.places.insert(here.pointer.clone(), id);
        id
    }

    fn object(&mut self, schema: &Object, here: &Place) -> Result<(Value, NodeId), String> {
        let id = self.enter(here);
        let mut here = here.clone();
        here.foreign |= !here.pointer.is_empty() && names::is_of_document(schema);
        let refers = schema.contains_key("$ref");
        let mut node = Node::default();
        let mut read = Object::new();
        for (name, value) in schema {
            let keyword = Keyword::named(name);
            // Beside a reference, the other keywords count for nothing; what is defined may be
            // referred to.
            if refers && !matches!(keyword, Keyword::Reference | Keyword::Definitions) {
                continue;
            }
            node.keywords += u64::from(keyword != Keyword::Definitions);
            if let Some(value) = self.keyword(keyword, value, &here.of(name), &mut node, id)? {
                read.insert(name.clone(), value);
            }
        }
        keywords::exclude_bounds(&mut read);
        keywords::declare_members(&mut read);
        if let Some(slot) = self.plan.node_mut(id) {
            *slot = node;
        }
        Ok((Value::Object(read), id))
    }

    /// Reads one keyword of the schema `id`; `None` when it checks nothing.
    fn keyword(
        &mut self,
        keyword: Keyword,
        value: &Value,
        here: &Place,
        node: &mut Node,
        id: NodeId,
    ) -> Result<Option<Value>, String> {
        let read = match keyword {
            Keyword::Nothing => return Ok(None),
            Keyword::Format if !keywords::is_enforced(value) => return Ok(None),
            Keyword::Reference => self.reference(value, here, id)?,
            Keyword::One(part) => {
                let (read, next) = self.schema(value, here)?;
                part.lead(node, next);
                if keyword == Keyword::NOT {
                    node.repeated += super::weight::of(value, super::DEEPEST);
                }
                read
            },
            Keyword::Listed(part) => self.listed(part, value, here, node)?,
            Keyword::Named(part) => self.named(part, value, here, node)?,
            Keyword::Definitions => self.named(keywords::Part::Unused, value, here, node)?,
            Keyword::Pattern => {
                node.text += self.pattern(value.as_str().unwrap_or_default(), here)?;
                value.clone()
            },
            Keyword::Format | Keyword::Assertion => {
                keywords::charge(here, value, node);
                value.clone()
            },
        };
        Ok(Some(read))
    }

    fn reference(&mut self, value: &Value, here: &Place, id: NodeId) -> Result<Value, String> {
        if here.foreign {
            return Err(here.fault("is in a separate document (`$id`), which is not supported"));
        }
        let Some(reference) = value.as_str() else {
            return Err(here.fault("must be a string"));
        };
        if self.references.len() >= MOST_REFERENCES {
            return Err(format!("has more than {MOST_REFERENCES} references"));
        }
        let pointer = self
            .names
            .lead(reference)
            .map_err(|reason| here.fault(reason))?;
        let written = names::written(&pointer);
        self.references.push((id, pointer));
        Ok(Value::String(written))
    }

    fn listed(
        &mut self,
        part: keywords::Part,
        value: &Value,
        here: &Place,
        node: &mut Node,
    ) -> Result<Value, String> {
        let Value::Array(schemas) = value else {
            let (read, next) = self.schema(value, here)?;
            part.single().lead(node, next);
            return Ok(read);
        };
        let mut read = Vec::with_capacity(schemas.len());
        for (place, schema) in schemas.iter().enumerate() {
            let (schema, next) = self.schema(schema, &here.of(&place.to_string()))?;
            part.lead(node, next);
            read.push(schema);
        }
        Ok(Value::Array(read))
    }

    fn named(
        &mut self,
        part: keywords::Part,
        value: &Value,
        here: &Place,
        node: &mut Node,
    ) -> Result<Value, String> {
        let Value::Object(schemas) = value else {
            return Ok(value.clone());
        };
        let mut read = Object::new();
        for (name, schema) in schemas {
            let here = here.of(name);
            let (schema, next) = self.schema(schema, &here)?;
            let steps = match part {
                keywords::Part::Matching => self.pattern(name, &here)?,
                _ => 0,
            };
            part.lead_named(node, name, steps, next);
            read.insert(name.clone(), schema);
        }
        Ok(Value::Object(read))
    }

    /// The steps of a pattern for 16 bytes of a text.
    fn pattern(&mut self, pattern: &str, here: &Place) -> Result<u64, String> {
        let size = pattern::size(pattern).map_err(|reason| here.fault(reason))?;
        self.patterns += size;
        if self.patterns > LARGEST_PATTERNS {
            return Err("is too complex: its patterns are too large together".to_owned());
        }
        Ok(pattern::steps(size))
    }

    /// Makes every reference lead to a schema.
    fn lead_references(&mut self) -> Result<(), String> {
        for (from, pointer) in std::mem::take(&mut self.references) {
            let Some(&to) = self.places.get(&pointer) else {
                let shown = super::text::shortened(&pointer);
                return Err(format!(
                    "has a `$ref` that does not point to a schema: `#{shown}`"
                ));
            };
            if let Some(node) = self.plan.node_mut(from) {
                node.same.push(to);
            }
        }
        Ok(())
    }
}
