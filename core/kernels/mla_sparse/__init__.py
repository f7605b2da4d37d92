"""MLA prefill over the keys an indexer picked, as DeepSeek-V3.2 does it."""
