"""What everything stands on: errors, numbers and words for people, registries by name, the base class of results."""
