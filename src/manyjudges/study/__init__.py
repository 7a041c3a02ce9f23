"""A study's folder: study.toml, objects and questions, read and checked."""
