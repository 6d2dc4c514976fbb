//! Partial updates of posture checks.

use super::{
    Check, CheckKind, DomainCheck, MacCheck, MfaCheck, MfaPatch, OsCheck, ProcessCheck,
    ProcessMultiCheck, ProcessMultiPatch, ProcessPatch,
};
use crate::patch::assign;
use crate::roles::RoleAttributes;
use crate::tags::Tags;

/// Members of a posture check to change; `None` leaves a member unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PostureCheckPatch {
    pub name: Option<String>,
    pub role_attributes: Option<RoleAttributes>,
    /// Its type has to match the check.
    pub check: Option<CheckPatch>,
    pub tags: Option<Tags>,
}

/// Type-specific members to change; `None` leaves a member unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckPatch {
    Os(Option<OsCheck>),
    Domain(Option<DomainCheck>),
    Mac(Option<MacCheck>),
    Mfa(MfaPatch),
    Process(ProcessPatch),
    ProcessMulti(ProcessMultiPatch),
}

impl CheckPatch {
    /// The type of check that it applies to.
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

    /// Whether it sets no member.
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

    /// Applies the members that are set. A check of another type is replaced by an empty one of
    /// this type, which `normalize` then rejects.
    pub(super) fn apply(self, check: &mut Check) {
        if check.kind() != self.kind() {
            *check = Self::empty(self.kind());
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

    fn empty(kind: CheckKind) -> Check {
        match kind {
            CheckKind::Os => Check::Os(OsCheck::empty()),
            CheckKind::Domain => Check::Domain(DomainCheck::empty()),
            CheckKind::Mac => Check::Mac(MacCheck::empty()),
            CheckKind::Mfa => Check::Mfa(MfaCheck::default()),
            CheckKind::Process => Check::Process(ProcessCheck::empty()),
            CheckKind::ProcessMulti => Check::ProcessMulti(ProcessMultiCheck::empty()),
        }
    }
}
