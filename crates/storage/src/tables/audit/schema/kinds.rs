//! Audit schemas of all kinds.

mod credentials;
mod described;
mod trust;

use super::AuditSchema;
use crate::key::Kind;

/// The audit schema of members that are all shown as they are stored.
const PLAIN: AuditSchema = AuditSchema {
    name: "",
    wrapper: "spec",
    secret: &[],
    ignored: &[],
    user_defined: &[],
    names: &[],
    defaults: &[],
    items: &[],
    numbers: &[],
    optional: &[],
    times: &[],
    is_identified_by_owner: false,
};

/// The audit schema of a kind; `None` for an unknown one.
pub(super) fn find(kind: Kind) -> Option<&'static AuditSchema> {
    let found = SCHEMAS.iter().find(|(known, _)| *known == kind);
    found.map(|(_, schema)| schema)
}

macro_rules! members {
    (whole $kind:ident) => {
        PLAIN
    };
    (described $kind:ident) => {
        described::$kind
    };
}

macro_rules! schemas {
    ($({
        #[doc = $doc:literal]
        kind: $kind:ident = $byte:literal,
        entity: $entity:ident $path:tt,
        id: $id:ident $shape:tt,
        spec: $spec:tt,
        collection: $collection:literal,
        name: $name:literal,
        subject: $subject:tt,
        noun: $noun:literal,
        stored: ($placement:ident $form:ident $audit:ident $refers:ident),
        $($rest:tt)*
    })+) => {
        const SCHEMAS: &[(Kind, AuditSchema)] = &[$((
            super::super::super::kind::$kind,
            AuditSchema {
                name: $name,
                ..members!($audit $kind)
            },
        )),+];
    };
}

portcullis_domain::for_each_kind!(schemas);
