"""What the functions share: a pure domain, adapters to the outside, and the wiring between them."""
