//! Having what is removed forgotten by the lists that name it.

use super::dispatch::{ForEntity, dispatch};
use super::kind::{Entity, UniqueValue};
use super::write::{RowsMut, WriteError};
use crate::engine::StoreError;
use crate::key::RecordKey;

impl RowsMut<'_> {
    /// Rewrites the records that name `gone`, which lies at `key`, without it.
    pub(super) fn have_forgotten<E: Entity>(
        &mut self,
        key: &RecordKey,
        gone: &E,
    ) -> Result<(), StoreError> {
        let values = gone.unique_values();
        for kind in E::NAMED_BY {
            for referrer in self.rows().referrers(key, *kind, usize::MAX)? {
                let forgetting = Forgetting {
                    rows: self,
                    referrer: &referrer,
                    values: &values,
                };
                dispatch(*kind, forgetting).unwrap_or(Ok(()))?;
                // A reference without a name in a list would outlive its target.
                self.part(key, &referrer);
            }
        }
        Ok(())
    }
}

/// Rewrites one record, whatever it is, without what has one of `values`.
struct Forgetting<'a, 't> {
    rows: &'a mut RowsMut<'t>,
    referrer: &'a RecordKey,
    values: &'a [UniqueValue],
}

impl ForEntity for Forgetting<'_, '_> {
    type Output = Result<(), StoreError>;

    fn run<E: Entity>(self) -> Self::Output {
        let Some(before) = self.rows.rows().get::<E>(self.referrer)? else {
            return Ok(());
        };
        let mut after = before.clone();
        let mut is_changed = false;
        for value in self.values {
            is_changed |= after.forget(value);
        }
        if !is_changed {
            return Ok(());
        }
        let replaced = self.rows.replace(self.referrer, &before, &after);
        replaced.map_err(|error| match error {
            WriteError::Store(error) => error,
            error => StoreError::corrupt(format!("{} cannot forget: {error}", self.referrer)),
        })
    }
}
