//! Revocations: tokens that are to be refused although they have not expired.
//!
//! They concern the signed tokens of OIDC logins, which this controller does not issue yet; so
//! nothing asks for them until it does. Sessions of `zt-session` are ended by deleting them.

use crate::app::App;
use crate::error::AppError;
use crate::identities;
use crate::managed::{Beside, Create, Made};
use portcullis_domain::access::Permit;
use portcullis_domain::audit::Actor;
use portcullis_domain::clock;
use portcullis_domain::ids::{IdentityId, RevocationId};
use portcullis_domain::permission::Subject;
use portcullis_domain::revocation::{Revocation, RevocationSpec, Revoked};
use portcullis_domain::tags::Tags;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Found, REVOCATION, Rows, reference};

/// Most revocations that one transaction removes.
const BATCH: usize = 500;

impl Made for RevocationSpec {
    const NOUN: &'static str = "revocation";
    const SUBJECT: Subject = Subject::Revocation;
    type View = Revocation;

    fn view(_beside: Beside<'_>, found: Found<Revocation>) -> Result<Revocation, AppError> {
        Ok(found.entity)
    }

    fn check(
        _rows: Rows<'_>,
        _before: Option<&Revocation>,
        _after: &Revocation,
    ) -> Result<(), AppError> {
        Ok(())
    }
}

/// Revokes what `id` names, for as long as any token that was issued until now can last. If it is
/// revoked already, this takes the place of that.
///
/// # Errors
///
/// "Not found" for an identity that does not exist.
pub async fn revoke(
    app: &App,
    permit: &Permit<Create<RevocationSpec>>,
    id: &RevocationId,
    (revoked, tags): (Revoked, Tags),
) -> Result<(), AppError> {
    let now = app.env().now();
    let spec = RevocationSpec {
        revoked,
        issued_before: now,
        expires_at: clock::later(now, app.settings().longest_token),
        tags,
    };
    let made = Revocation::new(id.clone(), spec, now)?;
    let key = RecordKey::root(REVOCATION, app.number(REVOCATION).0);
    app.commit_for(permit, move |rows, _caller| {
        if revoked == Revoked::Identity {
            identities::find(rows.rows(), &IdentityId::from_wire(made.id.as_str()))?;
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

/// Removes revocations that have expired, at most as many as fit into one transaction; returns how
/// many.
pub async fn sweep(app: &App) -> Result<usize, AppError> {
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
            rows.removal("expire");
            let mut removed = 0;
            for key in &expired {
                let found: Option<Revocation> = rows.rows().get(key)?;
                // It may have been renewed meanwhile.
                if let Some(revocation) = found.filter(|one| one.spec.expires_at <= now) {
                    rows.remove(key, &revocation)?;
                    removed += 1;
                }
            }
            Ok::<_, AppError>(removed)
        })
        .await?;
    Ok(removed)
}
