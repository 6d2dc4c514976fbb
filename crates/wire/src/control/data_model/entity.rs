//! Identities, services, routers and configurations.

use crate::precedence::Precedence;
use crate::protobuf::message;
use crate::secret::Secret;
use bytes::Bytes;
use std::collections::BTreeMap;

message! {
    pub struct Identity {
        pub id: String = 1,
        pub name: String = 2,
        pub default_hosting_precedence: Precedence = 3,
        pub default_hosting_cost: u32 = 4,
        /// By service.
        pub service_hosting_precedences: BTreeMap<String, Precedence> = 5,
        /// By service.
        pub service_hosting_costs: BTreeMap<String, u32> = 6,
        /// Empty if there is none.
        pub app_data_json: Secret<Bytes> = 7,
        /// Configurations for this identity, by service.
        pub service_configs: BTreeMap<String, ServiceConfigs> = 8,
        pub is_disabled: bool = 9,
    }

    pub struct ServiceConfigs {
        /// Id of the configuration by id of its type.
        pub configs: BTreeMap<String, String> = 1,
    }

    pub struct Service {
        pub id: String = 1,
        pub name: String = 2,
        pub requires_encryption: bool = 3,
        /// Ids.
        pub configs: Vec<String> = 4,
    }

    pub struct Router {
        pub id: String = 1,
        pub name: String = 2,
        /// SHA-1 of its certificate in lower-case hex; empty if it is not enrolled.
        pub fingerprint: String = 3,
        /// Ids.
        pub configs: Vec<String> = 4,
        pub is_disabled: bool = 5,
    }

    pub struct ConfigType {
        pub id: String = 1,
        pub name: String = 2,
        /// `service`, `router`, or another.
        pub target: String = 3,
    }

    pub struct Config {
        pub id: String = 1,
        pub type_id: String = 2,
        pub name: String = 3,
        pub data_json: Secret<String> = 4,
    }
}
