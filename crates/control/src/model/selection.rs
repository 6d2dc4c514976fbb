//! What service policies select.
//!
//! A commit that changes one entity affects the policies that select it before or after, and no others.

use portcullis_domain::ids::{EntityId, RecordNumber};
use portcullis_domain::roles::{RoleAttributes, RoleSelectors, Semantic};
use std::collections::{BTreeSet, HashMap};

/// Policies, by the numbers of their records.
pub(super) type Policies = BTreeSet<RecordNumber>;

/// The entities of one kind, and the policies by what they select of it.
#[derive(Debug, Default)]
pub(super) struct Selection {
    attributes: HashMap<String, RoleAttributes>,
    /// Entities by role attribute.
    carriers: HashMap<String, BTreeSet<String>>,
    selecting_all: Policies,
    selecting_by_id: HashMap<String, Policies>,
    selecting_by_attribute: HashMap<String, Policies>,
}

impl Selection {
    /// Sets the role attributes of an entity; `None` if it is gone. Returns what they were, and the
    /// policies that may select it only before or only now.
    pub(super) fn set_entity(
        &mut self,
        id: &str,
        attributes: Option<&RoleAttributes>,
    ) -> (Option<RoleAttributes>, Policies) {
        let before = self.attributes.remove(id);
        let mut affected = Policies::new();
        if before.is_some() != attributes.is_some() {
            affected.extend(&self.selecting_all);
            affected.extend(self.selecting_by_id.get(id).into_iter().flatten());
        }
        let changed =
            difference(before.as_ref(), attributes).chain(difference(attributes, before.as_ref()));
        for attribute in changed {
            let selecting = self.selecting_by_attribute.get(attribute);
            affected.extend(selecting.into_iter().flatten());
        }
        for lost in difference(before.as_ref(), attributes) {
            remove(&mut self.carriers, lost, id);
        }
        for gained in difference(attributes, before.as_ref()) {
            let carriers = self.carriers.entry(gained.to_owned()).or_default();
            carriers.insert(id.to_owned());
        }
        if let Some(attributes) = attributes {
            self.attributes.insert(id.to_owned(), attributes.clone());
        }
        (before, affected)
    }

    /// Takes a policy in.
    pub(super) fn add_policy<I: EntityId>(
        &mut self,
        policy: RecordNumber,
        roles: &RoleSelectors<I>,
    ) {
        if *roles == RoleSelectors::All {
            self.selecting_all.insert(policy);
        }
        for id in roles.ids() {
            let selecting = self.selecting_by_id.entry(id.as_str().to_owned());
            selecting.or_default().insert(policy);
        }
        for attribute in roles.attributes() {
            let selecting = self.selecting_by_attribute.entry(attribute.to_owned());
            selecting.or_default().insert(policy);
        }
    }

    /// Takes a policy out that was added with the same `roles`.
    pub(super) fn remove_policy<I: EntityId>(
        &mut self,
        policy: RecordNumber,
        roles: &RoleSelectors<I>,
    ) {
        self.selecting_all.remove(&policy);
        for id in roles.ids() {
            remove(&mut self.selecting_by_id, id.as_str(), &policy);
        }
        for attribute in roles.attributes() {
            remove(&mut self.selecting_by_attribute, attribute, &policy);
        }
    }

    /// The ids of the entities that a policy selects.
    pub(super) fn members<I: EntityId>(
        &self,
        semantic: Semantic,
        roles: &RoleSelectors<I>,
    ) -> BTreeSet<String> {
        if *roles == RoleSelectors::All {
            return self.attributes.keys().cloned().collect();
        }
        let named = roles.ids().map(EntityId::as_str);
        let mut members: BTreeSet<String> = named
            .filter(|id| self.attributes.contains_key(*id))
            .map(str::to_owned)
            .collect();
        let mut lists: Vec<_> = roles
            .attributes()
            .map(|attribute| self.carriers.get(attribute))
            .collect();
        match semantic {
            Semantic::AnyOf => members.extend(lists.into_iter().flatten().flatten().cloned()),
            Semantic::AllOf => {
                // The shortest list decides what the others are asked for.
                lists.sort_by_key(|list| list.map_or(0, BTreeSet::len));
                if let Some((Some(first), others)) = lists.split_first() {
                    let carries_all = |id: &&String| {
                        let mut others = others.iter().flatten();
                        others.all(|list| list.contains(*id))
                    };
                    members.extend(first.iter().filter(carries_all).cloned());
                }
            },
        }
        members
    }
}

/// The attributes of one entity that the other does not have.
fn difference<'a>(
    of: Option<&'a RoleAttributes>,
    without: Option<&'a RoleAttributes>,
) -> impl Iterator<Item = &'a str> {
    of.into_iter()
        .flat_map(RoleAttributes::iter)
        .filter(move |attribute| without.is_none_or(|without| !without.contains(attribute)))
}

/// Removes an item from a list; empty lists go.
fn remove<T, Q>(lists: &mut HashMap<String, BTreeSet<T>>, key: &str, item: &Q)
where
    T: Ord + std::borrow::Borrow<Q>,
    Q: Ord + ?Sized,
{
    if let Some(list) = lists.get_mut(key) {
        list.remove(item);
        if list.is_empty() {
            lists.remove(key);
        }
    }
}
