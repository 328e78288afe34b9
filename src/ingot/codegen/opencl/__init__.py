"""codegen/opencl"""
