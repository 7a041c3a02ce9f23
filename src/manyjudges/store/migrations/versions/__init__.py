"""The steps from one layout of the store's tables to the next, in their order."""
