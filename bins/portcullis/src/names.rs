//! Names of entities that others refer to by id.

use crate::entity::Named;
use crate::listable::Listable as _;
use portcullis_client::{Client, ListQuery, quote};
use std::collections::{BTreeMap, BTreeSet};

/// Names by id.
#[derive(Debug, Default)]
pub(crate) struct Names(BTreeMap<String, String>);

impl Names {
    /// Fetches the names of the entities of a kind. Who may not read them gets none.
    pub(crate) async fn fetch<N: Named>(client: &Client, ids: &[&str]) -> Self {
        if ids.is_empty() {
            return Self::default();
        }
        let quoted: Vec<_> = ids.iter().map(|id| quote(id)).collect();
        let filter = format!("id in [{}] limit none", quoted.join(", "));
        let Ok(page) = N::fetch_page(client, &ListQuery::with_filter(filter)).await else {
            return Self::default();
        };
        let names = page.data.iter();
        Self(
            names
                .map(|found| (found.id().to_owned(), found.name().to_owned()))
                .collect(),
        )
    }

    /// The name, for which the id stands if it is unknown.
    pub(crate) fn of<'n>(&'n self, id: &'n str) -> &'n str {
        self.0.get(id).map_or(id, String::as_str)
    }

    /// The name with the id, which alone stands for a name that is unknown.
    pub(crate) fn with_id(&self, id: &str) -> String {
        let name = self.0.get(id);
        name.map_or_else(|| id.to_owned(), |name| format!("{name} ({id})"))
    }

    /// The names of several entities, sorted.
    pub(crate) fn of_all<'n>(&'n self, ids: impl IntoIterator<Item = &'n str>) -> String {
        let names: BTreeSet<_> = ids.into_iter().map(|id| self.of(id)).collect();
        names.into_iter().collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_stand_for_names_that_are_unknown() {
        let known = BTreeMap::from([("a1".to_owned(), "wiki".to_owned())]);
        let names = Names(known);
        assert_eq!(names.of_all(["a1", "b2"]), "b2, wiki");
        assert_eq!(names.with_id("a1"), "wiki (a1)");
        assert_eq!(names.with_id("b2"), "b2");
    }
}
