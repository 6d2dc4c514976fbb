//! What was used lately, within bounds.

use std::collections::HashMap;

/// Values by name. When the young generation is full it becomes the old one, so that what is in use
/// stays and what is not goes, at no bookkeeping per value.
pub(super) struct Recent<V> {
    young: HashMap<String, V>,
    old: HashMap<String, V>,
    generation: usize,
}

impl<V: Clone> Recent<V> {
    /// Holds nothing, and later at most twice `generation` values.
    pub(super) fn new(generation: usize) -> Self {
        Self {
            young: HashMap::new(),
            old: HashMap::new(),
            generation,
        }
    }

    /// The value of a name, made if there is none.
    pub(super) fn find_or_insert(
        &mut self,
        name: &str,
        make: impl FnOnce() -> Option<V>,
    ) -> Option<V> {
        if let Some(value) = self.young.get(name) {
            return Some(value.clone());
        }
        let value = self.old.remove(name).or_else(make)?;
        if self.young.len() >= self.generation {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(name.to_owned(), value.clone());
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_stays_and_the_rest_goes() {
        let mut recent = Recent::new(4);
        for number in 0..100 {
            recent.find_or_insert("kept", || Some(0)).unwrap();
            let name = format!("n{number}");
            recent.find_or_insert(&name, || Some(number)).unwrap();
            assert!(recent.young.len() + recent.old.len() <= 8);
        }
        let is_kept = recent.find_or_insert("kept", || panic!("it was forgotten"));
        assert_eq!(is_kept, Some(0));
        assert_eq!(recent.find_or_insert("n0", || None), None);
    }
}
