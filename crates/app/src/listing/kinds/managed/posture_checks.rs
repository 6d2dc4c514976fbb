//! The list of posture checks.

use super::{ListableSpec, PolicyRelatedSpec};
use crate::listing::listable::{RowContext, text_value};
use portcullis_domain::posture_check::{Check, PostureCheck, PostureCheckSpec};
use portcullis_domain::tags::Tags;
use portcullis_filter::{Schema, Symbol, Value, VisitElement};
use portcullis_index::{AccessGuard, Catalog, Projections};
use std::ops::ControlFlow;
use std::sync::RwLockReadGuard;

/// Posture checks.
pub static POSTURE_CHECKS: Schema = Schema::entity(&[
    Symbol::string("name"),
    Symbol::string("typeId"),
    Symbol::set("roleAttributes"),
    Symbol::boolean("promptOnWake"),
    Symbol::boolean("promptOnUnlock"),
]);

impl PolicyRelatedSpec for PostureCheckSpec {
    fn catalog_with_access<'g>(guard: &'g AccessGuard<'_>) -> &'g Catalog<PostureCheck> {
        guard.posture_checks()
    }
}

impl ListableSpec for PostureCheckSpec {
    const SCHEMA: &'static Schema = &POSTURE_CHECKS;

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<PostureCheck>> {
        projections.posture_checks()
    }

    fn tags(&self) -> &Tags {
        &self.tags
    }

    fn value(&self, symbol: &str) -> Value<'_> {
        match (symbol, &self.check) {
            ("typeId", check) => text_value(check.check_type().name()),
            ("promptOnWake", Check::Mfa(mfa)) => mfa.prompt_on_wake.into(),
            ("promptOnUnlock", Check::Mfa(mfa)) => mfa.prompt_on_unlock.into(),
            _ => Value::Missing,
        }
    }

    fn elements(
        entity: &PostureCheck,
        _around: RowContext<'_>,
        _set: &str,
        visit: &mut VisitElement<'_>,
    ) -> ControlFlow<()> {
        entity.spec.role_attributes.iter().try_for_each(visit)
    }
}
