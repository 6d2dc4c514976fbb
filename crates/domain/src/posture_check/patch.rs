//! Partial updates of posture checks.

use super::{
    Check, CheckKind, DomainCheck, MacCheck, MfaCheck, MfaPatch, OsCheck, ProcessCheck,
    ProcessMultiCheck, ProcessMultiPatch, ProcessPatch,
};
use crate::patch::assign;
use crate::roles::RoleAttributes;
use crate::tags::Tags;

/// The members of a posture check to change; what is `None` stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PostureCheckPatch {
    /// New name.
    pub name: Option<String>,
    /// New role attributes, all of them.
    pub role_attributes: Option<RoleAttributes>,
    /// What it is to ask. Its type has to be that of the check.
    pub check: Option<CheckPatch>,
    /// New tags, all of them.
    pub tags: Option<Tags>,
}

/// The members of a posture check of one type to change; what is `None` stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckPatch {
    /// New operating systems, all of them.
    Os(Option<OsCheck>),
    /// New domains, all of them.
    Domain(Option<DomainCheck>),
    /// New MAC addresses, all of them.
    Mac(Option<MacCheck>),
    /// What to change about the demand for a code.
    Mfa(MfaPatch),
    /// What to change about the process.
    Process(ProcessPatch),
    /// What to change about the processes.
    ProcessMulti(ProcessMultiPatch),
}

impl CheckPatch {
    /// The type of checks that it is meant for.
    pub const fn kind(&self) -> CheckKind {
        match self {
            Self::Os(_) => CheckKind::Os,
            Self::Domain(_) => CheckKind::Domain,
            Self::Mac(_) => CheckKind::Mac,
            Self::Mfa(_) => CheckKind::Mfa,
            Self::Process(_) => CheckKind::Process,
            Self::ProcessMulti(_) => CheckKind::ProcessMulti,
        }
    }

    /// Whether it sets no member, and so names a type and nothing else.
    pub fn sets_nothing(&self) -> bool {
        match self {
            Self::Os(systems) => systems.is_none(),
            Self::Domain(domains) => domains.is_none(),
            Self::Mac(addresses) => addresses.is_none(),
            Self::Mfa(patch) => *patch == MfaPatch::default(),
            Self::Process(patch) => *patch == ProcessPatch::default(),
            Self::ProcessMulti(patch) => *patch == ProcessMultiPatch::default(),
        }
    }

    /// Writes the members that are set. A check of another type becomes one of this type, for
    /// settling it to refuse.
    pub(super) fn apply(self, check: &mut Check) {
        if check.kind() != self.kind() {
            *check = Self::blank(self.kind());
        }
        match (self, check) {
            (Self::Os(patch), Check::Os(check)) => assign(check, patch),
            (Self::Domain(patch), Check::Domain(check)) => assign(check, patch),
            (Self::Mac(patch), Check::Mac(check)) => assign(check, patch),
            (Self::Mfa(patch), Check::Mfa(check)) => patch.apply(check),
            (Self::Process(patch), Check::Process(check)) => patch.apply(check),
            (Self::ProcessMulti(patch), Check::ProcessMulti(check)) => patch.apply(check),
            _ => {},
        }
    }

    fn blank(kind: CheckKind) -> Check {
        match kind {
            CheckKind::Os => Check::Os(OsCheck::blank()),
            CheckKind::Domain => Check::Domain(DomainCheck::blank()),
            CheckKind::Mac => Check::Mac(MacCheck::blank()),
            CheckKind::Mfa => Check::Mfa(MfaCheck::default()),
            CheckKind::Process => Check::Process(ProcessCheck::blank()),
            CheckKind::ProcessMulti => Check::ProcessMulti(ProcessMultiCheck::blank()),
        }
    }
}
