//! Requested config types of services.

use portcullis_domain::config::{ALL_TYPES, ConfigType};
use portcullis_domain::ids::ConfigTypeId;
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{Found, Rows, UniqueIndex, UniqueValue, reference};
use std::collections::BTreeSet;

/// The config types whose data is requested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RequestedConfigTypes {
    /// No data is requested.
    Nothing,
    /// All types.
    All,
    /// These types.
    Ids(BTreeSet<ConfigTypeId>),
}

impl RequestedConfigTypes {
    /// Resolves types by id or name. Unknown ones are skipped, since clients request all types that
    /// they support, and not every network has them.
    pub(crate) fn resolve<'n>(
        rows: Rows<'_>,
        named: impl IntoIterator<Item = &'n str>,
    ) -> Result<Self, StoreError> {
        let mut types = BTreeSet::new();
        for name in named {
            if name == ALL_TYPES {
                return Ok(Self::All);
            }
            if let Some(id) = find_id(rows, name)? {
                types.insert(id);
            }
        }
        Ok(Self::Ids(types))
    }

    /// Whether no type is requested.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Nothing => true,
            Self::All => false,
            Self::Ids(types) => types.is_empty(),
        }
    }

    /// The ids of the types, which [`Self::resolve`] accepts again.
    pub(crate) fn to_names(&self) -> Vec<String> {
        match self {
            Self::Nothing => Vec::new(),
            Self::All => vec![ALL_TYPES.to_owned()],
            Self::Ids(types) => types.iter().map(ToString::to_string).collect(),
        }
    }

    /// Whether data of a type is requested.
    pub(crate) fn includes(&self, id: &ConfigTypeId) -> bool {
        match self {
            Self::Nothing => false,
            Self::All => true,
            Self::Ids(types) => types.contains(id),
        }
    }
}

fn find_id(rows: Rows<'_>, named: &str) -> Result<Option<ConfigTypeId>, StoreError> {
    let id = ConfigTypeId::from_wire(named);
    if rows.locate(&reference(&id))?.is_some() {
        return Ok(Some(id));
    }
    let by_name = UniqueValue::new(UniqueIndex::ConfigTypeName, named);
    let found: Option<Found<ConfigType>> = rows.find(&by_name)?;
    Ok(found.map(|found| found.entity.id))
}
