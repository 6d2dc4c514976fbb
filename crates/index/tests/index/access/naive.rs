//! What policies say, read by going through all of them.

use std::collections::{BTreeMap, BTreeSet};

/// The names of entities, or of policies.
pub(crate) type Names = BTreeSet<String>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Identity,
    Service,
    /// An edge router.
    Router,
    /// A router that policies are not about, though they may name it.
    Transit,
    Check,
}

#[derive(Debug, Clone)]
pub(crate) struct Said {
    pub(crate) is_binding: bool,
    pub(crate) is_all_of: bool,
    /// The selectors of each list.
    pub(crate) lists: BTreeMap<Kind, Names>,
}

/// The attributes of every entity, by its id.
pub(crate) type Entities = BTreeMap<(Kind, String), Names>;

/// The policies of one kind, by their ids.
pub(crate) type Policies = BTreeMap<String, Said>;

fn selects(said: &Said, kind: Kind, id: &str, carried: &Names) -> bool {
    let Some(list) = said.lists.get(&kind) else {
        return false;
    };
    let mut asked = list
        .iter()
        .filter_map(|selector| selector.strip_prefix('#'));
    let by_attributes = if said.is_all_of {
        asked.clone().next().is_some() && asked.all(|attribute| carried.contains(attribute))
    } else {
        asked.any(|attribute| carried.contains(attribute))
    };
    list.contains("#all") || list.contains(&format!("@{id}")) || by_attributes
}

/// The policies that select an entity.
pub(crate) fn selecting(policies: &Policies, entities: &Entities, kind: Kind, id: &str) -> Names {
    let carried = &entities[&(kind, id.to_owned())];
    let those = policies
        .iter()
        .filter(|(_, said)| selects(said, kind, id, carried));
    those.map(|(name, _)| name.clone()).collect()
}

/// The entities that one of some policies selects.
pub(crate) fn selected(policies: &[&Said], entities: &Entities, kind: Kind) -> Names {
    let of_kind = entities.iter().filter(|((of, _), _)| *of == kind);
    of_kind
        .filter(|((_, id), carried)| {
            let mut policies = policies.iter();
            policies.any(|said| selects(said, kind, id, carried))
        })
        .map(|((_, id), _)| id.clone())
        .collect()
}
