//! Driverlog-P: the deliveries of Driverlog, with fuel that depends on the load.

use super::driverlog::{Flavour, SIZES, build};
use super::{Generator, Size};

pub static GENERATOR: Generator = Generator {
    name: "driverlog_poly",
    title: "Driverlog-P",
    summary: "deliver packages with trucks that burn more when loaded (Driverlog-P)",
    text: include_str!("../../domains/driverlog_poly/domain.pddl"),
    maps: &[
        ("monotone", include_str!("../../domains/driverlog_poly/monotone.json")),
        ("relevant", include_str!("../../domains/driverlog_poly/relevant.json")),
    ],
    sizes: &[
        SIZES[0],
        SIZES[1],
        SIZES[2],
        SIZES[3],
        SIZES[4],
        Size::amount(
            "burn",
            (5, 15),
            (0, 1_000_000),
            "the fuel each truck burns a minute when empty",
        ),
    ],
    build: |sizes, dice| build(sizes, dice, &Flavour::Fuel),
};
