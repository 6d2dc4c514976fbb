//! Checks of the operating system, as arguments.

use super::question::{Question, refused};
use crate::error::CliError;
use crate::words::between_commas;
use clap::Args;
use portcullis_api::posture_check::OperatingSystem;
use portcullis_domain::posture_check::{Check, CheckPatch, OsCheck, OsType, VersionRange};

/// What is between a system and its versions, and between these.
const SEPARATOR: char = ':';

/// Which operating systems will do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct OsArgs {
    /// Allowed operating systems, separated by commas, such as `Linux,macOS`; allowed versions after
    /// colons, such as `Windows:>=10.0.19041`; any version if there are none
    #[arg(long, value_name = "SYSTEMS", value_parser = systems)]
    os: Option<Vec<Systems>>,
}

/// Operating systems of one argument.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Systems(Vec<(OsType, Vec<String>)>);

/// Reads operating systems separated by commas.
fn systems(text: &str) -> Result<Systems, String> {
    let words = between_commas(text);
    let systems = words.iter().map(|word| system(word));
    systems.collect::<Result<_, _>>().map(Systems)
}

fn system(word: &str) -> Result<(OsType, Vec<String>), String> {
    let mut parts = word.split(SEPARATOR).map(str::trim);
    let kind = named(parts.next().unwrap_or_default())?;
    let versions = parts.map(|range| match VersionRange::parse(range) {
        Ok(range) => Ok(range.as_str().to_owned()),
        Err(error) => Err(format!("the version `{range}` of {}: {error}", kind.name())),
    });
    Ok((kind, versions.collect::<Result<_, _>>()?))
}

/// The operating system of that name, in any case.
pub(super) fn named(name: &str) -> Result<OsType, String> {
    OsType::of_client(name).ok_or_else(|| {
        let names = OsType::ALL.map(OsType::name).join(", ");
        format!("`{name}` is not an operating system; use one of {names}")
    })
}

impl OsArgs {
    fn read(&self) -> Result<Option<OsCheck>, CliError> {
        let Some(given) = &self.os else {
            return Ok(None);
        };
        let systems: Vec<_> = given.iter().flat_map(|Systems(systems)| systems).collect();
        for (place, (kind, _)) in systems.iter().enumerate() {
            if systems
                .iter()
                .skip(place + 1)
                .any(|(other, _)| other == kind)
            {
                let name = kind.name();
                return Err(CliError::usage(format!("--os: {name} is given twice"))
                    .hint(format!("write its versions together, as `{name}:1.x:2.x`")));
            }
        }
        let systems: Vec<_> = systems.into_iter().cloned().collect();
        let systems = systems
            .into_iter()
            .map(|(kind, versions)| (kind.name(), versions));
        OsCheck::new(systems)
            .map(Some)
            .map_err(|error| refused("--os", error))
    }
}

impl Question for OsArgs {
    const CREATE: &'static str = "\
Versions are such as `10.0.19041`, `11.x`, `>=10.0.19041` or `>=10.0.0 <11.0.0 || 12.x`; a machine
passes if its system is among those that are named, in one of the versions.

Examples:
  portcullis posture-check create os desktop --os Linux,macOS,Windows
  portcullis posture-check create os current --os 'Windows:>=10.0.19041' --os 'macOS:13.x:14.x'";
    const UPDATE: &'static str = "\
Examples:
  portcullis posture-check update os current --os 'Windows:>=10.0.22000' --os macOS
  portcullis posture-check update os current --name supported --role-attributes desktop";
    const HOW: &'static str = "--os SYSTEMS";

    fn check(&self) -> Result<Option<Check>, CliError> {
        Ok(self.read()?.map(Check::Os))
    }

    fn change(&self) -> Result<CheckPatch, CliError> {
        self.read().map(CheckPatch::Os)
    }
}

/// Writes an operating system as it is given in arguments.
pub(super) fn shown(system: &OperatingSystem) -> String {
    let versions = system.versions.iter().flatten().map(String::as_str);
    let parts = std::iter::once(system.kind.name()).chain(versions);
    parts.collect::<Vec<_>>().join(":")
}
