//! Bounds that keep a hostile or broken file from exhausting the process.

/// Bounds on one document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    pub size: usize,
    /// Nesting depth of lists and maps; deeper ones are left out with an error.
    pub depth: usize,
    /// Nesting depth of lists and maps that are skipped, counted separately inside and outside
    /// brackets; a deeper text is rejected.
    pub skipped_depth: usize,
    /// Number of written values: scalars, including keys, lists and maps.
    pub values: usize,
    /// Number of nodes that aliases add.
    pub alias_nodes: usize,
    /// Bytes of scalars that aliases add.
    pub alias_bytes: usize,
}

impl Default for Limits {
    /// 4 MiB of text, depth 128, 10 000 skipped levels, the limit of `yaml.v2`; 250 000 values, and
    /// as many nodes and 16 MiB of scalars from aliases, a hundred times a large file.
    fn default() -> Self {
        Self {
            size: 4 << 20,
            depth: 128,
            skipped_depth: 10_000,
            values: 250_000,
            alias_nodes: 250_000,
            alias_bytes: 16 << 20,
        }
    }
}
