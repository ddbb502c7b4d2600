//! What protection costs a learner: the same learners on the stream as it was and as
//! it is released.
//!
//! Rows are read and protected in memory, put back into the order of the source, and
//! shown to three copies of each learner: one is tested with and taught the originals, one
//! what is released of them, and one is taught what is released and tested with the
//! originals, as a reader does who applies it to persons. A category that is not released counts
//! as missing then; mixtures of columns have no originals to test with. Suppressed rows are left
//! out. Where the class is masked, too, learners are taught the released class and judged by the
//! original one. A number that was generalised to an interval is shown as its middle.
//! A learner can be saved in the end, and go on with other rows another day.
//!
//! *Does not protect* anything: the figures are computed from the originals.
//! *Costs* memory for the whole table, three times.

mod accuracy;
mod classroom;
mod lessons;
mod loss;
mod release;
mod saved;
mod trials;

pub(crate) use accuracy::{Pupil, accuracy_of_release};
pub(crate) use classroom::{Classroom, Strange};
pub(crate) use lessons::class_of;
pub(crate) use loss::{AccuracyLoss, accuracy_loss, accuracy_losses};
pub(crate) use release::lessons_of_release;

pub use lessons::{Arm, Lessons, Side};
pub use saved::SavedModel;
pub use trials::{LearnSettings, Learned, Learning, Trained, learn, train};
