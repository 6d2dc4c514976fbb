//! Removal of identities and routers with their dependents.

use super::dispatch::{EntityVisitor, dispatch};
use super::kind::Entity;
use super::read::Found;
use super::write::RowsMut;
use crate::engine::StoreError;
use crate::key::RecordKey;
use portcullis_domain::identity::Identity;
use portcullis_domain::router::Router;
use std::ops::ControlFlow;

impl RowsMut<'_> {
    /// Removes an identity and its dependents: enrollments, authenticators, sessions.
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

    /// Removes the record at `key` of any kind, if it exists.
    pub fn remove_record(&mut self, key: &RecordKey) -> Result<(), StoreError> {
        let remove = RemoveRecord { rows: self, key };
        dispatch(key.id().0, remove).unwrap_or_else(|| {
            Err(StoreError::corrupt(format!(
                "record {key} is of no known kind"
            )))
        })
    }

    /// Removes the dependents of one kind under `root` that meet `condition`; returns their number.
    pub fn remove_dependents<E: Entity>(
        &mut self,
        root: &RecordKey,
        condition: impl Fn(&E) -> bool,
    ) -> Result<usize, StoreError> {
        let dependents: Vec<Found<E>> = self.rows().dependents(root)?;
        let mut removed = 0;
        for found in dependents.iter().filter(|found| condition(&found.entity)) {
            self.remove(&found.key, &found.entity)?;
            removed += 1;
        }
        Ok(removed)
    }

    /// Removes the entity at `key`, if it exists.
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
                .ok_or_else(|| StoreError::corrupt("a key is not a record key"))?;
            keys.push(key);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(keys)
    }
}

/// Removes one record of any kind.
struct RemoveRecord<'a, 't> {
    rows: &'a mut RowsMut<'t>,
    key: &'a RecordKey,
}

impl EntityVisitor for RemoveRecord<'_, '_> {
    type Output = Result<(), StoreError>;

    fn visit<E: Entity>(self) -> Self::Output {
        self.rows.remove_at::<E>(self.key)
    }
}
