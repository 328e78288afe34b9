"""What is known of processors beside what LLVM can be asked: one record a microarchitecture, one file each."""
