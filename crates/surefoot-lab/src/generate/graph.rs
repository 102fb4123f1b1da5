//! Undirected graphs of places: random connected ones, and the shortest ways through them.

use std::collections::VecDeque;

use super::dice::Dice;

/// Places by number, and which are neighbours.
pub struct Graph {
    pub neighbours: Vec<Vec<usize>>,
}

impl Graph {
    /// Places, each of which can be reached from each; `extra` more edges are tried than a tree
    /// has.
    pub fn connected(places: usize, extra: usize, dice: &mut Dice) -> Self {
        let mut graph = Graph { neighbours: vec![Vec::new(); places] };
        let mut order: Vec<usize> = (0..places).collect();
        dice.shuffle(&mut order);
        for later in 1..places {
            let earlier = dice.below(later);
            graph.join(order[later], order[earlier]);
        }
        for _ in 0..extra {
            let (one, other) = (dice.below(places), dice.below(places));
            graph.join(one, other);
        }
        graph
    }

    /// One place in the middle, all others around it.
    pub fn star(places: usize) -> Self {
        let mut graph = Graph { neighbours: vec![Vec::new(); places] };
        for place in 1..places {
            graph.join(0, place);
        }
        graph
    }

    /// A connected part with all places and some of the edges.
    pub fn thinned(&self, dice: &mut Dice) -> Self {
        let mut thinned = Graph { neighbours: vec![Vec::new(); self.neighbours.len()] };
        let mut reached = vec![false; self.neighbours.len()];
        let mut open = vec![dice.below(self.neighbours.len())];
        reached[open[0]] = true;
        while !open.is_empty() {
            let place = open.swap_remove(dice.below(open.len()));
            for &next in &self.neighbours[place] {
                if !reached[next] {
                    reached[next] = true;
                    open.push(next);
                    thinned.join(place, next);
                } else if dice.chance(1, 2) {
                    thinned.join(place, next);
                }
            }
        }
        thinned
    }

    fn join(&mut self, one: usize, other: usize) {
        if one != other && !self.neighbours[one].contains(&other) {
            self.neighbours[one].push(other);
            self.neighbours[other].push(one);
        }
    }

    /// Every edge once, the smaller place first.
    pub fn edges(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.neighbours.iter().enumerate().flat_map(|(place, next)| {
            next.iter().filter(move |&&other| place < other).map(move |&other| (place, other))
        })
    }

    /// How many edges each place is away from the nearest of some.
    pub fn distances(&self, from: &[usize]) -> Vec<usize> {
        let mut distances = vec![usize::MAX; self.neighbours.len()];
        let mut queue: VecDeque<usize> = from.iter().copied().collect();
        for &place in from {
            distances[place] = 0;
        }
        while let Some(place) = queue.pop_front() {
            for &next in &self.neighbours[place] {
                if distances[next] == usize::MAX {
                    distances[next] = distances[place] + 1;
                    queue.push_back(next);
                }
            }
        }
        distances
    }

    /// The places after `from` on a shortest way down to a place at distance 0.
    pub fn descend(&self, distances: &[usize], from: usize) -> Vec<usize> {
        let mut way = Vec::new();
        let mut place = from;
        while distances[place] > 0 {
            match self.neighbours[place].iter().min_by_key(|&&next| distances[next]) {
                Some(&next) if distances[next] < distances[place] => place = next,
                _ => break,
            }
            way.push(place);
        }
        way
    }

    /// The places after `from` on a shortest way to `to`.
    pub fn way(&self, from: usize, to: usize) -> Vec<usize> {
        self.descend(&self.distances(&[to]), from)
    }
}
