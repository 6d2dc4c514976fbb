//! Catalogs while the store is scanned.

use super::kinds::Ruling;
use crate::access::{Access, Kinds};
use crate::catalog::{Catalog, CatalogBuilder, Catalogued};
use portcullis_domain::change::EntityChange;
use portcullis_domain::ids::Number;
use std::sync::Arc;

/// The policies of a kind, kept until all that they name is in the catalogs.
pub(super) struct PolicyBuilder<E: Catalogued> {
    catalog: CatalogBuilder<E>,
    records: Vec<(Number, Arc<E>)>,
}

impl<E: Catalogued> Default for PolicyBuilder<E> {
    fn default() -> Self {
        Self {
            catalog: CatalogBuilder::default(),
            records: Vec::new(),
        }
    }
}

impl<E: Ruling> PolicyBuilder<E> {
    pub(super) fn put(&mut self, record: &EntityChange<E>) {
        put(&mut self.catalog, record);
        if let Some(policy) = &record.now {
            self.records.push((record.number, policy.clone()));
        }
    }

    /// Builds the catalog, and puts what the policies say into access.
    pub(super) fn build(self, access: &mut Access, kinds: Kinds<'_>) -> Catalog<E> {
        let catalog = self.catalog.build();
        for (number, policy) in self.records {
            if let Some(slot) = catalog.slot(number) {
                access.put(slot, policy.as_policy(), kinds);
            }
        }
        catalog
    }
}

pub(super) fn put<E: Catalogued>(builder: &mut CatalogBuilder<E>, record: &EntityChange<E>) {
    if let Some(entity) = &record.now {
        builder.put(record.number, record.owner, entity);
    }
}
