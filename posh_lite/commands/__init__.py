"""The commands of ``posh-lite``, one module each."""
