"""The FP8 indexer's prefill kernel (DeepSeek sparse attention)."""
