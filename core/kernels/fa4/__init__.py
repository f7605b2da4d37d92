"""Flash attention 4 for Blackwell (prefill), release by release."""
