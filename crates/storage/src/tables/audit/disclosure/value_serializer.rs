//! Serializes the parts of a record, to where each belongs.

use super::Disclosure;
use super::object_serializer::{ObjectSerializer, VariantSerializer};
use crate::tables::audit::schema::{MemberNames, TimeUnit};
use portcullis_domain::clock::Timestamp;
use serde::Serialize;
use serde::ser::{self, Serializer};
use serde_json::Error;
use std::io::Write as _;

/// Serializes a part of a record.
pub(super) struct ValueSerializer<'d> {
    pub(super) disclosure: &'d mut Disclosure,
    pub(super) place: Place<'d>,
}

/// What a part of a record is.
#[derive(Clone, Copy)]
pub(super) enum Place<'d> {
    /// The record, or its wrapper.
    Record,
    /// A member, by its stored name, that may be a time.
    Member {
        name: &'d str,
        unit: Option<TimeUnit>,
    },
    /// An item of a list, of which these are the names on the API.
    Item(MemberNames),
}

impl<'d> ValueSerializer<'d> {
    /// Writes a value that has no members of its own.
    fn write<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        let values = &mut self.disclosure.told.values;
        let start = values.len();
        serde_json::to_writer(values, value)?;
        self.insert(start);
        Ok(())
    }

    fn write_integer(self, number: Option<i64>, value: &impl Serialize) -> Result<(), Error> {
        let Place::Member {
            unit: Some(unit), ..
        } = self.place
        else {
            return self.write(value);
        };
        let time = number.and_then(|number| time(number, unit, self.disclosure.milliseconds));
        let Some(time) = time else {
            return self.write(value);
        };
        let values = &mut self.disclosure.told.values;
        let start = values.len();
        // Memory takes everything.
        let _ = write!(values, "\"{time}\"");
        self.insert(start);
        Ok(())
    }

    fn insert(self, start: usize) {
        if let Place::Member { name, .. } = self.place {
            self.disclosure.insert_last(name, start);
        }
    }

    fn list(self) -> ListSerializer<'d> {
        let values = &mut self.disclosure.told.values;
        let start = values.len();
        values.push(b'[');
        ListSerializer {
            start,
            is_empty: true,
            list: self,
        }
    }

    fn object(self) -> ObjectSerializer<'d> {
        ObjectSerializer::new(self.disclosure, self.place)
    }
}

fn time(number: i64, unit: TimeUnit, milliseconds: i64) -> Option<Timestamp> {
    let time = match unit {
        TimeUnit::Second => Timestamp::from_second(number),
        TimeUnit::SecondAnd(_) => {
            let whole = number.checked_mul(1000)?;
            Timestamp::from_millisecond(whole.checked_add(milliseconds)?)
        },
        TimeUnit::Millisecond => Timestamp::from_millisecond(number),
    };
    time.ok()
}

/// Values without members, and numbers that are too small to be times in any other form.
macro_rules! plain_values {
    ($($method:ident($value:ty))*) => {
        $(fn $method(self, value: $value) -> Result<(), Error> {
            self.write(&value)
        })*
    };
}

impl<'d> Serializer for ValueSerializer<'d> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = ListSerializer<'d>;
    type SerializeTuple = ListSerializer<'d>;
    type SerializeTupleStruct = ListSerializer<'d>;
    type SerializeTupleVariant = VariantSerializer<'d>;
    type SerializeMap = ObjectSerializer<'d>;
    type SerializeStruct = ObjectSerializer<'d>;
    type SerializeStructVariant = VariantSerializer<'d>;

    plain_values! {
        serialize_bool(bool)
        serialize_i8(i8)
        serialize_i16(i16)
        serialize_u8(u8)
        serialize_u16(u16)
        serialize_f32(f32)
        serialize_f64(f64)
        serialize_char(char)
        serialize_str(&str)
        serialize_bytes(&[u8])
    }

    fn serialize_i32(self, value: i32) -> Result<(), Error> {
        self.write_integer(Some(value.into()), &value)
    }

    fn serialize_i64(self, value: i64) -> Result<(), Error> {
        self.write_integer(Some(value), &value)
    }

    fn serialize_u32(self, value: u32) -> Result<(), Error> {
        self.write_integer(Some(value.into()), &value)
    }

    fn serialize_u64(self, value: u64) -> Result<(), Error> {
        self.write_integer(value.try_into().ok(), &value)
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.write(&())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.write(&())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.write(&())
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), Error> {
        self.write(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        let mut object = self.object();
        object.add(variant, value)?;
        object.finish();
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<ListSerializer<'d>, Error> {
        Ok(self.list())
    }

    fn serialize_tuple(self, _: usize) -> Result<ListSerializer<'d>, Error> {
        Ok(self.list())
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<ListSerializer<'d>, Error> {
        Ok(self.list())
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<VariantSerializer<'d>, Error> {
        Ok(VariantSerializer::new(self.object(), variant))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<ObjectSerializer<'d>, Error> {
        Ok(self.object())
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<ObjectSerializer<'d>, Error> {
        Ok(self.object())
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<VariantSerializer<'d>, Error> {
        Ok(VariantSerializer::new(self.object(), variant))
    }
}

/// Serializes the items of a list.
pub(super) struct ListSerializer<'d> {
    list: ValueSerializer<'d>,
    /// Where the list begins.
    start: usize,
    is_empty: bool,
}

impl ListSerializer<'_> {
    fn add<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<(), Error> {
        let ValueSerializer { disclosure, place } = &mut self.list;
        if !std::mem::take(&mut self.is_empty) {
            disclosure.told.values.push(b',');
        }
        let names = match place {
            Place::Member { .. } => disclosure.schema.item_names(&disclosure.stored_path),
            Place::Item(_) | Place::Record => &[],
        };
        disclosure.serialize(item, Place::Item(names))
    }

    fn finish(self) {
        self.list.disclosure.told.values.push(b']');
        self.list.insert(self.start);
    }
}

macro_rules! lists {
    ($($form:ident::$method:ident)*) => {
        $(impl ser::$form for ListSerializer<'_> {
            type Ok = ();
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<(), Error> {
                self.add(item)
            }

            fn end(self) -> Result<(), Error> {
                self.finish();
                Ok(())
            }
        })*
    };
}

lists! {
    SerializeSeq::serialize_element
    SerializeTuple::serialize_element
    SerializeTupleStruct::serialize_field
}
