//! The kinds that have catalogs, each said once: its getter, and its name, which is that of its
//! type and of its [`Change`] alike. Loading, writing and exchanging follow.

use super::Projections;
use super::building::{PolicyBuilder, put};
use super::kinds::{Followed, Lives};
use super::locks::{exchange, read, write};
use super::writing::{Taken, write_alone};
use crate::access::{Access, Kinds};
use crate::catalog::{Catalog, CatalogBuilder};
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::authenticator::Authenticator;
use portcullis_domain::ca::Ca;
use portcullis_domain::change::{Change, EntityChange};
use portcullis_domain::config::{Config, ConfigType};
use portcullis_domain::enrollment::Enrollment;
use portcullis_domain::identity::Identity;
use portcullis_domain::policies::{EdgeRouterPolicy, ServiceEdgeRouterPolicy, ServicePolicy};
use portcullis_domain::posture_check::PostureCheck;
use portcullis_domain::revocation::Revocation;
use portcullis_domain::router::Router;
use portcullis_domain::service::Service;
use portcullis_domain::session::Session;
use portcullis_domain::signer::Signer;
use portcullis_domain::terminator::Terminator;
use std::fmt;
use std::sync::{RwLock, RwLockReadGuard};

/// Says which kinds have catalogs. What policies select and the policies themselves belong to
/// access, and are locked together in the order in which they stand here.
macro_rules! catalogs {
    (
        selected { $($(#[$selected_doc:meta])* $selected:ident: $Selected:ident,)* }
        policies { $($(#[$policies_doc:meta])* $policies:ident: $Policy:ident,)* }
        alone { $($(#[$alone_doc:meta])* $alone:ident: $Alone:ident, $lives:ident;)* }
    ) => {
        /// Access and all catalogs, each behind its lock.
        ///
        /// Whoever holds several of the locks of access, of what policies select and of policies
        /// took them in the order in which they stand here; the other locks are held alone.
        #[derive(Default)]
        pub(super) struct Catalogs {
            access: RwLock<Access>,
            $($selected: RwLock<Catalog<$Selected>>,)*
            $($policies: RwLock<Catalog<$Policy>>,)*
            $($alone: RwLock<Catalog<$Alone>>,)*
        }

        /// The records of a scan.
        #[derive(Default)]
        pub(super) struct Builders {
            $($selected: CatalogBuilder<$Selected>,)*
            $($policies: PolicyBuilder<$Policy>,)*
            $($alone: CatalogBuilder<$Alone>,)*
        }

        /// Access and all catalogs, as a scan found them.
        pub(super) struct Built {
            access: Access,
            $($selected: Catalog<$Selected>,)*
            $($policies: Catalog<$Policy>,)*
            $($alone: Catalog<$Alone>,)*
        }

        /// Who may use what, together with what that is about, all as of one group of commits.
        ///
        /// Whoever has it takes no other guard of the catalogs that it gives: a commit could wait
        /// between the two.
        pub struct AccessGuard<'p> {
            access: RwLockReadGuard<'p, Access>,
            $($selected: RwLockReadGuard<'p, Catalog<$Selected>>,)*
            $($policies: RwLockReadGuard<'p, Catalog<$Policy>>,)*
        }

        impl Projections {
            /// Who may use what, with all catalogs that this is about. It waits for commits that
            /// change them, and they wait for it.
            pub fn access(&self) -> AccessGuard<'_> {
                let catalogs = &self.catalogs;
                AccessGuard {
                    access: read(&catalogs.access),
                    $($selected: read(&catalogs.$selected),)*
                    $($policies: read(&catalogs.$policies),)*
                }
            }

            $($(#[$selected_doc])* pub fn $selected(&self) -> RwLockReadGuard<'_, Catalog<$Selected>> {
                read(&self.catalogs.$selected)
            })*

            $($(#[$policies_doc])* pub fn $policies(&self) -> RwLockReadGuard<'_, Catalog<$Policy>> {
                read(&self.catalogs.$policies)
            })*

            $($(#[$alone_doc])* pub fn $alone(&self) -> RwLockReadGuard<'_, Catalog<$Alone>> {
                read(&self.catalogs.$alone)
            })*
        }

        impl AccessGuard<'_> {
            /// What the policies say.
            pub fn access(&self) -> &Access {
                &self.access
            }

            /// The catalogs of what policies select.
            pub fn kinds(&self) -> Kinds<'_> {
                Kinds { $($selected: &self.$selected,)* }
            }

            $($(#[$selected_doc])* pub fn $selected(&self) -> &Catalog<$Selected> {
                &self.$selected
            })*

            $($(#[$policies_doc])* pub fn $policies(&self) -> &Catalog<$Policy> {
                &self.$policies
            })*
        }

        impl Catalogs {
            /// Writes changes to what they concern, which is all that is locked. No reader of
            /// access sees a part of them.
            pub(super) fn write(&self, changes: &[Change]) {
                self.write_with_access(changes);
                $(write_alone(&self.$alone, changes);)*
            }

            /// First what policies select, then the policies: what they name is found by id, and
            /// who is removed was forgotten by them in the same group.
            fn write_with_access(&self, changes: &[Change]) {
                let is_ruled = changes.iter().any(|change| false $(|| $Policy::concerns(change))*);
                let access = is_ruled.then(|| write(&self.access));
                $(let mut $selected = Taken::of(&self.$selected, changes, is_ruled);)*
                $(let mut $policies = Taken::of(&self.$policies, changes, false);)*
                $($selected.write(changes);)*
                let kinds = || Some(Kinds { $($selected: $selected.catalog()?,)* });
                if let (Some(mut access), Some(kinds)) = (access, kinds()) {
                    $($policies.rule(&mut access, kinds, changes);)*
                }
            }

            /// Puts in place what a scan found, and takes out what was there.
            pub(super) fn exchange(&self, built: &mut Built) {
                self.exchange_with_access(built);
                $(exchange(&self.$alone, &mut built.$alone);)*
            }

            fn exchange_with_access(&self, built: &mut Built) {
                let mut access = write(&self.access);
                $(let mut $selected = write(&self.$selected);)*
                $(let mut $policies = write(&self.$policies);)*
                built.access.follow(&access);
                std::mem::swap(&mut *access, &mut built.access);
                $(std::mem::swap(&mut *$selected, &mut built.$selected);)*
                $(std::mem::swap(&mut *$policies, &mut built.$policies);)*
            }
        }

        impl Builders {
            pub(super) fn put(&mut self, record: &Change) {
                match record {
                    $(Change::$Selected(record) => put(&mut self.$selected, record),)*
                    $(Change::$Policy(record) => self.$policies.put(record),)*
                    $(Change::$Alone(record) => put(&mut self.$alone, record),)*
                    // API sessions have a mirror of their own. What is never listed on its own is
                    // read from the store.
                    Change::ApiSession(_) | Change::SessionCertificate(_) | Change::Mfa(_) => {},
                }
            }

            pub(super) fn build(self) -> Built {
                let mut access = Access::default();
                $(let $selected = self.$selected.build();)*
                let kinds = Kinds { $($selected: &$selected,)* };
                $(let $policies = self.$policies.build(&mut access, kinds);)*
                Built {
                    access,
                    $($selected,)*
                    $($policies,)*
                    $($alone: self.$alone.build(),)*
                }
            }
        }

        $(followed!($Selected, Root);)*
        $(followed!($Policy, Root);)*
        $(followed!($Alone, $lives);)*
    };
}

macro_rules! followed {
    ($Kind:ident, $lives:ident) => {
        impl Followed for $Kind {
            const LIVES: Lives = Lives::$lives;

            fn of(change: &Change) -> Option<&EntityChange<Self>> {
                match change {
                    Change::$Kind(change) => Some(change),
                    _ => None,
                }
            }
        }
    };
}

catalogs! {
    selected {
        /// The identities.
        identities: Identity,
        /// The services.
        services: Service,
        /// The routers.
        routers: Router,
        /// The posture checks.
        posture_checks: PostureCheck,
    }
    policies {
        /// The service policies.
        service_policies: ServicePolicy,
        /// The edge-router policies.
        edge_router_policies: EdgeRouterPolicy,
        /// The service-edge-router policies.
        service_edge_router_policies: ServiceEdgeRouterPolicy,
    }
    alone {
        /// The pending enrollments, owned by the identities and routers that are to obtain
        /// credentials.
        enrollments: Enrollment, Owned;
        /// The authenticators, owned by their identities.
        authenticators: Authenticator, Owned;
        /// The service sessions, owned by the identities to which they were granted.
        service_sessions: Session, Owned;
        /// The authentication policies.
        auth_policies: AuthPolicy, Root;
        /// The third-party certificate authorities.
        cas: Ca, Root;
        /// The external JWT signers.
        signers: Signer, Root;
        /// The types of configurations.
        config_types: ConfigType, Root;
        /// The configurations.
        configs: Config, Root;
        /// The terminators.
        terminators: Terminator, Root;
        /// The revocations.
        revocations: Revocation, Root;
    }
}

impl fmt::Debug for AccessGuard<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("AccessGuard")
            .finish_non_exhaustive()
    }
}
