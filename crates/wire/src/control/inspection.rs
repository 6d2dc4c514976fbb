//! Questions about the insides of a peer.

use crate::protobuf::message;
use crate::secret::Secret;

message! {
    pub struct InspectRequest {
        /// Names of values, such as `links` or `circuit:<id>`.
        pub names: Vec<String> = 1,
    }

    pub struct InspectResponse {
        pub is_success: bool = 1,
        /// Texts for people.
        pub errors: Vec<String> = 2,
        pub values: Vec<InspectedValue> = 3,
    }

    pub struct InspectedValue {
        pub name: String = 1,
        /// Text or JSON; some have tokens in them.
        pub value: Secret<String> = 2,
    }
}
