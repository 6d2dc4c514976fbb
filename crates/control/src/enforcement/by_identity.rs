//! Circuits by the identities whose rights they depend on.

use portcullis_domain::ids::IdentityId;
use portcullis_fabric::CircuitId;
use std::collections::{BTreeMap, BTreeSet};

/// Established circuits by who has dialed them, and by who hosts them.
#[derive(Debug, Default)]
pub(super) struct CircuitsByIdentity {
    circuits: BTreeMap<IdentityId, BTreeSet<CircuitId>>,
    identities: BTreeMap<CircuitId, Vec<IdentityId>>,
}

impl CircuitsByIdentity {
    /// A circuit depends on rights of this identity, perhaps of others too.
    pub(super) fn add(&mut self, circuit: &CircuitId, identity: &IdentityId) {
        let of_identity = self.circuits.entry(identity.clone()).or_default();
        if of_identity.insert(circuit.clone()) {
            let of_circuit = self.identities.entry(circuit.clone()).or_default();
            of_circuit.push(identity.clone());
        }
    }

    /// A circuit has ended.
    pub(super) fn remove(&mut self, circuit: &CircuitId) {
        for identity in self.identities.remove(circuit).unwrap_or_default() {
            if let Some(circuits) = self.circuits.get_mut(&identity) {
                circuits.remove(circuit);
                if circuits.is_empty() {
                    self.circuits.remove(&identity);
                }
            }
        }
    }

    /// The circuits that depend on rights of some identities.
    pub(super) fn of(&self, identities: &BTreeSet<IdentityId>) -> BTreeSet<&CircuitId> {
        let circuits = identities.iter().filter_map(|id| self.circuits.get(id));
        circuits.flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circuits_are_found_by_both_ends_until_they_end() {
        let [first, second] = ["a", "b"].map(|id| CircuitId::new(id).unwrap());
        let [alice, bob] = ["alice", "bob"].map(IdentityId::from_wire);
        let mut circuits = CircuitsByIdentity::default();
        for (circuit, identity) in [(&first, &alice), (&first, &bob), (&second, &bob)] {
            circuits.add(circuit, identity);
            circuits.add(circuit, identity);
        }
        let of = |circuits: &CircuitsByIdentity, identities: &[&IdentityId]| {
            let identities = identities.iter().copied().cloned().collect();
            circuits
                .of(&identities)
                .into_iter()
                .cloned()
                .collect::<Vec<_>>()
        };
        assert_eq!(of(&circuits, &[&alice]), std::slice::from_ref(&first));
        assert_eq!(
            of(&circuits, &[&alice, &bob]),
            [first.clone(), second.clone()]
        );
        circuits.remove(&first);
        assert_eq!(
            of(&circuits, &[&alice, &bob]),
            std::slice::from_ref(&second)
        );
        circuits.remove(&second);
        assert!(circuits.circuits.is_empty() && circuits.identities.is_empty());
    }
}
