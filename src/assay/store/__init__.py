"""What people judge, in a database: projects, items, labels that are never lost, releases that never change."""
