//! The kinds that have catalogs, each declared once by its getter and its name, which is that of
//! its type and its [`Change`] variant. Loading, writing and swapping are derived.

use super::Projections;
use super::catalog_kind::{CatalogKind, Ownership};
use super::catalog_lock::{CatalogLock, apply_alone};
use super::policy_builder::{PolicyBuilder, put_record};
use crate::access::{AccessIndex, SelectableCatalogs};
use crate::catalog::{Catalog, CatalogBuilder};
use crate::managed::CatalogSpec;
use crate::no_columns::NoColumns;
use parking_lot::{RwLock, RwLockReadGuard};
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::authenticator::Authenticator;
use portcullis_domain::ca::{Ca, CaSpec};
use portcullis_domain::change::{Change, EntityChange};
use portcullis_domain::config::{Config, ConfigType, ConfigTypeSpec};
use portcullis_domain::enrollment::Enrollment;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::EntityId;
use portcullis_domain::policies::{
    EdgeRouterPolicy, ServiceEdgeRouterPolicy, ServiceEdgeRouterPolicySpec, ServicePolicy,
    ServicePolicySpec,
};
use portcullis_domain::posture_check::PostureCheck;
use portcullis_domain::revocation::Revocation;
use portcullis_domain::router::Router;
use portcullis_domain::service::Service;
use portcullis_domain::session::Session;
use portcullis_domain::signer::{Signer, SignerSpec};
use portcullis_domain::terminator::Terminator;
use std::fmt;

/// Declares the kinds that have catalogs. Policies and the kinds that they select are locked
/// together with the access index, in the order of declaration.
macro_rules! catalogs {
    (
        selected { $($(#[$selected_doc:meta])* $selected:ident: $Selected:ident,)* }
        policies { $($(#[$policies_doc:meta])* $policies:ident: $Policy:ident,)* }
        alone { $($(#[$alone_doc:meta])* $alone:ident: $Alone:ident, $lives:ident;)* }
    ) => {
        /// The access index and all catalogs, each with its own lock.
        ///
        /// The locks of the access index, of selected kinds and of policies are taken in the order
        /// in which they are declared here; the other locks are only held alone.
        #[derive(Default)]
        pub(super) struct Catalogs {
            access: RwLock<AccessIndex>,
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

        /// The access index and all catalogs, built from a scan.
        pub(super) struct Built {
            access: AccessIndex,
            $($selected: Catalog<$Selected>,)*
            $($policies: Catalog<$Policy>,)*
            $($alone: Catalog<$Alone>,)*
        }

        /// The access index together with the catalogs that it refers to, all as of one group of
        /// commits.
        ///
        /// While holding it, take no other guard of its catalogs: a commit could wait between the
        /// two.
        pub struct AccessGuard<'p> {
            access: RwLockReadGuard<'p, AccessIndex>,
            $($selected: RwLockReadGuard<'p, Catalog<$Selected>>,)*
            $($policies: RwLockReadGuard<'p, Catalog<$Policy>>,)*
        }

        impl Projections {
            /// Locks the access index and the catalogs that it refers to. Commits that change them
            /// wait for the guard, and it waits for them.
            pub fn access(&self) -> AccessGuard<'_> {
                let catalogs = &self.catalogs;
                AccessGuard {
                    access: catalogs.access.read(),
                    $($selected: catalogs.$selected.read(),)*
                    $($policies: catalogs.$policies.read(),)*
                }
            }

            $($(#[$selected_doc])* pub fn $selected(&self) -> RwLockReadGuard<'_, Catalog<$Selected>> {
                self.catalogs.$selected.read()
            })*

            $($(#[$policies_doc])* pub fn $policies(&self) -> RwLockReadGuard<'_, Catalog<$Policy>> {
                self.catalogs.$policies.read()
            })*

            $($(#[$alone_doc])* pub fn $alone(&self) -> RwLockReadGuard<'_, Catalog<$Alone>> {
                self.catalogs.$alone.read()
            })*
        }

        impl AccessGuard<'_> {
            pub fn access(&self) -> &AccessIndex {
                &self.access
            }

            /// The catalogs of what policies select.
            pub fn kinds(&self) -> SelectableCatalogs<'_> {
                SelectableCatalogs { $($selected: &self.$selected,)* }
            }

            $($(#[$selected_doc])* pub fn $selected(&self) -> &Catalog<$Selected> {
                &self.$selected
            })*

            $($(#[$policies_doc])* pub fn $policies(&self) -> &Catalog<$Policy> {
                &self.$policies
            })*
        }

        impl Catalogs {
            /// Writes changes to the catalogs that they affect, and locks only those. Readers of
            /// the access index see either none or all of them.
            pub(super) fn write(&self, changes: &[Change]) {
                self.write_with_access(changes);
                $(apply_alone(&self.$alone, changes);)*
            }

            /// Selected kinds are written before policies: policies find what they reference by id,
            /// and removed entities were unlinked from them in the same group.
            fn write_with_access(&self, changes: &[Change]) {
                let is_ruled = changes.iter().any(|change| false $(|| $Policy::is_affected_by(change))*);
                let access = is_ruled.then(|| self.access.write());
                $(let mut $selected = CatalogLock::lock_for(&self.$selected, changes, is_ruled);)*
                $(let mut $policies = CatalogLock::lock_for(&self.$policies, changes, false);)*
                $($selected.apply(changes);)*
                let kinds = || Some(SelectableCatalogs { $($selected: $selected.catalog()?,)* });
                if let (Some(mut access), Some(kinds)) = (access, kinds()) {
                    $($policies.apply_with_access(&mut access, kinds, changes);)*
                }
            }

            /// Swaps in the result of a scan.
            pub(super) fn swap_all(&self, built: &mut Built) {
                self.swap_with_access(built);
                $(std::mem::swap(&mut *self.$alone.write(), &mut built.$alone);)*
            }

            fn swap_with_access(&self, built: &mut Built) {
                let mut access = self.access.write();
                $(let mut $selected = self.$selected.write();)*
                $(let mut $policies = self.$policies.write();)*
                built.access.continue_revision(&access);
                std::mem::swap(&mut *access, &mut built.access);
                $(std::mem::swap(&mut *$selected, &mut built.$selected);)*
                $(std::mem::swap(&mut *$policies, &mut built.$policies);)*
            }
        }

        impl Builders {
            pub(super) fn put(&mut self, record: &Change) {
                match record {
                    $(Change::$Selected(record) => put_record(&mut self.$selected, record),)*
                    $(Change::$Policy(record) => self.$policies.put(record),)*
                    $(Change::$Alone(record) => put_record(&mut self.$alone, record),)*
                    // API sessions have a mirror of their own. What is never listed on its own is
                    // read from the store.
                    Change::ApiSession(_)
                    | Change::SessionCertificate(_)
                    | Change::Mfa(_)
                    | Change::Transaction(_) => {},
                }
            }

            pub(super) fn build(self) -> Built {
                let mut access = AccessIndex::default();
                $(let $selected = self.$selected.build();)*
                let kinds = SelectableCatalogs { $($selected: &$selected,)* };
                $(let $policies = self.$policies.build(&mut access, kinds);)*
                Built {
                    access,
                    $($selected,)*
                    $($policies,)*
                    $($alone: self.$alone.build(),)*
                }
            }
        }

        $(catalog_kind!($Selected, Root);)*
        $(catalog_kind!($Policy, Root);)*
        $(catalog_kind!($Alone, $lives);)*
    };
}

macro_rules! catalog_kind {
    ($Kind:ident, $lives:ident) => {
        impl CatalogKind for $Kind {
            const OWNERSHIP: Ownership = Ownership::$lives;

            fn change_of(change: &Change) -> Option<&EntityChange<Self>> {
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

/// Declares catalogs without columns, for managed kinds with few records.
macro_rules! without_columns {
    ($($spec:ty),* $(,)?) => {$(
        impl CatalogSpec for $spec {
            type Columns<I: EntityId> = NoColumns;
        }
    )*};
}

without_columns!(
    CaSpec,
    ConfigTypeSpec,
    ServicePolicySpec,
    ServiceEdgeRouterPolicySpec,
    SignerSpec,
);

impl fmt::Debug for AccessGuard<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("AccessGuard")
            .finish_non_exhaustive()
    }
}
