//! Normalization of a schema for the validator, with the plan of its work.
//!
//! Schemas mix the drafts 4, 6 and 7. The validator supports one draft at a time, so they are converted
//! to draft 7. Only keywords that assert something are kept. References stay within the document and are
//! written as pointers into it; the validator never sees the id of a document, and so fetches nothing.

mod identifiers;
mod keywords;

use super::pattern;
use super::plan::{NodeId, PlanNode, ValidationPlan};
use identifiers::Identifiers;
use keywords::Keyword;
use portcullis_domain::config::JsonObject;
use serde_json::Value;
use std::collections::BTreeMap;

/// Maximum number of references in a schema.
const MAX_REFERENCES: usize = 512;

/// Maximum total size of the compiled patterns of a schema, in bytes.
const MAX_PATTERN_SIZE: usize = 512 * 1024;

/// A schema in the form of draft 7, with its plan.
pub(super) struct NormalizedSchema {
    /// Input of the validator.
    pub(super) document: Value,
    pub(super) plan: ValidationPlan,
}

impl NormalizedSchema {
    /// Normalizes `schema`, whose depth has been checked.
    ///
    /// # Errors
    /// A message about the schema or, after a pointer, about a part of it.
    pub(super) fn read(schema: &JsonObject) -> Result<Self, String> {
        let mut reader = Normalizer {
            identifiers: Identifiers::read(schema)?,
            plan: ValidationPlan::default(),
            nodes_by_pointer: BTreeMap::new(),
            references: Vec::new(),
            patterns: 0,
        };
        let here = SchemaLocation::default();
        let (document, _) = reader.object(schema, &here)?;
        reader.resolve_references()?;
        reader.plan.check_expansion()?;
        Ok(Self {
            document,
            plan: reader.plan,
        })
    }
}

/// Location of a schema in its document.
#[derive(Debug, Clone, Default)]
struct SchemaLocation {
    pointer: String,
    /// Whether references there are relative to the id of another document.
    in_other_document: bool,
}

impl SchemaLocation {
    fn child(&self, name: &str) -> Self {
        let name = name.replace('~', "~0").replace('/', "~1");
        Self {
            pointer: format!("{}/{name}", self.pointer),
            in_other_document: self.in_other_document,
        }
    }

    fn error(&self, reason: impl std::fmt::Display) -> String {
        let pointer = super::display::truncated(&self.pointer);
        match pointer.as_str() {
            "" => reason.to_string(),
            pointer => format!("`{pointer}` {reason}"),
        }
    }
}

struct Normalizer {
    identifiers: Identifiers,
    plan: ValidationPlan,
    /// Schemas of the document by pointer.
    nodes_by_pointer: BTreeMap<String, NodeId>,
    /// References: the source and the target pointer.
    references: Vec<(NodeId, String)>,
    /// Total size of the patterns so far, in bytes.
    patterns: usize,
}

impl Normalizer {
    fn schema(&mut self, schema: &Value, here: &SchemaLocation) -> Result<(Value, NodeId), String> {
        match schema {
            Value::Object(schema) => self.object(schema, here),
            // The validator refuses values that are no schema, with a better message.
            other => {
                let id = self.add_node(here);
                Ok((other.clone(), id))
            },
        }
    }

    fn add_node(&mut self, here: &SchemaLocation) -> NodeId {
        let id = self.plan.add_node();
        self.nodes_by_pointer.insert(here.pointer.clone(), id);
        id
    }

    fn object(
        &mut self,
        schema: &JsonObject,
        here: &SchemaLocation,
    ) -> Result<(Value, NodeId), String> {
        let id = self.add_node(here);
        let mut here = here.clone();
        here.in_other_document |= !here.pointer.is_empty() && identifiers::names_document(schema);
        let refers = schema.contains_key("$ref");
        let mut node = PlanNode::default();
        let mut read = JsonObject::new();
        for (name, value) in schema {
            let keyword = Keyword::from_name(name);
            // Keywords beside a reference are ignored, except definitions, which may be referenced.
            if refers && !matches!(keyword, Keyword::Reference | Keyword::Definitions) {
                continue;
            }
            node.keywords += u64::from(keyword != Keyword::Definitions);
            if let Some(value) = self.keyword(keyword, value, &here.child(name), &mut node, id)? {
                read.insert(name.clone(), value);
            }
        }
        keywords::convert_exclusive_bounds(&mut read);
        keywords::add_empty_properties(&mut read);
        if let Some(slot) = self.plan.node_mut(id) {
            *slot = node;
        }
        Ok((Value::Object(read), id))
    }

    /// Normalizes one keyword of the schema `id`; `None` if it asserts nothing.
    fn keyword(
        &mut self,
        keyword: Keyword,
        value: &Value,
        here: &SchemaLocation,
        node: &mut PlanNode,
        id: NodeId,
    ) -> Result<Option<Value>, String> {
        let read = match keyword {
            Keyword::Ignored => return Ok(None),
            Keyword::Format if !keywords::is_enforced(value) => return Ok(None),
            Keyword::Reference => self.reference(value, here, id)?,
            Keyword::Subschema(part) => {
                let (read, next) = self.schema(value, here)?;
                part.add_to(node, next);
                if keyword == Keyword::NOT {
                    node.reported_bytes += super::size::json_size(value, super::MAX_DEPTH);
                }
                read
            },
            Keyword::SubschemaList(part) => self.schema_list(part, value, here, node)?,
            Keyword::SubschemaMap(part) => self.schema_map(part, value, here, node)?,
            Keyword::Definitions => {
                self.schema_map(keywords::InstancePart::Unused, value, here, node)?
            },
            Keyword::Pattern => {
                node.text += self.pattern(value.as_str().unwrap_or_default(), here)?;
                value.clone()
            },
            Keyword::Format | Keyword::Assertion => {
                keywords::add_cost(here, value, node);
                value.clone()
            },
        };
        Ok(Some(read))
    }

    fn reference(
        &mut self,
        value: &Value,
        here: &SchemaLocation,
        id: NodeId,
    ) -> Result<Value, String> {
        if here.in_other_document {
            return Err(here.error("is in a separate document (`$id`), which is not supported"));
        }
        let Some(reference) = value.as_str() else {
            return Err(here.error("must be a string"));
        };
        if self.references.len() >= MAX_REFERENCES {
            return Err(format!("has more than {MAX_REFERENCES} references"));
        }
        let pointer = self
            .identifiers
            .resolve(reference)
            .map_err(|reason| here.error(reason))?;
        let written = identifiers::to_reference(&pointer);
        self.references.push((id, pointer));
        Ok(Value::String(written))
    }

    fn schema_list(
        &mut self,
        part: keywords::InstancePart,
        value: &Value,
        here: &SchemaLocation,
        node: &mut PlanNode,
    ) -> Result<Value, String> {
        let Value::Array(schemas) = value else {
            let (read, next) = self.schema(value, here)?;
            part.single().add_to(node, next);
            return Ok(read);
        };
        let mut read = Vec::with_capacity(schemas.len());
        for (place, schema) in schemas.iter().enumerate() {
            let (schema, next) = self.schema(schema, &here.child(&place.to_string()))?;
            part.add_to(node, next);
            read.push(schema);
        }
        Ok(Value::Array(read))
    }

    fn schema_map(
        &mut self,
        part: keywords::InstancePart,
        value: &Value,
        here: &SchemaLocation,
        node: &mut PlanNode,
    ) -> Result<Value, String> {
        let Value::Object(schemas) = value else {
            return Ok(value.clone());
        };
        let mut read = JsonObject::new();
        for (name, schema) in schemas {
            let here = here.child(name);
            let (schema, next) = self.schema(schema, &here)?;
            let steps = match part {
                keywords::InstancePart::PatternMember => self.pattern(name, &here)?,
                _ => 0,
            };
            part.add_named_to(node, name, steps, next);
            read.insert(name.clone(), schema);
        }
        Ok(Value::Object(read))
    }

    /// Steps of a pattern for 16 bytes of text.
    fn pattern(&mut self, pattern: &str, here: &SchemaLocation) -> Result<u64, String> {
        let size = pattern::compiled_size(pattern).map_err(|reason| here.error(reason))?;
        self.patterns += size;
        if self.patterns > MAX_PATTERN_SIZE {
            return Err("is too complex: its patterns are too large together".to_owned());
        }
        Ok(pattern::match_steps(size))
    }

    /// Resolves all references to schemas.
    fn resolve_references(&mut self) -> Result<(), String> {
        for (from, pointer) in std::mem::take(&mut self.references) {
            let Some(&to) = self.nodes_by_pointer.get(&pointer) else {
                let shown = super::display::truncated(&pointer);
                return Err(format!(
                    "has a `$ref` that does not point to a schema: `#{shown}`"
                ));
            };
            if let Some(node) = self.plan.node_mut(from) {
                node.applied.push(to);
            }
        }
        Ok(())
    }
}
