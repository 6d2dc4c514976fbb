//! Bounds that keep a hostile or broken file from exhausting the process.

/// Bounds on one document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of text.
    pub size: usize,
    /// Lists and maps inside each other; what is nested deeper is left out with an error.
    pub depth: usize,
    /// Lists and maps inside each other that are passed over, those in brackets and those outside
    /// counted apart; a text with more is not read.
    pub levels: usize,
    /// Values that are written: scalars, keys among them, lists and maps.
    pub values: usize,
    /// Nodes that aliases add to those that are written.
    pub nodes: usize,
    /// Bytes of scalars that aliases add to those that are written.
    pub scalar_bytes: usize,
}

impl Default for Limits {
    /// 4 MiB of text, depth 128, 10 000 levels, which is where `yaml.v2` stops; 250 000 values, and
    /// as many nodes and 16 MiB of scalars that aliases may add, a hundred times a large file.
    fn default() -> Self {
        Self {
            size: 4 << 20,
            depth: 128,
            levels: 10_000,
            values: 250_000,
            nodes: 250_000,
            scalar_bytes: 16 << 20,
        }
    }
}
