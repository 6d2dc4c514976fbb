//! Posture checks, and the types that they may have.

use crate::action::actions;
use crate::app::App;
use crate::error::AppError;
use crate::listing::{self, Parameters, kinds};
use crate::managed::{Beside, Made, Of, find};
use portcullis_domain::access::{Access, Permit};
use portcullis_domain::ids::PostureCheckId;
use portcullis_domain::permission::Subject;
use portcullis_domain::posture_check::{
    CheckSupport, PostureCheck, PostureCheckPatch, PostureCheckSpec,
};
use portcullis_domain::view::Page;
use portcullis_storage::tables::{Found, Rows};

actions! {
    /// Reads the types of posture checks.
    ReadTypes = Access::Full;
}

impl Made for PostureCheckSpec {
    const NOUN: &'static str = "posture check";
    const SUBJECT: Subject = Subject::PostureCheck;
    type View = PostureCheck;

    fn view(_beside: Beside<'_>, found: Found<PostureCheck>) -> Result<PostureCheck, AppError> {
        Ok(found.entity)
    }

    /// A merge has to name the type; that alone changes nothing, if it is the one.
    fn examine_patch(
        rows: Rows<'_>,
        id: &PostureCheckId,
        patch: &mut PostureCheckPatch,
    ) -> Result<(), AppError> {
        let kind = find::<Self>(rows, id)?.entity.spec.check.kind();
        patch
            .check
            .take_if(|check| check.kind() == kind && check.sets_nothing());
        Ok(())
    }

    /// It names nothing that would have to be there.
    fn check(
        _rows: Rows<'_>,
        _before: Option<&Of<Self>>,
        _after: &Of<Self>,
    ) -> Result<(), AppError> {
        Ok(())
    }
}

/// Lists the types of posture checks.
pub fn list_types(
    app: &App,
    _permit: &Permit<ReadTypes>,
    parameters: &Parameters<'_>,
) -> Result<Page<CheckSupport>, AppError> {
    let listing = listing::read(&kinds::POSTURE_CHECK_TYPES, parameters)?;
    let rows = CheckSupport::ALL.map(|support| kinds::BuiltInRow {
        id: support.kind.name(),
        name: support.name,
        kind: support,
        since: app.founded_at(),
    });
    Ok(listing::select(&listing, rows).map(|row| row.kind))
}

/// Reads one type of posture checks.
pub fn read_type(_permit: &Permit<ReadTypes>, id: &str) -> Result<CheckSupport, AppError> {
    CheckSupport::find(id).ok_or_else(|| AppError::not_found("posture check type", id))
}
