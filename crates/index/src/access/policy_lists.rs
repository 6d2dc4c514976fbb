//! Policies of one kind, indexed by what they select.

use super::SelectableEntities;
use super::resolved_selectors::ResolvedSelectors;
use super::selection_union::SelectionUnion;
use crate::slots::Slot;
use roaring::RoaringBitmap;
use std::collections::{BTreeMap, HashMap};
use std::hash::{Hash, Hasher};

/// The kind of entities that a selector list of a policy refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PolicySide {
    Identities,
    Services,
    EdgeRouters,
    PostureChecks,
}

/// The policies of one kind, by slots of their catalog.
#[derive(Debug, Default)]
pub(super) struct PolicyLists {
    sides: BTreeMap<PolicySide, SideLists>,
}

/// The selector lists of all policies on one side.
#[derive(Debug, Default)]
struct SideLists {
    /// By policy slot.
    by_policy: HashMap<u32, ResolvedSelectors>,
    /// Policies that select all entities.
    every: RoaringBitmap,
    /// Policies that reference an entity by id, by its slot.
    named: HashMap<u32, Vec<u32>>,
    /// Policies by attribute. Those that require several attributes are listed under the first one
    /// only.
    by_key_attribute: HashMap<Box<str>, Vec<u32>>,
    /// Policies by the other attributes that they require.
    by_other_attribute: HashMap<Box<str>, Vec<u32>>,
}

impl PolicyLists {
    /// Inserts or updates a policy.
    pub(super) fn put(
        &mut self,
        policy: Slot,
        lists: impl IntoIterator<Item = (PolicySide, ResolvedSelectors)>,
    ) {
        self.remove(policy);
        for (side, list) in lists {
            self.sides.entry(side).or_default().insert(policy, list);
        }
    }

    pub(super) fn remove(&mut self, policy: Slot) {
        for lists in self.sides.values_mut() {
            lists.remove(policy);
        }
    }

    /// The policies that select an entity on a side; with `within`, only those of them.
    pub(super) fn selecting(
        &self,
        side: PolicySide,
        entity: Slot,
        entities: SelectableEntities<'_>,
        within: Option<&RoaringBitmap>,
    ) -> RoaringBitmap {
        match self.sides.get(&side) {
            Some(lists) if entities.is_selectable(entity) => {
                lists.selecting(entity, entities, within)
            },
            _ => RoaringBitmap::new(),
        }
    }

    /// The policies that select by an attribute on a side.
    pub(super) fn selecting_by_attribute(
        &self,
        side: PolicySide,
        attribute: &str,
    ) -> RoaringBitmap {
        let lists = self.sides.get(&side).into_iter();
        lists
            .flat_map(|lists| [&lists.by_key_attribute, &lists.by_other_attribute])
            .filter_map(|policies| policies.get(attribute))
            .flatten()
            .copied()
            .collect()
    }

    /// The attributes by which policies select on a side, with repetitions.
    pub(super) fn attributes(&self, side: PolicySide) -> impl Iterator<Item = &str> {
        let lists = self.sides.get(&side).into_iter();
        lists
            .flat_map(|lists| {
                lists
                    .by_key_attribute
                    .keys()
                    .chain(lists.by_other_attribute.keys())
            })
            .map(|attribute| &**attribute)
    }

    /// Hashes what a policy selects on a side.
    pub(super) fn hash_into(&self, hasher: &mut impl Hasher, policy: Slot, side: PolicySide) {
        let lists = self.sides.get(&side);
        match lists.and_then(|lists| lists.by_policy.get(&policy.bit())) {
            Some(list) => list.hash_into(hasher),
            None => ResolvedSelectors::Nothing.hash_into(hasher),
        }
    }

    /// The entities that any of the given policies selects on a side.
    pub(super) fn members(
        &self,
        policies: &RoaringBitmap,
        side: PolicySide,
        entities: SelectableEntities<'_>,
    ) -> RoaringBitmap {
        let Some(lists) = self.sides.get(&side) else {
            return RoaringBitmap::new();
        };
        let lists = policies
            .iter()
            .filter_map(|policy| lists.by_policy.get(&policy));
        lists.collect::<SelectionUnion<'_>>().find_in(entities)
    }

    /// Heap memory in bytes, estimated.
    pub(super) fn heap_bytes(&self) -> usize {
        self.sides.values().map(SideLists::heap_bytes).sum()
    }
}

impl SideLists {
    fn insert(&mut self, policy: Slot, list: ResolvedSelectors) {
        if list == ResolvedSelectors::All {
            self.every.insert(policy.bit());
        }
        for entity in list.named() {
            self.named.entry(entity).or_default().push(policy.bit());
        }
        for attribute in list.key_attributes() {
            let policies = self.by_key_attribute.entry(attribute.clone()).or_default();
            policies.push(policy.bit());
        }
        for attribute in list.other_attributes() {
            let policies = self
                .by_other_attribute
                .entry(attribute.clone())
                .or_default();
            policies.push(policy.bit());
        }
        if list != ResolvedSelectors::Nothing {
            self.by_policy.insert(policy.bit(), list);
        }
    }

    fn remove(&mut self, policy: Slot) {
        let Some(list) = self.by_policy.remove(&policy.bit()) else {
            return;
        };
        self.every.remove(policy.bit());
        for entity in list.named() {
            remove_entry(&mut self.named, &entity, policy);
        }
        for attribute in list.key_attributes() {
            remove_entry(&mut self.by_key_attribute, attribute, policy);
        }
        for attribute in list.other_attributes() {
            remove_entry(&mut self.by_other_attribute, attribute, policy);
        }
    }

    fn selecting(
        &self,
        entity: Slot,
        entities: SelectableEntities<'_>,
        within: Option<&RoaringBitmap>,
    ) -> RoaringBitmap {
        let is_within = |policy: &&u32| within.is_none_or(|within| within.contains(**policy));
        let carried: Vec<&str> = entities.role_attributes.terms_of(entity).collect();
        let named = self.named.get(&entity.bit()).into_iter().flatten();
        let led = carried
            .iter()
            .filter_map(|attribute| self.by_key_attribute.get(*attribute))
            .flatten()
            .filter(is_within)
            .filter(|policy| self.selects(**policy, entity, &carried));
        let mut policies = match within {
            Some(within) => within & &self.every,
            None => self.every.clone(),
        };
        policies.extend(named.filter(is_within).chain(led));
        policies
    }

    fn selects(&self, policy: u32, entity: Slot, carried: &[&str]) -> bool {
        let list = self.by_policy.get(&policy);
        list.is_some_and(|list| list.selects(entity, carried))
    }

    fn heap_bytes(&self) -> usize {
        let lists: usize = self
            .by_policy
            .values()
            .map(ResolvedSelectors::heap_bytes)
            .sum();
        let by_attribute = [&self.by_key_attribute, &self.by_other_attribute];
        let texts = by_attribute.iter().flat_map(|entries| entries.keys());
        let texts: usize = texts.map(|attribute| attribute.len()).sum();
        let policies: usize = self
            .named
            .values()
            .chain(by_attribute.iter().flat_map(|entries| entries.values()))
            .map(Vec::capacity)
            .sum();
        lists
            + texts
            + policies * size_of::<u32>()
            + self.by_policy.capacity() * size_of::<(u32, ResolvedSelectors)>()
            + self.named.capacity() * size_of::<(u32, Vec<u32>)>()
            + (self.by_key_attribute.capacity() + self.by_other_attribute.capacity())
                * size_of::<(Box<str>, Vec<u32>)>()
            + self.every.serialized_size()
    }
}

/// Removes a policy from the entry of `key`, and the entry with its last policy.
fn remove_entry<K: Hash + Eq>(entries: &mut HashMap<K, Vec<u32>>, key: &K, policy: Slot) {
    if let Some(policies) = entries.get_mut(key) {
        policies.retain(|other| *other != policy.bit());
        if policies.is_empty() {
            entries.remove(key);
        }
    }
}
