//! What may be told of an entity.

use std::ops::Range;

/// What may be told of an entity: the values of its members as JSON, by their paths on the API, such as `certificate.caId`.
#[derive(Debug, Clone, Default)]
pub struct DisclosedEntity {
    paths: String,
    pub(super) values: Vec<u8>,
    /// In the order of their paths.
    members: Vec<Member>,
}

#[derive(Debug, Clone)]
struct Member {
    path: Range<usize>,
    value: Range<usize>,
}

impl DisclosedEntity {
    /// Nothing yet, with room for what most entities have.
    pub(super) fn with_usual_room() -> Self {
        Self {
            paths: String::with_capacity(256),
            values: Vec::with_capacity(512),
            members: Vec::with_capacity(16),
        }
    }

    /// About how many bytes its paths and values are.
    pub const fn size(&self) -> usize {
        self.paths.len() + self.values.len()
    }

    /// The value at a path; `None` where there is none, or members below it.
    pub fn get(&self, path: &str) -> Option<&[u8]> {
        let member = self.members.get(self.position(path).ok()?)?;
        Some(self.value(member))
    }

    /// Whether there is a value at a path, or below it.
    pub fn contains(&self, path: &str) -> bool {
        self.position(path).is_ok() || !self.below(path).is_empty()
    }

    /// Adds a value, or replaces that at the same path.
    pub fn insert(&mut self, path: &str, json: &[u8]) {
        let start = self.values.len();
        self.values.extend_from_slice(json);
        self.insert_last(path, start);
    }

    /// The same for a text.
    pub fn insert_text(&mut self, path: &str, text: &str) {
        let start = self.values.len();
        write_text(text, &mut self.values);
        self.insert_last(path, start);
    }

    /// The same for the value that was written last, from `start` on.
    pub(super) fn insert_last(&mut self, path: &str, start: usize) {
        self.insert_value(path, start..self.values.len());
    }

    /// Removes the value at a path, and all below it. Returns whether there was any.
    pub fn remove(&mut self, path: &str) -> bool {
        !self.take(path).is_empty()
    }

    /// Gives the value at a path, and all below it, another path; an empty one is that of the entity itself.
    pub fn rename(&mut self, from: &str, to: &str) {
        for member in self.take(from) {
            let rest = self.path(&member).get(from.len()..).unwrap_or_default();
            let path = format!("{to}{rest}");
            let path = path.strip_prefix('.').unwrap_or(&path);
            self.insert_value(path, member.value);
        }
    }

    /// The names of the members of the entity itself, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let mut last = "";
        self.members.iter().filter_map(move |member| {
            let name = first_name(self.path(member));
            (name != std::mem::replace(&mut last, name)).then_some(name)
        })
    }

    /// Writes the value at a path, or an object of what is below it. Returns whether there is any.
    pub fn write(&self, path: &str, json: &mut Vec<u8>) -> bool {
        if let Some(value) = self.get(path) {
            json.extend_from_slice(value);
            return true;
        }
        let below = self.below(path);
        if !below.is_empty() {
            self.write_object(below, path.len() + 1, json);
        }
        !below.is_empty()
    }

    /// Writes members as an object, without so many bytes at the start of their paths.
    fn write_object(&self, members: &[Member], outer: usize, json: &mut Vec<u8>) {
        json.push(b'{');
        let groups =
            members.chunk_by(|one, other| self.name(one, outer) == self.name(other, outer));
        for (position, group) in groups.enumerate() {
            let Some(first) = group.first() else {
                continue;
            };
            if position > 0 {
                json.push(b',');
            }
            let name = self.name(first, outer);
            write_name(name, json);
            let inner = outer + name.len();
            if inner == first.path.len() {
                json.extend_from_slice(self.value(first));
            } else {
                self.write_object(group, inner + 1, json);
            }
        }
        json.push(b'}');
    }

    /// The name of a member within the object that so many bytes of its path lead to.
    fn name(&self, member: &Member, outer: usize) -> &str {
        first_name(self.path(member).get(outer..).unwrap_or_default())
    }

    fn insert_value(&mut self, path: &str, value: Range<usize>) {
        match self.position(path) {
            Ok(position) => {
                if let Some(member) = self.members.get_mut(position) {
                    member.value = value;
                }
            },
            Err(position) => {
                let start = self.paths.len();
                self.paths.push_str(path);
                let path = start..self.paths.len();
                self.members.insert(position, Member { path, value });
            },
        }
    }

    fn take(&mut self, path: &str) -> Vec<Member> {
        let below = self.below_range(path);
        let mut taken: Vec<_> = self.members.drain(below).collect();
        if let Ok(position) = self.position(path) {
            taken.push(self.members.remove(position));
        }
        taken
    }

    fn below(&self, path: &str) -> &[Member] {
        let below = self.below_range(path);
        self.members.get(below).unwrap_or_default()
    }

    /// The members below a path, which lie side by side.
    fn below_range(&self, path: &str) -> Range<usize> {
        let is_below = |member: &Member| {
            let rest = self.path(member).strip_prefix(path);
            rest.is_some_and(|rest| rest.starts_with('.'))
        };
        let from = self.position(path).unwrap_or_else(|position| position);
        let before = self.members.iter().skip(from);
        let begin = from + before.take_while(|member| !is_below(member)).count();
        let below = self.members.iter().skip(begin);
        begin..begin + below.take_while(|member| is_below(member)).count()
    }

    /// Where the member at a path is, or has its place.
    fn position(&self, path: &str) -> Result<usize, usize> {
        self.members
            .binary_search_by(|member| self.path(member).cmp(path))
    }

    fn path(&self, member: &Member) -> &str {
        self.paths.get(member.path.clone()).unwrap_or_default()
    }

    fn value(&self, member: &Member) -> &[u8] {
        self.values.get(member.value.clone()).unwrap_or_default()
    }
}

/// Entities are the same if what is told of them is.
impl PartialEq for DisclosedEntity {
    fn eq(&self, other: &Self) -> bool {
        let mut pairs = self.members.iter().zip(&other.members);
        self.members.len() == other.members.len()
            && pairs.all(|(one, another)| {
                self.path(one) == other.path(another) && self.value(one) == other.value(another)
            })
    }
}

/// Writes the name of a member, with the colon after it.
pub(super) fn write_name(name: &str, json: &mut Vec<u8>) {
    write_text(name, json);
    json.push(b':');
}

fn write_text(text: &str, json: &mut Vec<u8>) {
    // Memory takes every text.
    let _ = serde_json::to_writer(json, text);
}

fn first_name(path: &str) -> &str {
    path.split('.').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entity(members: &[(&str, &str)]) -> DisclosedEntity {
        let mut entity = DisclosedEntity::default();
        for (path, value) in members {
            entity.insert(path, value.as_bytes());
        }
        entity
    }

    fn value(entity: &DisclosedEntity, path: &str) -> Option<String> {
        let mut value = Vec::new();
        let exists = entity.write(path, &mut value);
        exists.then(|| String::from_utf8(value).unwrap())
    }

    #[test]
    fn what_is_below_a_path_is_an_object() {
        let mut entity = entity(&[
            ("b", "2"),
            ("a.y.z", "[1]"),
            ("a-b", "0"),
            ("ab", "1"),
            ("a.x", "{}"),
            ("b", "3"),
        ]);
        entity.insert_text("a.y.\"", "\n");
        assert_eq!(
            value(&entity, "a").as_deref(),
            Some(r#"{"x":{},"y":{"\"":"\n","z":[1]}}"#)
        );
        assert_eq!(value(&entity, "b").as_deref(), Some("3"));
        assert_eq!(value(&entity, "a.y.z").as_deref(), Some("[1]"));
        assert_eq!(value(&entity, "a.z"), None);
        assert_eq!(entity.get("a"), None);
        assert!(entity.contains("a") && entity.contains("a.x") && !entity.contains("a.xy"));
        let names: Vec<_> = entity.names().collect();
        assert_eq!(names, ["a-b", "a", "ab", "b"]);
    }

    #[test]
    fn members_are_renamed_and_removed_with_what_is_below() {
        let mut entity = entity(&[("a.x", "1"), ("a.y.z", "2"), ("ab", "3")]);
        entity.rename("a.y", "c");
        assert_eq!(value(&entity, "c").as_deref(), Some(r#"{"z":2}"#));
        entity.rename("c", "");
        assert_eq!(value(&entity, "z").as_deref(), Some("2"));
        entity.rename("ab", "z");
        assert_eq!(value(&entity, "z").as_deref(), Some("3"));
        assert!(entity.remove("a") && !entity.remove("a"));
        assert_eq!(entity.names().collect::<Vec<_>>(), ["z"]);
    }

    #[test]
    fn entities_are_the_same_if_their_members_are() {
        let one = entity(&[("a", "1"), ("b", "2")]);
        assert!(one == entity(&[("b", "0"), ("a", "1"), ("b", "2")]));
        assert!(one != entity(&[("a", "1"), ("b", "3")]));
        assert!(one != entity(&[("a", "1")]));
        assert!(one != entity(&[("a", "1"), ("b", "2"), ("c", "3")]));
    }
}
