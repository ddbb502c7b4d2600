//! Why an attribute was released.

/// Why one attribute of one released row was released.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// How many rungs above the value; none when nothing of it is shown.
    pub level: Option<u16>,
    /// How many users were counted; at least so many there are.
    pub counter: u32,
    /// How many were needed.
    pub z: u32,
    /// How many made-up rows help it; a made-up row has the same as the row it helps.
    pub fakes: u32,
}
