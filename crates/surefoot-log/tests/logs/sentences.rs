//! What the header of a model says of the map.
