//! Minecraft: trees and perhaps something in the inventory. The plan makes what the pogo stick
//! still needs, in any order that works.

use super::{Dice, Generator, ProblemBuilder, Size, Sizes};

pub static GENERATOR: Generator = Generator {
    name: "minecraft",
    title: "Minecraft",
    summary: "make a pogo stick from trees",
    text: include_str!("../../domains/minecraft/domain.pddl"),
    maps: &[("monotone", include_str!("../../domains/minecraft/monotone.json"))],
    sizes: &[
        Size::count(
            "trees",
            (4, 218),
            (4, 10_000_000),
            "trees; raised to four and two for each spare item where they are less",
        ),
        Size::amount(
            "stock",
            (1, 60),
            (1, 1_000_000),
            "how many of an item there are, where there are any",
        ),
        Size::count(
            "spare",
            (0, 2),
            (0, 1_000_000),
            "items made that the pogo stick does not need",
        ),
    ],
    build,
};

#[derive(Default)]
struct Inventory {
    trees: usize,
    logs: usize,
    planks: usize,
    sticks: usize,
    taps: usize,
    sacks: usize,
}

fn build(sizes: &Sizes, dice: &mut Dice) -> ProblemBuilder {
    let mut spare = sizes.draw("spare", dice);
    let mut have =
        Inventory { trees: sizes.draw("trees", dice).max(4 + 2 * spare), ..Inventory::default() };
    for item in [&mut have.logs, &mut have.planks, &mut have.sticks] {
        if dice.chance(1, 8) {
            *item = sizes.draw("stock", dice);
        }
    }
    for item in [&mut have.taps, &mut have.sacks] {
        *item = usize::from(dice.chance(1, 12));
    }
    let mut scene = ProblemBuilder::default();
    scene.value("trees_in_map", have.trees);
    scene.value("count_log_in_inventory", have.logs);
    scene.value("count_planks_in_inventory", have.planks);
    scene.value("count_stick_in_inventory", have.sticks);
    scene.value("count_tree_tap_in_inventory", have.taps);
    scene.value("count_sack_polyisoprene_pellets_in_inventory", have.sacks);
    scene.goal("have_pogo_stick");

    let mut steps = Vec::new();
    loop {
        let needed = have.needed();
        let verb = if spare > 0 && (needed.is_empty() || dice.chance(1, 4)) {
            spare -= 1;
            dice.pick(&have.possible())
        } else if needed.is_empty() {
            break;
        } else {
            dice.pick(&needed)
        };
        have.make(verb);
        steps.push(verb.to_owned());
    }
    steps.push("craft_wooden_pogo".into());
    scene.steps(steps);
    scene
}

impl Inventory {
    /// What can be made now.
    fn possible(&self) -> Vec<&'static str> {
        let can = [
            ("get_log", self.trees > 1),
            ("craft_plank", self.logs >= 1),
            ("craft_stick", self.planks >= 2),
            ("craft_tree_tap", self.planks >= 5 && self.sticks >= 1),
            ("place_tree_tap", self.taps >= 1 && self.trees >= 1),
        ];
        can.into_iter().filter_map(|(verb, can)| can.then_some(verb)).collect()
    }

    /// What can be made now and is missing for a pogo stick: two planks, four sticks, a sack.
    /// Nothing when all is there.
    fn needed(&self) -> Vec<&'static str> {
        let sack = self.sacks == 0;
        let tap = sack && self.taps == 0;
        let sticks = (4 + usize::from(tap)).saturating_sub(self.sticks).div_ceil(4);
        let planks =
            (2 + 5 * usize::from(tap) + 2 * sticks).saturating_sub(self.planks).div_ceil(4);
        let logs = planks.saturating_sub(self.logs);
        let mut verbs = self.possible();
        verbs.retain(|verb| match *verb {
            "get_log" => logs > 0,
            "craft_plank" => planks > 0,
            "craft_stick" => sticks > 0,
            "craft_tree_tap" => tap,
            _ => sack,
        });
        verbs
    }

    fn make(&mut self, verb: &str) {
        match verb {
            "get_log" => (self.trees, self.logs) = (self.trees - 1, self.logs + 1),
            "craft_plank" => (self.logs, self.planks) = (self.logs - 1, self.planks + 4),
            "craft_stick" => (self.planks, self.sticks) = (self.planks - 2, self.sticks + 4),
            "craft_tree_tap" => {
                (self.planks, self.sticks, self.taps) =
                    (self.planks - 5, self.sticks - 1, self.taps + 1)
            }
            _ => (self.taps, self.sacks) = (self.taps - 1, self.sacks + 1),
        }
    }
}
