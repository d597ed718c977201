"""What AWS does and moto lacks, a module per service, on moto's own base classes."""
