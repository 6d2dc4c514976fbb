//! Which configurations of services are wanted, by their types.

use portcullis_domain::config::{ConfigType, EVERY_TYPE};
use portcullis_domain::ids::ConfigTypeId;
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{Found, Index, Rows, UniqueValue, reference};
use std::collections::BTreeSet;

/// Types of configurations whose data is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// It is not asked for data at all.
    Nothing,
    /// Data of every type.
    Every,
    /// Data of these types.
    These(BTreeSet<ConfigTypeId>),
}

impl Wanted {
    /// Reads types that a client named by id or name. What does not exist is passed over, for clients
    /// ask for what they know, and not every network has it.
    pub(crate) fn read<'n>(
        rows: Rows<'_>,
        named: impl IntoIterator<Item = &'n str>,
    ) -> Result<Self, StoreError> {
        let mut types = BTreeSet::new();
        for name in named {
            if name == EVERY_TYPE {
                return Ok(Self::Every);
            }
            if let Some(id) = find(rows, name)? {
                types.insert(id);
            }
        }
        Ok(Self::These(types))
    }

    /// Whether data of no type at all is wanted.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Nothing => true,
            Self::Every => false,
            Self::These(types) => types.is_empty(),
        }
    }

    /// The types by their ids, from which the same can be read again.
    pub(crate) fn to_names(&self) -> Vec<String> {
        match self {
            Self::Nothing => Vec::new(),
            Self::Every => vec![EVERY_TYPE.to_owned()],
            Self::These(types) => types.iter().map(ToString::to_string).collect(),
        }
    }

    /// Whether data of a type is wanted.
    pub(crate) fn includes(&self, id: &ConfigTypeId) -> bool {
        match self {
            Self::Nothing => false,
            Self::Every => true,
            Self::These(types) => types.contains(id),
        }
    }
}

fn find(rows: Rows<'_>, named: &str) -> Result<Option<ConfigTypeId>, StoreError> {
    let id = ConfigTypeId::from_wire(named);
    if rows.locate(&reference(&id))?.is_some() {
        return Ok(Some(id));
    }
    let by_name = UniqueValue::new(Index::ConfigTypeName, named);
    let found: Option<Found<ConfigType>> = rows.find(&by_name)?;
    Ok(found.map(|found| found.entity.id))
}
