//! Check of list items whose `binding` determines their keys.

use portcullis_yaml::{Section, nearest};

use crate::check::unknown_keys;
use crate::check::walk::Walker;
use crate::codes;
use crate::table::{BindingVariant, KeyGroup, ValueType};

impl Walker<'_> {
    pub(super) fn section_by_binding(
        &mut self,
        section: &Section<'_>,
        variants: &'static [BindingVariant],
        prefix: &str,
    ) {
        let Some(field) = section.get("binding") else {
            return self.section_without_binding(section, variants, prefix);
        };
        let Some(name) = field.node().as_str() else {
            self.wrong_type(&field, "a string");
            return self.report_unknown_keys(section, &all_groups(variants));
        };
        if let Some(variant) = variants.iter().find(|variant| variant.binding == name) {
            return self.section(section, variant.keys, prefix);
        }
        let names = variants.iter().map(|variant| variant.binding);
        let message = format!("unknown binding `{name}`");
        let help = match nearest(name, names.clone()) {
            Some(similar) => format!("did you mean `{similar}`?"),
            None => format!("use {}", names.collect::<Vec<_>>().join(", ")),
        };
        self.error(&field, codes::INVALID_VALUE, message).help(help);
        self.report_unknown_keys(section, &all_groups(variants));
    }

    /// Checks an item without `binding`; a misspelled key may still determine it.
    fn section_without_binding(
        &mut self,
        section: &Section<'_>,
        variants: &'static [BindingVariant],
        prefix: &str,
    ) {
        let values = section.map().into_iter().filter_map(|entry| {
            nearest(entry.key.as_str()?, ["binding"])?;
            entry.value.as_str()
        });
        let mut found = values.filter_map(|name| variants.iter().find(|v| v.binding == name));
        if let Some(variant) = found.next() {
            return self.section(section, variant.keys, prefix);
        }
        let bindings: Vec<&str> = variants.iter().map(|variant| variant.binding).collect();
        section.report_missing("binding", &bindings.join("` or `"), self.diagnostics);
        self.report_unknown_keys(section, &all_groups(variants));
    }

    /// Reports keys that no binding has, for an item whose binding is unknown.
    fn report_unknown_keys(&mut self, section: &Section<'_>, groups: &[KeyGroup]) {
        unknown_keys::report(self, section, groups);
        let mut below: Vec<(&str, Vec<KeyGroup>)> = Vec::new();
        for key in groups.iter().flat_map(|group| group.iter()) {
            let ValueType::Map(inner) = key.value_type else {
                continue;
            };
            match below.iter_mut().find(|(name, _)| *name == key.name) {
                Some((_, groups)) => groups.extend(inner),
                None => below.push((key.name, inner.to_vec())),
            }
        }
        for (name, groups) in below {
            if let Some(inner) = section.get(name).and_then(|field| field.as_section()) {
                self.report_unknown_keys(&inner, &groups);
            }
        }
    }
}

/// Returns the keys of all bindings.
fn all_groups(variants: &'static [BindingVariant]) -> Vec<KeyGroup> {
    let groups = variants.iter().flat_map(|variant| variant.keys);
    groups.copied().collect()
}
