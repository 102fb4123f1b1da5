//! The sizes of an experiment's domains, as the paper's Table 2 counts them: `domains.csv`.

use anyhow::Result;
use surefoot_analysis::inspect::DomainProfile;
use surefoot_base::assumptions::Spec;
use surefoot_base::model::Domain;
use surefoot_learn::Class;

use super::config::DomainConfig;
use super::results::field;
use surefoot_io::maps;

/// The head of the table.
pub const HEAD: &str = "domain,actions,numeric_actions,predicates,functions,\
                        numeric_preconditions,numeric_effects,max_literals,max_functions\n";

/// The line of a domain. Counts over actions are a mean, cut to one decimal, with the largest and
/// the smallest; where products of functions are learned about, the last column counts products,
/// with the most that a map of relevant ones leaves in brackets.
pub fn line(configured: &DomainConfig, domain: &Domain) -> Result<String> {
    let relevant = configured.relevant.as_deref().map(maps::relevant).transpose()?;
    let degree = configured.degree.unwrap_or(if relevant.is_some() { 2 } else { 1 });
    let profile = match relevant {
        Some(relevant) => {
            let class =
                Class::of_spec(&Spec::default().with(|spec| spec.relevant = relevant), domain)?;
            DomainProfile::with_relevant(domain, degree, &class.relevant)
        }
        None => DomainProfile::of(domain, degree),
    };
    let mut products =
        profile.max_monomials.map_or("too many".to_owned(), |count| count.to_string());
    if let Some(most) = profile.max_relevant {
        products += &format!(" ({most})");
    }
    let fields = [
        configured.name.clone(),
        profile.actions.to_string(),
        profile.numeric_actions.to_string(),
        profile.predicates.to_string(),
        profile.functions.to_string(),
        profile.numeric_conditions.to_string(),
        profile.numeric_effects.to_string(),
        profile.max_literals.to_string(),
        products,
    ];
    Ok(fields.map(|text| field(&text)).join(",") + "\n")
}
