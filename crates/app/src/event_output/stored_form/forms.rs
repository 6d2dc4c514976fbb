//! The members of each type of entity, in their order.

use super::members::{Form, Member, PLAIN, Unit, flag, nullable, number, object, text};

pub(super) const SERVICE: Form = Form {
    fabric: &[
        text("name"),
        Member {
            unit: Unit::Nanoseconds,
            ..number("maxIdleTime").of("maxIdleTimeMillis")
        },
        text("terminatorStrategy"),
    ],
    edge: &[
        nullable("roleAttributes"),
        nullable("configs"),
        flag("encryptionRequired"),
        flag("isFabricOnly"),
    ],
    ..PLAIN
};

pub(super) const ROUTER: Form = Form {
    fabric: &[
        text("name"),
        nullable("fingerprint"),
        number("cost"),
        flag("noTraversal"),
        flag("disabled"),
        nullable("ctrlChanListeners"),
        nullable("configs"),
    ],
    edge: &[
        flag("isVerified"),
        nullable("certPem"),
        nullable("unverifiedCertPem"),
        nullable("unverifiedFingerprint"),
        nullable("roleAttributes"),
        flag("isTunnelerEnabled"),
        nullable("appData"),
    ],
    ..PLAIN
};

pub(super) const TRANSIT_ROUTER: Form = Form {
    edge: &[
        flag("isVerified"),
        nullable("unverifiedFingerprint"),
        nullable("unverifiedCertPem"),
    ],
    ..ROUTER
};

pub(super) const IDENTITY: Form = Form {
    edge: &[
        text("name"),
        text("identityTypeId").of("typeId"),
        flag("isDefaultAdmin"),
        flag("isAdmin"),
        nullable("roleAttributes"),
        object("sdkInfo"),
        object("envInfo"),
        text("defaultHostingPrecedence"),
        number("defaultHostingCost"),
        nullable("serviceHostingPrecedences"),
        nullable("serviceHostingCosts"),
        nullable("appData"),
        text("authPolicyId"),
        nullable("externalId"),
        nullable("disabledAt"),
        nullable("disabledUntil"),
        flag("disabled"),
        nullable("serviceConfigs"),
        nullable("permissions"),
    ],
    ..PLAIN
};

pub(super) const TERMINATOR: Form = Form {
    edge: &[
        text("service").of("serviceId"),
        text("router").of("routerId"),
        text("binding"),
        text("address"),
        text("instanceId").of("identity"),
        number("cost"),
        text("precedence"),
        nullable("peerData"),
        text("hostId"),
        nullable("savedPrecedence"),
    ],
    ..PLAIN
};

pub(super) const SERVICE_POLICY: Form = Form {
    edge: &[
        text("policyType").of("type"),
        text("name"),
        text("semantic"),
        nullable("identityRoles"),
        nullable("serviceRoles"),
        nullable("postureCheckRoles"),
    ],
    ..PLAIN
};

pub(super) const EDGE_ROUTER_POLICY: Form = Form {
    edge: &[
        text("name"),
        text("semantic"),
        nullable("identityRoles"),
        nullable("edgeRouterRoles"),
    ],
    ..PLAIN
};

pub(super) const SERVICE_EDGE_ROUTER_POLICY: Form = Form {
    edge: &[
        text("name"),
        text("semantic"),
        nullable("serviceRoles"),
        nullable("edgeRouterRoles"),
    ],
    ..PLAIN
};

pub(super) const CONFIG: Form = Form {
    edge: &[
        text("name"),
        text("type").of("configTypeId"),
        nullable("data"),
    ],
    ..PLAIN
};

pub(super) const CONFIG_TYPE: Form = Form {
    edge: &[text("name"), nullable("schema"), text("target")],
    ..PLAIN
};

pub(super) const AUTHENTICATOR: Form = Form {
    edge: &[text("type"), text("identityId")],
    has_sub_type: true,
    ..PLAIN
};

pub(super) const POSTURE_CHECK: Form = Form {
    edge: &[text("name"), text("typeId"), nullable("roleAttributes")],
    has_sub_type: true,
    ..PLAIN
};

pub(super) const ENROLLMENT: Form = Form {
    edge: &[
        text("method"),
        nullable("identityId"),
        nullable("transitRouterId"),
        nullable("edgeRouterId"),
        nullable("expiresAt"),
        nullable("caId"),
        nullable("username"),
    ],
    ..PLAIN
};

pub(super) const CA: Form = Form {
    edge: &[
        text("name"),
        text("fingerprint"),
        text("certPem"),
        flag("isVerified"),
        flag("isAutoCaEnrollmentEnabled"),
        flag("isOttCaEnrollmentEnabled"),
        flag("isAuthEnabled"),
        nullable("identityRoles"),
        text("identityNameFormat"),
        nullable("externalIdClaim"),
    ],
    ..PLAIN
};

pub(super) const AUTH_POLICY: Form = Form {
    edge: &[text("name"), nullable("primary"), nullable("secondary")],
    ..PLAIN
};

pub(super) const NAMED: Form = Form {
    edge: &[text("name")],
    ..PLAIN
};

pub(super) const SESSION: Form = Form {
    edge: &[
        text("identityId"),
        text("apiSessionId"),
        text("serviceId"),
        text("type"),
    ],
    ..PLAIN
};

pub(super) const API_SESSION: Form = Form {
    edge: &[
        text("identityId"),
        text("ipAddress"),
        nullable("configTypes"),
        text("authenticatorId"),
        flag("isCertExtendable"),
        flag("improperClientCertChain"),
    ],
    ..PLAIN
};

pub(super) const API_SESSION_CERTIFICATE: Form = Form {
    edge: &[
        text("subject"),
        text("fingerprint"),
        nullable("validAfter").of("validFrom"),
        nullable("validBefore").of("validTo"),
        text("pem").of("certificate"),
    ],
    ..PLAIN
};

pub(super) const MFA: Form = Form {
    edge: &[text("identityId"), flag("isVerified")],
    ..PLAIN
};

pub(super) const REVOCATION: Form = Form {
    edge: &[
        nullable("expiresAt"),
        text("type"),
        nullable("issuedBefore"),
    ],
    ..PLAIN
};
