//! A binary heap that treats ties as the GNU C++ library does. With few steps nearly all priorities
//! are equal, and ties decide.

/// Items, least priority first.
#[derive(Clone, Debug, Default)]
pub(super) struct Heap<T> {
    items: Vec<(f64, T)>,
}

impl<T: Copy> Heap<T> {
    pub(super) fn new() -> Heap<T> {
        Heap { items: Vec::new() }
    }

    pub(super) fn top(&self) -> Option<T> {
        self.items.first().map(|(_, item)| *item)
    }

    /// Appends an item and moves it up past what is strictly greater.
    pub(super) fn push(&mut self, priority: f64, item: T) {
        self.items.push((priority, item));
        self.rise(self.items.len() - 1);
    }

    /// Takes the root. The hole goes down to a leaf, past the right child if that is not greater
    /// than the left; there the last item fills it, and rises.
    pub(super) fn pop(&mut self) -> Option<T> {
        let last = self.items.pop()?;
        let Some(root) = self.items.first().copied() else { return Some(last.1) };
        let mut hole = 0;
        loop {
            let (left, right) = (2 * hole + 1, 2 * hole + 2);
            let next = match (self.items.get(left), self.items.get(right)) {
                (Some((left_priority, _)), Some((right_priority, _))) => {
                    if right_priority > left_priority { left } else { right }
                }
                (Some(_), None) => left,
                (None, _) => break,
            };
            self.items[hole] = self.items[next];
            hole = next;
        }
        self.items[hole] = last;
        self.rise(hole);
        Some(root.1)
    }

    fn rise(&mut self, mut at: usize) {
        while at > 0 {
            let parent = (at - 1) / 2;
            if self.items[parent].0 > self.items[at].0 {
                self.items.swap(parent, at);
                at = parent;
            } else {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_come_in_the_order_of_the_library() {
        let mut heap = Heap::new();
        (0..7).for_each(|item| heap.push(1.0, item));
        let order: Vec<i32> = std::iter::from_fn(|| heap.pop()).collect();
        // std::priority_queue of (1.0, i), i = 0..6, compared by the first with std::greater.
        assert_eq!(order, [0, 2, 5, 6, 4, 1, 3]);
    }

    #[test]
    fn the_least_comes_first() {
        let mut heap = Heap::new();
        [3.0, 1.0, 2.0, 0.5, 9.0]
            .into_iter()
            .for_each(|priority| heap.push(priority, priority as i32));
        let order: Vec<i32> = std::iter::from_fn(|| heap.pop()).collect();
        assert_eq!(order, [0, 1, 2, 3, 9]);
        assert_eq!(heap.pop(), None);
    }
}
