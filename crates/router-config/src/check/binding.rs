//! List items whose `binding` tells which keys they have.

use portcullis_yaml::{Section, nearest};

use crate::check::unknown;
use crate::check::walk::Walker;
use crate::codes;
use crate::table::{Group, Kind, Variant};

impl Walker<'_> {
    pub(super) fn bound(
        &mut self,
        section: &Section<'_>,
        variants: &'static [Variant],
        prefix: &str,
    ) {
        let Some(field) = section.get("binding") else {
            return self.unbound(section, variants, prefix);
        };
        let Some(name) = field.node().as_str() else {
            self.wrong_type(&field, "a string");
            return self.of_any(section, &all(variants));
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
        self.of_any(section, &all(variants));
    }

    /// An item without `binding`: a key that is spelled like it may tell all the same.
    fn unbound(&mut self, section: &Section<'_>, variants: &'static [Variant], prefix: &str) {
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
        self.of_any(section, &all(variants));
    }

    /// Looks for keys that no item of the list has, when nobody knows which kind of item it is.
    fn of_any(&mut self, section: &Section<'_>, groups: &[Group]) {
        unknown::report(self, section, groups);
        let mut below: Vec<(&str, Vec<Group>)> = Vec::new();
        for key in groups.iter().flat_map(|group| group.iter()) {
            let Kind::Map(inner) = key.kind else { continue };
            match below.iter_mut().find(|(name, _)| *name == key.name) {
                Some((_, groups)) => groups.extend(inner),
                None => below.push((key.name, inner.to_vec())),
            }
        }
        for (name, groups) in below {
            if let Some(inner) = section.get(name).and_then(|field| field.as_section()) {
                self.of_any(&inner, &groups);
            }
        }
    }
}

/// Lists the keys of all kinds of items.
fn all(variants: &'static [Variant]) -> Vec<Group> {
    let groups = variants.iter().flat_map(|variant| variant.keys);
    groups.copied().collect()
}
