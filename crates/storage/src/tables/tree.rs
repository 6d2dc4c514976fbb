//! Removing identities and routers with everything that lives under them.

use super::dispatch::{ForEntity, dispatch};
use super::kind::Entity;
use super::read::Found;
use super::write::RowsMut;
use crate::engine::StoreError;
use crate::key::RecordKey;
use portcullis_domain::identity::Identity;
use portcullis_domain::router::Router;
use std::ops::ControlFlow;

impl RowsMut<'_> {
    /// Removes an identity and all that lives under it: enrollments, authenticators, sessions.
    pub fn remove_identity(&mut self, identity: &Found<Identity>) -> Result<(), StoreError> {
        self.remove_tree(&identity.key)
    }

    /// Removes a router and its enrollment.
    pub fn remove_router(&mut self, router: &Found<Router>) -> Result<(), StoreError> {
        self.remove_tree(&router.key)
    }

    fn remove_tree(&mut self, root: &RecordKey) -> Result<(), StoreError> {
        for key in self.tree(root)? {
            self.remove_record(&key)?;
        }
        Ok(())
    }

    /// Removes the record at `key`, whatever it is, if it is there.
    pub(super) fn remove_record(&mut self, key: &RecordKey) -> Result<(), StoreError> {
        let removal = Removal { rows: self, key };
        dispatch(key.id().0, removal).unwrap_or_else(|| {
            Err(StoreError::corrupt(format!(
                "record {key} is of no known kind"
            )))
        })
    }

    /// Removes all entities of one kind that live under `root` and meet `condition`.
    pub fn remove_dependents<E: Entity>(
        &mut self,
        root: &RecordKey,
        condition: impl Fn(&E) -> bool,
    ) -> Result<usize, StoreError> {
        let doomed: Vec<Found<E>> = self.rows().dependents(root)?;
        let mut removed = 0;
        for found in doomed.iter().filter(|found| condition(&found.entity)) {
            self.remove(&found.key, &found.entity)?;
            removed += 1;
        }
        Ok(removed)
    }

    /// Removes the entity at `key`, if it is there.
    pub fn remove_at<E: Entity>(&mut self, key: &RecordKey) -> Result<(), StoreError> {
        match self.rows().get::<E>(key)? {
            Some(entity) => self.remove(key, &entity),
            None => Ok(()),
        }
    }

    fn tree(&self, root: &RecordKey) -> Result<Vec<RecordKey>, StoreError> {
        let mut keys = Vec::new();
        self.rows().tx().scan(&root.tree(), &mut |bytes, _frame| {
            let key = RecordKey::parse(bytes)
                .ok_or_else(|| StoreError::corrupt("a key is not that of a record"))?;
            keys.push(key);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(keys)
    }
}

/// Removes one record, whatever it is.
struct Removal<'a, 't> {
    rows: &'a mut RowsMut<'t>,
    key: &'a RecordKey,
}

impl ForEntity for Removal<'_, '_> {
    type Output = Result<(), StoreError>;

    fn run<E: Entity>(self) -> Self::Output {
        self.rows.remove_at::<E>(self.key)
    }
}
