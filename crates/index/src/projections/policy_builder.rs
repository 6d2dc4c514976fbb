//! Construction of catalogs during a scan of the store.

use super::catalog_kind::PolicyRecord;
use crate::access::{AccessIndex, SelectableCatalogs};
use crate::catalog::{Catalog, CatalogBuilder, CatalogEntry};
use portcullis_domain::change::EntityChange;
use portcullis_domain::ids::RecordNumber;
use std::sync::Arc;

/// Collects the policies of a kind until the catalogs contain everything that they reference.
pub(super) struct PolicyBuilder<E: CatalogEntry> {
    catalog: CatalogBuilder<E>,
    records: Vec<(RecordNumber, Arc<E>)>,
}

impl<E: CatalogEntry> Default for PolicyBuilder<E> {
    fn default() -> Self {
        Self {
            catalog: CatalogBuilder::default(),
            records: Vec::new(),
        }
    }
}

impl<E: PolicyRecord> PolicyBuilder<E> {
    pub(super) fn put(&mut self, record: &EntityChange<E>) {
        put_record(&mut self.catalog, record);
        if let Some(policy) = &record.entity {
            self.records.push((record.number, policy.clone()));
        }
    }

    /// Builds the catalog and adds the policies to the access index.
    pub(super) fn build(
        self,
        access: &mut AccessIndex,
        kinds: SelectableCatalogs<'_>,
    ) -> Catalog<E> {
        let catalog = self.catalog.build();
        for (number, policy) in self.records {
            if let Some(slot) = catalog.slot(number) {
                access.put(slot, policy.as_policy(), kinds);
            }
        }
        catalog
    }
}

pub(super) fn put_record<E: CatalogEntry>(
    builder: &mut CatalogBuilder<E>,
    record: &EntityChange<E>,
) {
    if let Some(entity) = &record.entity {
        builder.put(record.number, record.owner, entity);
    }
}
