//! Declaration of actions: operations as types with the access they require.

/// Declares one action per line: `Name = Access`.
macro_rules! actions {
    ($($(#[$doc:meta])* $name:ident = $access:expr;)+) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub enum $name {}

        impl portcullis_domain::access::Action for $name {
            const ACCESS: portcullis_domain::access::Access = $access;
        }
    )+};
}

pub(crate) use actions;
