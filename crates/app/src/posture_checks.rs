//! Posture checks and their types.

use crate::action::actions;
use crate::app::App;
use crate::error::AppError;
use crate::listing::{self, Parameters, kinds};
use crate::managed::{Entity, Resource, ViewContext, get};
use portcullis_domain::access::{Access, Permit};
use portcullis_domain::ids::PostureCheckId;
use portcullis_domain::permission::Subject;
use portcullis_domain::posture_check::{
    CheckSupport, PostureCheck, PostureCheckSpec, PostureCheckSpecPatch,
};
use portcullis_domain::view::Page;
use portcullis_storage::tables::{Found, Rows};

actions! {
    /// Reads the types of posture checks.
    ReadTypes = Access::Full;
}

impl Resource for PostureCheckSpec {
    const SUBJECT: Subject = Subject::PostureCheck;
    type View = PostureCheck;

    fn build_view(
        _beside: ViewContext<'_>,
        found: Found<PostureCheck>,
    ) -> Result<PostureCheck, AppError> {
        Ok(found.entity)
    }

    /// A patch has to contain the type. That alone is not a change if it is the same.
    fn prepare_patch(
        rows: Rows<'_>,
        id: &PostureCheckId,
        patch: &mut PostureCheckSpecPatch,
    ) -> Result<(), AppError> {
        let kind = get::<Self>(rows, id)?.entity.spec.check.check_type();
        patch
            .check
            .take_if(|check| check.check_type() == kind && check.is_empty());
        Ok(())
    }

    /// Posture checks reference no other entities.
    fn validate(
        _rows: Rows<'_>,
        _before: Option<&Entity<Self>>,
        _after: &Entity<Self>,
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
    let listing = listing::parse(&kinds::POSTURE_CHECK_TYPES, parameters)?;
    let rows = CheckSupport::ALL.map(|support| kinds::BuiltInRow {
        id: support.check_type.name(),
        name: support.name,
        value: support,
        created_at: app.store_created_at(),
    });
    Ok(listing::select(&listing, rows).map(|row| row.value))
}

/// Reads one type of posture checks.
pub fn read_type(_permit: &Permit<ReadTypes>, id: &str) -> Result<CheckSupport, AppError> {
    CheckSupport::find(id).ok_or_else(|| AppError::not_found("posture check type", id))
}
