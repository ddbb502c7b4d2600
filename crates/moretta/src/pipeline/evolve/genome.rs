//! Files as individuals of a search, and back.

use crate::data::Records;
use crate::error::Result;
use crate::optimize::evolution::Individual;

/// What a file is made of.
pub(super) trait Genome: Sync {
    /// A file.
    type Of: Individual;

    /// The file of these records, all rows in the order of the source.
    ///
    /// # Errors
    /// When they are not such as the originals could be.
    fn individual(&self, records: &Records) -> Result<Self::Of>;

    /// The records of a file.
    fn records(&self, genes: &<Self::Of as Individual>::Genes) -> Records;
}
