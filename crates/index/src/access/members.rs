//! Whom the lists of several policies select together.

use super::Selected;
use super::selection::Selection;
use portcullis_domain::roles::Semantic;
use roaring::{MultiOps as _, RoaringBitmap};
use std::collections::BTreeSet;

/// What one of some lists selects: every part is looked at once, however many lists have it.
#[derive(Debug, Default)]
pub(super) struct Members<'l> {
    has_every: bool,
    named: Vec<&'l RoaringBitmap>,
    /// Of whose attributes one is enough.
    alternatives: BTreeSet<&'l str>,
    /// Of whose attributes it takes all.
    together: BTreeSet<&'l [Box<str>]>,
}

impl<'l> FromIterator<&'l Selection> for Members<'l> {
    fn from_iter<L: IntoIterator<Item = &'l Selection>>(lists: L) -> Self {
        let mut members = Self::default();
        for list in lists {
            members.add(list);
        }
        members
    }
}

impl<'l> Members<'l> {
    fn add(&mut self, list: &'l Selection) {
        match list {
            Selection::Nothing => {},
            Selection::Every => self.has_every = true,
            Selection::Listed {
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
                        self.together.insert(several);
                    },
                }
            },
        }
    }

    /// Finds them.
    pub(super) fn among(self, among: Selected<'_>) -> RoaringBitmap {
        if self.has_every {
            return among.live.clone();
        }
        let together: Vec<RoaringBitmap> = self
            .together
            .into_iter()
            .filter_map(|attributes| {
                // An attribute that nobody carries makes the whole nothing.
                let carriers = attributes
                    .iter()
                    .map(|attribute| among.carried.with(attribute))
                    .collect::<Option<Vec<_>>>()?;
                Some(carriers.into_iter().intersection())
            })
            .collect();
        // A transit router may be named too.
        let named = self.named.union() & among.live;
        let mut parts = vec![&named];
        parts.extend(&together);
        let alternatives = self.alternatives.into_iter();
        parts.extend(alternatives.filter_map(|attribute| among.carried.with(attribute)));
        parts.union()
    }
}
