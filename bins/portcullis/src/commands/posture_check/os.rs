//! Posture checks of operating systems.

use super::requirement::{Requirement, invalid_requirement};
use crate::error::CliError;
use crate::text::split_commas;
use clap::Args;
use portcullis_api::posture_check::OperatingSystem;
use portcullis_domain::posture_check::{Check, CheckPatch, OsCheck, OsType, VersionRange};

/// Separator of a system and its versions.
const SEPARATOR: char = ':';

/// Arguments of operating system checks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct OsArgs {
    /// Comma-separated operating systems, such as `Linux,macOS`, each optionally with allowed
    /// versions, such as `Windows:>=10.0.19041`
    #[arg(long, value_name = "SYSTEMS", value_parser = parse_systems)]
    os: Option<Vec<OsList>>,
}

/// Operating systems with versions, from one argument.
#[derive(Debug, Clone, PartialEq, Eq)]
struct OsList(Vec<(OsType, Vec<String>)>);

/// Parses comma-separated operating systems.
fn parse_systems(text: &str) -> Result<OsList, String> {
    let words = split_commas(text);
    let systems = words.iter().map(|word| parse_system(word));
    systems.collect::<Result<_, _>>().map(OsList)
}

fn parse_system(word: &str) -> Result<(OsType, Vec<String>), String> {
    let mut parts = word.split(SEPARATOR).map(str::trim);
    let kind = parse_os_name(parts.next().unwrap_or_default())?;
    let versions = parts.map(|range| match VersionRange::parse(range) {
        Ok(range) => Ok(range.as_str().to_owned()),
        Err(error) => Err(format!("the version `{range}` of {}: {error}", kind.name())),
    });
    Ok((kind, versions.collect::<Result<_, _>>()?))
}

/// Parses the name of an operating system, case-insensitively.
pub(super) fn parse_os_name(name: &str) -> Result<OsType, String> {
    OsType::from_client(name).ok_or_else(|| {
        let names = OsType::ALL.map(OsType::name).join(", ");
        format!("`{name}` is not an operating system; use one of {names}")
    })
}

impl OsArgs {
    fn read(&self) -> Result<Option<OsCheck>, CliError> {
        let Some(given) = &self.os else {
            return Ok(None);
        };
        let systems: Vec<_> = given.iter().flat_map(|OsList(systems)| systems).collect();
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
            .map_err(|error| invalid_requirement("--os", error))
    }
}

impl Requirement for OsArgs {
    const CREATE_EXAMPLES: &'static str = "\
Versions look like `10.0.19041`, `11.x`, `>=10.0.19041` or `>=10.0.0 <11.0.0 || 12.x`. A device
passes if it runs one of the systems, in one of its versions.

Examples:
  portcullis posture-check create os desktop --os Linux,macOS,Windows
  portcullis posture-check create os current --os 'Windows:>=10.0.19041' --os 'macOS:13.x:14.x'";
    const UPDATE_EXAMPLES: &'static str = "\
Examples:
  portcullis posture-check update os current --os 'Windows:>=10.0.22000' --os macOS
  portcullis posture-check update os current --name supported --role-attributes desktop";
    const USAGE_HINT: &'static str = "--os SYSTEMS";

    fn to_check(&self) -> Result<Option<Check>, CliError> {
        Ok(self.read()?.map(Check::Os))
    }

    fn to_patch(&self) -> Result<CheckPatch, CliError> {
        self.read().map(CheckPatch::Os)
    }
}

/// Formats an operating system as in arguments.
pub(super) fn display(system: &OperatingSystem) -> String {
    let versions = system.versions.iter().flatten().map(String::as_str);
    let parts = std::iter::once(system.kind.name()).chain(versions);
    parts.collect::<Vec<_>>().join(":")
}
