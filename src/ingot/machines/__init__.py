"""Facts about processors that LLVM cannot be asked for: one record for each microarchitecture, one file each."""
