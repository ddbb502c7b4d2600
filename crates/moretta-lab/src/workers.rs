//! Tasks of which each keeps one thread busy from its begin to its end, so that the time that it
//! takes can be told.

use crate::output::progress;
use moretta::Result;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What becomes of each task, in their order, however many are at work at a time.
///
/// # Errors
/// That of the first task that fails.
pub(crate) fn each<T: Sync, R: Send>(
    tasks: &[T],
    work: impl Fn(&T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let results: Vec<Mutex<Option<Result<R>>>> = tasks.iter().map(|_| Mutex::new(None)).collect();
    let worker = || {
        while let Some((task, place)) = {
            let place = next.fetch_add(1, Ordering::Relaxed);
            tasks.get(place).zip(results.get(place))
        } {
            let result = work(task);
            if let Ok(mut place) = place.lock() {
                *place = Some(result);
            }
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, tasks.len());
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..rayon::current_num_threads().min(tasks.len()) {
            scope.spawn(worker);
        }
    });
    let results = results
        .into_iter()
        .filter_map(|place| place.into_inner().ok());
    results.flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use moretta::Error;

    #[test]
    fn results_come_in_the_order_of_tasks_and_the_first_fault_is_told() {
        let tasks: Vec<u64> = (0..50).collect();
        let doubled = each(&tasks, |task| Ok(2 * task)).expect("no fault");
        assert!(doubled.into_iter().eq((0..50).map(|task| 2 * task)));
        let faulty = each(&tasks, |task| match task {
            7 | 30 => Err(Error::bug(format!("task {task}"))),
            _ => Ok(()),
        });
        assert!(faulty.is_err_and(|error| error.to_string().contains("task 7")));
    }
}
