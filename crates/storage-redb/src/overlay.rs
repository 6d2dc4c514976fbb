//! In-memory writes on top of a read view.

use portcullis_storage::engine::{KeyRange, ReadTx, RowVisitor, StoreError, WriteTx};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// Rows written since the underlying state; `None` marks a deleted row.
#[derive(Debug, Default)]
pub(crate) struct Overlay {
    rows: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
    bytes: usize,
}

impl Overlay {
    pub(crate) fn set(&mut self, key: &[u8], value: Option<&[u8]>) {
        self.bytes = self
            .bytes
            .saturating_add(key.len())
            .saturating_add(value.map_or(0, <[u8]>::len));
        self.rows.insert(key.to_vec(), value.map(<[u8]>::to_vec));
    }

    /// Applies all writes of `newer`.
    pub(crate) fn merge(&mut self, newer: Self) {
        self.bytes = self.bytes.saturating_add(newer.bytes);
        self.rows.extend(newer.rows);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Bytes written so far, including overwritten ones.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// All writes in ascending key order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u8], Option<&[u8]>)> {
        self.rows
            .iter()
            .map(|(key, value)| (key.as_slice(), value.as_deref()))
    }
}

/// A read view with an overlay applied.
pub(crate) struct OverlayView<'a> {
    pub(crate) below: &'a dyn ReadTx,
    pub(crate) overlay: &'a Overlay,
}

impl ReadTx for OverlayView<'_> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        match self.overlay.rows.get(key) {
            Some(value) => Ok(value.clone()),
            None => self.below.get(key),
        }
    }

    fn scan(&self, range: &KeyRange, visit: &mut RowVisitor<'_>) -> Result<(), StoreError> {
        if range.is_empty() {
            return Ok(());
        }
        let mut written = self
            .overlay
            .rows
            .range::<[u8], _>(range.bounds())
            .peekable();
        let mut stopped = false;
        self.below.scan(range, &mut |key, value| {
            while let Some((new_key, new_value)) =
                written.next_if(|(new_key, _)| new_key.as_slice() <= key)
            {
                let hides = new_key.as_slice() == key;
                if let Some(new_value) = new_value
                    && visit(new_key, new_value)?.is_break()
                {
                    stopped = true;
                    return Ok(ControlFlow::Break(()));
                }
                if hides {
                    return Ok(ControlFlow::Continue(()));
                }
            }
            let flow = visit(key, value)?;
            stopped = flow.is_break();
            Ok(flow)
        })?;
        if stopped {
            return Ok(());
        }
        for (key, value) in written {
            if let Some(value) = value
                && visit(key, value)?.is_break()
            {
                break;
            }
        }
        Ok(())
    }
}

/// The transaction of one body: its own overlay over a read view.
pub(crate) struct OverlayTx<'a, C> {
    below: &'a dyn ReadTx,
    overlay: Overlay,
    changes: Vec<C>,
    failure: RefCell<Option<StoreError>>,
}

impl<'a, C> OverlayTx<'a, C> {
    pub(crate) fn new(below: &'a dyn ReadTx) -> Self {
        Self {
            below,
            overlay: Overlay::default(),
            changes: Vec::new(),
            failure: RefCell::new(None),
        }
    }

    /// Returns the writes and changes, or the first read error.
    ///
    /// A body that continued after a failed read may have decided wrongly, so its writes are
    /// discarded whatever it returned.
    pub(crate) fn finish(self) -> Result<(Overlay, Vec<C>), StoreError> {
        match self.failure.into_inner() {
            Some(error) => Err(error),
            None => Ok((self.overlay, self.changes)),
        }
    }

    fn layered(&self) -> OverlayView<'_> {
        OverlayView {
            below: self.below,
            overlay: &self.overlay,
        }
    }

    fn record_failure(&self, error: &StoreError) {
        self.failure
            .borrow_mut()
            .get_or_insert_with(|| error.clone());
    }
}

impl<C> ReadTx for OverlayTx<'_, C> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.layered()
            .get(key)
            .inspect_err(|error| self.record_failure(error))
    }

    fn scan(&self, range: &KeyRange, visit: &mut RowVisitor<'_>) -> Result<(), StoreError> {
        // Errors of the body's own visitor are handled by the body.
        let mut own = false;
        let result = self.layered().scan(range, &mut |key, value| {
            visit(key, value).inspect_err(|_| own = true)
        });
        if let Err(error) = &result
            && !own
        {
            self.record_failure(error);
        }
        result
    }
}

impl<C> WriteTx<C> for OverlayTx<'_, C> {
    fn put(&mut self, key: &[u8], value: &[u8]) {
        self.overlay.set(key, Some(value));
    }

    fn delete(&mut self, key: &[u8]) {
        self.overlay.set(key, None);
    }

    fn record(&mut self, change: C) {
        self.changes.push(change);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    struct Rows(BTreeMap<Vec<u8>, Vec<u8>>);

    impl ReadTx for Rows {
        fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
            Ok(self.0.get(key).cloned())
        }

        fn scan(&self, range: &KeyRange, visit: &mut RowVisitor<'_>) -> Result<(), StoreError> {
            for (key, value) in self.0.iter().filter(|(key, _)| range.contains(key)) {
                if visit(key, value)?.is_break() {
                    break;
                }
            }
            Ok(())
        }
    }

    fn collect(tx: &dyn ReadTx, range: &KeyRange, limit: usize) -> Vec<(Vec<u8>, Vec<u8>)> {
        let mut rows = Vec::new();
        tx.scan(range, &mut |key, value| {
            rows.push((key.to_vec(), value.to_vec()));
            Ok(if rows.len() >= limit {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        })
        .unwrap();
        rows
    }

    fn keys() -> impl Strategy<Value = Vec<u8>> {
        proptest::collection::vec(0_u8..3, 1..4)
    }

    fn writes() -> impl Strategy<Value = Vec<(Vec<u8>, Option<u8>)>> {
        proptest::collection::vec((keys(), proptest::option::of(any::<u8>())), 0..12)
    }

    proptest! {
        #[test]
        fn merged_reads_agree_with_a_plain_map(
            base in proptest::collection::btree_map(keys(), any::<u8>(), 0..12),
            first in writes(),
            second in writes(),
            prefix in proptest::collection::vec(0_u8..3, 0..2),
            limit in 1_usize..20,
        ) {
            let mut model: BTreeMap<Vec<u8>, Vec<u8>> =
                base.iter().map(|(key, value)| (key.clone(), vec![*value])).collect();
            let rows = Rows(model.clone());
            let mut group = Overlay::default();
            for (key, value) in &first {
                group.set(key, value.map(|value| vec![value]).as_deref());
            }
            let below = OverlayView { below: &rows, overlay: &group };
            let mut tx: OverlayTx<'_, ()> = OverlayTx::new(&below);
            for (key, value) in &second {
                match value {
                    Some(value) => tx.put(key, &[*value]),
                    None => tx.delete(key),
                }
            }
            for (key, value) in first.iter().chain(&second) {
                match value {
                    Some(value) => model.insert(key.clone(), vec![*value]),
                    None => model.remove(key),
                };
            }
            let range = KeyRange::prefix(&prefix);
            let expected: Vec<_> = model
                .iter()
                .filter(|(key, _)| range.contains(key))
                .map(|(key, value)| (key.clone(), value.clone()))
                .take(limit)
                .collect();
            prop_assert_eq!(collect(&tx, &range, limit), expected);
            for (key, _) in &second {
                prop_assert_eq!(tx.get(key).unwrap(), model.get(key).cloned());
            }
        }
    }

    struct Broken;

    impl ReadTx for Broken {
        fn get(&self, _: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
            Err(StoreError::corrupt("get"))
        }

        fn scan(&self, _: &KeyRange, _: &mut RowVisitor<'_>) -> Result<(), StoreError> {
            Err(StoreError::corrupt("scan"))
        }
    }

    #[test]
    fn failed_read_is_remembered() {
        let tx: OverlayTx<'_, ()> = OverlayTx::new(&Broken);
        assert!(tx.get(b"a").is_err());
        assert!(matches!(tx.finish(), Err(StoreError::Corrupt { what }) if what == "get"));
    }

    #[test]
    fn error_of_the_visitor_is_not_the_stores() {
        let rows = Rows(BTreeMap::from([(vec![1], vec![1])]));
        let tx: OverlayTx<'_, ()> = OverlayTx::new(&rows);
        let result = tx.scan(&KeyRange::all(), &mut |_, _| {
            Err(StoreError::corrupt("row"))
        });
        assert!(result.is_err());
        assert!(tx.finish().is_ok());
    }
}
