/* Defaults of the runtime's limits. An integrator may put a crt_config.h of his own in front of this folder on the include path,
 * or define single macros for the compiler. */
#ifndef INGOT_CRT_CONFIG_H
#define INGOT_CRT_CONFIG_H

/* What TVMLogf is called for: 0 errors, 1 warnings, 2 information, 3 everything. */
#ifndef TVM_CRT_LOG_LEVEL
#define TVM_CRT_LOG_LEVEL 0
#endif

#ifndef TVM_CRT_DEBUG
#define TVM_CRT_DEBUG 0
#endif

/* Most dimensions of a tensor in a file of parameters and in a graph. */
#ifndef TVM_CRT_MAX_NDIM
#define TVM_CRT_MAX_NDIM 8
#endif

/* Most arguments in a TVMArgs. Operators of a graph may have more: their arguments do not pass through one. */
#ifndef TVM_CRT_MAX_ARGS
#define TVM_CRT_MAX_ARGS 10
#endif

/* Memory for the names and addresses of global functions. */
#ifndef TVM_CRT_GLOBAL_FUNC_REGISTRY_SIZE_BYTES
#define TVM_CRT_GLOBAL_FUNC_REGISTRY_SIZE_BYTES 512
#endif

#ifndef TVM_CRT_MAX_REGISTERED_MODULES
#define TVM_CRT_MAX_REGISTERED_MODULES 2
#endif

/* Alignment of the memory that the graph executor plans, in bytes, a power of two. */
#ifndef TVM_CRT_STORAGE_ALIGNMENT_BYTES
#define TVM_CRT_STORAGE_ALIGNMENT_BYTES 16
#endif

/* Not used by this runtime; applications may. */
#ifndef TVM_CRT_MAX_PACKET_SIZE_BYTES
#define TVM_CRT_MAX_PACKET_SIZE_BYTES 2048
#endif
#ifndef TVM_CRT_MAX_STRLEN_DLTYPE
#define TVM_CRT_MAX_STRLEN_DLTYPE 10
#endif
#ifndef TVM_CRT_MAX_STRLEN_FUNCTION_NAME
#define TVM_CRT_MAX_STRLEN_FUNCTION_NAME 120
#endif
#ifndef TVM_CRT_MAX_STRLEN_PARAM_NAME
#define TVM_CRT_MAX_STRLEN_PARAM_NAME 80
#endif

#endif
