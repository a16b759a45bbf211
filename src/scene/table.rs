//! A scene's twin in numbers.

use serde::{Deserialize, Serialize};

/// The same content as a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// Column names, with units.
    pub headers: Vec<String>,
    /// Rows of cells.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// The table as CSV (RFC 4180).
    #[must_use]
    pub fn to_csv(&self) -> String {
        let mut out = String::new();
        for row in std::iter::once(&self.headers).chain(&self.rows) {
            for (i, cell) in row.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                if cell.contains([',', '"', '\n', '\r']) {
                    out.push('"');
                    out.push_str(&cell.replace('"', "\"\""));
                    out.push('"');
                } else {
                    out.push_str(cell);
                }
            }
            out.push_str("\r\n");
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_quotes_what_needs_it() {
        let table = Table {
            headers: vec!["node".into(), "says, \"loud\"".into()],
            rows: vec![vec!["h1".into(), "a\nb".into()]],
        };
        assert_eq!(table.to_csv(), "node,\"says, \"\"loud\"\"\"\r\nh1,\"a\nb\"\r\n");
    }
}
