//! How the versions of sysstat's binary files are laid out.
//!
//! ```text
//! magic        d596, format; 0x2175 and 0x2173: 76 bytes with the header's size, else 8
//! header       time of its begin, counts, host
//! activities   id, magic, how many, how large; 0x2175 also how many fields of each width
//! (extras)     0x2175 alone
//! records      header, then each activity's items in the order of the list
//! ```
//! Fields of one width stand together (8 bytes, `long`, 4 bytes), so in 0x2175 one that
//! a version has added moves only what stands behind its own group. The older formats
//! align most fields to 16 bytes. `long` takes 8 bytes everywhere, on 32-bit machines
//! the first 4 of them count.
//! 0x2170 (9.0 to 9.1.5) is assumed to be laid out as 0x1170, its number in Red Hat's 9.0.4, with whose counters it
//! shares all that is kept; no file of it was seen. Should entries of its activity list be as long as those of 0x2171,
//! the first record stands where these end, which tells ([`entries_of_2170`]).
//! Sources: sysstat's `sa.h` and `rd_stats.h` of 9.1.6, 10.3.1, 11.6.5 and 12.6.1, and files.

use std::collections::BTreeSet;

/// Fixed text fields of `utsname`.
const NAME_BYTES: usize = 65;
/// Most activities that sysstat allows in a file.
const MOST_ACTIVITIES: u32 = 256;
/// Longest structure of an activity that sysstat allows.
const LONGEST_ITEM: u32 = 1024;
/// Most items of one activity; sysstat allows so many of interrupts, the rest is less.
const MOST_ITEMS: u32 = 65_536 + 4096;
/// Most processors (and all of them together) that sysstat allows; there are fewer interfaces.
const MOST_KEPT: u32 = 8193;
/// Largest header and header of a record that sysstat allows.
const LONGEST_HEADER: u32 = 8192;
/// Largest entry of the activity list that sysstat allows.
const LONGEST_ENTRY: u32 = 1024;
/// An entry of the activity list of 0x1170: id, items, size.
const SHORT_ENTRY: usize = 12;
/// The same of 0x2171 and 0x2173: id, magic, items, items of these, size.
const LONG_ENTRY: usize = 20;
/// The first record is written when its file is begun, by one clock.
const BEGUN_SECONDS: u64 = 3600;
/// Magic of an activity's first layout.
const BASE: u32 = 0x8a;

/// Reads numbers in the file's byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// Most significant byte first.
    pub big: bool,
    /// `long` has 4 bytes.
    pub short_long: bool,
}

impl Numbers {
    /// Two bytes.
    #[must_use]
    pub fn u16(self, bytes: &[u8], at: usize) -> Option<u16> {
        let b = *bytes.get(at..)?.first_chunk()?;
        Some(if self.big { u16::from_be_bytes(b) } else { u16::from_le_bytes(b) })
    }

    /// Four bytes.
    #[must_use]
    pub fn u32(self, bytes: &[u8], at: usize) -> Option<u32> {
        let b = *bytes.get(at..)?.first_chunk()?;
        Some(if self.big { u32::from_be_bytes(b) } else { u32::from_le_bytes(b) })
    }

    /// Eight bytes.
    #[must_use]
    pub fn u64(self, bytes: &[u8], at: usize) -> Option<u64> {
        let b = *bytes.get(at..)?.first_chunk()?;
        Some(if self.big { u64::from_be_bytes(b) } else { u64::from_le_bytes(b) })
    }

    /// A C `long`.
    #[must_use]
    pub fn long(self, bytes: &[u8], at: usize) -> Option<u64> {
        if self.short_long { self.u32(bytes, at).map(u64::from) } else { self.u64(bytes, at) }
    }
}

/// A format that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// 0x1170, sysstat 9.0.
    V1170,
    /// 0x2170, sysstat 9.0 to 9.1.5: one of its neighbours, until its activities are seen.
    V2170,
    /// 0x2171, sysstat 9.1.6 to 10.2.1.
    V2171,
    /// 0x2173, sysstat 10.3.1 to 11.6.
    V2173,
    /// 0x2175, sysstat 11.7.1 on.
    V2175,
}

impl Version {
    /// From the format's number.
    #[must_use]
    pub const fn of(format: u16) -> Option<Self> {
        Some(match format {
            0x1170 => Self::V1170,
            0x2170 => Self::V2170,
            0x2171 => Self::V2171,
            0x2173 => Self::V2173,
            0x2175 => Self::V2175,
            _ => return None,
        })
    }

    /// Bytes before the header.
    const fn magic_bytes(self) -> usize {
        match self {
            Self::V1170 | Self::V2170 | Self::V2171 => 8,
            Self::V2173 | Self::V2175 => 76,
        }
    }

    /// Bytes to the end of the header; `first` holds the first 12 of the file.
    #[must_use]
    pub fn header_end(self, numbers: Numbers, first: &[u8]) -> Option<usize> {
        match self {
            Self::V1170 | Self::V2170 | Self::V2171 => Some(288),
            Self::V2173 | Self::V2175 => {
                let size = numbers.u32(first, 8).filter(|size| *size <= LONGEST_HEADER)?;
                Some(self.magic_bytes() + usize::try_from(size).ok()?)
            }
        }
    }
}

/// What the header says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Host.
    pub node: Vec<u8>,
    /// Entries of the activity list.
    pub activities: u32,
    /// Bytes of an entry.
    pub entry_bytes: usize,
    /// Bytes of a record's header.
    pub record_bytes: usize,
    /// Where a record's header has its type, which is followed by hour, minute, second.
    pub kind_at: usize,
    /// Extra structures follow the activity list.
    pub extras: bool,
    /// Records say whether extra structures follow, at this place.
    pub record_extras_at: Option<usize>,
    /// Entries of the activity list that follow a restart (0x2173).
    pub volatile: u32,
    /// How numbers are read from here on.
    pub numbers: Numbers,
}

impl Header {
    /// Reads the magic and the header; `None` if it is damaged.
    #[must_use]
    pub fn parse(version: Version, numbers: Numbers, bytes: &[u8]) -> Option<Self> {
        let at = version.magic_bytes();
        let u32_at = |offset: usize| numbers.u32(bytes, offset);
        let mut header = match version {
            Version::V1170 | Version::V2170 | Version::V2171 => Self {
                node: name(bytes, at + 16 + NAME_BYTES)?,
                activities: u32_at(at + 8)?,
                entry_bytes: if version == Version::V1170 { SHORT_ENTRY } else { LONG_ENTRY },
                record_bytes: 48,
                kind_at: 40,
                extras: false,
                record_extras_at: None,
                volatile: 0,
                numbers: Numbers { short_long: *bytes.get(at + 15)? == 4, ..numbers },
            },
            Version::V2173 => Self {
                node: name(bytes, at + 24 + NAME_BYTES)?,
                activities: u32_at(at + 12)?,
                entry_bytes: LONG_ENTRY,
                record_bytes: 48,
                kind_at: 40,
                extras: false,
                record_extras_at: None,
                volatile: u32_at(at + 16)?,
                numbers: Numbers { short_long: *bytes.get(at + 23)? == 4, ..numbers },
            },
            Version::V2175 => Self::current(numbers, bytes, at)?,
        };
        header.node.truncate(NAME_BYTES);
        let sane = header.activities >= 1
            && header.activities <= MOST_ACTIVITIES
            && header.volatile <= header.activities
            && !header.node.is_empty();
        sane.then_some(header)
    }

    fn current(numbers: Numbers, bytes: &[u8], at: usize) -> Option<Self> {
        let count = |i: usize| usize::try_from(numbers.u32(bytes, 16 + 4 * i)?).ok().filter(|n| *n < 1024);
        let (wide, long, narrow) = (count(0)?, count(1)?, count(2)?);
        // The time, the jiffies a second, then numbers of 4 bytes.
        if wide < 1 || long < 1 || narrow < 11 {
            return None;
        }
        let numbers_at = at + 8 * (wide + long);
        let field = |i: usize| numbers.u32(bytes, numbers_at + 4 * i);
        let text_at = numbers_at + 4 * narrow;
        let kinds = [field(6)?, field(7)?, field(8)?];
        let (entry, record) = (field(9)?, field(10)?);
        let fields_at = |n: u32, bytes: usize| usize::try_from(n).ok().filter(|n| *n < 64).map(|n| n * bytes);
        let wide_of_record = fields_at(kinds[0], 8)? + fields_at(kinds[1], 8)?;
        let kind_at = wide_of_record + fields_at(kinds[2], 4)?;
        let sane = kinds[0] >= 2
            && (36..=LONGEST_ENTRY).contains(&entry)
            && record <= LONGEST_HEADER
            && usize::try_from(record).ok()? >= kind_at + 4;
        sane.then_some(Self {
            node: name(bytes, text_at + 3 + NAME_BYTES)?,
            activities: field(1)?,
            entry_bytes: usize::try_from(entry).ok()?,
            record_bytes: usize::try_from(record).ok()?,
            kind_at,
            extras: narrow >= 12 && field(11)? != 0,
            record_extras_at: (kinds[2] >= 1).then_some(wide_of_record),
            volatile: 0,
            numbers: Numbers { short_long: *bytes.get(text_at + 2)? == 4, ..numbers },
        })
    }
}

/// A text field that ends at its first zero; `None` if it has none.
fn name(bytes: &[u8], at: usize) -> Option<Vec<u8>> {
    let field = bytes.get(at..at.checked_add(NAME_BYTES)?)?;
    let end = field.iter().position(|b| *b == 0)?;
    field.get(..end).map(<[u8]>::to_vec)
}

/// The activities whose counters are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kept {
    /// Processors.
    Cpu,
    /// Context switches.
    Switches,
    /// Paging.
    Paging,
    /// Blocks read and written.
    Blocks,
    /// Queue and load.
    Queue,
    /// Network interfaces.
    Interfaces,
}

/// An entry of the activity list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Activity {
    id: u32,
    /// Items.
    pub items: u32,
    /// Items of an item (interrupts of a processor).
    inner: u32,
    /// The number of items stands before them in each record.
    pub counted: bool,
    /// Bytes of an item.
    pub size: usize,
    /// What is kept of it, and where.
    pub kept: Option<(Kept, Fields)>,
    /// It would be kept, but its layout is not known.
    pub is_unread: bool,
}

/// Where an item has its fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    /// Places of the numbers, in the order in which `rates` wants them.
    pub at: [usize; 3],
    /// Distance of the numbers of an array (processors).
    pub step: usize,
    /// How many of them there are.
    pub count: usize,
    /// How wide: 8, 4, or 0 for a `long`.
    pub width: u8,
    /// Load average, or name of the interface.
    pub extra_at: usize,
}

impl Activity {
    /// Reads an entry; `None` if it is damaged.
    #[must_use]
    pub fn parse(version: Version, numbers: Numbers, bytes: &[u8]) -> Option<Self> {
        let field = |i: usize| numbers.u32(bytes, 4 * i);
        let mut types = [0_u32; 3];
        let (id, magic, items, inner, counted, size);
        match version {
            Version::V1170 => (id, magic, items, inner, counted, size) = (field(0)?, BASE, field(1)?, 1, 0, field(2)?),
            Version::V2170 | Version::V2171 | Version::V2173 => {
                (id, magic, items, inner, counted, size) = (field(0)?, field(1)?, field(2)?, field(3)?, 0, field(4)?);
            }
            Version::V2175 => {
                (id, magic, items, inner, counted, size) =
                    (field(0)?, field(1)?, field(2)?, field(3)?, field(4)?, field(5)?);
                types = [field(6)?, field(7)?, field(8)?];
            }
        }
        let sane = (1..=MOST_ITEMS).contains(&items)
            && (1..=MOST_ITEMS).contains(&inner)
            && (1..=LONGEST_ITEM).contains(&size)
            && types.iter().all(|n| *n < LONGEST_ITEM)
            && 8 * (types[0] + types[1]) + 4 * types[2] <= size;
        let size = usize::try_from(size).ok().filter(|_| sane)?;
        let mut activity = Self { id, items, inner, counted: counted != 0, size, kept: None, is_unread: false };
        if let Some(kind) = activity.kind() {
            activity.kept = match version {
                _ if inner != 1 => None,
                Version::V2175 => match current(kind, magic, types) {
                    Current::Known(fields) => Some((kind, fields)),
                    Current::Unknown => None,
                    // The layout is known, but fields of it are not there.
                    Current::Damaged => return None,
                },
                _ => older(kind, magic, size).map(|fields| (kind, fields)),
            };
            activity.is_unread = activity.kept.is_none();
        }
        Some(activity)
    }

    const fn kind(&self) -> Option<Kept> {
        Some(match self.id {
            1 => Kept::Cpu,
            2 => Kept::Switches,
            5 => Kept::Paging,
            6 => Kept::Blocks,
            9 => Kept::Queue,
            12 => Kept::Interfaces,
            _ => return None,
        })
    }

    /// Bytes of `items` items; `None` where there cannot be so many.
    #[must_use]
    pub fn bytes(&self, items: u32) -> Option<u64> {
        let most = if self.kept.is_some() { MOST_KEPT } else { MOST_ITEMS };
        (items <= most).then(|| u64::from(items) * u64::from(self.inner) * self.size as u64)
    }

    /// Behind a restart the activity of this id has so many items.
    pub const fn restarted(&mut self, id: u32, items: u32) {
        if self.id == id && items >= 1 && items <= MOST_ITEMS {
            self.items = items;
        }
    }
}

/// Whose activity list and records a file of 0x2170 has: `bytes` begin with the list and reach to the end of the first
/// record's header, whichever it is; the file was begun at `begun`, in seconds. `None` if it is neither.
#[must_use]
pub fn entries_of_2170(header: &Header, begun: u64, bytes: &[u8]) -> Option<(Version, usize)> {
    let fits = |version: Version, entry: usize| {
        let list = entry * usize::try_from(header.activities).ok()?;
        let entries = bytes.get(..list)?.chunks_exact(entry);
        let activities = entries.map(|e| Activity::parse(version, header.numbers, e)).collect::<Option<Vec<_>>>()?;
        let record = bytes.get(list..list.checked_add(header.record_bytes)?)?;
        let seconds = header.numbers.long(record, 32)?;
        // Type, hour, minute, second.
        let [kind, hour, minute, second] = *record.get(header.kind_at..)?.first_chunk()?;
        let is_record = (1..=4).contains(&kind) && hour < 24 && minute < 60 && second <= 60;
        let ids: BTreeSet<u32> = activities.iter().map(|activity| activity.id).collect();
        (is_record && ids.len() == activities.len() && seconds.abs_diff(begun) <= BEGUN_SECONDS)
            .then_some((version, entry))
    };
    fits(Version::V1170, SHORT_ENTRY).or_else(|| fits(Version::V2171, LONG_ENTRY))
}

enum Current {
    Known(Fields),
    /// A layout of a later version.
    Unknown,
    Damaged,
}

/// Places in the layouts of 0x2175; `types`: how many fields of 8 bytes, `long` and 4 bytes.
fn current(kind: Kept, magic: u32, types: [u32; 3]) -> Current {
    let [wide, long, narrow] = types.map(|n| n as usize);
    let behind = [0, 8 * wide, 8 * (wide + long), 8 * (wide + long) + 4 * narrow];
    let (known, needed) = match kind {
        Kept::Cpu => (0x8b, [10, 0, 0]),
        Kept::Switches => (0x8b, [1, 0, 0]),
        Kept::Paging => (0x8a, [0, 3, 0]),
        Kept::Blocks => (0x8b, [5, 0, 0]),
        Kept::Queue => (0x8c, [3, 0, 1]),
        Kept::Interfaces => (0x8d, [4, 0, 0]),
    };
    if magic != known {
        return Current::Unknown;
    }
    if types.iter().zip(needed).any(|(there, needed)| *there < needed) {
        return Current::Damaged;
    }
    let fields = Fields { width: 8, ..Fields::default() };
    Current::Known(match kind {
        Kept::Cpu => Fields { step: 8, count: 10, ..fields },
        Kept::Switches => Fields { at: [0; 3], ..fields },
        Kept::Paging => Fields { at: [behind[1], behind[1] + 8, behind[1] + 16], width: 0, ..fields },
        Kept::Blocks => Fields { at: [24, 32, 0], ..fields },
        Kept::Queue => Fields { at: [0, 16, 0], extra_at: behind[2], ..fields },
        Kept::Interfaces => Fields { at: [16, 24, 0], extra_at: behind[3], ..fields },
    })
}

/// Places in the older layouts; `None` for one that is not known.
fn older(kind: Kept, magic: u32, size: usize) -> Option<Fields> {
    let wide = Fields { width: 8, ..Fields::default() };
    let fields = match (kind, magic) {
        // 10 fields from 9.1.7 on, 9 before, 8 before guests were counted.
        (Kept::Cpu, BASE) if size >= 128 => Fields { step: 16, count: (size / 16).min(10), ..wide },
        (Kept::Switches, BASE) => Fields { at: [0; 3], ..wide },
        (Kept::Paging, BASE) => Fields { at: [0, 8, 16], width: 0, ..wide },
        (Kept::Blocks, BASE) => Fields { at: [12, 16, 0], width: 4, ..wide },
        (Kept::Blocks, 0x8b) => Fields { at: [24, 32, 0], ..wide },
        (Kept::Queue, BASE) => Fields { at: [0, 20, 0], width: 0, extra_at: 8, ..wide },
        (Kept::Queue, 0x8b) => Fields { at: [0, 28, 0], width: 0, extra_at: 16, ..wide },
        (Kept::Interfaces, BASE) => Fields { at: [16, 24, 0], width: 0, extra_at: 56, ..wide },
        (Kept::Interfaces, 0x8b) => Fields { at: [32, 48, 0], extra_at: 112, ..wide },
        (Kept::Interfaces, 0x8c) => Fields { at: [32, 48, 0], extra_at: 116, ..wide },
        _ => return None,
    };
    Some(fields)
}
