//! Among which records a record was masked: what a certificate says of it.

/// The records among which a record was masked. It tells neither their values nor which of them
/// had a part in its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Among {
    /// The number of their group, from 0 on; none where each record has others around it.
    pub group: Option<u64>,
    /// How many they are, with itself.
    pub records: u64,
}

/// Among which records of a stream a method masks each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Company {
    /// Each by itself.
    Alone,
    /// Those of its group, all of which look alike.
    Group,
    /// Those of its window: as many as the buffer holds, one after the other.
    Window,
    /// Those that are held when it leaves.
    Held,
}
