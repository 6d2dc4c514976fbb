//! Union of the selections of several policies.

use super::SelectableEntities;
use super::resolved_selectors::ResolvedSelectors;
use portcullis_domain::roles::Semantic;
use roaring::{MultiOps as _, RoaringBitmap};
use std::collections::BTreeSet;

/// Union of selector lists, in which each distinct part is evaluated once.
#[derive(Debug, Default)]
pub(super) struct SelectionUnion<'l> {
    selects_all: bool,
    named: Vec<&'l RoaringBitmap>,
    /// Attributes each of which is sufficient.
    alternatives: BTreeSet<&'l str>,
    /// Attribute lists all of whose attributes are required.
    required_together: BTreeSet<&'l [Box<str>]>,
}

impl<'l> FromIterator<&'l ResolvedSelectors> for SelectionUnion<'l> {
    fn from_iter<L: IntoIterator<Item = &'l ResolvedSelectors>>(lists: L) -> Self {
        let mut members = Self::default();
        for list in lists {
            members.add(list);
        }
        members
    }
}

impl<'l> SelectionUnion<'l> {
    fn add(&mut self, list: &'l ResolvedSelectors) {
        match list {
            ResolvedSelectors::Nothing => {},
            ResolvedSelectors::All => self.selects_all = true,
            ResolvedSelectors::Listed {
                semantic,
                named,
                attributes,
            } => {
                self.named.push(named);
                match (semantic, &**attributes) {
                    (_, []) => {},
                    (_, [only]) => {
                        self.alternatives.insert(only);
                    },
                    (Semantic::AnyOf, several) => {
                        let several = several.iter().map(|attribute| &**attribute);
                        self.alternatives.extend(several);
                    },
                    (Semantic::AllOf, several) => {
                        self.required_together.insert(several);
                    },
                }
            },
        }
    }

    /// Finds the selected entities.
    pub(super) fn find_in(self, entities: SelectableEntities<'_>) -> RoaringBitmap {
        if self.selects_all {
            return entities.slots.clone();
        }
        let together: Vec<RoaringBitmap> = self
            .required_together
            .into_iter()
            .filter_map(|attributes| {
                // An attribute without entities makes the intersection empty.
                let carriers = attributes
                    .iter()
                    .map(|attribute| entities.role_attributes.slots_with(attribute))
                    .collect::<Option<Vec<_>>>()?;
                Some(carriers.into_iter().intersection())
            })
            .collect();
        // The ids may include transit routers, which cannot be selected.
        let named = self.named.union() & entities.slots;
        let mut parts = vec![&named];
        parts.extend(&together);
        let alternatives = self.alternatives.into_iter();
        parts.extend(
            alternatives.filter_map(|attribute| entities.role_attributes.slots_with(attribute)),
        );
        parts.union()
    }
}
