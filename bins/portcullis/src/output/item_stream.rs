//! A list that is written item by item.

use super::json_list::JsonList;
use super::{Format, entity_document, serialization_error, write, write_json, write_name, yaml};
use crate::error::CliError;
use serde::Serialize;

/// Writer of a list that does not keep its items.
#[derive(Debug)]
pub(crate) enum ItemStream {
    Json(JsonList),
    Yaml { is_empty: bool },
    Names,
}

impl ItemStream {
    /// `None` for tables, whose columns depend on all rows.
    pub(crate) fn new(format: Format) -> Option<Self> {
        match format {
            Format::Json => Some(Self::Json(JsonList::default())),
            Format::Yaml => Some(Self::Yaml { is_empty: true }),
            Format::Name => Some(Self::Names),
            Format::Table | Format::Wide => None,
        }
    }

    /// Writes a further entity, or its name.
    pub(crate) fn push(&mut self, name: &str, entity: &impl Serialize) -> Result<(), CliError> {
        let document = || entity_document::of(entity).map_err(serialization_error);
        match self {
            Self::Json(list) => {
                let text = list.push(&document()?).map_err(serialization_error)?;
                write_json(&text)
            },
            Self::Yaml { is_empty } => {
                *is_empty = false;
                write(&yaml(&[document()?]).map_err(serialization_error)?)
            },
            Self::Names => write_name(name),
        }
    }

    /// Writes the end of the list.
    pub(crate) fn finish(self) -> Result<(), CliError> {
        match self {
            Self::Json(list) => write_json(list.finish()),
            Self::Yaml { is_empty: true } => write("[]\n"),
            Self::Yaml { .. } | Self::Names => Ok(()),
        }
    }
}
