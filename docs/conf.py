"""Configuration of the documentation."""

import logging

from sphinx.domains.python import PyObject

from manyjudges import __version__

logging.getLogger("alembic").setLevel(logging.WARNING)  # it tells of each of its parts when it is imported
logging.getLogger("httpx").setLevel(logging.WARNING)  # examples that talk to a server say enough

project = "ManyJudges"
author = "The ManyJudges developers"
project_copyright = "2026, the ManyJudges developers"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": "plot_",
    "download_all_examples": False,
    "write_computation_times": False,
    "show_signature": False,
    "within_subsection_order": "FileNameSortKey",
    "ignore_repr_types": r"matplotlib\.axes",
    "copyfile_regex": r".*\.rst",
    "remove_config_comments": True,
}
myst_heading_anchors = 3
autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_preserve_defaults = True  # CHECKS, not all that is in it
napoleon_numpy_docstring = True
napoleon_google_docstring = False
napoleon_use_param = False
napoleon_use_ivar = True
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
exclude_patterns = ["_build", "gallery/README.rst"]
nitpicky = False

html_theme = "furo"
html_title = f"ManyJudges {release}"
html_theme_options = {"top_of_page_buttons": []}
html_static_path = ["static"]
html_css_files = ["docs.css"]

for field in PyObject.doc_field_types:
    if field.name == "variable":  # what a docstring calls Attributes
        field.label = "Attributes"
