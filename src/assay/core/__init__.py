"""The ground of everything: errors, numbers and words for people, registries by name, the base class of results."""
