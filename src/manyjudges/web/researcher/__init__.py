"""The pages that the researcher sees: login, dashboard, downloads."""
