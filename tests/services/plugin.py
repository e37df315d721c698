"""The one plugin that pytest loads by name (`-p`), so that all of these are there before Django's settings load."""

# Ordered: a module comes after those that it imports, so that pytest sees each before it is imported.
pytest_plugins = [
    "tests.services.outcomes",
    "tests.services.postgresql",
    "tests.services.redis",
    "tests.services.data",
    "tests.services.daphne",
    "tests.services.browser",
    "tests.services.run",
]
