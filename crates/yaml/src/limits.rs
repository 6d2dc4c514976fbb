//! Bounds that keep a hostile or broken file from exhausting the process.

/// Bounds on one document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of text.
    pub size: usize,
    /// Lists and maps inside each other; what is nested deeper is left out with an error.
    pub depth: usize,
    /// Nodes of the tree, every use of an alias counted in full.
    pub nodes: usize,
    /// Bytes of all scalars, every use of an alias counted in full.
    pub scalar_bytes: usize,
}

impl Default for Limits {
    /// 4 MiB of text, depth 128, 250 000 nodes, 16 MiB of scalars: a hundred times a large file.
    fn default() -> Self {
        Self {
            size: 4 << 20,
            depth: 128,
            nodes: 250_000,
            scalar_bytes: 16 << 20,
        }
    }
}
