//! Structs with a header for each field.

/// Declares a message as a struct.
///
/// | Behind a field | It is |
/// |---|---|
/// | `= 11`, `= KEY` | a header, which must be there unless the field is an `Option` |
/// | `= 11 or default` | a header, which is left out if it has the default |
/// | `= body` | the body |
/// | `= text` | the body, a text for people: what is not UTF-8 in it is replaced |
macro_rules! header_message {
    ($(
        $(#[$attribute:meta])*
        pub struct $name:ident {
            $($(#[$field_attribute:meta])* pub $field:ident: $type:ty = $place:tt $(or $default:ident)?,)*
        }
    )*) => {$(
        $(#[$attribute])*
        #[derive(Debug, Clone, Default, PartialEq)]
        pub struct $name {
            $($(#[$field_attribute])* pub $field: $type,)*
        }

        impl $crate::content::Content for $name {
            const NAME: &'static str = stringify!($name);

            fn decode(
                headers: &portcullis_channel::Headers,
                body: &bytes::Bytes,
            ) -> Result<Self, $crate::content::DecodeError> {
                let parts = $crate::headers::Received {
                    message: Self::NAME,
                    headers,
                    body,
                };
                Ok(Self {
                    $($field: $crate::headers::header_message!(
                        @read $place $($default)?, $field, parts
                    ),)*
                })
            }

            fn encode(
                &self,
            ) -> Result<(portcullis_channel::Headers, bytes::Bytes), $crate::content::EncodeError> {
                let parts = $crate::headers::Parts::new(Self::NAME);
                $(let parts = $crate::headers::header_message!(
                    @write $place $($default)?, self.$field, parts
                );)*
                Ok(parts.finish())
            }
        }
    )*};

    (@read body, $field:ident, $parts:ident) => {
        $parts.body(stringify!($field))?
    };
    (@read text, $field:ident, $parts:ident) => {
        $parts.text().into()
    };
    (@read $key:tt default, $field:ident, $parts:ident) => {
        $parts.header_or_default($key)
    };
    (@read $key:tt, $field:ident, $parts:ident) => {
        $parts.header(stringify!($field), $key)?
    };

    (@write body, $field:expr, $parts:ident) => {
        $parts.body(&$field)
    };
    (@write text, $field:expr, $parts:ident) => {
        $parts.body(&$field)
    };
    (@write $key:tt default, $field:expr, $parts:ident) => {
        $parts.header_or_default($key, &$field)?
    };
    (@write $key:tt, $field:expr, $parts:ident) => {
        $parts.header($key, &$field)?
    };
}
pub(crate) use header_message;
