//! Text rendering of QR codes.

use super::QrCode;

impl QrCode {
    /// Renders the code for a terminal with light text on a dark background, two rows of modules
    /// per line.
    ///
    /// Light modules are drawn (`█`, `▀`, `▄`), dark ones are blank, so no escape sequences are
    /// needed. A terminal with dark text on a light background shows the negative, which not every
    /// scanner reads. Each line ends with a line feed.
    pub fn to_text(&self) -> String {
        self.draw(2, |upper, lower| match (upper, lower) {
            (false, false) => "█",
            (false, true) => "▀",
            (true, false) => "▄",
            (true, true) => " ",
        })
    }

    /// Renders the code in ASCII: one row of modules per line, two characters per module. See
    /// [`to_text`](Self::to_text).
    pub fn to_ascii(&self) -> String {
        self.draw(1, |is_dark, _| if is_dark { "  " } else { "##" })
    }

    /// Renders `rows` rows of modules per line; `cell` gets a module and the one below it.
    fn draw(&self, rows: usize, cell: fn(bool, bool) -> &'static str) -> String {
        let side = self.side + 2 * Self::QUIET_ZONE;
        let module = |place: usize| place.checked_sub(Self::QUIET_ZONE);
        let mut text = String::new();
        for row in (0..side).step_by(rows) {
            for column in 0..side {
                let upper = self.is_dark(module(row), module(column));
                // Below the last row the terminal is dark anyway.
                let lower = row + 1 == side || self.is_dark(module(row + 1), module(column));
                text.push_str(cell(upper, lower));
            }
            text.push('\n');
        }
        text
    }
}
