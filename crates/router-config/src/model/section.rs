//! Conversion of effective values to typed sections.

use portcullis_yaml::syntax::GoDuration;
use serde_json::Value;

use portcullis_key_table::{EffectiveConfig, Source};

/// A value and its source.
#[derive(Clone, Debug, PartialEq)]
pub struct SourcedValue<T> {
    pub value: T,
    pub source: Source,
}

/// A type that can be read from a JSON value.
pub(super) trait Scalar: Sized {
    fn read(value: &Value) -> Option<Self>;
}

/// A section or an entry of a list.
pub(super) trait FromEffective: Sized {
    /// Reads the values below a path.
    fn read(effective: &EffectiveConfig, prefix: &str) -> Self;
}

impl Scalar for String {
    fn read(value: &Value) -> Option<Self> {
        value.as_str().map(str::to_owned)
    }
}

impl Scalar for GoDuration {
    fn read(value: &Value) -> Option<Self> {
        value.as_str()?.parse().ok()
    }
}

impl Scalar for i64 {
    fn read(value: &Value) -> Option<Self> {
        value.as_i64()
    }
}

impl Scalar for f64 {
    fn read(value: &Value) -> Option<Self> {
        value.as_f64()
    }
}

impl Scalar for bool {
    fn read(value: &Value) -> Option<Self> {
        value.as_bool()
    }
}

impl Scalar for Vec<String> {
    fn read(value: &Value) -> Option<Self> {
        value.as_array()?.iter().map(String::read).collect()
    }
}

pub(super) fn scalar<T: Scalar>(
    effective: &EffectiveConfig,
    prefix: &str,
    name: &str,
) -> Option<SourcedValue<T>> {
    let setting = effective.get(&below(prefix, name))?;
    Some(SourcedValue {
        value: T::read(&setting.value)?,
        source: setting.source.clone(),
    })
}

/// Reads the entries of a list.
pub(super) fn list<T: FromEffective>(
    effective: &EffectiveConfig,
    prefix: &str,
    name: &str,
) -> Vec<T> {
    let path = below(prefix, name);
    (0..effective.list_len(&path))
        .map(|index| T::read(effective, &format!("{path}[{index}]")))
        .collect()
}

pub(super) fn below(prefix: &str, name: &str) -> String {
    if prefix.is_empty() {
        name.to_owned()
    } else {
        format!("{prefix}.{name}")
    }
}

/// Declares a section: a struct and its conversion from effective values.
macro_rules! config_section {
    (
        $(#[$about:meta])*
        $name:ident {
            $( $(#[$meaning:meta])* $field:ident: $kind:ident<$type:ty> = $key:literal, )*
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name {
            $( $(#[$meaning])* pub $field: $crate::model::section::config_section!(@type $kind $type), )*
        }

        impl $crate::model::section::FromEffective for $name {
            fn read(effective: &portcullis_key_table::EffectiveConfig, prefix: &str) -> Self {
                Self {
                    $( $field: $crate::model::section::config_section!(@read $kind effective, prefix, $key), )*
                }
            }
        }
    };
    (@type value $type:ty) => { Option<$crate::model::section::SourcedValue<$type>> };
    (@type list $type:ty) => { Vec<$type> };
    (@type section $type:ty) => { $type };
    (@read value $effective:expr, $prefix:expr, $key:literal) => {
        $crate::model::section::scalar($effective, $prefix, $key)
    };
    (@read list $effective:expr, $prefix:expr, $key:literal) => {
        $crate::model::section::list($effective, $prefix, $key)
    };
    (@read section $effective:expr, $prefix:expr, $key:literal) => {
        $crate::model::section::FromEffective::read($effective, &$crate::model::section::below($prefix, $key))
    };
}

pub(super) use config_section;
