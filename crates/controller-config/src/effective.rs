//! Effective values of a file: what counts, and where each of it comes from.

mod derived;

use portcullis_key_table::{
    ConfigFile as _, EffectiveConfig, KeyState, Source, parse_value, to_json,
};
use portcullis_yaml::{Diagnostic, Diagnostics, Field, KeyPath, Section, Severity};
use serde_json::{Value as Json, json};

use crate::identity::{PemSource, read_pem_source};
use crate::keys::{BindingVariant, ControllerFile, Key, KeyGroup, StringFormat, ValueType};
use crate::relative_paths::{BaseFolders, SourceText};
use crate::root;

/// Effective values of a file, as far as they can be understood, and everything that is wrong with it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EffectiveOutcome {
    pub effective: EffectiveConfig,
    /// Errors and warnings in the order of the files and the lines in them.
    pub diagnostics: Vec<Diagnostic>,
}

/// Works out the effective values of files that are merged as by [`read_files`](crate::read_files).
pub fn effective(
    files: &[SourceText<'_>],
    lookup: &dyn Fn(&str) -> Option<String>,
) -> EffectiveOutcome {
    let (tree, outcome) = root::read_with_tree(files, lookup);
    let Some((tree, folders)) = tree else {
        return EffectiveOutcome {
            diagnostics: outcome.diagnostics,
            ..EffectiveOutcome::default()
        };
    };
    let mut walker = Walker {
        folders: &folders,
        mistakes: &outcome.diagnostics,
        effective: EffectiveConfig::with_defaults(),
    };
    if let Some(root) = Section::root(&tree, &mut Diagnostics::default()) {
        walker.section(Some(&root), &KeyPath::root(), &[ControllerFile::ROOT]);
    }
    let mut effective = walker.effective;
    if let Some(config) = &outcome.config {
        derived::apply(config, &mut effective);
    }
    EffectiveOutcome {
        effective,
        diagnostics: outcome.diagnostics,
    }
}

/// Walks through a file by the table of keys.
struct Walker<'a> {
    folders: &'a BaseFolders,
    mistakes: &'a [Diagnostic],
    effective: EffectiveConfig,
}

impl Walker<'_> {
    /// Stores the values of a section; one that is absent has defaults.
    fn section(&mut self, section: Option<&Section<'_>>, path: &KeyPath, groups: &[KeyGroup]) {
        let keys = groups.iter().flat_map(|group| group.iter());
        for key in keys.filter(|key| key.state == KeyState::Active) {
            let field = section.and_then(|section| section.get_non_null(key.name));
            self.key(field.as_ref(), &path.key(key.name), key);
        }
    }

    fn key(&mut self, field: Option<&Field<'_>>, path: &KeyPath, key: &Key) {
        match (key.value_type, field) {
            // A section that has to say something is not there by default.
            (ValueType::Map(groups), None)
                if !key.required
                    && groups
                        .iter()
                        .any(|group| group.iter().any(|key| key.required)) => {},
            (ValueType::Map(groups), field) => {
                let section = field.and_then(Field::as_section);
                self.section(section.as_ref(), path, groups);
            },
            (ValueType::NamedMaps(groups), Some(field)) => {
                let named = field.as_section();
                for (_, entry) in named.iter().flat_map(Section::fields) {
                    if let Some(section) = entry.as_section() {
                        self.section(Some(&section), entry.path(), groups);
                    }
                }
            },
            (ValueType::MapList(groups), Some(field)) => self.items(field, |_| groups),
            (ValueType::BindingList(variants), Some(field)) => {
                self.items(field, |item| keys_of(variants, item));
            },
            (_, Some(field)) => self.value(field, path, key),
            (_, None) => {
                if let Some(default) = key.default.and_then(parse_value) {
                    self.effective.set_default(&path.to_string(), default);
                }
            },
        }
    }

    fn items(&mut self, field: &Field<'_>, groups: impl Fn(&Section<'_>) -> &'static [KeyGroup]) {
        for item in field.items().unwrap_or_default() {
            if let Some(section) = item.as_section() {
                self.section(Some(&section), item.path(), groups(&section));
            }
        }
    }

    fn value(&mut self, field: &Field<'_>, path: &KeyPath, key: &Key) {
        let is_wrong = |one: &Diagnostic| {
            one.severity == Severity::Error && one.path.to_string().starts_with(&path.to_string())
        };
        if self.mistakes.iter().any(is_wrong) {
            return;
        }
        let value = match key.value_type {
            ValueType::String(StringFormat::Path) => self.path(field),
            ValueType::String(StringFormat::Pem) => self.pem(field),
            ValueType::Secrets => Some(redacted(field)),
            ValueType::Bool => field.boolean(&mut Diagnostics::default()).map(Json::from),
            _ => None,
        };
        let value = value.unwrap_or_else(|| to_json(field.node()));
        let source = Source::from_node(field.node());
        self.effective.set(path.to_string(), value, source);
    }

    fn path(&self, field: &Field<'_>) -> Option<Json> {
        let path = self.folders.resolve(field, field.node().as_str()?);
        Some(json!(path.to_string_lossy()))
    }

    fn pem(&self, field: &Field<'_>) -> Option<Json> {
        match read_pem_source(field, self.folders, &mut Diagnostics::default())? {
            PemSource::File(path) => Some(json!(path.to_string_lossy())),
            PemSource::Inline(text) => Some(json!(format!("pem:{text}"))),
        }
    }
}

/// A map without its values, which are secrets.
fn redacted(field: &Field<'_>) -> Json {
    let named = field.as_section();
    let named = named.iter().flat_map(Section::fields);
    named
        .map(|(name, _)| (name.to_owned(), json!("(a secret)")))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

/// The keys of an entry by its `binding`; none if there is no such binding.
fn keys_of(variants: &'static [BindingVariant], item: &Section<'_>) -> &'static [KeyGroup] {
    let binding = item.get("binding");
    let name = binding.as_ref().and_then(|field| field.node().as_str());
    let variant = variants
        .iter()
        .find(|variant| Some(variant.binding) == name);
    variant.map_or(&[], |variant| variant.keys)
}
