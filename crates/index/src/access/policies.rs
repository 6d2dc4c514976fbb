//! The policies of one kind, found by what they select.

use super::Selected;
use super::members::Members;
use super::selection::Selection;
use crate::slots::Slot;
use roaring::RoaringBitmap;
use std::collections::{BTreeMap, HashMap};
use std::hash::{Hash, Hasher};

/// What the lists of a policy are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// Identities.
    Identities,
    /// Services.
    Services,
    /// Edge routers.
    EdgeRouters,
    /// Posture checks.
    PostureChecks,
}

/// The policies of one kind, in the slots of their catalog.
#[derive(Debug, Default)]
pub(super) struct Policies {
    sides: BTreeMap<Side, Lists>,
}

/// The lists of all policies on one side.
#[derive(Debug, Default)]
struct Lists {
    /// By policy.
    by_policy: HashMap<u32, Selection>,
    /// The policies that select every entity.
    every: RoaringBitmap,
    /// The policies that name an entity, by its slot.
    named: HashMap<u32, Vec<u32>>,
    /// The policies that ask for an attribute. Those that ask for several at once stand under the
    /// first of them alone.
    leads: HashMap<Box<str>, Vec<u32>>,
    /// The policies that ask for an attribute under which they do not stand in `leads`.
    followers: HashMap<Box<str>, Vec<u32>>,
}

impl Policies {
    /// Takes over what a policy selects now.
    pub(super) fn put(&mut self, policy: Slot, lists: impl IntoIterator<Item = (Side, Selection)>) {
        self.remove(policy);
        for (side, list) in lists {
            self.sides.entry(side).or_default().enter(policy, list);
        }
    }

    /// Forgets a policy.
    pub(super) fn remove(&mut self, policy: Slot) {
        for lists in self.sides.values_mut() {
            lists.leave(policy);
        }
    }

    /// The policies that select an entity on a side; with `within`, those of them alone.
    pub(super) fn selecting(
        &self,
        side: Side,
        entity: Slot,
        among: Selected<'_>,
        within: Option<&RoaringBitmap>,
    ) -> RoaringBitmap {
        match self.sides.get(&side) {
            Some(lists) if among.has(entity) => lists.selecting(entity, among, within),
            _ => RoaringBitmap::new(),
        }
    }

    /// The policies whose list on a side asks for an attribute.
    pub(super) fn asking(&self, side: Side, attribute: &str) -> RoaringBitmap {
        let lists = self.sides.get(&side).into_iter();
        lists
            .flat_map(|lists| [&lists.leads, &lists.followers])
            .filter_map(|policies| policies.get(attribute))
            .flatten()
            .copied()
            .collect()
    }

    /// The attributes for which lists on a side ask, some of them twice.
    pub(super) fn attributes(&self, side: Side) -> impl Iterator<Item = &str> {
        let lists = self.sides.get(&side).into_iter();
        lists
            .flat_map(|lists| lists.leads.keys().chain(lists.followers.keys()))
            .map(|attribute| &**attribute)
    }

    /// Takes in what a policy selects on a side.
    pub(super) fn mix_into(&self, hasher: &mut impl Hasher, policy: Slot, side: Side) {
        let lists = self.sides.get(&side);
        match lists.and_then(|lists| lists.by_policy.get(&policy.bit())) {
            Some(list) => list.mix_into(hasher),
            None => Selection::Nothing.mix_into(hasher),
        }
    }

    /// The entities that one of some policies selects on a side.
    pub(super) fn members(
        &self,
        policies: &RoaringBitmap,
        side: Side,
        among: Selected<'_>,
    ) -> RoaringBitmap {
        let Some(lists) = self.sides.get(&side) else {
            return RoaringBitmap::new();
        };
        let lists = policies
            .iter()
            .filter_map(|policy| lists.by_policy.get(&policy));
        lists.collect::<Members<'_>>().among(among)
    }

    /// Memory behind the policies, in bytes, by their own count.
    pub(super) fn heap_bytes(&self) -> usize {
        self.sides.values().map(Lists::heap_bytes).sum()
    }
}

impl Lists {
    fn enter(&mut self, policy: Slot, list: Selection) {
        if list == Selection::Every {
            self.every.insert(policy.bit());
        }
        for entity in list.named() {
            self.named.entry(entity).or_default().push(policy.bit());
        }
        for attribute in list.leads() {
            let policies = self.leads.entry(attribute.clone()).or_default();
            policies.push(policy.bit());
        }
        for attribute in list.followers() {
            let policies = self.followers.entry(attribute.clone()).or_default();
            policies.push(policy.bit());
        }
        if list != Selection::Nothing {
            self.by_policy.insert(policy.bit(), list);
        }
    }

    fn leave(&mut self, policy: Slot) {
        let Some(list) = self.by_policy.remove(&policy.bit()) else {
            return;
        };
        self.every.remove(policy.bit());
        for entity in list.named() {
            strike(&mut self.named, &entity, policy);
        }
        for attribute in list.leads() {
            strike(&mut self.leads, attribute, policy);
        }
        for attribute in list.followers() {
            strike(&mut self.followers, attribute, policy);
        }
    }

    fn selecting(
        &self,
        entity: Slot,
        among: Selected<'_>,
        within: Option<&RoaringBitmap>,
    ) -> RoaringBitmap {
        let is_within = |policy: &&u32| within.is_none_or(|within| within.contains(**policy));
        let carried: Vec<&str> = among.carried.of(entity).collect();
        let named = self.named.get(&entity.bit()).into_iter().flatten();
        let led = carried
            .iter()
            .filter_map(|attribute| self.leads.get(*attribute))
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
        let lists: usize = self.by_policy.values().map(Selection::heap_bytes).sum();
        let by_attribute = [&self.leads, &self.followers];
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
            + self.by_policy.capacity() * size_of::<(u32, Selection)>()
            + self.named.capacity() * size_of::<(u32, Vec<u32>)>()
            + (self.leads.capacity() + self.followers.capacity())
                * size_of::<(Box<str>, Vec<u32>)>()
            + self.every.serialized_size()
    }
}

/// Takes a policy out of the entry of `key`, which goes with the last one.
fn strike<K: Hash + Eq>(entries: &mut HashMap<K, Vec<u32>>, key: &K, policy: Slot) {
    if let Some(policies) = entries.get_mut(key) {
        policies.retain(|other| *other != policy.bit());
        if policies.is_empty() {
            entries.remove(key);
        }
    }
}
