"""`audit`: the same ranking under other tools' rules, and signatures compared in words."""
