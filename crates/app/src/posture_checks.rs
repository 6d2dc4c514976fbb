//! Posture checks and their types.

use crate::action::actions;
use crate::app::App;
use crate::error::AppError;
use crate::listing::kinds::{ListableSpec, PolicyRelatedSpec};
use crate::listing::{self, Parameters, RowContext, kinds, text_value};
use crate::managed::{Resource, ViewContext, Writable, get};
use parking_lot::RwLockReadGuard;
use portcullis_domain::access::{Access, Permit};
use portcullis_domain::ids::PostureCheckId;
use portcullis_domain::permission::Subject;
use portcullis_domain::posture_check::{
    Check, CheckSupport, PostureCheck, PostureCheckSpec, PostureCheckSpecPatch,
};
use portcullis_domain::tags::Tags;
use portcullis_domain::view::Page;
use portcullis_filter::{Schema, Value, VisitElement, symbols};
use portcullis_index::{AccessGuard, Catalog, Projections};
use portcullis_storage::tables::{Found, Rows};
use std::ops::ControlFlow;

actions! {
    /// Reads the types of posture checks.
    ReadTypes = Access::Full;
}

symbols! {
    pub(crate) enum PostureCheckSymbol;
    static POSTURE_CHECKS: Schema::entity;
    Name => string("name"),
    TypeId => string("typeId"),
    RoleAttributes => set("roleAttributes"),
    PromptOnWake => boolean("promptOnWake"),
    PromptOnUnlock => boolean("promptOnUnlock"),
}

impl PolicyRelatedSpec for PostureCheckSpec {
    fn catalog_with_access<'g>(guard: &'g AccessGuard<'_>) -> &'g Catalog<PostureCheck> {
        guard.posture_checks()
    }
}

impl ListableSpec for PostureCheckSpec {
    type Symbol = PostureCheckSymbol;
    const SCHEMA: &'static Schema = &POSTURE_CHECKS;

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<PostureCheck>> {
        projections.posture_checks()
    }

    fn tags(&self) -> &Tags {
        &self.tags
    }

    fn value(&self, symbol: PostureCheckSymbol) -> Value<'_> {
        let mfa = match &self.check {
            Check::Mfa(mfa) => Some(mfa),
            _ => None,
        };
        match symbol {
            PostureCheckSymbol::Name => text_value(&self.name),
            PostureCheckSymbol::TypeId => text_value(self.check.check_type().name()),
            PostureCheckSymbol::PromptOnWake => mfa.map(|mfa| mfa.prompt_on_wake).into(),
            PostureCheckSymbol::PromptOnUnlock => mfa.map(|mfa| mfa.prompt_on_unlock).into(),
            PostureCheckSymbol::RoleAttributes => Value::Missing,
        }
    }

    fn elements(
        entity: &PostureCheck,
        _context: RowContext<'_>,
        _set: PostureCheckSymbol,
        visit: &mut VisitElement<'_>,
    ) -> ControlFlow<()> {
        entity.spec.role_attributes.iter().try_for_each(visit)
    }
}

impl Writable for PostureCheckSpec {}

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
