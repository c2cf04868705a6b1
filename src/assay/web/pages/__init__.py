"""What pages show and what forms do: functions of a `Context`, a module for each area."""
