//! Revocations: tokens that are refused although they have not expired.
//!
//! They apply to the signed tokens of logins by OIDC, whose validity `session_validity` judges.
//! Sessions of `zt-session` are ended by deleting them.

use crate::app::App;
use crate::error::AppError;
use crate::listing::kinds::ListableSpec;
use crate::listing::text_value;
use crate::managed::{Create, Resource, ViewContext};
use crate::metrics::Job;
use crate::records::get_identity;
use parking_lot::RwLockReadGuard;
use portcullis_domain::access::Permit;
use portcullis_domain::audit::Actor;
use portcullis_domain::clock;
use portcullis_domain::ids::{IdentityId, RevocationId};
use portcullis_domain::permission::Subject;
use portcullis_domain::revocation::{Revocation, RevocationSpec, RevocationType};
use portcullis_domain::tags::Tags;
use portcullis_filter::{Schema, Value, symbols};
use portcullis_index::{Catalog, Projections};
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Found, REVOCATION, reference};

/// Maximum number of revocations that one transaction removes.
const BATCH: usize = 500;

symbols! {
    pub(crate) enum RevocationSymbol;
    static REVOCATIONS: Schema::entity;
    Type => string("type"),
    ExpiresAt => datetime("expiresAt"),
    IssuedBefore => datetime("issuedBefore"),
}

impl ListableSpec for RevocationSpec {
    type Symbol = RevocationSymbol;
    const SCHEMA: &'static Schema = &REVOCATIONS;

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<Revocation>> {
        projections.revocations()
    }

    fn tags(&self) -> &Tags {
        &self.tags
    }

    fn value(&self, symbol: RevocationSymbol) -> Value<'_> {
        match symbol {
            RevocationSymbol::Type => text_value(self.revoked.name()),
            RevocationSymbol::ExpiresAt => Value::Datetime(self.expires_at),
            RevocationSymbol::IssuedBefore => Value::Datetime(self.issued_before),
        }
    }
}

impl Resource for RevocationSpec {
    const SUBJECT: Subject = Subject::Revocation;
    type View = Revocation;

    fn build_view(
        _beside: ViewContext<'_>,
        found: Found<Revocation>,
    ) -> Result<Revocation, AppError> {
        Ok(found.entity)
    }
}

/// Revokes the token, identity or session `id` for the maximum lifetime of tokens issued until now.
/// An existing revocation is replaced.
///
/// # Errors
///
/// "Not found" for an identity that does not exist.
pub async fn revoke(
    app: &App,
    permit: &Permit<Create<RevocationSpec>>,
    id: &RevocationId,
    (revoked, tags): (RevocationType, Tags),
) -> Result<(), AppError> {
    let now = app.env().now();
    let spec = RevocationSpec {
        revoked,
        issued_before: now,
        expires_at: clock::saturating_add(now, app.settings().max_token_lifetime),
        tags,
    };
    let made = Revocation::new(id.clone(), spec, now)?;
    let key = RecordKey::root(REVOCATION, app.next_number(REVOCATION).0);
    app.commit_for(permit, move |rows, _caller| {
        if revoked == RevocationType::Identity {
            get_identity(rows.rows(), &IdentityId::from_wire(made.id.as_str()))?;
        }
        match rows.rows().find::<Revocation>(&reference(&made.id))? {
            Some(found) => {
                let mut after = found.entity.clone();
                after.replace(made.spec.clone(), now)?;
                rows.replace(&found.key, &found.entity, &after)?;
            },
            None => rows.insert(&key, &made)?,
        }
        Ok(())
    })
    .await
}

/// Removes expired revocations, up to a batch per call; returns their number.
pub async fn remove_expired(app: &App) -> Result<usize, AppError> {
    let _timing = app.metrics().jobs().run(Job::Revocations);
    let now = app.env().now();
    let expired: Vec<RecordKey> = {
        let catalog = app.projections().revocations();
        let slots = catalog.columns().expired(now).take(BATCH);
        slots
            .filter_map(|slot| catalog.number(slot))
            .map(|number| RecordKey::root(REVOCATION, number.0))
            .collect()
    };
    if expired.is_empty() {
        return Ok(0);
    }
    let removed = app
        .commit(Actor::controller(), move |rows| {
            rows.set_removal_verb("expire");
            let mut removed = 0;
            for key in &expired {
                let found: Option<Revocation> = rows.rows().get(key)?;
                // It may have been extended meanwhile.
                if let Some(revocation) = found.filter(|one| one.spec.expires_at <= now) {
                    rows.remove(key, &revocation)?;
                    removed += 1;
                }
            }
            Ok::<_, AppError>(removed)
        })
        .await?;
    app.metrics()
        .jobs()
        .count_removed(Job::Revocations, removed);
    Ok(removed)
}
