//! A QR code in a terminal.

use super::QrCode;

impl QrCode {
    /// Draws the code for a terminal that writes light on dark, two rows of modules to a line.
    ///
    /// Light modules are what is written (`█`, `▀`, `▄`), dark ones are left blank, so there are no
    /// escape sequences in it. A terminal that writes dark on light shows the negative, which not
    /// every scanner reads. Each line ends with a line feed.
    pub fn to_text(&self) -> String {
        self.draw(2, |upper, lower| match (upper, lower) {
            (false, false) => "█",
            (false, true) => "▀",
            (true, false) => "▄",
            (true, true) => " ",
        })
    }

    /// Draws the code as [`to_text`](Self::to_text) does, with nothing but ASCII: a line for each row
    /// of modules, and two characters for each module.
    pub fn to_ascii(&self) -> String {
        self.draw(1, |is_dark, _| if is_dark { "  " } else { "##" })
    }

    /// Draws `rows` rows of modules to a line; `cell` is given a module and the one below it.
    fn draw(&self, rows: usize, cell: fn(bool, bool) -> &'static str) -> String {
        let side = self.side + 2 * Self::QUIET_ZONE;
        let module = |place: usize| place.checked_sub(Self::QUIET_ZONE);
        let mut text = String::new();
        for row in (0..side).step_by(rows) {
            for column in 0..side {
                let upper = self.is_dark(module(row), module(column));
                // Beyond the last row the terminal is dark anyway.
                let lower = row + 1 == side || self.is_dark(module(row + 1), module(column));
                text.push_str(cell(upper, lower));
            }
            text.push('\n');
        }
        text
    }
}
