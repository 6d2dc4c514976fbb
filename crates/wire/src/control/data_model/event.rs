//! A change of one entity.

use super::{
    Config, ConfigType, Identity, PostureCheck, PublicKey, Revocation, Router, Service,
    ServicePolicy, ServicePolicyChange,
};
use crate::protobuf::{enumeration, message, one_of};

message! {
    pub struct Event {
        pub action: Action = 1,
        /// Belongs to the index before.
        pub is_synthetic: bool = 3,
        /// `None` if it is of a kind that this version does not know.
        pub subject: Option<Subject> = one_of,
    }
}

enumeration! {
    pub enum Action: i32 {
        Create = 0,
        Update = 1,
        Delete = 2,
    }
}

one_of! {
    /// The entity as it is after the change; on deletion, its id counts.
    pub enum Subject {
        Identity(Identity) = 10,
        Service(Service) = 11,
        ServicePolicy(ServicePolicy) = 12,
        PostureCheck(PostureCheck) = 13,
        PublicKey(PublicKey) = 14,
        Revocation(Revocation) = 15,
        ServicePolicyChange(ServicePolicyChange) = 16,
        ConfigType(ConfigType) = 17,
        Config(Config) = 18,
        Router(Router) = 19,
    }
}
