//! Questions about the insides of controllers and routers.

use crate::protobuf::message;
use crate::secret::Secret;

message! {
    pub struct InspectRequest {
        /// Of the ids of controllers, and the ids and names of routers.
        pub app_regex: String = 1,
        /// Names of values, such as `links` or `circuit:<id>`.
        pub names: Vec<String> = 2,
    }

    pub struct InspectResponse {
        pub is_success: bool = 1,
        /// Texts for people.
        pub errors: Vec<String> = 2,
        pub values: Vec<InspectedValue> = 3,
    }

    pub struct InspectedValue {
        /// Controller or router.
        pub app_id: String = 1,
        pub name: String = 2,
        /// Text or JSON; some have tokens in them.
        pub value: Secret<String> = 3,
    }
}
