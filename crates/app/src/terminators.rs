//! Terminators: where circuits to a service end.

use crate::error::AppError;
use crate::managed::{Beside, Made, find};
use portcullis_domain::permission::Subject;
use portcullis_domain::router::RouterSpec;
use portcullis_domain::service::ServiceSpec;
use portcullis_domain::terminator::{Terminator, TerminatorSpec};
use portcullis_domain::view::{Named, RouterRef, TerminatorView};
use portcullis_storage::tables::{Found, Rows};

impl Made for TerminatorSpec {
    const NOUN: &'static str = "terminator";
    const SUBJECT: Subject = Subject::Terminator;
    type View = TerminatorView;

    fn view(beside: Beside<'_>, found: Found<Terminator>) -> Result<TerminatorView, AppError> {
        let terminator = found.entity;
        let service = find::<ServiceSpec>(beside.rows, &terminator.spec.service)?.entity;
        let router = find::<RouterSpec>(beside.rows, &terminator.spec.router)?.entity;
        Ok(TerminatorView {
            service: Named::from(&service),
            router: RouterRef::from(&router),
            // What using it costs is learnt from circuits, of which there are none yet.
            dynamic_cost: 0,
            terminator,
        })
    }

    fn check(
        rows: Rows<'_>,
        _before: Option<&Terminator>,
        after: &Terminator,
    ) -> Result<(), AppError> {
        find::<ServiceSpec>(rows, &after.spec.service)?;
        find::<RouterSpec>(rows, &after.spec.router)?;
        Ok(())
    }
}
