//! Which repairs are made.

use surefoot_base::assumptions::Repair;

/// Which repairs are made; none where PlanMiner is to be compared with what was published.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Repairs {
    pub(super) zero_arity: bool,
    pub(super) no_clock: bool,
    pub(super) bounded: bool,
    pub(super) pre_operands: bool,
    pub(super) own_change: bool,
    pub(super) static_facts: bool,
}

impl FromIterator<Repair> for Repairs {
    fn from_iter<T: IntoIterator<Item = Repair>>(repairs: T) -> Repairs {
        let mut made = Repairs::default();
        for repair in repairs {
            *match repair {
                Repair::ZeroArity => &mut made.zero_arity,
                Repair::NoClock => &mut made.no_clock,
                Repair::Bounded => &mut made.bounded,
                Repair::PreOperands => &mut made.pre_operands,
                Repair::OwnChange => &mut made.own_change,
                Repair::StaticFacts => &mut made.static_facts,
            } = true;
        }
        made
    }
}
