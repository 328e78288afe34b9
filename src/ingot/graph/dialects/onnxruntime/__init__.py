"""graph/dialects/onnxruntime"""
