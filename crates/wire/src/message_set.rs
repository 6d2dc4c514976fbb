//! The messages of a protocol, by content type.

/// Declares the messages of a protocol: those with content by the type of it, and those without.
macro_rules! message_set {
    (
        $(#[$attribute:meta])*
        pub enum $name:ident {
            $($(#[$variant_attribute:meta])* $number:literal => $variant:ident($content:ty),)*
            $(empty: $($(#[$empty_attribute:meta])* $empty_number:literal => $empty:ident,)*)?
        }
    ) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, PartialEq)]
        pub enum $name {
            $($(#[$variant_attribute])* $variant($content),)*
            $($($(#[$empty_attribute])* $empty,)*)?
            /// A message of a type that this version does not know, or that the channel itself handles.
            Unknown(portcullis_channel::Message),
        }

        impl $name {
            /// The number that says what the message is.
            pub const fn content_type(&self) -> portcullis_channel::ContentType {
                match self {
                    $(Self::$variant(_) => portcullis_channel::ContentType($number),)*
                    $($(Self::$empty => portcullis_channel::ContentType($empty_number),)*)?
                    Self::Unknown(message) => message.content_type,
                }
            }

            /// What the message is called.
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => stringify!($variant),)*
                    $($(Self::$empty => stringify!($empty),)*)?
                    Self::Unknown(_) => "Unknown",
                }
            }

            /// Decodes a message by its content type.
            pub fn decode(
                message: &portcullis_channel::Message,
            ) -> Result<Self, $crate::content::DecodeError> {
                let (headers, body) = (&message.headers, &message.body);
                Ok(match message.content_type.0 {
                    $($number => Self::$variant(
                        <$content as $crate::content::Content>::decode(headers, body)?,
                    ),)*
                    $($($empty_number => Self::$empty,)*)?
                    _ => Self::Unknown(message.clone()),
                })
            }

            /// Encodes the message, to be sent or turned into a reply.
            pub fn encode(
                &self,
            ) -> Result<portcullis_channel::Message, $crate::content::EncodeError> {
                let (headers, body) = match self {
                    $(Self::$variant(content) => $crate::content::Content::encode(content)?,)*
                    $($(Self::$empty => (
                        portcullis_channel::Headers::empty(),
                        bytes::Bytes::new(),
                    ),)*)?
                    Self::Unknown(message) => return Ok(message.clone()),
                };
                Ok(portcullis_channel::Message {
                    content_type: self.content_type(),
                    headers,
                    body,
                })
            }
        }
    };
}
pub(crate) use message_set;
