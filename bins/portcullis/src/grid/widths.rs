//! Widths of columns in the room that there is.

/// Blanks between columns.
pub(super) const GAP: usize = 2;

/// Widths down to which columns are cut, each only if that before it is not enough. At the first,
/// titles are whole.
const FLOORS: [usize; 3] = [16, 10, 4];

/// Width that a column wants, and how far it may be cut.
#[derive(Debug, Clone, Copy)]
pub(super) struct ColumnWidth {
    /// Width of its widest cell, or of its title.
    pub(super) natural: usize,
    pub(super) title: usize,
    pub(super) is_uncut: bool,
}

/// Fits columns into `room`. The widest one gives way first.
pub(super) fn fit(columns: &[ColumnWidth], room: usize) -> Vec<usize> {
    let mut widths: Vec<_> = columns.iter().map(|column| column.natural).collect();
    for (place, floor) in FLOORS.iter().enumerate() {
        let floors = columns.iter().map(|column| {
            let title = if place == 0 { column.title } else { 0 };
            if column.is_uncut {
                column.natural
            } else {
                title.max(*floor).min(column.natural)
            }
        });
        shrink(&mut widths, &floors.collect::<Vec<_>>(), room);
    }
    widths
}

/// Takes one column of the terminal after another from the widest column above its floor.
fn shrink(widths: &mut [usize], floors: &[usize], room: usize) {
    let gaps = GAP * widths.len().saturating_sub(1);
    let mut excess = (widths.iter().sum::<usize>() + gaps).saturating_sub(room);
    while excess > 0 {
        let above = widths.iter_mut().zip(floors);
        let widest = above
            .filter(|(width, floor)| **width > **floor)
            .max_by_key(|(width, _)| **width);
        let Some((width, _)) = widest else {
            return;
        };
        *width -= 1;
        excess -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Widths of columns that are given as natural width and width of the title; 0 for an id.
    fn fitted(columns: &[(usize, usize)], room: usize) -> Vec<usize> {
        let columns: Vec<_> = columns
            .iter()
            .map(|(natural, title)| ColumnWidth {
                natural: *natural,
                title: *title,
                is_uncut: *title == 0,
            })
            .collect();
        fit(&columns, room)
    }

    #[test]
    fn widest_column_gives_way_first() {
        let columns = [(30, 4), (10, 5), (50, 10)];
        assert_eq!(fitted(&columns, 100), [30, 10, 50]);
        assert_eq!(fitted(&columns, 80), [30, 10, 36]);
        let narrow = fitted(&columns, 50);
        assert_eq!(narrow.iter().sum::<usize>() + 2 * GAP, 50);
        assert_eq!(narrow[1], 10);
    }

    #[test]
    fn titles_give_way_last_and_ids_never() {
        let columns = [(30, 4), (40, 14), (11, 0)];
        assert_eq!(fitted(&columns, 45), [15, 15, 11]);
        assert_eq!(fitted(&columns, 30), [8, 7, 11]);
        assert_eq!(fitted(&columns, 10), [4, 4, 11]);
    }

    #[test]
    fn narrow_columns_stay() {
        assert_eq!(fitted(&[(3, 4), (2, 2), (40, 4)], 20), [3, 2, 11]);
    }
}
