//! What is checked.

use portcullis_wire::management::{
    Found, ManagementMessage, RouterFilter, ValidateDataModel, ValidateTerminators,
};
use serde::Serialize;

/// A filter for all routers. OpenZiti's controllers take none for the first ten.
const ALL: &str = "true limit none";

/// A validation that controllers make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Check {
    Links,
    Circuits,
    Terminators,
    SdkTerminators,
    TunnelTerminators,
    DataModel,
    IdentityConnections,
}

/// What a message says about a check.
#[derive(Debug)]
pub(super) enum Told {
    /// How many details there will be, or why there are none.
    Answer(Found),
    Detail(Box<ManagementMessage>),
}

impl Check {
    pub(super) const ALL: [Self; 7] = [
        Self::Links,
        Self::Circuits,
        Self::Terminators,
        Self::SdkTerminators,
        Self::TunnelTerminators,
        Self::DataModel,
        Self::IdentityConnections,
    ];

    /// For people.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Links => "links",
            Self::Circuits => "circuits",
            Self::Terminators => "terminators",
            Self::SdkTerminators => "terminators of SDKs",
            Self::TunnelTerminators => "terminators of tunnelers",
            Self::DataModel => "data model",
            Self::IdentityConnections => "identity connections",
        }
    }

    /// What is counted by the answer.
    pub(super) const fn counted(self) -> (&'static str, &'static str) {
        match self {
            Self::Terminators => ("terminator", "terminators"),
            Self::DataModel => ("model", "models"),
            _ => ("router", "routers"),
        }
    }

    pub(super) fn request(self) -> ManagementMessage {
        let filter = || RouterFilter {
            filter: ALL.to_owned(),
        };
        match self {
            Self::Links => ManagementMessage::ValidateLinks(filter()),
            Self::Circuits => ManagementMessage::ValidateCircuits(filter()),
            Self::Terminators => ManagementMessage::ValidateTerminators(ValidateTerminators {
                filter: ALL.to_owned(),
                ..ValidateTerminators::default()
            }),
            Self::SdkTerminators => ManagementMessage::ValidateSdkTerminators(filter()),
            Self::TunnelTerminators => ManagementMessage::ValidateErtTerminators(filter()),
            Self::DataModel => ManagementMessage::ValidateDataModel(ValidateDataModel {
                filter: ALL.to_owned(),
                includes_controller: true,
                fixes: false,
            }),
            Self::IdentityConnections => ManagementMessage::ValidateIdentityConnections(filter()),
        }
    }

    /// The check that a message belongs to; `None` for messages of other kinds.
    pub(super) fn of_message(message: ManagementMessage) -> Option<(Self, Told)> {
        use ManagementMessage as M;
        Some(match message {
            M::LinksFound(found) => (Self::Links, Told::Answer(found)),
            M::CircuitsFound(found) => (Self::Circuits, Told::Answer(found)),
            M::TerminatorsFound(found) => (Self::Terminators, Told::Answer(found)),
            M::SdkTerminatorsFound(found) => (Self::SdkTerminators, Told::Answer(found)),
            M::ErtTerminatorsFound(found) => (Self::TunnelTerminators, Told::Answer(found)),
            M::DataModelsFound(found) => (Self::DataModel, Told::Answer(found)),
            M::IdentityConnectionsFound(found) => (Self::IdentityConnections, Told::Answer(found)),
            detail @ M::LinkDetails(_) => (Self::Links, Told::Detail(detail.into())),
            detail @ M::RouterCircuits(_) => (Self::Circuits, Told::Detail(detail.into())),
            detail @ M::TerminatorDetail(_) => (Self::Terminators, Told::Detail(detail.into())),
            detail @ M::SdkTerminatorDetails(_) => {
                (Self::SdkTerminators, Told::Detail(detail.into()))
            },
            detail @ M::ErtTerminatorDetails(_) => {
                (Self::TunnelTerminators, Told::Detail(detail.into()))
            },
            detail @ M::DataModelDetails(_) => (Self::DataModel, Told::Detail(detail.into())),
            detail @ M::IdentityConnectionDetails(_) => {
                (Self::IdentityConnections, Told::Detail(detail.into()))
            },
            _ => return None,
        })
    }
}
