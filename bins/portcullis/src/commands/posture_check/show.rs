//! Table view of posture checks.

use super::requirement::type_name;
use super::{mfa, os, process};
use crate::column::Column;
use crate::commands::attributes;
use crate::entity::{EntityKind, Named};
use crate::table::Table;
use portcullis_api::entity::Base;
use portcullis_api::posture_check::{CheckDefinition, PostureCheckDetail};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::PostureCheckId;
use portcullis_domain::roles::Semantic;

impl Named for PostureCheckDetail {
    fn name(&self) -> &str {
        &self.name
    }
}

impl EntityKind for PostureCheckDetail {
    const COMMAND: &'static str = "posture-check";
    const SINGULAR: &'static str = "posture check";
    const PLURAL: &'static str = "posture checks";
    const COLUMNS: &'static [Column<Self>] = &[
        Column::new("typeId", "type", |check, _| {
            type_name(check.check.kind()).into()
        }),
        Column::new("roleAttributes", "attributes", |check, _| {
            attributes::display(Some(&check.role_attributes)).into()
        }),
        Column::new("requirement", "requires", |check, _| {
            display_requirement(&check.check).into()
        }),
    ];
    const FIELDS: &'static [&'static str] = &[
        "name",
        "typeId",
        "roleAttributes",
        "promptOnWake",
        "promptOnUnlock",
    ];

    fn base(&self) -> Option<&Base<PostureCheckId>> {
        Some(&self.base)
    }

    fn add_properties(&self, table: Table, _now: Timestamp) -> Table {
        let table = table
            .property("type", type_name(self.check.kind()))
            .property(
                "role attributes",
                attributes::display(Some(&self.role_attributes)),
            );
        match &self.check {
            CheckDefinition::Os { operating_systems } => {
                operating_systems.iter().fold(table, |table, system| {
                    table.property("system", os::display(system))
                })
            },
            CheckDefinition::Domain { domains } => table.property("domains", domains.join(", ")),
            CheckDefinition::Mac { mac_addresses } => {
                table.property("addresses", mac_addresses.join(", "))
            },
            CheckDefinition::Mfa(mfa) => mfa::properties(mfa, table),
            CheckDefinition::Process { process } => {
                table.property("process", process::display_single(process))
            },
            CheckDefinition::ProcessMulti {
                processes,
                semantic,
            } => processes.iter().map(process::display_multi).fold(
                table.property("semantic", semantic.name()),
                |table, process| table.property("process", process),
            ),
        }
    }
}

/// Formats the requirement of a check in one line.
fn display_requirement(check: &CheckDefinition) -> String {
    match check {
        CheckDefinition::Os { operating_systems } => {
            let systems = operating_systems.iter().map(os::display);
            systems.collect::<Vec<_>>().join(", ")
        },
        CheckDefinition::Domain { domains } => domains.join(", "),
        CheckDefinition::Mac { mac_addresses } => mac_addresses.join(", "),
        CheckDefinition::Mfa(mfa) => mfa::display(mfa),
        CheckDefinition::Process { process } => process::display_single(process),
        CheckDefinition::ProcessMulti {
            processes,
            semantic,
        } => {
            let processes: Vec<_> = processes.iter().map(process::display_multi).collect();
            let number = match semantic {
                Semantic::AllOf => "all of",
                Semantic::AnyOf => "any of",
            };
            format!("{number} {}", processes.join("; "))
        },
    }
}
