//! The managed kinds with their request types.

use super::{Creatable, Patchable, Replaceable, Resource};
use crate::endpoint::Api;
use portcullis_api::api_session::ApiSessionDetail;
use portcullis_api::auth_policy::{AuthPolicyCreate, AuthPolicyDetail, AuthPolicyPatch};
use portcullis_api::authenticator::{AuthenticatorCreate, AuthenticatorDetail, AuthenticatorPatch};
use portcullis_api::ca::{CaCreate, CaDetail, CaPatch};
use portcullis_api::config::{ConfigCreate, ConfigDetail, ConfigPatch};
use portcullis_api::config_type::{ConfigTypeCreate, ConfigTypeDetail, ConfigTypePatch};
use portcullis_api::edge_router::{EdgeRouterCreate, EdgeRouterDetail, EdgeRouterPatch};
use portcullis_api::edge_router_policy::{
    EdgeRouterPolicyCreate, EdgeRouterPolicyDetail, EdgeRouterPolicyPatch,
};
use portcullis_api::enrollment::{EnrollmentCreate, EnrollmentDetail};
use portcullis_api::external_jwt_signer::{
    ExternalJwtSignerCreate, ExternalJwtSignerDetail, ExternalJwtSignerPatch,
};
use portcullis_api::fabric;
use portcullis_api::identity::{IdentityCreate, IdentityDetail, IdentityPatch};
use portcullis_api::posture_check::{PostureCheckCreate, PostureCheckDetail, PostureCheckPatch};
use portcullis_api::revocation::{RevocationCreate, RevocationDetail};
use portcullis_api::router::{TransitRouterCreate, TransitRouterPatch};
use portcullis_api::service::{ServiceCreate, ServiceDetail, ServicePatch};
use portcullis_api::service_edge_router_policy::{
    ServiceEdgeRouterPolicyCreate, ServiceEdgeRouterPolicyDetail, ServiceEdgeRouterPolicyPatch,
};
use portcullis_api::service_policy::{
    ServicePolicyCreate, ServicePolicyDetail, ServicePolicyPatch,
};
use portcullis_api::terminator::{TerminatorCreate, TerminatorDetail, TerminatorPatch};
use portcullis_api::transit_router::TransitRouterDetail;
use portcullis_domain::ids::{
    ApiSessionId, AuthPolicyId, AuthenticatorId, CaId, CircuitId, ConfigId, ConfigTypeId,
    EdgeRouterPolicyId, EnrollmentId, IdentityId, LinkId, PostureCheckId, RevocationId, RouterId,
    ServiceEdgeRouterPolicyId, ServiceId, ServicePolicyId, SignerId, TerminatorId,
};

/// Declares the path of each kind, its id, and its request types.
macro_rules! resources {
    ($(
        $detail:ty: $path:literal, $id:ty
        $(, Create = $create:ty)?
        $(, Replace = $replace:ty)?
        $(, Patch = $patch:ty)?;
    )+) => {$(
        impl Resource for $detail {
            const PATH: &'static str = $path;
            type Id = $id;

            fn entity_id(&self) -> &$id {
                &self.base.id
            }
        }
        $(impl Creatable for $detail {
            type Create = $create;
        })?
        $(impl Replaceable for $detail {
            type Replace = $replace;
        })?
        $(impl Patchable for $detail {
            type Patch = $patch;
        })?
    )+};
}

resources! {
    IdentityDetail: "identities", IdentityId, Create = IdentityCreate, Patch = IdentityPatch;
    EnrollmentDetail: "enrollments", EnrollmentId, Create = EnrollmentCreate;
    AuthenticatorDetail: "authenticators", AuthenticatorId,
        Create = AuthenticatorCreate, Patch = AuthenticatorPatch;
    ApiSessionDetail: "api-sessions", ApiSessionId;
    RevocationDetail: "revocations", RevocationId, Create = RevocationCreate;
    AuthPolicyDetail: "auth-policies", AuthPolicyId,
        Create = AuthPolicyCreate, Patch = AuthPolicyPatch;
    CaDetail: "cas", CaId, Create = CaCreate, Patch = CaPatch;
    // The source of its keys can only be changed by replacing it.
    ExternalJwtSignerDetail: "external-jwt-signers", SignerId,
        Create = ExternalJwtSignerCreate, Replace = ExternalJwtSignerCreate,
        Patch = ExternalJwtSignerPatch;
    ServiceDetail: "services", ServiceId, Create = ServiceCreate, Patch = ServicePatch;
    ConfigDetail: "configs", ConfigId, Create = ConfigCreate, Patch = ConfigPatch;
    ConfigTypeDetail: "config-types", ConfigTypeId,
        Create = ConfigTypeCreate, Patch = ConfigTypePatch;
    ServicePolicyDetail: "service-policies", ServicePolicyId,
        Create = ServicePolicyCreate, Patch = ServicePolicyPatch;
    EdgeRouterPolicyDetail: "edge-router-policies", EdgeRouterPolicyId,
        Create = EdgeRouterPolicyCreate, Patch = EdgeRouterPolicyPatch;
    ServiceEdgeRouterPolicyDetail: "service-edge-router-policies", ServiceEdgeRouterPolicyId,
        Create = ServiceEdgeRouterPolicyCreate, Patch = ServiceEdgeRouterPolicyPatch;
    PostureCheckDetail: "posture-checks", PostureCheckId,
        Create = PostureCheckCreate, Patch = PostureCheckPatch;
    EdgeRouterDetail: "edge-routers", RouterId,
        Create = EdgeRouterCreate, Patch = EdgeRouterPatch;
    TransitRouterDetail: "transit-routers", RouterId,
        Create = TransitRouterCreate, Patch = TransitRouterPatch;
    TerminatorDetail: "terminators", TerminatorId,
        Create = TerminatorCreate, Patch = TerminatorPatch;
}

/// Declares the same of kinds in the fabric API.
macro_rules! fabric_resources {
    ($($detail:ty: $path:literal, $id:ty, $($member:ident).+;)+) => {$(
        impl Resource for $detail {
            const API: Api = Api::Fabric;
            const PATH: &'static str = $path;
            type Id = $id;

            fn entity_id(&self) -> &$id {
                &self.$($member).+
            }
        }
    )+};
}

fabric_resources! {
    fabric::router::RouterDetail: "routers", RouterId, base.id;
    fabric::link::LinkDetail: "links", LinkId, id;
    fabric::circuit::CircuitDetail: "circuits", CircuitId, base.id;
    fabric::terminator::TerminatorDetail: "terminators", TerminatorId, base.id;
}

impl Patchable for fabric::link::LinkDetail {
    type Patch = fabric::link::LinkPatch;
}
