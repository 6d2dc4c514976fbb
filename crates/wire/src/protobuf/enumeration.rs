//! Numbers with names, to which newer peers may add.

/// Declares an enumeration whose unknown values are kept.
///
/// `as u8` and the like say how long its number is in a header.
macro_rules! enumeration {
    (
        $(#[$attribute:meta])*
        pub enum $name:ident: $number:ty $(, header $header:ty)? {
            $(#[$first_attribute:meta])* $first:ident = $first_code:literal,
            $($(#[$variant_attribute:meta])* $variant:ident = $code:literal,)*
        }
    ) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            #[default]
            $(#[$first_attribute])* $first,
            $($(#[$variant_attribute])* $variant,)*
            /// A number that this version does not know.
            Unrecognized($number),
        }

        impl $name {
            /// The number on the wire.
            pub const fn code(self) -> $number {
                match self {
                    Self::$first => $first_code,
                    $(Self::$variant => $code,)*
                    Self::Unrecognized(code) => code,
                }
            }

            /// What a number on the wire means.
            pub const fn from_code(code: $number) -> Self {
                match code {
                    $first_code => Self::$first,
                    $($code => Self::$variant,)*
                    code => Self::Unrecognized(code),
                }
            }
        }

        impl $crate::protobuf::Value for $name {
            fn is_default(&self) -> bool {
                self.code() == <$number>::default()
            }

            fn encode(tag: u32, value: &Self, out: &mut bytes::BytesMut) {
                <$number as $crate::protobuf::Value>::encode(tag, &value.code(), out);
            }

            fn encoded_len(tag: u32, value: &Self) -> usize {
                <$number as $crate::protobuf::Value>::encoded_len(tag, &value.code())
            }

            fn merge(
                wire_type: $crate::protobuf::WireType,
                value: &mut Self,
                input: &mut $crate::protobuf::Input,
            ) -> Result<(), $crate::protobuf::ProtobufError> {
                let mut code = <$number>::default();
                <$number as $crate::protobuf::Value>::merge(wire_type, &mut code, input)?;
                *value = Self::from_code(code);
                Ok(())
            }

            fn encode_all(tag: u32, values: &[Self], out: &mut bytes::BytesMut) {
                let codes: Vec<$number> = values.iter().map(|value| value.code()).collect();
                <$number as $crate::protobuf::Value>::encode_all(tag, &codes, out);
            }

            fn encoded_len_of_all(tag: u32, values: &[Self]) -> usize {
                let codes: Vec<$number> = values.iter().map(|value| value.code()).collect();
                <$number as $crate::protobuf::Value>::encoded_len_of_all(tag, &codes)
            }

            fn merge_more(
                wire_type: $crate::protobuf::WireType,
                values: &mut Vec<Self>,
                input: &mut $crate::protobuf::Input,
            ) -> Result<(), $crate::protobuf::ProtobufError> {
                let mut codes = Vec::new();
                <$number as $crate::protobuf::Value>::merge_more(
                    wire_type, &mut codes, input,
                )?;
                values.extend(codes.into_iter().map(Self::from_code));
                Ok(())
            }
        }

        $(
            impl $crate::headers::HeaderValue for $name {
                fn read(
                    headers: &portcullis_channel::Headers,
                    key: portcullis_channel::HeaderKey,
                ) -> Option<Self> {
                    let code = <$header as $crate::headers::HeaderValue>::read(headers, key)?;
                    Some(Self::from_code(code.into()))
                }

                fn write(
                    &self,
                    headers: portcullis_channel::headers::HeadersBuilder,
                    key: portcullis_channel::HeaderKey,
                ) -> $crate::headers::Written {
                    // A number that is too long for its header was not read from one.
                    let code = <$header>::try_from(self.code()).unwrap_or(<$header>::MAX);
                    $crate::headers::HeaderValue::write(&code, headers, key)
                }
            }
        )?
    };
}
pub(crate) use enumeration;
