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
        Identity(Box<Identity>) = 10,
        Service(Box<Service>) = 11,
        ServicePolicy(Box<ServicePolicy>) = 12,
        PostureCheck(Box<PostureCheck>) = 13,
        PublicKey(Box<PublicKey>) = 14,
        Revocation(Box<Revocation>) = 15,
        ServicePolicyChange(Box<ServicePolicyChange>) = 16,
        ConfigType(Box<ConfigType>) = 17,
        Config(Box<Config>) = 18,
        Router(Box<Router>) = 19,
    }
}
