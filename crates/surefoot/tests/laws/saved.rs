//! A model that is saved and loaded is the same model, with the same bytes and the same answers.
//! The laws that learn from random worlds hold each model against this.

use surefoot_analysis::saved::{SavedParts, to_bytes};
use surefoot_base::assumptions::{DIALS, DialGroup};
use surefoot_learn::{Model, save};

/// Saves a model, loads it, and saves it again.
pub fn comes_back(model: &Model) {
    let spec = model.assumptions().unwrap().spec;
    for complete in [true, false] {
        let bytes = to_bytes(model, &spec, complete).unwrap();
        let parts = SavedParts::read(&bytes).unwrap();
        let again = parts.model().unwrap();
        assert_eq!(again.complete, complete);
        for dial in DIALS.iter().filter(|dial| dial.group == DialGroup::Model) {
            assert_eq!(again.spec.get(dial), spec.get(dial), "{}", dial.name);
        }
        assert!(to_bytes(&again.model, &again.spec, complete).unwrap() == bytes, "{model}");
        assert_eq!(again.model.to_pddl(), model.to_pddl());
        // Equal domains give equal answers, and equal evidence the same proofs that something is
        // forbidden.
        assert!(again.model.for_states() == model.for_states(), "{model}");
        assert!(again.model.for_planning() == model.for_planning(), "{model}");
        assert_eq!(again.model.read_back(), model.read_back());
        assert_eq!(again.model.certificate(), model.certificate());
        let evidence = |model: &Model| save(&model.grounds().unwrap().learner).unwrap();
        assert!(evidence(&again.model) == evidence(model), "{model}");
        let certificate = model.certificate().filter(|_| complete);
        assert_eq!(parts.certificate().unwrap(), certificate);
        // What a planner gets of the file is safe as the model is, and no less useful than its
        // PDDL.
        let planned = parts.for_planning().unwrap();
        let names = |of: &surefoot_base::model::Domain| {
            of.actions.iter().map(|(name, _)| name.to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(names(&planned), names(&model.read_back()));
        assert_eq!(planned.signature, model.for_planning().signature);
    }
}
