//! Unlinking removed entities from the lists that refer to them.

use super::dispatch::{EntityVisitor, dispatch};
use super::kind::{Entity, UniqueValue};
use super::write::{RowsMut, WriteError};
use crate::engine::StoreError;
use crate::key::RecordKey;

impl RowsMut<'_> {
    /// Removes the entity `gone` at `key` from the records that list it.
    pub(super) fn unlink_referrers<E: Entity>(
        &mut self,
        key: &RecordKey,
        gone: &E,
    ) -> Result<(), StoreError> {
        let values = gone.unique_values();
        for kind in E::UNLINKED_FROM {
            for referrer in self.rows().referrers(key, *kind, usize::MAX)? {
                let unlink = UnlinkReferrer {
                    rows: self,
                    referrer: &referrer,
                    values: &values,
                };
                dispatch(*kind, unlink).unwrap_or(Ok(()))?;
                // A reference row without a list entry would outlive its target.
                self.delete_reference(key, &referrer);
            }
        }
        Ok(())
    }
}

/// Removes entities with one of `values` from one record.
struct UnlinkReferrer<'a, 't> {
    rows: &'a mut RowsMut<'t>,
    referrer: &'a RecordKey,
    values: &'a [UniqueValue],
}

impl EntityVisitor for UnlinkReferrer<'_, '_> {
    type Output = Result<(), StoreError>;

    fn visit<E: Entity>(self) -> Self::Output {
        let Some(before) = self.rows.rows().get::<E>(self.referrer)? else {
            return Ok(());
        };
        let mut after = before.clone();
        let mut is_changed = false;
        for value in self.values {
            is_changed |= after.unlink(value);
        }
        if !is_changed {
            return Ok(());
        }
        let replaced = self.rows.replace(self.referrer, &before, &after);
        replaced.map_err(|error| match error {
            WriteError::Store(error) => error,
            error => StoreError::corrupt(format!(
                "record {} cannot be unlinked: {error}",
                self.referrer
            )),
        })
    }
}
