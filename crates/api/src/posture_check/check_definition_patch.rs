//! Changes to posture check definitions, as clients write them.

use super::check_definition::{OperatingSystem, ProcessMultiDefinition, seconds, to_strings};
use portcullis_domain::posture_check::{
    CheckPatch, Fingerprint, MacAddress, MfaPatch, OsType, ProcessPatch,
};
use portcullis_domain::roles::Semantic;
use serde::Serialize;
use std::num::NonZeroU32;

/// Type of a posture check in `typeId`, with the members to change.
#[derive(Debug, Serialize)]
#[serde(
    tag = "typeId",
    rename_all = "SCREAMING_SNAKE_CASE",
    rename_all_fields = "camelCase"
)]
pub(super) enum CheckDefinitionPatch {
    Os {
        #[serde(skip_serializing_if = "Option::is_none")]
        operating_systems: Option<Vec<OperatingSystem>>,
    },
    Domain {
        #[serde(skip_serializing_if = "Option::is_none")]
        domains: Option<Vec<String>>,
    },
    Mac {
        #[serde(skip_serializing_if = "Option::is_none")]
        mac_addresses: Option<Vec<String>>,
    },
    Mfa {
        #[serde(skip_serializing_if = "Option::is_none")]
        timeout_seconds: Option<i64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        prompt_on_wake: Option<bool>,
        #[serde(skip_serializing_if = "Option::is_none")]
        prompt_on_unlock: Option<bool>,
        #[serde(skip_serializing_if = "Option::is_none")]
        ignore_legacy_endpoints: Option<bool>,
    },
    Process {
        process: ProcessDefinitionPatch,
    },
    ProcessMulti {
        #[serde(skip_serializing_if = "Option::is_none")]
        processes: Option<Vec<ProcessMultiDefinition>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        semantic: Option<Semantic>,
    },
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ProcessDefinitionPatch {
    #[serde(skip_serializing_if = "Option::is_none")]
    os_type: Option<OsType>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hashes: Option<Vec<String>>,
    /// Empty to accept any signer.
    #[serde(skip_serializing_if = "Option::is_none")]
    signer_fingerprint: Option<String>,
}

impl From<&CheckPatch> for CheckDefinitionPatch {
    fn from(patch: &CheckPatch) -> Self {
        match patch {
            CheckPatch::Os(os) => Self::Os {
                operating_systems: os.as_ref().map(OperatingSystem::for_request),
            },
            CheckPatch::Domain(domain) => Self::Domain {
                domains: domain
                    .as_ref()
                    .map(|check| check.domains().iter().cloned().collect()),
            },
            CheckPatch::Mac(mac) => {
                let owned = |address: &MacAddress| address.as_str().to_owned();
                Self::Mac {
                    mac_addresses: mac
                        .as_ref()
                        .map(|check| check.addresses().iter().map(owned).collect()),
                }
            },
            CheckPatch::Mfa(mfa) => (*mfa).into(),
            CheckPatch::Process(process) => Self::Process {
                process: process.into(),
            },
            CheckPatch::ProcessMulti(patch) => Self::ProcessMulti {
                processes: patch
                    .processes
                    .as_ref()
                    .map(|processes| processes.iter().map(Into::into).collect()),
                semantic: patch.semantic,
            },
        }
    }
}

impl From<MfaPatch> for CheckDefinitionPatch {
    fn from(patch: MfaPatch) -> Self {
        let timeout = patch.timeout_seconds;
        Self::Mfa {
            timeout_seconds: timeout.map(|timeout| seconds(timeout.map(NonZeroU32::get))),
            prompt_on_wake: patch.prompt_on_wake,
            prompt_on_unlock: patch.prompt_on_unlock,
            ignore_legacy_endpoints: patch.ignore_legacy_endpoints,
        }
    }
}

impl From<&ProcessPatch> for ProcessDefinitionPatch {
    fn from(patch: &ProcessPatch) -> Self {
        let signer = patch.signer.as_ref();
        let text = |signer: &Option<Fingerprint>| {
            let signer = signer.as_ref().map(Fingerprint::as_str);
            signer.unwrap_or_default().to_owned()
        };
        Self {
            os_type: patch.os_type,
            path: patch.path.as_ref().map(|path| path.as_str().to_owned()),
            hashes: patch.hashes.as_ref().map(to_strings),
            signer_fingerprint: signer.map(text),
        }
    }
}
