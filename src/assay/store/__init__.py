"""What people judge, kept in a database: projects, items, labels that are never lost, and releases that never change."""
