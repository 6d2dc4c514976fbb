//! Where controller and routers disagree about the network.
//!
//! The controller asks a router what it has, and compares the answer with what it knows itself. Everything
//! that follows is a [`Finding`]: a sentence, and what to do about it. The messages for
//! `ziti fabric validate` are made of the same comparison. No I/O, no clock.
//!
//! ```text
//! what is known --+
//!                 +--> compare_… -> Comparison -+-> findings(): for people
//! Answer ---------+                             +-> LinkDetails, RouterCircuits, …: for the wire
//! ```
//!
//! | Asked for | Function | Message |
//! |---|---|---|
//! | `links` | [`compare_links`] | [`LinkDetails`] |
//! | `sdk-terminators` | [`compare_sdk_terminators`] | [`SdkTerminatorDetails`] |
//! | `ert-terminators` | [`compare_ert_terminators`] | [`ErtTerminatorDetails`] |
//! | `router-circuits`, `router-edge-circuits`, `router-sdk-circuits` | [`compare_circuits`] | [`RouterCircuits`] |
//! | `identity-connection-statuses` | [`compare_identities`] | [`ComponentDetails`] |
//! | validation of the data model | [`compare_data_models`] | [`ComponentDetails`] |
//! | validation of terminators | [`judge_terminators`] | [`TerminatorDetail`] for each |
//! | nothing | [`count_terminators`] | [`HostState`] for each that differs |
//!
//! Since when something is so, the controller tells with what it knows, in texts for which clients have no other
//! place for it ([`split_time`]); for the rest, findings can be
//! compared, and whoever asks again sees which of them it has seen before.
//!
//! # What a router does not tell
//!
//! A router may leave out a part of what it has, and says so; of a long list, only a part is read
//! ([`MAX_ENTRIES`]). What is missing there may exist, and is not reported: the [`Gap`] is, instead. SDKs
//! in C do not tell their circuits; a circuit is missing in an SDK only if the SDK has told others, or all
//! SDKs have told theirs.
//!
//! # What differs from OpenZiti
//!
//! - Each terminator gets its result, whatever the answer of its router was, so that clients do not wait for
//!   ever. Results about hosts go before the last of them.
//! - The identity of a router that is a tunneler counts as connected to the router.
//! - The texts of a link say all that is wrong with it.
//! - Terminators without a host are not counted for one.
//! - Nothing is missing in a list that is known to be incomplete.
//!
//! # Examples
//!
//! ```
//! use portcullis_domain::ids::RouterId;
//! use portcullis_validation::{Answer, Finding as _, Known, Router, compare_links};
//! use portcullis_wire::control::inspection::{InspectResponse, InspectedValue};
//! use portcullis_wire::management::LinkDetails;
//!
//! let router = Router { id: RouterId::from_wire("r1"), name: "lisbon".into(), tells_circuits: true };
//! let links = r#"{"links": [{"id": "l1", "dest": "r2", "dialed": true}], "errors": null}"#;
//! let answer = InspectResponse {
//!     is_success: true,
//!     errors: Vec::new(),
//!     values: vec![InspectedValue { name: "links".into(), value: links.to_owned().into() }],
//! };
//! let comparison = compare_links(&router, &Known::new(), |_| true, Ok(&answer));
//! let finding = comparison.findings().next().expect("the controller knows no link");
//! assert_eq!(
//!     finding.to_string(),
//!     "the router has link l1 to router r2, which the controller does not know",
//! );
//! assert!(!LinkDetails::from(&comparison).links[0].is_valid);
//! ```
//!
//! # Order of the modules
//!
//! Imports go one way, from later modules to earlier ones: `text`, `finding`; `bounded`; `answer`;
//! `inspection`; `comparison`; `links`, `terminators`, `held_terminators`, `circuits`, `identities`, `data_model`.
//!
//! [`LinkDetails`]: portcullis_wire::management::LinkDetails
//! [`SdkTerminatorDetails`]: portcullis_wire::management::SdkTerminatorDetails
//! [`ErtTerminatorDetails`]: portcullis_wire::management::ErtTerminatorDetails
//! [`RouterCircuits`]: portcullis_wire::management::RouterCircuits
//! [`ComponentDetails`]: portcullis_wire::management::ComponentDetails
//! [`TerminatorDetail`]: portcullis_wire::management::TerminatorDetail
//! [`HostState`]: portcullis_wire::management::HostState

mod answer;
mod bounded;
mod circuits;
mod comparison;
mod data_model;
mod finding;
mod held_terminators;
mod identities;
mod inspection;
mod links;
mod terminators;
mod text;

#[cfg(test)]
mod fixture;

pub use crate::answer::{Answer, Gap, NoAnswer};
pub use crate::bounded::MAX_ENTRIES;
pub use crate::circuits::{
    CIRCUIT_INSPECTIONS, CircuitDisagreement, CircuitPlace, ComparedCircuit, KnownCircuit,
    compare_circuits,
};
pub use crate::comparison::{Compared, Comparison, Known, Router};
pub use crate::data_model::{ModelDisagreement, compare_data_models, controller_model_details};
pub use crate::finding::{Finding, split_time};
pub use crate::held_terminators::{
    ERT_TERMINATORS, HeldState, HeldTerminator, HeldTerminatorDisagreement, SDK_TERMINATORS,
    compare_ert_terminators, compare_sdk_terminators,
};
pub use crate::identities::{
    IDENTITY_CONNECTIONS, IdentityDisagreement, KnownConnection, compare_identities,
};
pub use crate::links::{
    ComparedLink, KnownLink, LINKS, LinkConnection, LinkDisagreement, compare_links,
};
pub use crate::terminators::{
    ExpectedTerminators, HostDisagreement, JudgedTerminator, KnownTerminator,
    TerminatorDisagreement, TerminatorFault, count_terminators, invalid_identities_filter,
    judge_terminators,
};
