//! Lines in the elements of log4j's `XMLLayout` (`org.apache.log4j.xml.XMLLayout`, 1.2).
//!
//! ```text
//! <log4j:event logger="a.b.DataNode" timestamp="1795227348209" level="INFO" thread="main">
//! <log4j:message><![CDATA[Receiving blk_1
//! and more]]></log4j:message>
//! <log4j:throwable><![CDATA[java.io.IOException: x
//!     at a.b.C]]></log4j:throwable>
//! </log4j:event>
//! ```
//! An element begins a line, as the layout writes it; what else an event has (its place in the source, properties) is
//! passed over.

use crate::base::Timestamp;
use crate::format::log4j::level_name;
use memchr::memmem;

const EVENT: &[u8] = b"<log4j:event ";
const TEXTS: [&[u8]; 2] = [b"<log4j:message><![CDATA[", b"<log4j:throwable><![CDATA["];
const END: &[u8] = b"]]>";
/// How the layout writes an end of such a section that stands in a message.
const END_INSIDE: &[u8] = b"]]>]]&gt;<![CDATA[";

/// Whether a text has such elements.
pub fn are_in(text: &[u8]) -> bool {
    memmem::find(text, EVENT).is_some()
}

/// What the lines so far say of the next.
#[derive(Clone, Debug, Default)]
pub struct Events {
    /// The head of an event whose message has not begun.
    head: Vec<u8>,
    in_text: bool,
}

impl Events {
    /// Whether a line begins an event.
    pub fn begin(line: &[u8]) -> bool {
        head_of(line).is_some()
    }

    /// Appends what a line has of a log's line, and tells whether it has any: others are of the element alone.
    pub fn take(&mut self, line: &[u8], text: &mut Vec<u8>) -> bool {
        let inside = if self.in_text {
            line
        } else if let Some(head) = head_of(line) {
            self.head = head;
            return false;
        } else if let Some(inside) = TEXTS.iter().find_map(|begin| line.strip_prefix(*begin)) {
            text.append(&mut self.head);
            inside
        } else {
            return false;
        };
        let mut rest = inside;
        while let Some((part, behind)) = memmem::find(rest, END).and_then(|end| rest.split_at_checked(end)) {
            text.extend_from_slice(part);
            let Some(behind) = behind.strip_prefix(END_INSIDE) else {
                self.in_text = false;
                return true;
            };
            text.extend_from_slice(END);
            rest = behind;
        }
        text.extend_from_slice(rest);
        self.in_text = true;
        true
    }
}

/// The head of a line as containers write it, of the event that begins so.
fn head_of(line: &[u8]) -> Option<Vec<u8>> {
    let attributes = std::str::from_utf8(line.strip_prefix(EVENT)?).ok()?;
    let value = |name: &str| {
        let (_, behind) = attributes.split_once(&format!("{name}=\""))?;
        behind.split_once('"').map(|(value, _)| value)
    };
    let at = Timestamp::from_millis(value("timestamp")?.parse().ok()?);
    let (level, logger) = (level_name(value("level")?)?, value("logger")?);
    let thread = value("thread").unwrap_or_default().replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    Some(format!("{at}Z {level} [{thread}] {logger}: ").into_bytes())
}
