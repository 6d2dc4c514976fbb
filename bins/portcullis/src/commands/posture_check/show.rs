//! How people see posture checks.

use super::question::word;
use super::{mfa, os, process};
use crate::commands::attributes;
use crate::entity::Entity;
use crate::table::Table;
use portcullis_api::entity::Base;
use portcullis_api::posture_check::{CheckBody, PostureCheckDetail};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::PostureCheckId;
use portcullis_domain::roles::Semantic;

impl Entity for PostureCheckDetail {
    const COMMAND: &'static str = "posture-check";
    const LIST: &'static str = "portcullis posture-check list";
    const SINGULAR: &'static str = "posture check";
    const PLURAL: &'static str = "posture checks";
    const COLUMNS: &'static [&'static str] = &["id", "name", "type", "role attributes", "asks for"];

    fn base(&self) -> &Base<PostureCheckId> {
        &self.base
    }

    fn called(&self) -> &str {
        &self.name
    }

    fn further_cells(&self) -> Vec<String> {
        vec![
            word(self.check.kind()).to_owned(),
            attributes::shown(Some(&self.role_attributes)),
            asked(&self.check),
        ]
    }

    fn properties(&self, table: Table, _now: Timestamp) -> Table {
        let table = table.property("type", word(self.check.kind())).property(
            "role attributes",
            attributes::shown(Some(&self.role_attributes)),
        );
        match &self.check {
            CheckBody::Os { operating_systems } => {
                operating_systems.iter().fold(table, |table, system| {
                    table.property("system", os::shown(system))
                })
            },
            CheckBody::Domain { domains } => table.property("domains", domains.join(", ")),
            CheckBody::Mac { mac_addresses } => {
                table.property("addresses", mac_addresses.join(", "))
            },
            CheckBody::Mfa(mfa) => mfa::properties(mfa, table),
            CheckBody::Process { process } => table.property("process", process::single(process)),
            CheckBody::ProcessMulti {
                processes,
                semantic,
            } => processes.iter().map(process::several).fold(
                table.property("semantic", semantic.name()),
                |table, process| table.property("process", process),
            ),
        }
    }
}

/// Writes what a check asks in one line.
fn asked(check: &CheckBody) -> String {
    match check {
        CheckBody::Os { operating_systems } => {
            let systems = operating_systems.iter().map(os::shown);
            systems.collect::<Vec<_>>().join(", ")
        },
        CheckBody::Domain { domains } => domains.join(", "),
        CheckBody::Mac { mac_addresses } => mac_addresses.join(", "),
        CheckBody::Mfa(mfa) => mfa::shown(mfa),
        CheckBody::Process { process } => process::single(process),
        CheckBody::ProcessMulti {
            processes,
            semantic,
        } => {
            let processes: Vec<_> = processes.iter().map(process::several).collect();
            let number = match semantic {
                Semantic::AllOf => "all of",
                Semantic::AnyOf => "any of",
            };
            format!("{number} {}", processes.join("; "))
        },
    }
}
