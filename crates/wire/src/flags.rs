//! Sets of bits in a header.

/// Declares a set of bits. Those without a name are kept.
macro_rules! flags {
    (
        $(#[$attribute:meta])*
        pub struct $name:ident {
            $($(#[$flag_attribute:meta])* $flag:ident = $bit:literal,)*
        }
    ) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
        pub struct $name(u32);

        impl $name {
            $($(#[$flag_attribute])* pub const $flag: Self = Self($bit);)*

            pub const fn from_bits(bits: u32) -> Self {
                Self(bits)
            }

            pub const fn bits(self) -> u32 {
                self.0
            }

            /// Whether all of `flags` are set.
            pub const fn contains(self, flags: Self) -> bool {
                self.0 & flags.0 == flags.0
            }
        }

        impl std::ops::BitOr for $name {
            type Output = Self;

            fn bitor(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }
        }

        impl $crate::headers::HeaderValue for $name {
            fn read(
                headers: &portcullis_channel::Headers,
                key: portcullis_channel::HeaderKey,
            ) -> Option<Self> {
                headers.u32(key).map(Self)
            }

            fn write(
                &self,
                headers: portcullis_channel::headers::HeadersBuilder,
                key: portcullis_channel::HeaderKey,
            ) -> $crate::headers::Written {
                Ok(headers.u32(key, self.0))
            }
        }
    };
}
pub(crate) use flags;
