//! Precedence of terminators.

use crate::protobuf::enumeration;

enumeration! {
    /// Which terminators of a service are used before others, whatever they cost.
    pub enum Precedence: i32, header u8 {
        Default = 0,
        /// Before all others.
        Required = 1,
        /// After all others.
        Failed = 2,
    }
}
