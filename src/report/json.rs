//! Reports as JSON text and as JSON values, each by one way: serde compiles a report's dozens of types anew for
//! each way that they are written or read, two hundred kilobytes of the worker a time.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};
use serde_json::{Serializer, Value};
use std::io::{self, Write};

/// How a text is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Without a space.
    Compact,
    /// Two-space indentation.
    Indented,
}

/// A value as JSON text, if it has no more bytes.
#[must_use]
pub fn text_within(value: &impl Serialize, layout: Layout, most: usize) -> Option<Vec<u8>> {
    let indented = (layout == Layout::Indented).then(PrettyFormatter::new);
    let mut json = Capped { bytes: Vec::new(), most };
    value.serialize(&mut Serializer::with_formatter(&mut json, Either { indented })).ok()?;
    Some(json.bytes)
}

/// A value as JSON text.
#[must_use]
pub fn text(value: &impl Serialize, layout: Layout) -> String {
    let bytes = text_within(value, layout, usize::MAX).unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

/// A value as one of JSON's.
#[must_use]
pub fn value_of(value: &impl Serialize) -> Value {
    let text = text_within(value, Layout::Compact, usize::MAX);
    text.and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default()
}

/// What a value of JSON's says.
///
/// # Errors
/// If it says something else.
pub fn from_value<T: DeserializeOwned>(value: &Value) -> serde_json::Result<T> {
    serde_json::from_slice(&text_within(value, Layout::Compact, usize::MAX).unwrap_or_default())
}

/// Bytes in memory, so many at most.
struct Capped {
    bytes: Vec<u8>,
    most: usize,
}

impl Write for Capped {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() > self.most - self.bytes.len() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Both layouts as one type.
struct Either {
    indented: Option<PrettyFormatter<'static>>,
}

/// The parts in which the layouts differ.
macro_rules! by_layout {
    ($($part:ident($($name:ident: $kind:ty),*)),* $(,)?) => {
        impl Formatter for Either {
            $(fn $part<W: ?Sized + Write>(&mut self, writer: &mut W, $($name: $kind),*) -> io::Result<()> {
                match &mut self.indented {
                    Some(indented) => indented.$part(writer, $($name),*),
                    None => CompactFormatter.$part(writer, $($name),*),
                }
            })*
        }
    };
}

by_layout! {
    begin_array(), end_array(), begin_array_value(first: bool), end_array_value(),
    begin_object(), end_object(), begin_object_key(first: bool), begin_object_value(), end_object_value(),
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn texts_are_those_of_serde_json() {
        let value = json!({"a": [1, 2.5, null, {}, []], "b": {"c": "d\"\n", "e": {"f": [[true]]}}});
        assert_eq!(text(&value, Layout::Compact), serde_json::to_string(&value).unwrap());
        assert_eq!(text(&value, Layout::Indented), serde_json::to_string_pretty(&value).unwrap());
        assert_eq!(value_of(&value), value);
        assert_eq!(from_value::<Value>(&value).unwrap(), value);
    }

    #[test]
    fn what_is_too_long_is_none() {
        assert_eq!(text_within(&"abc", Layout::Compact, 5).unwrap(), b"\"abc\"");
        assert_eq!(text_within(&"abc", Layout::Compact, 4), None);
    }
}
