//! Serializes the members of objects in records.

use super::Disclosure;
use super::value_serializer::Place;
use crate::tables::audit::difference::push_camel;
use crate::tables::audit::disclosed::write_name;
use crate::tables::audit::schema::find;
use serde::Serialize;
use serde::ser;
use serde_json::{Error, Map, Value};

/// Serializes the members of an object.
pub(super) struct ObjectSerializer<'d> {
    disclosure: &'d mut Disclosure,
    place: Place<'d>,
    is_empty: bool,
    /// Name of the member of a map whose value follows.
    next_name: String,
}

impl<'d> ObjectSerializer<'d> {
    pub(super) fn new(disclosure: &'d mut Disclosure, place: Place<'d>) -> Self {
        if let Place::Item(_) = place {
            disclosure.told.values.push(b'{');
        }
        Self {
            disclosure,
            place,
            is_empty: true,
            next_name: String::new(),
        }
    }

    pub(super) fn add<T: Serialize + ?Sized>(
        &mut self,
        name: &str,
        value: &T,
    ) -> Result<(), Error> {
        let is_first = std::mem::take(&mut self.is_empty);
        let Place::Item(names) = self.place else {
            return self.disclosure.add(name, value);
        };
        let values = &mut self.disclosure.told.values;
        if !is_first {
            values.push(b',');
        }
        if let Some(api_name) = find(names, name) {
            write_name(api_name, values);
        } else {
            let mut camel = String::new();
            push_camel(&mut camel, name);
            write_name(&camel, values);
        }
        serde_json::to_writer(values, value)
    }

    pub(super) fn finish(self) {
        let values = &mut self.disclosure.told.values;
        match self.place {
            Place::Item(_) => values.push(b'}'),
            Place::Member { name, .. } if self.is_empty => {
                let start = values.len();
                values.extend_from_slice(b"{}");
                self.disclosure.insert_last(name, start);
            },
            Place::Member { .. } | Place::Record => {},
        }
    }
}

impl ser::SerializeStruct for ObjectSerializer<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.add(name, value)
    }

    fn end(self) -> Result<(), Error> {
        self.finish();
        Ok(())
    }
}

impl ser::SerializeMap for ObjectSerializer<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, name: &T) -> Result<(), Error> {
        self.next_name = match serde_json::to_value(name)? {
            Value::String(name) => name,
            other => other.to_string(),
        };
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        let name = std::mem::take(&mut self.next_name);
        self.add(&name, value)
    }

    fn end(self) -> Result<(), Error> {
        self.finish();
        Ok(())
    }
}

/// Serializes an object whose only member, the variant of an enum, has fields. Few have any, so they are gathered.
pub(super) struct VariantSerializer<'d> {
    object: ObjectSerializer<'d>,
    variant: &'static str,
    named: Map<String, Value>,
    unnamed: Vec<Value>,
}

impl<'d> VariantSerializer<'d> {
    pub(super) fn new(object: ObjectSerializer<'d>, variant: &'static str) -> Self {
        Self {
            object,
            variant,
            named: Map::new(),
            unnamed: Vec::new(),
        }
    }
}

impl ser::SerializeStructVariant for VariantSerializer<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.named
            .insert(name.to_owned(), serde_json::to_value(value)?);
        Ok(())
    }

    fn end(mut self) -> Result<(), Error> {
        self.object.add(self.variant, &self.named)?;
        self.object.finish();
        Ok(())
    }
}

impl ser::SerializeTupleVariant for VariantSerializer<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.unnamed.push(serde_json::to_value(value)?);
        Ok(())
    }

    fn end(mut self) -> Result<(), Error> {
        self.object.add(self.variant, &self.unnamed)?;
        self.object.finish();
        Ok(())
    }
}
