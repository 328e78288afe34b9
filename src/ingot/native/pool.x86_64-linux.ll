; e33dfca802ceab89ff2d1f45b487a293fb52b4d54ae78f4014b6bbd6644b0935
; Made from pool.c, pool_loop.h, pool_costs.h, pool_ways.h, pool.h, which have that digest, by tools/make_pool_ir.py.

%struct.share = type { i64, [56 x i8], i64, i32, ptr, [40 x i8] }
%struct.timespec = type { i64, i64 }
%union.pthread_attr_t = type { i64, [48 x i8] }
%struct.__sigset_t = type { [16 x i64] }
%struct.times = type { ptr, i64, [3 x i64], [3 x i64] }
%struct.cpu_set_t = type { [16 x i64] }
define ptr @ingot_pool_create(i32 noundef %0) local_unnamed_addr #0 {
  %2 = alloca ptr, align 8
  %3 = icmp slt i32 %0, 1
  br i1 %3, label %98, label %4
4:                                                ; preds = %1
  %5 = tail call i32 @llvm.umin.i32(i32 %0, i32 1024)
  store ptr null, ptr %2, align 8
  %6 = call i32 @posix_memalign(ptr noundef nonnull %2, i64 noundef 64, i64 noundef 4480) #11
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %8, label %96
8:                                                ; preds = %4
  %9 = load ptr, ptr %2, align 8
  %10 = call i64 @sysconf(i32 noundef 30) #11
  %11 = call ptr @mmap(ptr noundef null, i64 noundef %10, i32 noundef 3, i32 noundef 34, i32 noundef -1, i64 noundef 0) #11
  %12 = icmp eq ptr %11, inttoptr (i64 -1 to ptr)
  br i1 %12, label %18, label %13
13:                                               ; preds = %8
  %14 = call i32 @madvise(ptr noundef %11, i64 noundef %10, i32 noundef 18) #11
  %15 = icmp eq i32 %14, 0
  br i1 %15, label %18, label %16
16:                                               ; preds = %13
  %17 = call i32 @munmap(ptr noundef %11, i64 noundef %10) #11
  br label %18
18:                                               ; preds = %8, %13, %16
  %19 = phi ptr [ null, %16 ], [ null, %8 ], [ %11, %13 ]
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 64 dereferenceable(80) %9, i8 0, i64 80, i1 false)
  %20 = getelementptr inbounds nuw i8, ptr %9, i64 80
  store ptr %19, ptr %20, align 16
  %21 = getelementptr inbounds nuw i8, ptr %9, i64 88
  store i32 0, ptr %21, align 8
  %22 = getelementptr inbounds nuw i8, ptr %9, i64 92
  store i32 %5, ptr %22, align 4
  %23 = getelementptr inbounds nuw i8, ptr %9, i64 96
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 32 dereferenceable(4384) %23, i8 0, i64 4384, i1 false)
  %24 = zext nneg i32 %5 to i64
  %25 = call noalias ptr @calloc(i64 noundef %24, i64 noundef 8) #15
  %26 = load ptr, ptr %2, align 8
  %27 = getelementptr inbounds nuw i8, ptr %26, i64 240
  store ptr %25, ptr %27, align 16
  %28 = icmp eq ptr %25, null
  br i1 %28, label %41, label %29
29:                                               ; preds = %18
  %30 = getelementptr inbounds nuw i8, ptr %26, i64 72
  %31 = shl nuw nsw i64 %24, 7
  %32 = call i32 @posix_memalign(ptr noundef nonnull %30, i64 noundef 64, i64 noundef %31) #11
  %33 = icmp eq i32 %32, 0
  br i1 %33, label %34, label %39
34:                                               ; preds = %29
  %35 = and i64 %24, 3
  %36 = icmp ult i32 %0, 4
  br i1 %36, label %56, label %37
37:                                               ; preds = %34
  %38 = and i64 %24, 2044
  br label %71
39:                                               ; preds = %29
  %40 = load ptr, ptr %2, align 8
  br label %41
41:                                               ; preds = %39, %18
  %42 = phi ptr [ %40, %39 ], [ %26, %18 ]
  %43 = getelementptr inbounds nuw i8, ptr %42, i64 72
  store ptr null, ptr %43, align 8
  %44 = getelementptr inbounds nuw i8, ptr %42, i64 80
  %45 = load ptr, ptr %44, align 16
  %46 = icmp eq ptr %45, null
  br i1 %46, label %50, label %47
47:                                               ; preds = %41
  %48 = call i64 @sysconf(i32 noundef 30) #11
  %49 = call i32 @munmap(ptr noundef nonnull %45, i64 noundef %48) #11
  br label %50
50:                                               ; preds = %41, %47
  %51 = getelementptr inbounds nuw i8, ptr %42, i64 240
  %52 = load ptr, ptr %51, align 16
  call void @free(ptr noundef %52) #11
  %53 = load ptr, ptr %43, align 8
  call void @free(ptr noundef %53) #11
  call void @free(ptr noundef nonnull %42) #11
  br label %96
54:                                               ; preds = %71
  %55 = icmp eq i64 %35, 0
  br i1 %55, label %69, label %56
56:                                               ; preds = %54, %34
  %57 = phi i64 [ 0, %34 ], [ %93, %54 ]
  %58 = icmp ne i64 %35, 0
  call void @llvm.assume(i1 %58)
  br label %59
59:                                               ; preds = %59, %56
  %60 = phi i64 [ %66, %59 ], [ %57, %56 ]
  %61 = phi i64 [ %67, %59 ], [ 0, %56 ]
  %62 = load ptr, ptr %2, align 8
  %63 = getelementptr inbounds nuw i8, ptr %62, i64 72
  %64 = load ptr, ptr %63, align 8
  %65 = getelementptr inbounds nuw %struct.share, ptr %64, i64 %60
  store i64 0, ptr %65, align 8
  %66 = add nuw nsw i64 %60, 1
  %67 = add i64 %61, 1
  %68 = icmp eq i64 %67, %35
  br i1 %68, label %69, label %59
69:                                               ; preds = %59, %54
  %70 = load ptr, ptr %2, align 8
  br label %96
71:                                               ; preds = %71, %37
  %72 = phi i64 [ 0, %37 ], [ %93, %71 ]
  %73 = phi i64 [ 0, %37 ], [ %94, %71 ]
  %74 = load ptr, ptr %2, align 8
  %75 = getelementptr inbounds nuw i8, ptr %74, i64 72
  %76 = load ptr, ptr %75, align 8
  %77 = getelementptr inbounds nuw %struct.share, ptr %76, i64 %72
  store i64 0, ptr %77, align 8
  %78 = load ptr, ptr %2, align 8
  %79 = getelementptr inbounds nuw i8, ptr %78, i64 72
  %80 = load ptr, ptr %79, align 8
  %81 = getelementptr inbounds nuw %struct.share, ptr %80, i64 %72
  %82 = getelementptr inbounds nuw i8, ptr %81, i64 128
  store i64 0, ptr %82, align 8
  %83 = load ptr, ptr %2, align 8
  %84 = getelementptr inbounds nuw i8, ptr %83, i64 72
  %85 = load ptr, ptr %84, align 8
  %86 = getelementptr inbounds nuw %struct.share, ptr %85, i64 %72
  %87 = getelementptr inbounds nuw i8, ptr %86, i64 256
  store i64 0, ptr %87, align 8
  %88 = load ptr, ptr %2, align 8
  %89 = getelementptr inbounds nuw i8, ptr %88, i64 72
  %90 = load ptr, ptr %89, align 8
  %91 = getelementptr inbounds nuw %struct.share, ptr %90, i64 %72
  %92 = getelementptr inbounds nuw i8, ptr %91, i64 384
  store i64 0, ptr %92, align 8
  %93 = add nuw nsw i64 %72, 4
  %94 = add i64 %73, 4
  %95 = icmp eq i64 %94, %38
  br i1 %95, label %54, label %71
96:                                               ; preds = %4, %69, %50
  %97 = phi ptr [ %70, %69 ], [ null, %50 ], [ null, %4 ]
  br label %98
98:                                               ; preds = %1, %96
  %99 = phi ptr [ %97, %96 ], [ null, %1 ]
  ret ptr %99
}
declare i32 @posix_memalign(ptr noundef, i64 noundef, i64 noundef) local_unnamed_addr #2
declare void @llvm.memset.p0.i64(ptr writeonly, i8, i64, i1 immarg) #3
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly, ptr noalias readonly, i64, i1 immarg) #4
declare noalias noundef ptr @calloc(i64 noundef, i64 noundef) local_unnamed_addr #5
define void @ingot_pool_destroy(ptr noundef %0) local_unnamed_addr #0 {
  %2 = icmp eq ptr %0, null
  br i1 %2, label %47, label %3
3:                                                ; preds = %1
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %5 = load atomic i32, ptr %4 seq_cst, align 8
  %6 = tail call i32 @getpid() #11
  %7 = icmp eq i32 %5, %6
  br i1 %7, label %8, label %35
8:                                                ; preds = %3
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 48
  store atomic i32 1, ptr %9 seq_cst, align 16
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %11 = tail call i32 @pthread_mutex_lock(ptr noundef nonnull %10) #11
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 144
  %13 = tail call i32 @pthread_cond_broadcast(ptr noundef nonnull %12) #11
  %14 = tail call i32 @pthread_mutex_unlock(ptr noundef nonnull %10) #11
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %16 = load i32, ptr %15, align 32
  %17 = icmp sgt i32 %16, 0
  br i1 %17, label %18, label %20
18:                                               ; preds = %8
  %19 = getelementptr inbounds nuw i8, ptr %0, i64 240
  br label %25
20:                                               ; preds = %25, %8
  %21 = getelementptr inbounds nuw i8, ptr %0, i64 192
  %22 = tail call i32 @pthread_cond_destroy(ptr noundef nonnull %21) #11
  %23 = tail call i32 @pthread_cond_destroy(ptr noundef nonnull %12) #11
  %24 = tail call i32 @pthread_mutex_destroy(ptr noundef nonnull %10) #11
  br label %35
25:                                               ; preds = %18, %25
  %26 = phi i64 [ 0, %18 ], [ %31, %25 ]
  %27 = load ptr, ptr %19, align 16
  %28 = getelementptr inbounds nuw i64, ptr %27, i64 %26
  %29 = load i64, ptr %28, align 8
  %30 = tail call i32 @pthread_join(i64 noundef %29, ptr noundef null) #11
  %31 = add nuw nsw i64 %26, 1
  %32 = load i32, ptr %15, align 32
  %33 = sext i32 %32 to i64
  %34 = icmp slt i64 %31, %33
  br i1 %34, label %25, label %20
35:                                               ; preds = %20, %3
  %36 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %37 = load ptr, ptr %36, align 16
  %38 = icmp eq ptr %37, null
  br i1 %38, label %42, label %39
39:                                               ; preds = %35
  %40 = tail call i64 @sysconf(i32 noundef 30) #11
  %41 = tail call i32 @munmap(ptr noundef nonnull %37, i64 noundef %40) #11
  br label %42
42:                                               ; preds = %35, %39
  %43 = getelementptr inbounds nuw i8, ptr %0, i64 240
  %44 = load ptr, ptr %43, align 16
  tail call void @free(ptr noundef %44) #11
  %45 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %46 = load ptr, ptr %45, align 8
  tail call void @free(ptr noundef %46) #11
  tail call void @free(ptr noundef nonnull %0) #11
  br label %47
47:                                               ; preds = %1, %42
  ret void
}
declare i32 @getpid() local_unnamed_addr #6
declare i32 @pthread_mutex_lock(ptr noundef) local_unnamed_addr #6
declare i32 @pthread_cond_broadcast(ptr noundef) local_unnamed_addr #6
declare i32 @pthread_mutex_unlock(ptr noundef) local_unnamed_addr #6
declare i32 @pthread_join(i64 noundef, ptr noundef) local_unnamed_addr #7
declare i32 @pthread_cond_destroy(ptr noundef) local_unnamed_addr #6
declare i32 @pthread_mutex_destroy(ptr noundef) local_unnamed_addr #6
define i32 @ingot_pool_threads(ptr noundef readonly captures(address_is_null) %0) local_unnamed_addr #8 {
  %2 = icmp eq ptr %0, null
  br i1 %2, label %6, label %3
3:                                                ; preds = %1
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 92
  %5 = load i32, ptr %4, align 4
  br label %6
6:                                                ; preds = %1, %3
  %7 = phi i32 [ %5, %3 ], [ 1, %1 ]
  ret i32 %7
}
define void @ingot_pool_for(ptr noundef %0, ptr noundef %1, ptr noundef %2, i64 noundef %3, i64 noundef %4) local_unnamed_addr #0 {
  %6 = alloca %struct.timespec, align 8
  %7 = alloca %struct.timespec, align 8
  %8 = alloca %struct.timespec, align 8
  %9 = alloca %struct.timespec, align 8
  %10 = alloca %union.pthread_attr_t, align 8
  %11 = alloca %struct.__sigset_t, align 8
  %12 = alloca %struct.__sigset_t, align 8
  %13 = icmp slt i64 %3, 1
  br i1 %13, label %598, label %14
14:                                               ; preds = %5
  %15 = icmp sgt i64 %4, 1
  br i1 %15, label %16, label %18
16:                                               ; preds = %14
  %17 = udiv i64 %3, %4
  br label %18
18:                                               ; preds = %14, %16
  %19 = phi i64 [ %17, %16 ], [ %3, %14 ]
  %20 = icmp eq ptr %0, null
  %21 = icmp samesign ult i64 %19, 2
  %22 = or i1 %20, %21
  br i1 %22, label %27, label %23
23:                                               ; preds = %18
  %24 = getelementptr inbounds nuw i8, ptr %0, i64 92
  %25 = load i32, ptr %24, align 4
  %26 = icmp eq i32 %25, 1
  br i1 %26, label %27, label %28
27:                                               ; preds = %23, %18
  tail call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #11
  br label %598
28:                                               ; preds = %23
  %29 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %30 = load ptr, ptr %29, align 16
  %31 = icmp eq ptr %30, null
  br i1 %31, label %35, label %32
32:                                               ; preds = %28
  %33 = load atomic i32, ptr %30 acquire, align 4
  %34 = icmp eq i32 %33, 0
  br i1 %34, label %35, label %101
35:                                               ; preds = %32, %28
  %36 = tail call i32 @getpid() #11
  %37 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %38 = load atomic i32, ptr %37 seq_cst, align 8
  %39 = icmp eq i32 %38, %36
  br i1 %39, label %101, label %40
40:                                               ; preds = %35
  %41 = icmp eq i32 %38, -1
  br i1 %41, label %105, label %42
42:                                               ; preds = %40
  %43 = cmpxchg ptr %37, i32 %38, i32 -1 seq_cst seq_cst, align 8
  %44 = extractvalue { i32, i1 } %43, 1
  br i1 %44, label %45, label %105
45:                                               ; preds = %42
  %46 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %47 = tail call i32 @pthread_mutex_init(ptr noundef nonnull %46, ptr noundef null) #11
  %48 = getelementptr inbounds nuw i8, ptr %0, i64 144
  %49 = tail call i32 @pthread_cond_init(ptr noundef nonnull %48, ptr noundef null) #11
  %50 = getelementptr inbounds nuw i8, ptr %0, i64 192
  %51 = tail call i32 @pthread_cond_init(ptr noundef nonnull %50, ptr noundef null) #11
  store atomic i64 0, ptr %0 seq_cst, align 64
  %52 = getelementptr inbounds nuw i8, ptr %0, i64 64
  store atomic i32 0, ptr %52 seq_cst, align 64
  %53 = getelementptr inbounds nuw i8, ptr %0, i64 68
  store atomic i32 0, ptr %53 seq_cst, align 4
  %54 = getelementptr inbounds nuw i8, ptr %0, i64 256
  store atomic i32 0, ptr %54 seq_cst, align 64
  %55 = getelementptr inbounds nuw i8, ptr %0, i64 96
  store i32 0, ptr %55, align 32
  %56 = getelementptr inbounds nuw i8, ptr %0, i64 272
  store i64 0, ptr %56, align 16
  %57 = getelementptr inbounds nuw i8, ptr %0, i64 288
  store i64 2, ptr %57, align 32
  %58 = getelementptr inbounds nuw i8, ptr %0, i64 312
  store i32 0, ptr %58, align 8
  %59 = getelementptr inbounds nuw i8, ptr %0, i64 296
  store <4 x i32> <i32 0, i32 4, i32 64, i32 64>, ptr %59, align 8
  %60 = getelementptr inbounds nuw i8, ptr %0, i64 328
  store i64 0, ptr %60, align 8
  %61 = getelementptr inbounds nuw i8, ptr %0, i64 336
  store <4 x i32> <i32 1, i32 3, i32 1, i32 0>, ptr %61, align 16
  %62 = getelementptr inbounds nuw i8, ptr %0, i64 352
  store i32 1, ptr %62, align 32
  %63 = getelementptr inbounds nuw i8, ptr %0, i64 356
  store i32 1, ptr %63, align 4
  %64 = call i32 @pthread_attr_init(ptr noundef nonnull %10) #11
  %65 = call i32 @pthread_attr_setstacksize(ptr noundef nonnull %10, i64 noundef 4194304) #11
  %66 = call i32 @sigfillset(ptr noundef nonnull %11) #11
  %67 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %11, ptr noundef nonnull %12) #11
  %68 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %69 = load i32, ptr %24, align 4
  %70 = icmp sgt i32 %69, 1
  br i1 %70, label %71, label %94
71:                                               ; preds = %45
  %72 = getelementptr inbounds nuw i8, ptr %0, i64 240
  br label %73
73:                                               ; preds = %87, %71
  %74 = phi i64 [ 1, %71 ], [ %90, %87 ]
  %75 = load ptr, ptr %68, align 8
  %76 = getelementptr inbounds nuw %struct.share, ptr %75, i64 %74
  %77 = getelementptr inbounds nuw i8, ptr %76, i64 80
  store ptr %0, ptr %77, align 16
  %78 = getelementptr inbounds nuw i8, ptr %76, i64 72
  %79 = trunc nuw nsw i64 %74 to i32
  store i32 %79, ptr %78, align 8
  %80 = getelementptr inbounds nuw i8, ptr %76, i64 64
  store atomic i64 0, ptr %80 seq_cst, align 64
  %81 = load ptr, ptr %72, align 16
  %82 = load i32, ptr %55, align 32
  %83 = sext i32 %82 to i64
  %84 = getelementptr inbounds i64, ptr %81, i64 %83
  %85 = call i32 @pthread_create(ptr noundef %84, ptr noundef nonnull %10, ptr noundef nonnull @work, ptr noundef nonnull %76) #11
  %86 = icmp eq i32 %85, 0
  br i1 %86, label %87, label %94
87:                                               ; preds = %73
  %88 = load i32, ptr %55, align 32
  %89 = add nsw i32 %88, 1
  store i32 %89, ptr %55, align 32
  %90 = add nuw nsw i64 %74, 1
  %91 = load i32, ptr %24, align 4
  %92 = sext i32 %91 to i64
  %93 = icmp slt i64 %90, %92
  br i1 %93, label %73, label %94
94:                                               ; preds = %87, %73, %45
  %95 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %12, ptr noundef null) #11
  %96 = call i32 @pthread_attr_destroy(ptr noundef nonnull %10) #11
  store atomic i32 %36, ptr %37 seq_cst, align 8
  %97 = load ptr, ptr %29, align 16
  %98 = icmp eq ptr %97, null
  br i1 %98, label %100, label %99
99:                                               ; preds = %94
  store atomic i32 1, ptr %97 release, align 4
  br label %100
100:                                              ; preds = %99, %94
  br label %101
101:                                              ; preds = %32, %100, %35
  %102 = getelementptr inbounds nuw i8, ptr %0, i64 256
  %103 = atomicrmw xchg ptr %102, i32 1 seq_cst, align 64
  %104 = icmp eq i32 %103, 0
  br i1 %104, label %106, label %105
105:                                              ; preds = %42, %40, %101
  call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #11
  br label %598
106:                                              ; preds = %101
  %107 = getelementptr inbounds nuw i8, ptr %0, i64 308
  %108 = load i32, ptr %107, align 4
  %109 = add nsw i32 %108, -1
  store i32 %109, ptr %107, align 4
  %110 = icmp slt i32 %108, 2
  br i1 %110, label %111, label %112
111:                                              ; preds = %106
  call fastcc void @weigh(ptr noundef %0)
  br label %112
112:                                              ; preds = %111, %106
  %113 = icmp slt i64 %4, 0
  br i1 %113, label %114, label %120
114:                                              ; preds = %112
  %115 = sub nsw i64 0, %4
  %116 = udiv i64 9223372036854775807, %115
  %117 = icmp samesign ult i64 %3, %116
  %118 = mul nuw nsw i64 %3, %115
  %119 = select i1 %117, i64 %118, i64 9223372036854775807
  br label %124
120:                                              ; preds = %112
  %121 = icmp samesign ugt i64 %4, 1
  br i1 %121, label %122, label %124
122:                                              ; preds = %120
  %123 = udiv i64 %3, %4
  br label %124
124:                                              ; preds = %114, %120, %122
  %125 = phi i64 [ %119, %114 ], [ %19, %122 ], [ %19, %120 ]
  %126 = phi i64 [ %119, %114 ], [ %123, %122 ], [ 9223372036854775807, %120 ]
  %127 = getelementptr inbounds nuw i8, ptr %0, i64 340
  %128 = load i32, ptr %127, align 4
  %129 = icmp eq i32 %128, 3
  br i1 %129, label %130, label %133
130:                                              ; preds = %124
  %131 = getelementptr inbounds nuw i8, ptr %0, i64 336
  %132 = load i32, ptr %131, align 16
  br label %133
133:                                              ; preds = %130, %124
  %134 = phi i32 [ %132, %130 ], [ %128, %124 ]
  switch i32 %134, label %138 [
    i32 0, label %139
    i32 1, label %135
  ]
135:                                              ; preds = %133
  %136 = getelementptr inbounds nuw i8, ptr %0, i64 288
  %137 = load i64, ptr %136, align 32
  br label %139
138:                                              ; preds = %133
  br label %139
139:                                              ; preds = %133, %135, %138
  %140 = phi i64 [ 2, %133 ], [ %137, %135 ], [ 9223372036854775807, %138 ]
  %141 = icmp slt i64 %126, %140
  %142 = icmp samesign ugt i64 %126, 1
  %143 = select i1 %141, i1 %142, i1 false
  %144 = zext i1 %143 to i64
  %145 = getelementptr inbounds nuw i8, ptr %0, i64 328
  %146 = load i64, ptr %145, align 8
  %147 = add nsw i64 %146, %144
  store i64 %147, ptr %145, align 8
  %148 = icmp ne i32 %128, 3
  %149 = select i1 %148, i1 %142, i1 false
  %150 = icmp ne i64 %4, 1
  %151 = and i1 %150, %149
  br i1 %151, label %152, label %159
152:                                              ; preds = %139
  %153 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %9) #11
  %154 = load i64, ptr %9, align 8
  %155 = mul nsw i64 %154, 1000000000
  %156 = getelementptr inbounds nuw i8, ptr %9, i64 8
  %157 = load i64, ptr %156, align 8
  %158 = add nsw i64 %155, %157
  br label %159
159:                                              ; preds = %139, %152
  %160 = phi i64 [ %158, %152 ], [ 0, %139 ]
  br i1 %141, label %584, label %161
161:                                              ; preds = %159
  %162 = getelementptr inbounds nuw i8, ptr %0, i64 280
  %163 = load i64, ptr %162, align 8
  %164 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %165 = load i32, ptr %164, align 32
  %166 = add nsw i32 %165, 1
  %167 = sext i32 %166 to i64
  %168 = call i64 @llvm.smin.i64(i64 range(i64 2, -9223372036854775808) %19, i64 %167)
  %169 = trunc nsw i64 %168 to i32
  %170 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %171 = load atomic i32, ptr %170 seq_cst, align 64
  %172 = sub nsw i32 %166, %171
  %173 = icmp slt i32 %172, %169
  br i1 %173, label %175, label %174
174:                                              ; preds = %161
  store i64 0, ptr %162, align 8
  br label %188
175:                                              ; preds = %161
  %176 = sext i32 %172 to i64
  %177 = sdiv i64 %125, %176
  %178 = sdiv i64 %125, %168
  %179 = sub nsw i64 %177, %178
  %180 = icmp slt i64 %179, 64
  br i1 %180, label %182, label %181
181:                                              ; preds = %175
  store i64 64, ptr %162, align 8
  br label %188
182:                                              ; preds = %175
  %183 = load i64, ptr %162, align 8
  %184 = add nsw i64 %183, %179
  %185 = freeze i64 %184
  store i64 %185, ptr %162, align 8
  %186 = icmp slt i64 %185, 64
  %187 = select i1 %186, i32 %172, i32 %169
  br label %188
188:                                              ; preds = %182, %181, %174
  %189 = phi i64 [ 0, %174 ], [ 64, %181 ], [ %185, %182 ]
  %190 = phi i32 [ %169, %174 ], [ %169, %181 ], [ %187, %182 ]
  %191 = icmp ult i64 %4, 2
  br i1 %191, label %192, label %203
192:                                              ; preds = %188
  %193 = icmp sgt i64 %189, %163
  %194 = icmp slt i64 %189, 64
  %195 = and i1 %193, %194
  br i1 %195, label %196, label %203
196:                                              ; preds = %192
  %197 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %8) #11
  %198 = load i64, ptr %8, align 8
  %199 = mul nsw i64 %198, 1000000000
  %200 = getelementptr inbounds nuw i8, ptr %8, i64 8
  %201 = load i64, ptr %200, align 8
  %202 = add nsw i64 %199, %201
  br label %203
203:                                              ; preds = %196, %192, %188
  %204 = phi i64 [ %202, %196 ], [ 0, %188 ], [ 0, %192 ]
  %205 = icmp eq i32 %190, 1
  br i1 %205, label %206, label %207
206:                                              ; preds = %203
  call void %1(ptr noundef %2, i64 noundef 0, i64 noundef range(i64 1, -9223372036854775808) %3) #11
  br label %568
207:                                              ; preds = %203
  %208 = lshr i64 %126, 2
  %209 = call i64 @llvm.umin.i64(i64 range(i64 2, -9223372036854775808) %19, i64 %208)
  %210 = sext i32 %190 to i64
  %211 = sdiv i64 %209, %210
  %212 = call i64 @llvm.smax.i64(i64 %211, i64 1)
  %213 = call i64 @llvm.umin.i64(i64 %212, i64 8)
  %214 = trunc nuw nsw i64 %213 to i32
  %215 = mul nsw i32 %190, %214
  %216 = getelementptr inbounds nuw i8, ptr %0, i64 264
  %217 = load i64, ptr %216, align 8
  %218 = add i64 %217, 1
  store i64 %218, ptr %216, align 8
  %219 = sext i32 %215 to i64
  %220 = sdiv i64 %3, %219
  %221 = srem i64 %3, %219
  %222 = trunc nuw nsw i64 %221 to i32
  store atomic i64 0, ptr %0 monotonic, align 64
  %223 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %224 = ptrtoint ptr %1 to i64
  store atomic i64 %224, ptr %223 release, align 8
  %225 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %226 = ptrtoint ptr %2 to i64
  store atomic i64 %226, ptr %225 release, align 16
  %227 = getelementptr inbounds nuw i8, ptr %0, i64 24
  store atomic i64 %220, ptr %227 release, align 8
  %228 = getelementptr inbounds nuw i8, ptr %0, i64 32
  store atomic i32 %222, ptr %228 release, align 32
  %229 = getelementptr inbounds nuw i8, ptr %0, i64 36
  store atomic i32 %215, ptr %229 release, align 4
  %230 = getelementptr inbounds nuw i8, ptr %0, i64 40
  store atomic i32 %190, ptr %230 release, align 8
  %231 = getelementptr inbounds nuw i8, ptr %0, i64 44
  store atomic i32 %214, ptr %231 release, align 4
  store atomic i64 %218, ptr %0 release, align 64
  %232 = load i64, ptr %162, align 8
  %233 = icmp sgt i64 %232, 63
  br i1 %233, label %234, label %246
234:                                              ; preds = %207
  fence seq_cst
  %235 = load atomic i32, ptr %170 seq_cst, align 64
  %236 = icmp sgt i32 %235, 0
  br i1 %236, label %237, label %246
237:                                              ; preds = %234
  store i64 0, ptr %162, align 8
  %238 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %239 = call i32 @pthread_mutex_lock(ptr noundef nonnull %238) #11
  %240 = getelementptr inbounds nuw i8, ptr %0, i64 100
  %241 = load i32, ptr %240, align 4
  %242 = add i32 %241, 1
  store i32 %242, ptr %240, align 4
  %243 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %238) #11
  %244 = getelementptr inbounds nuw i8, ptr %0, i64 144
  %245 = call i32 @pthread_cond_broadcast(ptr noundef nonnull %244) #11
  br label %246
246:                                              ; preds = %237, %234, %207
  %247 = add i32 %215, -1
  %248 = udiv i32 %247, %215
  %249 = zext i32 %248 to i64
  %250 = add i32 %247, %222
  %251 = udiv i32 %250, %215
  %252 = zext i32 %251 to i64
  %253 = add nsw i64 %220, %252
  call void %1(ptr noundef %2, i64 noundef %249, i64 noundef %253) #11
  %254 = icmp slt i64 %211, 2
  br i1 %254, label %297, label %255
255:                                              ; preds = %246
  %256 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %257 = shl i64 %218, 16
  %258 = or disjoint i64 %257, 1
  br label %259
259:                                              ; preds = %279, %255
  %260 = phi i32 [ 0, %255 ], [ %294, %279 ]
  %261 = load ptr, ptr %256, align 8
  %262 = load atomic i64, ptr %261 monotonic, align 64
  br label %263
263:                                              ; preds = %273, %259
  %264 = phi i64 [ %262, %259 ], [ %278, %273 ]
  %265 = lshr i64 %264, 16
  %266 = icmp eq i64 %265, %218
  %267 = trunc i64 %264 to i32
  %268 = and i32 %267, 65535
  %269 = select i1 %266, i32 %268, i32 1
  %270 = icmp ule i64 %265, %218
  %271 = icmp samesign ult i32 %269, %214
  %272 = select i1 %270, i1 %271, i1 false
  br i1 %272, label %273, label %295
273:                                              ; preds = %263
  %274 = zext nneg i32 %269 to i64
  %275 = add nuw i64 %258, %274
  %276 = cmpxchg weak ptr %261, i64 %264, i64 %275 seq_cst seq_cst, align 64
  %277 = extractvalue { i64, i1 } %276, 1
  %278 = extractvalue { i64, i1 } %276, 0
  br i1 %277, label %279, label %263
279:                                              ; preds = %273
  %280 = mul nsw i64 %220, %274
  %281 = mul i32 %269, %222
  %282 = add i32 %281, %247
  %283 = udiv i32 %282, %215
  %284 = zext i32 %283 to i64
  %285 = add nsw i64 %280, %284
  %286 = add nuw nsw i32 %269, 1
  %287 = zext nneg i32 %286 to i64
  %288 = mul nsw i64 %220, %287
  %289 = mul i32 %286, %222
  %290 = add i32 %289, %247
  %291 = udiv i32 %290, %215
  %292 = zext i32 %291 to i64
  %293 = add nsw i64 %288, %292
  call void %1(ptr noundef %2, i64 noundef %285, i64 noundef %293) #11
  %294 = add nuw nsw i32 %260, 1
  br label %259
295:                                              ; preds = %263
  %296 = add nuw nsw i32 %260, 1
  br label %297
297:                                              ; preds = %295, %246
  %298 = phi i32 [ %296, %295 ], [ 1, %246 ]
  %299 = zext i32 %215 to i64
  %300 = sext i32 %298 to i64
  %301 = sub nsw i64 %299, %300
  %302 = getelementptr inbounds nuw i8, ptr %0, i64 272
  %303 = load i64, ptr %302, align 16
  %304 = add nsw i64 %301, %303
  store i64 %304, ptr %302, align 16
  %305 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %306 = load i32, ptr %164, align 32
  %307 = icmp slt i32 %306, 1
  br i1 %307, label %322, label %308
308:                                              ; preds = %297, %308
  %309 = phi i64 [ %316, %308 ], [ 1, %297 ]
  %310 = phi i64 [ %315, %308 ], [ 0, %297 ]
  %311 = load ptr, ptr %305, align 8
  %312 = getelementptr inbounds nuw %struct.share, ptr %311, i64 %309
  %313 = getelementptr inbounds nuw i8, ptr %312, i64 64
  %314 = load atomic i64, ptr %313 seq_cst, align 64
  %315 = add nsw i64 %314, %310
  %316 = add nuw nsw i64 %309, 1
  %317 = load i32, ptr %164, align 32
  %318 = sext i32 %317 to i64
  %319 = icmp slt i64 %309, %318
  br i1 %319, label %308, label %320
320:                                              ; preds = %308
  %321 = load i64, ptr %302, align 16
  br label %322
322:                                              ; preds = %320, %297
  %323 = phi i32 [ %306, %297 ], [ %317, %320 ]
  %324 = phi i64 [ %304, %297 ], [ %321, %320 ]
  %325 = phi i64 [ 0, %297 ], [ %315, %320 ]
  %326 = icmp eq i64 %325, %324
  br i1 %326, label %327, label %346
327:                                              ; preds = %486, %481, %461, %441, %421, %401, %381, %361, %322
  %328 = phi i32 [ %487, %486 ], [ %482, %481 ], [ %462, %461 ], [ %442, %441 ], [ %422, %421 ], [ %402, %401 ], [ %382, %381 ], [ %362, %361 ], [ %323, %322 ]
  %329 = icmp slt i32 %328, 1
  br i1 %329, label %342, label %330
330:                                              ; preds = %327, %330
  %331 = phi i64 [ %338, %330 ], [ 1, %327 ]
  %332 = phi i64 [ %337, %330 ], [ 0, %327 ]
  %333 = load ptr, ptr %305, align 8
  %334 = getelementptr inbounds nuw %struct.share, ptr %333, i64 %331
  %335 = getelementptr inbounds nuw i8, ptr %334, i64 64
  %336 = load atomic i64, ptr %335 seq_cst, align 64
  %337 = add nsw i64 %336, %332
  %338 = add nuw nsw i64 %331, 1
  %339 = load i32, ptr %164, align 32
  %340 = sext i32 %339 to i64
  %341 = icmp slt i64 %331, %340
  br i1 %341, label %330, label %342
342:                                              ; preds = %330, %327
  %343 = phi i64 [ 0, %327 ], [ %337, %330 ]
  %344 = load i64, ptr %302, align 16
  %345 = icmp eq i64 %343, %344
  br i1 %345, label %544, label %488
346:                                              ; preds = %322
  call void @llvm.x86.sse2.pause()
  %347 = load i32, ptr %164, align 32
  %348 = icmp slt i32 %347, 1
  br i1 %348, label %361, label %349
349:                                              ; preds = %346, %349
  %350 = phi i64 [ %357, %349 ], [ 1, %346 ]
  %351 = phi i64 [ %356, %349 ], [ 0, %346 ]
  %352 = load ptr, ptr %305, align 8
  %353 = getelementptr inbounds nuw %struct.share, ptr %352, i64 %350
  %354 = getelementptr inbounds nuw i8, ptr %353, i64 64
  %355 = load atomic i64, ptr %354 seq_cst, align 64
  %356 = add nsw i64 %355, %351
  %357 = add nuw nsw i64 %350, 1
  %358 = load i32, ptr %164, align 32
  %359 = sext i32 %358 to i64
  %360 = icmp slt i64 %350, %359
  br i1 %360, label %349, label %361
361:                                              ; preds = %349, %346
  %362 = phi i32 [ %347, %346 ], [ %358, %349 ]
  %363 = phi i64 [ 0, %346 ], [ %356, %349 ]
  %364 = load i64, ptr %302, align 16
  %365 = icmp eq i64 %363, %364
  br i1 %365, label %327, label %366
366:                                              ; preds = %361
  call void @llvm.x86.sse2.pause()
  %367 = load i32, ptr %164, align 32
  %368 = icmp slt i32 %367, 1
  br i1 %368, label %381, label %369
369:                                              ; preds = %366, %369
  %370 = phi i64 [ %377, %369 ], [ 1, %366 ]
  %371 = phi i64 [ %376, %369 ], [ 0, %366 ]
  %372 = load ptr, ptr %305, align 8
  %373 = getelementptr inbounds nuw %struct.share, ptr %372, i64 %370
  %374 = getelementptr inbounds nuw i8, ptr %373, i64 64
  %375 = load atomic i64, ptr %374 seq_cst, align 64
  %376 = add nsw i64 %375, %371
  %377 = add nuw nsw i64 %370, 1
  %378 = load i32, ptr %164, align 32
  %379 = sext i32 %378 to i64
  %380 = icmp slt i64 %370, %379
  br i1 %380, label %369, label %381
381:                                              ; preds = %369, %366
  %382 = phi i32 [ %367, %366 ], [ %378, %369 ]
  %383 = phi i64 [ 0, %366 ], [ %376, %369 ]
  %384 = load i64, ptr %302, align 16
  %385 = icmp eq i64 %383, %384
  br i1 %385, label %327, label %386
386:                                              ; preds = %381
  call void @llvm.x86.sse2.pause()
  %387 = load i32, ptr %164, align 32
  %388 = icmp slt i32 %387, 1
  br i1 %388, label %401, label %389
389:                                              ; preds = %386, %389
  %390 = phi i64 [ %397, %389 ], [ 1, %386 ]
  %391 = phi i64 [ %396, %389 ], [ 0, %386 ]
  %392 = load ptr, ptr %305, align 8
  %393 = getelementptr inbounds nuw %struct.share, ptr %392, i64 %390
  %394 = getelementptr inbounds nuw i8, ptr %393, i64 64
  %395 = load atomic i64, ptr %394 seq_cst, align 64
  %396 = add nsw i64 %395, %391
  %397 = add nuw nsw i64 %390, 1
  %398 = load i32, ptr %164, align 32
  %399 = sext i32 %398 to i64
  %400 = icmp slt i64 %390, %399
  br i1 %400, label %389, label %401
401:                                              ; preds = %389, %386
  %402 = phi i32 [ %387, %386 ], [ %398, %389 ]
  %403 = phi i64 [ 0, %386 ], [ %396, %389 ]
  %404 = load i64, ptr %302, align 16
  %405 = icmp eq i64 %403, %404
  br i1 %405, label %327, label %406
406:                                              ; preds = %401
  call void @llvm.x86.sse2.pause()
  %407 = load i32, ptr %164, align 32
  %408 = icmp slt i32 %407, 1
  br i1 %408, label %421, label %409
409:                                              ; preds = %406, %409
  %410 = phi i64 [ %417, %409 ], [ 1, %406 ]
  %411 = phi i64 [ %416, %409 ], [ 0, %406 ]
  %412 = load ptr, ptr %305, align 8
  %413 = getelementptr inbounds nuw %struct.share, ptr %412, i64 %410
  %414 = getelementptr inbounds nuw i8, ptr %413, i64 64
  %415 = load atomic i64, ptr %414 seq_cst, align 64
  %416 = add nsw i64 %415, %411
  %417 = add nuw nsw i64 %410, 1
  %418 = load i32, ptr %164, align 32
  %419 = sext i32 %418 to i64
  %420 = icmp slt i64 %410, %419
  br i1 %420, label %409, label %421
421:                                              ; preds = %409, %406
  %422 = phi i32 [ %407, %406 ], [ %418, %409 ]
  %423 = phi i64 [ 0, %406 ], [ %416, %409 ]
  %424 = load i64, ptr %302, align 16
  %425 = icmp eq i64 %423, %424
  br i1 %425, label %327, label %426
426:                                              ; preds = %421
  call void @llvm.x86.sse2.pause()
  %427 = load i32, ptr %164, align 32
  %428 = icmp slt i32 %427, 1
  br i1 %428, label %441, label %429
429:                                              ; preds = %426, %429
  %430 = phi i64 [ %437, %429 ], [ 1, %426 ]
  %431 = phi i64 [ %436, %429 ], [ 0, %426 ]
  %432 = load ptr, ptr %305, align 8
  %433 = getelementptr inbounds nuw %struct.share, ptr %432, i64 %430
  %434 = getelementptr inbounds nuw i8, ptr %433, i64 64
  %435 = load atomic i64, ptr %434 seq_cst, align 64
  %436 = add nsw i64 %435, %431
  %437 = add nuw nsw i64 %430, 1
  %438 = load i32, ptr %164, align 32
  %439 = sext i32 %438 to i64
  %440 = icmp slt i64 %430, %439
  br i1 %440, label %429, label %441
441:                                              ; preds = %429, %426
  %442 = phi i32 [ %427, %426 ], [ %438, %429 ]
  %443 = phi i64 [ 0, %426 ], [ %436, %429 ]
  %444 = load i64, ptr %302, align 16
  %445 = icmp eq i64 %443, %444
  br i1 %445, label %327, label %446
446:                                              ; preds = %441
  call void @llvm.x86.sse2.pause()
  %447 = load i32, ptr %164, align 32
  %448 = icmp slt i32 %447, 1
  br i1 %448, label %461, label %449
449:                                              ; preds = %446, %449
  %450 = phi i64 [ %457, %449 ], [ 1, %446 ]
  %451 = phi i64 [ %456, %449 ], [ 0, %446 ]
  %452 = load ptr, ptr %305, align 8
  %453 = getelementptr inbounds nuw %struct.share, ptr %452, i64 %450
  %454 = getelementptr inbounds nuw i8, ptr %453, i64 64
  %455 = load atomic i64, ptr %454 seq_cst, align 64
  %456 = add nsw i64 %455, %451
  %457 = add nuw nsw i64 %450, 1
  %458 = load i32, ptr %164, align 32
  %459 = sext i32 %458 to i64
  %460 = icmp slt i64 %450, %459
  br i1 %460, label %449, label %461
461:                                              ; preds = %449, %446
  %462 = phi i32 [ %447, %446 ], [ %458, %449 ]
  %463 = phi i64 [ 0, %446 ], [ %456, %449 ]
  %464 = load i64, ptr %302, align 16
  %465 = icmp eq i64 %463, %464
  br i1 %465, label %327, label %466
466:                                              ; preds = %461
  call void @llvm.x86.sse2.pause()
  %467 = load i32, ptr %164, align 32
  %468 = icmp slt i32 %467, 1
  br i1 %468, label %481, label %469
469:                                              ; preds = %466, %469
  %470 = phi i64 [ %477, %469 ], [ 1, %466 ]
  %471 = phi i64 [ %476, %469 ], [ 0, %466 ]
  %472 = load ptr, ptr %305, align 8
  %473 = getelementptr inbounds nuw %struct.share, ptr %472, i64 %470
  %474 = getelementptr inbounds nuw i8, ptr %473, i64 64
  %475 = load atomic i64, ptr %474 seq_cst, align 64
  %476 = add nsw i64 %475, %471
  %477 = add nuw nsw i64 %470, 1
  %478 = load i32, ptr %164, align 32
  %479 = sext i32 %478 to i64
  %480 = icmp slt i64 %470, %479
  br i1 %480, label %469, label %481
481:                                              ; preds = %469, %466
  %482 = phi i32 [ %467, %466 ], [ %478, %469 ]
  %483 = phi i64 [ 0, %466 ], [ %476, %469 ]
  %484 = load i64, ptr %302, align 16
  %485 = icmp eq i64 %483, %484
  br i1 %485, label %327, label %486
486:                                              ; preds = %481
  call void @llvm.x86.sse2.pause()
  %487 = load i32, ptr %164, align 32
  br label %327
488:                                              ; preds = %342
  %489 = icmp sgt i32 %190, 1
  br i1 %489, label %490, label %544
490:                                              ; preds = %488
  %491 = shl i64 %218, 16
  %492 = or disjoint i64 %491, 1
  %493 = zext nneg i32 %190 to i64
  br label %494
494:                                              ; preds = %538, %490
  %495 = phi i64 [ 1, %490 ], [ %540, %538 ]
  %496 = phi i32 [ 0, %490 ], [ %539, %538 ]
  %497 = mul nuw nsw i64 %495, %213
  %498 = trunc nsw i64 %497 to i32
  br label %499
499:                                              ; preds = %520, %494
  %500 = phi i32 [ 0, %494 ], [ %537, %520 ]
  %501 = load ptr, ptr %305, align 8
  %502 = getelementptr inbounds nuw %struct.share, ptr %501, i64 %495
  %503 = load atomic i64, ptr %502 monotonic, align 64
  br label %504
504:                                              ; preds = %514, %499
  %505 = phi i64 [ %503, %499 ], [ %519, %514 ]
  %506 = lshr i64 %505, 16
  %507 = icmp eq i64 %506, %218
  %508 = trunc i64 %505 to i32
  %509 = and i32 %508, 65535
  %510 = select i1 %507, i32 %509, i32 0
  %511 = icmp ule i64 %506, %218
  %512 = icmp samesign ult i32 %510, %214
  %513 = select i1 %511, i1 %512, i1 false
  br i1 %513, label %514, label %538
514:                                              ; preds = %504
  %515 = zext nneg i32 %510 to i64
  %516 = add nuw i64 %492, %515
  %517 = cmpxchg weak ptr %502, i64 %505, i64 %516 seq_cst seq_cst, align 64
  %518 = extractvalue { i64, i1 } %517, 1
  %519 = extractvalue { i64, i1 } %517, 0
  br i1 %518, label %520, label %504
520:                                              ; preds = %514
  %521 = add nsw i32 %510, %498
  %522 = zext i32 %521 to i64
  %523 = mul nuw nsw i64 %220, %522
  %524 = mul i32 %521, %222
  %525 = add i32 %524, %247
  %526 = udiv i32 %525, %215
  %527 = zext i32 %526 to i64
  %528 = add nuw nsw i64 %523, %527
  %529 = add i32 %521, 1
  %530 = zext i32 %529 to i64
  %531 = mul nuw nsw i64 %220, %530
  %532 = mul i32 %529, %222
  %533 = add i32 %532, %247
  %534 = udiv i32 %533, %215
  %535 = zext i32 %534 to i64
  %536 = add nuw nsw i64 %531, %535
  call void %1(ptr noundef %2, i64 noundef %528, i64 noundef %536) #11
  %537 = add nuw nsw i32 %500, 1
  br label %499
538:                                              ; preds = %504
  %539 = add nuw nsw i32 %500, %496
  %540 = add nuw nsw i64 %495, 1
  %541 = icmp eq i64 %540, %493
  br i1 %541, label %542, label %494
542:                                              ; preds = %538
  %543 = load i64, ptr %302, align 16
  br label %544
544:                                              ; preds = %542, %488, %342
  %545 = phi i64 [ %343, %342 ], [ %344, %488 ], [ %543, %542 ]
  %546 = phi i32 [ 0, %342 ], [ 0, %488 ], [ %539, %542 ]
  %547 = sext i32 %546 to i64
  %548 = sub nsw i64 %545, %547
  store i64 %548, ptr %302, align 16
  %549 = add nsw i32 %546, %298
  %550 = icmp ult i32 %549, %215
  %551 = getelementptr inbounds nuw i8, ptr %0, i64 296
  br i1 %550, label %552, label %558
552:                                              ; preds = %544
  store i32 0, ptr %551, align 8
  %553 = getelementptr inbounds nuw i8, ptr %0, i64 300
  %554 = load i32, ptr %553, align 4
  %555 = icmp sgt i32 %554, 4
  %556 = sext i1 %555 to i32
  %557 = add i32 %554, %556
  store i32 %557, ptr %553, align 4
  br label %567
558:                                              ; preds = %544
  %559 = load i32, ptr %551, align 8
  %560 = add nsw i32 %559, 1
  store i32 %560, ptr %551, align 8
  %561 = getelementptr inbounds nuw i8, ptr %0, i64 300
  %562 = load i32, ptr %561, align 4
  %563 = icmp slt i32 %560, %562
  br i1 %563, label %567, label %564
564:                                              ; preds = %558
  store i32 0, ptr %551, align 8
  %565 = call i32 @llvm.smin.i32(i32 %562, i32 32)
  %566 = shl i32 %565, 1
  store i32 %566, ptr %561, align 4
  call fastcc void @send_away(ptr noundef nonnull %0)
  br label %567
567:                                              ; preds = %564, %558, %552
  call fastcc void @wait_for_workers(ptr noundef nonnull %0)
  br label %568
568:                                              ; preds = %567, %206
  %569 = icmp eq i64 %204, 0
  br i1 %569, label %585, label %570
570:                                              ; preds = %568
  %571 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %7) #11
  %572 = load i64, ptr %7, align 8
  %573 = mul nsw i64 %572, 1000000000
  %574 = getelementptr inbounds nuw i8, ptr %7, i64 8
  %575 = load i64, ptr %574, align 8
  %576 = sub i64 %575, %204
  %577 = add i64 %576, %573
  %578 = sdiv i64 %577, 1000
  %579 = add nsw i64 %578, %163
  %580 = load i64, ptr %162, align 8
  %581 = icmp slt i64 %579, %580
  %582 = call i64 @llvm.smin.i64(i64 %579, i64 64)
  %583 = select i1 %581, i64 %580, i64 %582
  store i64 %583, ptr %162, align 8
  br label %585
584:                                              ; preds = %159
  call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #11
  br label %585
585:                                              ; preds = %570, %568, %584
  %586 = icmp eq i64 %160, 0
  br i1 %586, label %597, label %587
587:                                              ; preds = %585
  %588 = load i32, ptr %127, align 4
  %589 = icmp eq i32 %588, 3
  br i1 %589, label %597, label %590
590:                                              ; preds = %587
  %591 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %6) #11
  %592 = load i64, ptr %6, align 8
  %593 = mul nsw i64 %592, 1000000000
  %594 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %595 = load i64, ptr %594, align 8
  %596 = add nsw i64 %593, %595
  call fastcc void @note_time(ptr noundef %0, ptr noundef %1, i64 noundef %3, i64 noundef %160, i64 noundef %596)
  br label %597
597:                                              ; preds = %590, %587, %585
  store atomic i32 0, ptr %102 release, align 64
  br label %598
598:                                              ; preds = %27, %105, %597, %5
  ret void
}
define internal fastcc void @weigh(ptr noundef nonnull %0) unnamed_addr #0 {
  %2 = alloca %struct.timespec, align 8
  %3 = alloca %struct.timespec, align 8
  %4 = alloca %struct.timespec, align 8
  %5 = alloca %struct.timespec, align 8
  %6 = alloca %struct.timespec, align 8
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 312
  %8 = load i32, ptr %7, align 8
  %9 = icmp eq i32 %8, 0
  br i1 %9, label %23, label %10
10:                                               ; preds = %1
  %11 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %6) #11
  %12 = load i64, ptr %6, align 8
  %13 = mul nsw i64 %12, 1000000000
  %14 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %15 = load i64, ptr %14, align 8
  %16 = add nsw i64 %13, %15
  %17 = getelementptr inbounds nuw i8, ptr %0, i64 320
  %18 = load i64, ptr %17, align 64
  %19 = sub i64 %16, %18
  %20 = icmp slt i64 %19, 60000
  br i1 %20, label %21, label %23
21:                                               ; preds = %10
  %22 = getelementptr inbounds nuw i8, ptr %0, i64 308
  store i32 1, ptr %22, align 4
  br label %243
23:                                               ; preds = %10, %1
  %24 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %25 = load atomic i32, ptr %24 seq_cst, align 64
  %26 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %27 = load i32, ptr %26, align 32
  %28 = icmp eq i32 %25, %27
  br i1 %28, label %47, label %29
29:                                               ; preds = %23
  %30 = getelementptr inbounds nuw i8, ptr %4, i64 8
  %31 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %32 = getelementptr inbounds nuw i8, ptr %0, i64 264
  %33 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %34 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %35 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %36 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %37 = getelementptr inbounds nuw i8, ptr %0, i64 36
  %38 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %39 = getelementptr inbounds nuw i8, ptr %0, i64 44
  %40 = getelementptr inbounds nuw i8, ptr %0, i64 280
  %41 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %42 = getelementptr inbounds nuw i8, ptr %0, i64 100
  %43 = getelementptr inbounds nuw i8, ptr %0, i64 144
  %44 = getelementptr inbounds nuw i8, ptr %0, i64 272
  %45 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %46 = getelementptr inbounds nuw i8, ptr %2, i64 8
  br label %79
47:                                               ; preds = %23
  %48 = getelementptr inbounds nuw i8, ptr %0, i64 328
  %49 = load i64, ptr %48, align 8
  %50 = icmp sgt i64 %49, 0
  br i1 %50, label %51, label %55
51:                                               ; preds = %47
  %52 = load i32, ptr %7, align 8
  %53 = icmp eq i32 %52, 0
  %54 = zext i1 %53 to i32
  store i32 %54, ptr %7, align 8
  br i1 %53, label %60, label %56
55:                                               ; preds = %47
  store i32 0, ptr %7, align 8
  br label %56
56:                                               ; preds = %51, %55
  %57 = getelementptr inbounds nuw i8, ptr %0, i64 304
  %58 = load i32, ptr %57, align 16
  %59 = getelementptr inbounds nuw i8, ptr %0, i64 308
  store i32 %58, ptr %59, align 4
  br label %243
60:                                               ; preds = %51
  %61 = getelementptr inbounds nuw i8, ptr %0, i64 308
  store i32 1, ptr %61, align 4
  %62 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %5) #11
  %63 = load i64, ptr %5, align 8
  %64 = mul nsw i64 %63, 1000000000
  %65 = getelementptr inbounds nuw i8, ptr %5, i64 8
  %66 = load i64, ptr %65, align 8
  %67 = add nsw i64 %64, %66
  %68 = getelementptr inbounds nuw i8, ptr %0, i64 320
  store i64 %67, ptr %68, align 64
  %69 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %70 = call i32 @pthread_mutex_lock(ptr noundef nonnull %69) #11
  %71 = getelementptr inbounds nuw i8, ptr %0, i64 100
  %72 = load i32, ptr %71, align 4
  %73 = add i32 %72, 1
  store i32 %73, ptr %71, align 4
  %74 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %69) #11
  %75 = getelementptr inbounds nuw i8, ptr %0, i64 144
  %76 = call i32 @pthread_cond_broadcast(ptr noundef nonnull %75) #11
  br label %243
77:                                               ; preds = %174
  %78 = icmp eq i64 %187, 9223372036854775807
  br i1 %78, label %192, label %193
79:                                               ; preds = %29, %174
  %80 = phi i64 [ 9223372036854775807, %29 ], [ %187, %174 ]
  %81 = phi i32 [ 0, %29 ], [ %188, %174 ]
  %82 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %4) #11
  %83 = load i64, ptr %4, align 8
  %84 = load i64, ptr %30, align 8
  %85 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %3) #11
  %86 = load i64, ptr %3, align 8
  %87 = load i64, ptr %31, align 8
  %88 = load i64, ptr %32, align 8
  %89 = add i64 %88, 1
  store i64 %89, ptr %32, align 8
  store atomic i64 0, ptr %0 monotonic, align 64
  store atomic i64 ptrtoint (ptr @do_nothing to i64), ptr %33 release, align 8
  store atomic i64 0, ptr %34 release, align 16
  store atomic i64 1, ptr %35 release, align 8
  store atomic i32 0, ptr %36 release, align 32
  store atomic i32 2, ptr %37 release, align 4
  store atomic i32 2, ptr %38 release, align 8
  store atomic i32 1, ptr %39 release, align 4
  store atomic i64 %89, ptr %0 release, align 64
  %90 = load i64, ptr %40, align 8
  %91 = icmp sgt i64 %90, 63
  br i1 %91, label %92, label %101
92:                                               ; preds = %79
  fence seq_cst
  %93 = load atomic i32, ptr %24 seq_cst, align 64
  %94 = icmp sgt i32 %93, 0
  br i1 %94, label %95, label %101
95:                                               ; preds = %92
  store i64 0, ptr %40, align 8
  %96 = call i32 @pthread_mutex_lock(ptr noundef nonnull %41) #11
  %97 = load i32, ptr %42, align 4
  %98 = add i32 %97, 1
  store i32 %98, ptr %42, align 4
  %99 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %41) #11
  %100 = call i32 @pthread_cond_broadcast(ptr noundef nonnull %43) #11
  br label %101
101:                                              ; preds = %95, %92, %79
  %102 = load i64, ptr %44, align 16
  %103 = add nsw i64 %102, 1
  store i64 %103, ptr %44, align 16
  %104 = load i32, ptr %26, align 32
  %105 = icmp slt i32 %104, 1
  br i1 %105, label %120, label %106
106:                                              ; preds = %101, %106
  %107 = phi i64 [ %114, %106 ], [ 1, %101 ]
  %108 = phi i64 [ %113, %106 ], [ 0, %101 ]
  %109 = load ptr, ptr %45, align 8
  %110 = getelementptr inbounds nuw %struct.share, ptr %109, i64 %107
  %111 = getelementptr inbounds nuw i8, ptr %110, i64 64
  %112 = load atomic i64, ptr %111 seq_cst, align 64
  %113 = add nsw i64 %112, %108
  %114 = add nuw nsw i64 %107, 1
  %115 = load i32, ptr %26, align 32
  %116 = sext i32 %115 to i64
  %117 = icmp slt i64 %107, %116
  br i1 %117, label %106, label %118
118:                                              ; preds = %106
  %119 = load i64, ptr %44, align 16
  br label %120
120:                                              ; preds = %118, %101
  %121 = phi i64 [ %103, %101 ], [ %119, %118 ]
  %122 = phi i64 [ 0, %101 ], [ %113, %118 ]
  %123 = icmp eq i64 %122, %121
  br i1 %123, label %124, label %151
124:                                              ; preds = %167, %120
  %125 = phi i1 [ true, %120 ], [ %170, %167 ]
  %126 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %2) #11
  %127 = load i64, ptr %2, align 8
  %128 = load i64, ptr %46, align 8
  %129 = shl i64 %89, 16
  %130 = or disjoint i64 %129, 1
  br label %131
131:                                              ; preds = %149, %124
  %132 = phi i32 [ 0, %124 ], [ %150, %149 ]
  %133 = load ptr, ptr %45, align 8
  %134 = getelementptr inbounds nuw i8, ptr %133, i64 128
  %135 = load atomic i64, ptr %134 monotonic, align 64
  br label %136
136:                                              ; preds = %145, %131
  %137 = phi i64 [ %135, %131 ], [ %148, %145 ]
  %138 = lshr i64 %137, 16
  %139 = icmp ne i64 %138, %89
  %140 = icmp ule i64 %138, %89
  %141 = and i64 %137, 65535
  %142 = icmp eq i64 %141, 0
  %143 = or i1 %139, %142
  %144 = and i1 %140, %143
  br i1 %144, label %145, label %174
145:                                              ; preds = %136
  %146 = cmpxchg weak ptr %134, i64 %137, i64 %130 seq_cst seq_cst, align 64
  %147 = extractvalue { i64, i1 } %146, 1
  %148 = extractvalue { i64, i1 } %146, 0
  br i1 %147, label %149, label %136
149:                                              ; preds = %145
  %150 = add nuw nsw i32 %132, 1
  br label %131
151:                                              ; preds = %120, %167
  %152 = phi i32 [ %171, %167 ], [ 0, %120 ]
  call void @llvm.x86.sse2.pause()
  %153 = load i32, ptr %26, align 32
  %154 = icmp slt i32 %153, 1
  br i1 %154, label %167, label %155
155:                                              ; preds = %151, %155
  %156 = phi i64 [ %163, %155 ], [ 1, %151 ]
  %157 = phi i64 [ %162, %155 ], [ 0, %151 ]
  %158 = load ptr, ptr %45, align 8
  %159 = getelementptr inbounds nuw %struct.share, ptr %158, i64 %156
  %160 = getelementptr inbounds nuw i8, ptr %159, i64 64
  %161 = load atomic i64, ptr %160 seq_cst, align 64
  %162 = add nsw i64 %161, %157
  %163 = add nuw nsw i64 %156, 1
  %164 = load i32, ptr %26, align 32
  %165 = sext i32 %164 to i64
  %166 = icmp slt i64 %156, %165
  br i1 %166, label %155, label %167
167:                                              ; preds = %155, %151
  %168 = phi i64 [ 0, %151 ], [ %162, %155 ]
  %169 = load i64, ptr %44, align 16
  %170 = icmp eq i64 %168, %169
  %171 = add nuw nsw i32 %152, 1
  %172 = icmp samesign ugt i32 %152, 126
  %173 = select i1 %172, i1 true, i1 %170
  br i1 %173, label %124, label %151
174:                                              ; preds = %136
  %175 = zext nneg i32 %132 to i64
  %176 = mul i64 %86, 9223372035854775808
  %177 = sub i64 %176, %87
  %178 = load i64, ptr %44, align 16
  %179 = sub nsw i64 %178, %175
  store i64 %179, ptr %44, align 16
  call fastcc void @wait_for_workers(ptr noundef nonnull %0)
  %180 = shl i64 %177, 1
  %181 = add i64 %127, %83
  %182 = mul i64 %181, 1000000000
  %183 = add i64 %180, %84
  %184 = add i64 %183, %128
  %185 = add i64 %184, %182
  %186 = select i1 %125, i64 %185, i64 9223372036854775807
  %187 = call i64 @llvm.smin.i64(i64 %186, i64 %80)
  %188 = add nuw nsw i32 %81, 1
  %189 = icmp samesign ult i32 %81, 3
  %190 = icmp sgt i64 %187, 300
  %191 = select i1 %189, i1 %190, i1 false
  br i1 %191, label %79, label %77
192:                                              ; preds = %77
  call fastcc void @send_away(ptr noundef %0)
  br label %201
193:                                              ; preds = %77
  br i1 %190, label %194, label %213
194:                                              ; preds = %193
  %195 = icmp samesign ult i64 %187, 895
  br i1 %195, label %196, label %201
196:                                              ; preds = %194
  %197 = trunc nuw nsw i64 %187 to i16
  %198 = mul nuw nsw i16 %197, 24
  %199 = udiv i16 %198, 500
  %200 = zext nneg i16 %199 to i64
  br label %201
201:                                              ; preds = %196, %194, %192
  %202 = phi i64 [ 43, %192 ], [ 43, %194 ], [ %200, %196 ]
  %203 = getelementptr inbounds nuw i8, ptr %0, i64 288
  %204 = load i64, ptr %203, align 32
  %205 = icmp slt i64 %204, 3
  %206 = getelementptr inbounds nuw i8, ptr %0, i64 304
  br i1 %205, label %212, label %207
207:                                              ; preds = %201
  %208 = load i32, ptr %206, align 16
  %209 = icmp slt i32 %208, 1024
  br i1 %209, label %210, label %224
210:                                              ; preds = %207
  %211 = shl nsw i32 %208, 1
  store i32 %211, ptr %206, align 16
  br label %224
212:                                              ; preds = %201
  store i32 64, ptr %206, align 16
  br label %218
213:                                              ; preds = %193
  %214 = getelementptr inbounds nuw i8, ptr %0, i64 304
  store i32 1024, ptr %214, align 16
  %215 = getelementptr inbounds nuw i8, ptr %0, i64 288
  %216 = load i64, ptr %215, align 32
  %217 = icmp slt i64 %216, 3
  br i1 %217, label %224, label %218
218:                                              ; preds = %212, %213
  %219 = phi ptr [ %203, %212 ], [ %215, %213 ]
  %220 = phi i64 [ %202, %212 ], [ 2, %213 ]
  %221 = getelementptr inbounds nuw i8, ptr %0, i64 336
  store <4 x i32> <i32 1, i32 3, i32 1, i32 0>, ptr %221, align 16
  %222 = getelementptr inbounds nuw i8, ptr %0, i64 352
  store i32 1, ptr %222, align 32
  %223 = getelementptr inbounds nuw i8, ptr %0, i64 356
  store i32 1, ptr %223, align 4
  br label %224
224:                                              ; preds = %210, %207, %218, %213
  %225 = phi ptr [ %215, %213 ], [ %219, %218 ], [ %203, %207 ], [ %203, %210 ]
  %226 = phi i64 [ 2, %213 ], [ %220, %218 ], [ %202, %207 ], [ %202, %210 ]
  store i64 %226, ptr %225, align 32
  %227 = getelementptr inbounds nuw i8, ptr %0, i64 340
  %228 = load i32, ptr %227, align 4
  %229 = icmp eq i32 %228, 3
  br i1 %229, label %230, label %238
230:                                              ; preds = %224
  %231 = getelementptr inbounds nuw i8, ptr %0, i64 356
  %232 = load i32, ptr %231, align 4
  %233 = add nsw i32 %232, -1
  store i32 %233, ptr %231, align 4
  %234 = icmp slt i32 %232, 2
  br i1 %234, label %235, label %238
235:                                              ; preds = %230
  %236 = getelementptr inbounds nuw i8, ptr %0, i64 376
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(4096) %236, i8 0, i64 4096, i1 false)
  store i32 0, ptr %227, align 4
  %237 = getelementptr inbounds nuw i8, ptr %0, i64 360
  store i32 0, ptr %237, align 8
  br label %238
238:                                              ; preds = %235, %230, %224
  %239 = getelementptr inbounds nuw i8, ptr %0, i64 328
  store i64 0, ptr %239, align 8
  %240 = getelementptr inbounds nuw i8, ptr %0, i64 304
  %241 = load i32, ptr %240, align 16
  %242 = getelementptr inbounds nuw i8, ptr %0, i64 308
  store i32 %241, ptr %242, align 4
  store i32 0, ptr %7, align 8
  br label %243
243:                                              ; preds = %56, %60, %238, %21
  ret void
}
define internal fastcc void @note_time(ptr noundef nonnull %0, ptr noundef %1, i64 noundef range(i64 1, -9223372036854775808) %2, i64 noundef range(i64 1, 0) %3, i64 noundef %4) unnamed_addr #9 {
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 360
  %7 = load i32, ptr %6, align 8
  %8 = icmp slt i32 %7, 16
  br i1 %8, label %137, label %9
9:                                                ; preds = %5
  %10 = ptrtoint ptr %1 to i64
  %11 = lshr i64 %10, 4
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 376
  %13 = and i64 %11, 63
  %14 = getelementptr inbounds nuw %struct.times, ptr %12, i64 %13
  %15 = load ptr, ptr %14, align 8
  %16 = icmp eq ptr %15, null
  br i1 %16, label %17, label %18
17:                                               ; preds = %9
  store ptr %1, ptr %14, align 8
  br label %115
18:                                               ; preds = %9
  %19 = icmp eq ptr %15, %1
  br i1 %19, label %20, label %24
20:                                               ; preds = %18
  %21 = getelementptr inbounds nuw i8, ptr %14, i64 8
  %22 = load i64, ptr %21, align 8
  %23 = icmp eq i64 %22, %2
  br i1 %23, label %118, label %24
24:                                               ; preds = %20, %18
  %25 = add nuw nsw i64 %11, 1
  %26 = and i64 %25, 63
  %27 = getelementptr inbounds nuw %struct.times, ptr %12, i64 %26
  %28 = load ptr, ptr %27, align 8
  %29 = icmp eq ptr %28, null
  br i1 %29, label %30, label %31
30:                                               ; preds = %24
  store ptr %1, ptr %27, align 8
  br label %115
31:                                               ; preds = %24
  %32 = icmp eq ptr %28, %1
  br i1 %32, label %33, label %37
33:                                               ; preds = %31
  %34 = getelementptr inbounds nuw i8, ptr %27, i64 8
  %35 = load i64, ptr %34, align 8
  %36 = icmp eq i64 %35, %2
  br i1 %36, label %118, label %37
37:                                               ; preds = %33, %31
  %38 = add nuw nsw i64 %11, 2
  %39 = and i64 %38, 63
  %40 = getelementptr inbounds nuw %struct.times, ptr %12, i64 %39
  %41 = load ptr, ptr %40, align 8
  %42 = icmp eq ptr %41, null
  br i1 %42, label %43, label %44
43:                                               ; preds = %37
  store ptr %1, ptr %40, align 8
  br label %115
44:                                               ; preds = %37
  %45 = icmp eq ptr %41, %1
  br i1 %45, label %46, label %50
46:                                               ; preds = %44
  %47 = getelementptr inbounds nuw i8, ptr %40, i64 8
  %48 = load i64, ptr %47, align 8
  %49 = icmp eq i64 %48, %2
  br i1 %49, label %118, label %50
50:                                               ; preds = %46, %44
  %51 = add nuw nsw i64 %11, 3
  %52 = and i64 %51, 63
  %53 = getelementptr inbounds nuw %struct.times, ptr %12, i64 %52
  %54 = load ptr, ptr %53, align 8
  %55 = icmp eq ptr %54, null
  br i1 %55, label %56, label %57
56:                                               ; preds = %50
  store ptr %1, ptr %53, align 8
  br label %115
57:                                               ; preds = %50
  %58 = icmp eq ptr %54, %1
  br i1 %58, label %59, label %63
59:                                               ; preds = %57
  %60 = getelementptr inbounds nuw i8, ptr %53, i64 8
  %61 = load i64, ptr %60, align 8
  %62 = icmp eq i64 %61, %2
  br i1 %62, label %118, label %63
63:                                               ; preds = %59, %57
  %64 = add nuw nsw i64 %11, 4
  %65 = and i64 %64, 63
  %66 = getelementptr inbounds nuw %struct.times, ptr %12, i64 %65
  %67 = load ptr, ptr %66, align 8
  %68 = icmp eq ptr %67, null
  br i1 %68, label %69, label %70
69:                                               ; preds = %63
  store ptr %1, ptr %66, align 8
  br label %115
70:                                               ; preds = %63
  %71 = icmp eq ptr %67, %1
  br i1 %71, label %72, label %76
72:                                               ; preds = %70
  %73 = getelementptr inbounds nuw i8, ptr %66, i64 8
  %74 = load i64, ptr %73, align 8
  %75 = icmp eq i64 %74, %2
  br i1 %75, label %118, label %76
76:                                               ; preds = %72, %70
  %77 = add nuw nsw i64 %11, 5
  %78 = and i64 %77, 63
  %79 = getelementptr inbounds nuw %struct.times, ptr %12, i64 %78
  %80 = load ptr, ptr %79, align 8
  %81 = icmp eq ptr %80, null
  br i1 %81, label %82, label %83
82:                                               ; preds = %76
  store ptr %1, ptr %79, align 8
  br label %115
83:                                               ; preds = %76
  %84 = icmp eq ptr %80, %1
  br i1 %84, label %85, label %89
85:                                               ; preds = %83
  %86 = getelementptr inbounds nuw i8, ptr %79, i64 8
  %87 = load i64, ptr %86, align 8
  %88 = icmp eq i64 %87, %2
  br i1 %88, label %118, label %89
89:                                               ; preds = %85, %83
  %90 = add nuw nsw i64 %11, 6
  %91 = and i64 %90, 63
  %92 = getelementptr inbounds nuw %struct.times, ptr %12, i64 %91
  %93 = load ptr, ptr %92, align 8
  %94 = icmp eq ptr %93, null
  br i1 %94, label %95, label %96
95:                                               ; preds = %89
  store ptr %1, ptr %92, align 8
  br label %115
96:                                               ; preds = %89
  %97 = icmp eq ptr %93, %1
  br i1 %97, label %98, label %102
98:                                               ; preds = %96
  %99 = getelementptr inbounds nuw i8, ptr %92, i64 8
  %100 = load i64, ptr %99, align 8
  %101 = icmp eq i64 %100, %2
  br i1 %101, label %118, label %102
102:                                              ; preds = %98, %96
  %103 = add nuw nsw i64 %11, 7
  %104 = and i64 %103, 63
  %105 = getelementptr inbounds nuw %struct.times, ptr %12, i64 %104
  %106 = load ptr, ptr %105, align 8
  %107 = icmp eq ptr %106, null
  br i1 %107, label %108, label %109
108:                                              ; preds = %102
  store ptr %1, ptr %105, align 8
  br label %115
109:                                              ; preds = %102
  %110 = icmp eq ptr %106, %1
  br i1 %110, label %111, label %135
111:                                              ; preds = %109
  %112 = getelementptr inbounds nuw i8, ptr %105, i64 8
  %113 = load i64, ptr %112, align 8
  %114 = icmp eq i64 %113, %2
  br i1 %114, label %118, label %135
115:                                              ; preds = %17, %30, %43, %56, %69, %82, %95, %108
  %116 = phi ptr [ %105, %108 ], [ %92, %95 ], [ %79, %82 ], [ %66, %69 ], [ %53, %56 ], [ %40, %43 ], [ %27, %30 ], [ %14, %17 ]
  %117 = getelementptr inbounds nuw i8, ptr %116, i64 8
  store i64 %2, ptr %117, align 8
  br label %118
118:                                              ; preds = %115, %20, %33, %111, %46, %85, %59, %98, %72
  %119 = phi ptr [ %66, %72 ], [ %92, %98 ], [ %53, %59 ], [ %79, %85 ], [ %40, %46 ], [ %105, %111 ], [ %27, %33 ], [ %14, %20 ], [ %116, %115 ]
  %120 = getelementptr inbounds nuw i8, ptr %119, i64 16
  %121 = getelementptr inbounds nuw i8, ptr %0, i64 340
  %122 = load i32, ptr %121, align 4
  %123 = sext i32 %122 to i64
  %124 = getelementptr inbounds i64, ptr %120, i64 %123
  %125 = load i64, ptr %124, align 8
  %126 = add nsw i64 %125, 1
  store i64 %126, ptr %124, align 8
  %127 = sub i64 %4, %3
  %128 = getelementptr inbounds nuw i8, ptr %119, i64 40
  %129 = load i32, ptr %121, align 4
  %130 = sext i32 %129 to i64
  %131 = getelementptr inbounds i64, ptr %128, i64 %130
  %132 = load i64, ptr %131, align 8
  %133 = add nsw i64 %127, %132
  store i64 %133, ptr %131, align 8
  %134 = load i32, ptr %6, align 8
  br label %137
135:                                              ; preds = %109, %111
  %136 = add nuw nsw i32 %7, 1
  store i32 %136, ptr %6, align 8
  br label %144
137:                                              ; preds = %118, %5
  %138 = phi i32 [ %7, %5 ], [ %134, %118 ]
  %139 = add nsw i32 %138, 1
  store i32 %139, ptr %6, align 8
  %140 = icmp eq i32 %138, 0
  br i1 %140, label %141, label %144
141:                                              ; preds = %137
  %142 = add nsw i64 %3, 2000000
  %143 = getelementptr inbounds nuw i8, ptr %0, i64 368
  store i64 %142, ptr %143, align 16
  br label %150
144:                                              ; preds = %135, %137
  %145 = phi i32 [ %7, %135 ], [ %138, %137 ]
  %146 = icmp slt i32 %145, 63
  br i1 %146, label %147, label %153
147:                                              ; preds = %144
  %148 = getelementptr inbounds nuw i8, ptr %0, i64 368
  %149 = load i64, ptr %148, align 16
  br label %150
150:                                              ; preds = %147, %141
  %151 = phi i64 [ %149, %147 ], [ %142, %141 ]
  %152 = icmp slt i64 %4, %151
  br i1 %152, label %338, label %153
153:                                              ; preds = %150, %144
  store i32 0, ptr %6, align 8
  %154 = getelementptr inbounds nuw i8, ptr %0, i64 340
  %155 = load i32, ptr %154, align 4
  %156 = icmp eq i32 %155, 0
  br i1 %156, label %157, label %162
157:                                              ; preds = %153
  %158 = getelementptr inbounds nuw i8, ptr %0, i64 288
  %159 = load i64, ptr %158, align 32
  %160 = icmp slt i64 %159, 3
  %161 = select i1 %160, i32 2, i32 1
  br label %162
162:                                              ; preds = %157, %153
  %163 = phi i32 [ 1, %153 ], [ %161, %157 ]
  %164 = add nsw i32 %163, %155
  store i32 %164, ptr %154, align 4
  %165 = icmp eq i32 %164, 3
  br i1 %165, label %166, label %338
166:                                              ; preds = %162
  %167 = getelementptr inbounds nuw i8, ptr %0, i64 288
  %168 = load i64, ptr %167, align 32
  %169 = icmp slt i64 %168, 3
  %170 = getelementptr inbounds nuw i8, ptr %0, i64 336
  %171 = load i32, ptr %170, align 16
  %172 = icmp eq i32 %171, 1
  %173 = select i1 %169, i1 %172, i1 false
  %174 = select i1 %173, i32 0, i32 %171
  %175 = getelementptr inbounds nuw i8, ptr %0, i64 376
  %176 = sext i32 %174 to i64
  br label %177
177:                                              ; preds = %202, %166
  %178 = phi i64 [ 0, %166 ], [ %204, %202 ]
  %179 = phi i64 [ 0, %166 ], [ %203, %202 ]
  %180 = getelementptr inbounds nuw %struct.times, ptr %175, i64 %178
  %181 = getelementptr inbounds nuw i8, ptr %180, i64 16
  %182 = load i64, ptr %181, align 8
  %183 = icmp sgt i64 %182, 0
  br i1 %183, label %184, label %202
184:                                              ; preds = %177
  %185 = getelementptr inbounds nuw i8, ptr %180, i64 32
  %186 = load i64, ptr %185, align 8
  %187 = icmp sgt i64 %186, 0
  br i1 %187, label %188, label %202
188:                                              ; preds = %184
  br i1 %169, label %193, label %189
189:                                              ; preds = %188
  %190 = getelementptr inbounds nuw i8, ptr %180, i64 24
  %191 = load i64, ptr %190, align 8
  %192 = icmp sgt i64 %191, 0
  br i1 %192, label %193, label %202
193:                                              ; preds = %189, %188
  %194 = getelementptr inbounds nuw i8, ptr %180, i64 40
  %195 = getelementptr inbounds i64, ptr %194, i64 %176
  %196 = load i64, ptr %195, align 8
  %197 = mul nsw i64 %196, %182
  %198 = getelementptr inbounds i64, ptr %181, i64 %176
  %199 = load i64, ptr %198, align 8
  %200 = sdiv i64 %197, %199
  %201 = add nsw i64 %200, %179
  br label %202
202:                                              ; preds = %193, %189, %184, %177
  %203 = phi i64 [ %201, %193 ], [ %179, %189 ], [ %179, %184 ], [ %179, %177 ]
  %204 = add nuw nsw i64 %178, 1
  %205 = icmp eq i64 %204, 64
  br i1 %205, label %206, label %177
206:                                              ; preds = %202
  %207 = sdiv i64 %203, -16
  %208 = add i64 %207, %203
  br label %209
209:                                              ; preds = %232, %206
  %210 = phi i64 [ %235, %232 ], [ 0, %206 ]
  %211 = phi i64 [ %234, %232 ], [ 0, %206 ]
  br label %212
212:                                              ; preds = %237, %209
  %213 = phi i64 [ %238, %237 ], [ %210, %209 ]
  %214 = getelementptr inbounds nuw %struct.times, ptr %175, i64 %213
  %215 = getelementptr inbounds nuw i8, ptr %214, i64 16
  %216 = load i64, ptr %215, align 8
  %217 = icmp sgt i64 %216, 0
  br i1 %217, label %218, label %232
218:                                              ; preds = %212
  %219 = getelementptr inbounds nuw i8, ptr %214, i64 32
  %220 = load i64, ptr %219, align 8
  %221 = icmp sgt i64 %220, 0
  br i1 %221, label %222, label %232
222:                                              ; preds = %218
  br i1 %169, label %227, label %223
223:                                              ; preds = %222
  %224 = getelementptr inbounds nuw i8, ptr %214, i64 24
  %225 = load i64, ptr %224, align 8
  %226 = icmp sgt i64 %225, 0
  br i1 %226, label %227, label %237
227:                                              ; preds = %223, %222
  %228 = phi i64 [ %213, %223 ], [ %210, %222 ]
  %229 = getelementptr inbounds nuw i8, ptr %214, i64 40
  %230 = load i64, ptr %229, align 8
  %231 = add nsw i64 %230, %211
  br label %232
232:                                              ; preds = %218, %212, %227
  %233 = phi i64 [ %228, %227 ], [ %213, %212 ], [ %213, %218 ]
  %234 = phi i64 [ %231, %227 ], [ %211, %212 ], [ %211, %218 ]
  %235 = add nuw nsw i64 %233, 1
  %236 = icmp eq i64 %235, 64
  br i1 %236, label %244, label %209
237:                                              ; preds = %223
  %238 = add nuw nsw i64 %213, 1
  %239 = icmp eq i64 %238, 64
  br i1 %239, label %240, label %212
240:                                              ; preds = %237
  %241 = icmp slt i64 %211, %208
  %242 = tail call i64 @llvm.smin.i64(i64 %211, i64 %208)
  %243 = select i1 %241, i32 0, i32 %174
  br label %248
244:                                              ; preds = %232
  %245 = icmp slt i64 %234, %208
  %246 = tail call i64 @llvm.smin.i64(i64 %234, i64 %208)
  %247 = select i1 %245, i32 0, i32 %174
  br i1 %169, label %276, label %248
248:                                              ; preds = %244, %240
  %249 = phi i32 [ %243, %240 ], [ %247, %244 ]
  %250 = phi i64 [ %242, %240 ], [ %246, %244 ]
  br label %251
251:                                              ; preds = %272, %248
  %252 = phi i64 [ 0, %248 ], [ %274, %272 ]
  %253 = phi i64 [ 0, %248 ], [ %273, %272 ]
  %254 = getelementptr inbounds nuw %struct.times, ptr %175, i64 %252
  %255 = getelementptr inbounds nuw i8, ptr %254, i64 16
  %256 = load i64, ptr %255, align 8
  %257 = icmp sgt i64 %256, 0
  br i1 %257, label %258, label %272
258:                                              ; preds = %251
  %259 = getelementptr inbounds nuw i8, ptr %254, i64 32
  %260 = load i64, ptr %259, align 8
  %261 = icmp sgt i64 %260, 0
  br i1 %261, label %262, label %272
262:                                              ; preds = %258
  %263 = getelementptr inbounds nuw i8, ptr %254, i64 24
  %264 = load i64, ptr %263, align 8
  %265 = icmp sgt i64 %264, 0
  br i1 %265, label %266, label %272
266:                                              ; preds = %262
  %267 = getelementptr inbounds nuw i8, ptr %254, i64 48
  %268 = load i64, ptr %267, align 8
  %269 = mul nsw i64 %268, %256
  %270 = sdiv i64 %269, %264
  %271 = add nsw i64 %270, %253
  br label %272
272:                                              ; preds = %266, %262, %258, %251
  %273 = phi i64 [ %271, %266 ], [ %253, %262 ], [ %253, %258 ], [ %253, %251 ]
  %274 = add nuw nsw i64 %252, 1
  %275 = icmp eq i64 %274, 64
  br i1 %275, label %276, label %251
276:                                              ; preds = %272, %244
  %277 = phi i32 [ %247, %244 ], [ %249, %272 ]
  %278 = phi i64 [ %246, %244 ], [ %250, %272 ]
  %279 = phi i64 [ %246, %244 ], [ %273, %272 ]
  br label %280
280:                                              ; preds = %302, %276
  %281 = phi i64 [ 0, %276 ], [ %304, %302 ]
  %282 = phi i64 [ 0, %276 ], [ %303, %302 ]
  %283 = getelementptr inbounds nuw %struct.times, ptr %175, i64 %281
  %284 = getelementptr inbounds nuw i8, ptr %283, i64 16
  %285 = load i64, ptr %284, align 8
  %286 = icmp sgt i64 %285, 0
  br i1 %286, label %287, label %302
287:                                              ; preds = %280
  %288 = getelementptr inbounds nuw i8, ptr %283, i64 32
  %289 = load i64, ptr %288, align 8
  %290 = icmp sgt i64 %289, 0
  br i1 %290, label %291, label %302
291:                                              ; preds = %287
  br i1 %169, label %296, label %292
292:                                              ; preds = %291
  %293 = getelementptr inbounds nuw i8, ptr %283, i64 24
  %294 = load i64, ptr %293, align 8
  %295 = icmp sgt i64 %294, 0
  br i1 %295, label %296, label %302
296:                                              ; preds = %292, %291
  %297 = getelementptr inbounds nuw i8, ptr %283, i64 56
  %298 = load i64, ptr %297, align 8
  %299 = mul nsw i64 %298, %285
  %300 = sdiv i64 %299, %289
  %301 = add nsw i64 %300, %282
  br label %302
302:                                              ; preds = %296, %292, %287, %280
  %303 = phi i64 [ %301, %296 ], [ %282, %292 ], [ %282, %287 ], [ %282, %280 ]
  %304 = add nuw nsw i64 %281, 1
  %305 = icmp eq i64 %304, 64
  br i1 %305, label %306, label %280
306:                                              ; preds = %302
  %307 = icmp slt i64 %279, %278
  %308 = tail call i64 @llvm.smin.i64(i64 %279, i64 %278)
  %309 = select i1 %307, i32 1, i32 %277
  %310 = icmp slt i64 %303, %308
  %311 = select i1 %310, i32 2, i32 %309
  store i32 3, ptr %154, align 4
  %312 = icmp eq i32 %311, %174
  br i1 %312, label %313, label %321
313:                                              ; preds = %306
  %314 = getelementptr inbounds nuw i8, ptr %0, i64 348
  store i32 0, ptr %314, align 4
  %315 = icmp eq i32 %174, 2
  %316 = select i1 %315, i32 4, i32 16
  %317 = getelementptr inbounds nuw i8, ptr %0, i64 352
  %318 = load i32, ptr %317, align 32
  %319 = shl nsw i32 %318, 1
  %320 = tail call i32 @llvm.smin.i32(i32 %319, i32 %316)
  store i32 %320, ptr %317, align 32
  br label %335
321:                                              ; preds = %306
  %322 = getelementptr inbounds nuw i8, ptr %0, i64 344
  %323 = load i32, ptr %322, align 8
  %324 = icmp eq i32 %311, %323
  %325 = getelementptr inbounds nuw i8, ptr %0, i64 348
  br i1 %324, label %328, label %326
326:                                              ; preds = %321
  store i32 1, ptr %325, align 4
  store i32 %311, ptr %322, align 8
  %327 = getelementptr inbounds nuw i8, ptr %0, i64 352
  store i32 1, ptr %327, align 32
  br label %333
328:                                              ; preds = %321
  %329 = load i32, ptr %325, align 4
  %330 = add nsw i32 %329, 1
  store i32 %330, ptr %325, align 4
  %331 = getelementptr inbounds nuw i8, ptr %0, i64 352
  store i32 1, ptr %331, align 32
  %332 = icmp slt i32 %329, 1
  br i1 %332, label %333, label %334
333:                                              ; preds = %328, %326
  tail call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(4096) %175, i8 0, i64 4096, i1 false)
  store i32 0, ptr %154, align 4
  store i32 0, ptr %6, align 8
  br label %335
334:                                              ; preds = %328
  store i32 %311, ptr %170, align 16
  store i32 0, ptr %325, align 4
  br label %335
335:                                              ; preds = %313, %333, %334
  %336 = phi i32 [ 1, %333 ], [ 1, %334 ], [ %320, %313 ]
  %337 = getelementptr inbounds nuw i8, ptr %0, i64 356
  store i32 %336, ptr %337, align 4
  br label %338
338:                                              ; preds = %162, %335, %150
  ret void
}
declare i64 @sysconf(i32 noundef) local_unnamed_addr #6
declare ptr @mmap(ptr noundef, i64 noundef, i32 noundef, i32 noundef, i32 noundef, i64 noundef) local_unnamed_addr #6
declare i32 @madvise(ptr noundef, i64 noundef, i32 noundef) local_unnamed_addr #6
declare i32 @munmap(ptr noundef, i64 noundef) local_unnamed_addr #6
declare void @free(ptr noundef) local_unnamed_addr #10
declare i32 @pthread_mutex_init(ptr noundef, ptr noundef) local_unnamed_addr #6
declare i32 @pthread_cond_init(ptr noundef, ptr noundef) local_unnamed_addr #6
declare i32 @pthread_attr_init(ptr noundef) local_unnamed_addr #6
declare i32 @pthread_attr_setstacksize(ptr noundef, i64 noundef) local_unnamed_addr #6
declare i32 @sigfillset(ptr noundef) local_unnamed_addr #6
declare i32 @pthread_sigmask(i32 noundef, ptr noundef, ptr noundef) local_unnamed_addr #6
declare i32 @pthread_create(ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #6
define internal noalias noundef ptr @work(ptr noundef %0) #0 {
  %2 = alloca %struct.timespec, align 8
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %4 = load ptr, ptr %3, align 16
  %5 = getelementptr inbounds nuw i8, ptr %4, i64 48
  %6 = load atomic i32, ptr %5 seq_cst, align 16
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %8, label %218
8:                                                ; preds = %1
  %9 = getelementptr inbounds nuw i8, ptr %2, i64 8
  %10 = getelementptr inbounds nuw i8, ptr %4, i64 104
  %11 = getelementptr inbounds nuw i8, ptr %4, i64 64
  %12 = getelementptr inbounds nuw i8, ptr %4, i64 100
  %13 = getelementptr inbounds nuw i8, ptr %4, i64 144
  %14 = getelementptr inbounds nuw i8, ptr %4, i64 8
  %15 = getelementptr inbounds nuw i8, ptr %4, i64 16
  %16 = getelementptr inbounds nuw i8, ptr %4, i64 24
  %17 = getelementptr inbounds nuw i8, ptr %4, i64 32
  %18 = getelementptr inbounds nuw i8, ptr %4, i64 36
  %19 = getelementptr inbounds nuw i8, ptr %4, i64 40
  %20 = getelementptr inbounds nuw i8, ptr %4, i64 44
  %21 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %22 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %23 = getelementptr inbounds nuw i8, ptr %4, i64 72
  %24 = getelementptr inbounds nuw i8, ptr %4, i64 68
  %25 = getelementptr inbounds nuw i8, ptr %4, i64 192
  br label %26
26:                                               ; preds = %8, %214
  %27 = phi i64 [ 0, %8 ], [ %215, %214 ]
  %28 = load atomic i64, ptr %4 seq_cst, align 64
  %29 = icmp eq i64 %28, 0
  %30 = icmp eq i64 %28, %27
  %31 = or i1 %29, %30
  br i1 %31, label %32, label %82
32:                                               ; preds = %26, %75
  %33 = phi i32 [ %77, %75 ], [ 0, %26 ]
  %34 = phi i64 [ %76, %75 ], [ 0, %26 ]
  %35 = load atomic i32, ptr %5 monotonic, align 16
  %36 = icmp eq i32 %35, 0
  br i1 %36, label %37, label %82
37:                                               ; preds = %32
  call void @llvm.x86.sse2.pause()
  %38 = add i32 %33, 1
  %39 = and i32 %38, 63
  %40 = icmp eq i32 %39, 0
  br i1 %40, label %41, label %75
41:                                               ; preds = %37
  %42 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %2) #11
  %43 = load i64, ptr %2, align 8
  %44 = mul nsw i64 %43, 1000000000
  %45 = load i64, ptr %9, align 8
  %46 = add nsw i64 %44, %45
  %47 = icmp ne i32 %38, 64
  %48 = select i1 %47, i64 %34, i64 %46
  %49 = sub i64 %46, %34
  %50 = icmp sgt i64 %49, 50000
  %51 = select i1 %47, i1 %50, i1 false
  br i1 %51, label %52, label %75
52:                                               ; preds = %41
  %53 = call i32 @sched_yield() #11
  %54 = sub nsw i64 %46, %48
  %55 = icmp sgt i64 %54, 999999
  br i1 %55, label %56, label %75
56:                                               ; preds = %52
  %57 = call i32 @pthread_mutex_lock(ptr noundef nonnull %10) #11
  %58 = atomicrmw add ptr %11, i32 1 seq_cst, align 64
  %59 = load i32, ptr %12, align 4
  br label %60
60:                                               ; preds = %68, %56
  %61 = load atomic i64, ptr %4 seq_cst, align 64
  %62 = icmp eq i64 %61, 0
  %63 = icmp eq i64 %61, %27
  %64 = or i1 %62, %63
  br i1 %64, label %65, label %72
65:                                               ; preds = %60
  %66 = load atomic i32, ptr %5 monotonic, align 16
  %67 = icmp eq i32 %66, 0
  br i1 %67, label %68, label %72
68:                                               ; preds = %65
  %69 = call i32 @pthread_cond_wait(ptr noundef nonnull %13, ptr noundef nonnull %10) #11
  %70 = load i32, ptr %12, align 4
  %71 = icmp eq i32 %70, %59
  br i1 %71, label %60, label %72
72:                                               ; preds = %60, %65, %68
  %73 = atomicrmw sub ptr %11, i32 1 seq_cst, align 64
  %74 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %10) #11
  br label %75
75:                                               ; preds = %41, %37, %72, %52
  %76 = phi i64 [ 0, %72 ], [ %48, %52 ], [ %34, %37 ], [ %48, %41 ]
  %77 = phi i32 [ 0, %72 ], [ %38, %52 ], [ %38, %37 ], [ %38, %41 ]
  %78 = load atomic i64, ptr %4 seq_cst, align 64
  %79 = icmp eq i64 %78, 0
  %80 = icmp eq i64 %78, %27
  %81 = or i1 %79, %80
  br i1 %81, label %32, label %82
82:                                               ; preds = %32, %75, %26
  %83 = load atomic i32, ptr %5 seq_cst, align 16
  %84 = icmp eq i32 %83, 0
  br i1 %84, label %85, label %214
85:                                               ; preds = %82
  %86 = load atomic i64, ptr %4 acquire, align 64
  %87 = load atomic i64, ptr %14 acquire, align 8
  %88 = inttoptr i64 %87 to ptr
  %89 = load atomic i64, ptr %15 acquire, align 16
  %90 = inttoptr i64 %89 to ptr
  %91 = load atomic i64, ptr %16 acquire, align 8
  %92 = load atomic i32, ptr %17 acquire, align 32
  %93 = load atomic i32, ptr %18 acquire, align 4
  %94 = load atomic i32, ptr %19 acquire, align 8
  %95 = load atomic i32, ptr %20 acquire, align 4
  %96 = icmp eq i64 %86, 0
  br i1 %96, label %214, label %97
97:                                               ; preds = %85
  %98 = load atomic i64, ptr %4 monotonic, align 64
  %99 = icmp eq i64 %98, %86
  br i1 %99, label %100, label %214
100:                                              ; preds = %97
  %101 = load i32, ptr %21, align 8
  %102 = srem i32 %101, %94
  %103 = sext i32 %102 to i64
  %104 = icmp eq i32 %102, 0
  %105 = zext i1 %104 to i32
  %106 = shl i64 %86, 16
  %107 = or disjoint i64 %106, 1
  %108 = mul nsw i32 %102, %95
  %109 = add i32 %93, -1
  br label %110
110:                                              ; preds = %130, %100
  %111 = load ptr, ptr %23, align 8
  %112 = getelementptr inbounds %struct.share, ptr %111, i64 %103
  %113 = load atomic i64, ptr %112 monotonic, align 64
  br label %114
114:                                              ; preds = %124, %110
  %115 = phi i64 [ %113, %110 ], [ %129, %124 ]
  %116 = lshr i64 %115, 16
  %117 = icmp eq i64 %116, %86
  %118 = trunc i64 %115 to i32
  %119 = and i32 %118, 65535
  %120 = select i1 %117, i32 %119, i32 %105
  %121 = icmp ule i64 %116, %86
  %122 = icmp slt i32 %120, %95
  %123 = select i1 %121, i1 %122, i1 false
  br i1 %123, label %124, label %149
124:                                              ; preds = %114
  %125 = zext nneg i32 %120 to i64
  %126 = add i64 %107, %125
  %127 = cmpxchg weak ptr %112, i64 %115, i64 %126 seq_cst seq_cst, align 64
  %128 = extractvalue { i64, i1 } %127, 1
  %129 = extractvalue { i64, i1 } %127, 0
  br i1 %128, label %130, label %114
130:                                              ; preds = %124
  %131 = add nsw i32 %120, %108
  %132 = zext i32 %131 to i64
  %133 = mul nsw i64 %91, %132
  %134 = mul i32 %131, %92
  %135 = add i32 %134, %109
  %136 = udiv i32 %135, %93
  %137 = zext i32 %136 to i64
  %138 = add nsw i64 %133, %137
  %139 = add i32 %131, 1
  %140 = zext i32 %139 to i64
  %141 = mul nsw i64 %91, %140
  %142 = mul i32 %139, %92
  %143 = add i32 %142, %109
  %144 = udiv i32 %143, %93
  %145 = zext i32 %144 to i64
  %146 = add nsw i64 %141, %145
  call void %88(ptr noundef %90, i64 noundef %138, i64 noundef %146) #11
  %147 = load atomic i64, ptr %22 monotonic, align 8
  %148 = add nsw i64 %147, 1
  store atomic i64 %148, ptr %22 release, align 8
  br label %110
149:                                              ; preds = %114
  %150 = icmp sgt i32 %94, 1
  br i1 %150, label %151, label %207
151:                                              ; preds = %149
  %152 = icmp slt i32 %95, 2
  br label %153
153:                                              ; preds = %151, %204
  %154 = phi i32 [ %205, %204 ], [ 1, %151 ]
  %155 = add nsw i32 %154, %102
  %156 = icmp slt i32 %155, %94
  %157 = select i1 %156, i32 0, i32 %94
  %158 = icmp eq i32 %155, %157
  %159 = select i1 %158, i1 %152, i1 false
  br i1 %159, label %204, label %160
160:                                              ; preds = %153
  %161 = sub nsw i32 %155, %157
  %162 = sext i32 %161 to i64
  %163 = zext i1 %158 to i32
  %164 = mul nsw i32 %161, %95
  br label %165
165:                                              ; preds = %185, %160
  %166 = load ptr, ptr %23, align 8
  %167 = getelementptr inbounds %struct.share, ptr %166, i64 %162
  %168 = load atomic i64, ptr %167 monotonic, align 64
  br label %169
169:                                              ; preds = %179, %165
  %170 = phi i64 [ %168, %165 ], [ %184, %179 ]
  %171 = lshr i64 %170, 16
  %172 = icmp eq i64 %171, %86
  %173 = trunc i64 %170 to i32
  %174 = and i32 %173, 65535
  %175 = select i1 %172, i32 %174, i32 %163
  %176 = icmp ule i64 %171, %86
  %177 = icmp slt i32 %175, %95
  %178 = select i1 %176, i1 %177, i1 false
  br i1 %178, label %179, label %204
179:                                              ; preds = %169
  %180 = zext nneg i32 %175 to i64
  %181 = add i64 %107, %180
  %182 = cmpxchg weak ptr %167, i64 %170, i64 %181 seq_cst seq_cst, align 64
  %183 = extractvalue { i64, i1 } %182, 1
  %184 = extractvalue { i64, i1 } %182, 0
  br i1 %183, label %185, label %169
185:                                              ; preds = %179
  %186 = add nsw i32 %175, %164
  %187 = zext i32 %186 to i64
  %188 = mul nsw i64 %91, %187
  %189 = mul i32 %186, %92
  %190 = add i32 %189, %109
  %191 = udiv i32 %190, %93
  %192 = zext i32 %191 to i64
  %193 = add nsw i64 %188, %192
  %194 = add i32 %186, 1
  %195 = zext i32 %194 to i64
  %196 = mul nsw i64 %91, %195
  %197 = mul i32 %194, %92
  %198 = add i32 %197, %109
  %199 = udiv i32 %198, %93
  %200 = zext i32 %199 to i64
  %201 = add nsw i64 %196, %200
  call void %88(ptr noundef %90, i64 noundef %193, i64 noundef %201) #11
  %202 = load atomic i64, ptr %22 monotonic, align 8
  %203 = add nsw i64 %202, 1
  store atomic i64 %203, ptr %22 release, align 8
  br label %165
204:                                              ; preds = %169, %153
  %205 = add nuw nsw i32 %154, 1
  %206 = icmp eq i32 %205, %94
  br i1 %206, label %207, label %153
207:                                              ; preds = %204, %149
  fence seq_cst
  %208 = load atomic i32, ptr %24 seq_cst, align 4
  %209 = icmp eq i32 %208, 0
  br i1 %209, label %214, label %210
210:                                              ; preds = %207
  %211 = call i32 @pthread_mutex_lock(ptr noundef nonnull %10) #11
  %212 = call i32 @pthread_cond_signal(ptr noundef nonnull %25) #11
  %213 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %10) #11
  br label %214
214:                                              ; preds = %85, %207, %210, %97, %82
  %215 = phi i64 [ %27, %82 ], [ %27, %97 ], [ %86, %210 ], [ %86, %207 ], [ %27, %85 ]
  %216 = load atomic i32, ptr %5 seq_cst, align 16
  %217 = icmp eq i32 %216, 0
  br i1 %217, label %26, label %218
218:                                              ; preds = %214, %1
  ret ptr null
}
declare i32 @pthread_attr_destroy(ptr noundef) local_unnamed_addr #6
declare i32 @pthread_cond_signal(ptr noundef) local_unnamed_addr #6
declare i32 @sched_yield() local_unnamed_addr #6
declare void @llvm.x86.sse2.pause() #11
declare i32 @pthread_cond_wait(ptr noundef, ptr noundef) local_unnamed_addr #7
define internal fastcc void @send_away(ptr noundef nonnull readonly %0) unnamed_addr #0 {
  %2 = alloca %struct.cpu_set_t, align 8
  %3 = alloca %struct.cpu_set_t, align 8
  %4 = tail call i32 @sched_getcpu() #11
  %5 = icmp ugt i32 %4, 1023
  br i1 %5, label %49, label %6
6:                                                ; preds = %1
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %8 = load i32, ptr %7, align 32
  %9 = icmp sgt i32 %8, 0
  br i1 %9, label %10, label %49
10:                                               ; preds = %6
  %11 = getelementptr inbounds nuw i8, ptr %0, i64 240
  %12 = zext nneg i32 %4 to i64
  %13 = and i64 %12, 63
  %14 = lshr i64 %12, 6
  %15 = getelementptr inbounds nuw i64, ptr %2, i64 %14
  %16 = shl nuw i64 1, %13
  %17 = xor i64 %16, -1
  %18 = getelementptr inbounds nuw i64, ptr %3, i64 %14
  br label %19
19:                                               ; preds = %10, %44
  %20 = phi i64 [ 0, %10 ], [ %45, %44 ]
  %21 = load ptr, ptr %11, align 16
  %22 = getelementptr inbounds nuw i64, ptr %21, i64 %20
  %23 = load i64, ptr %22, align 8
  %24 = call i32 @pthread_getaffinity_np(i64 noundef %23, i64 noundef 128, ptr noundef nonnull %2) #11
  %25 = icmp eq i32 %24, 0
  br i1 %25, label %26, label %44
26:                                               ; preds = %19
  %27 = load i64, ptr %15, align 8
  %28 = and i64 %27, %16
  %29 = icmp eq i64 %28, 0
  br i1 %29, label %44, label %30
30:                                               ; preds = %26
  %31 = call i32 @__sched_cpucount(i64 noundef 128, ptr noundef nonnull %2) #11
  %32 = icmp sgt i32 %31, 1
  br i1 %32, label %33, label %44
33:                                               ; preds = %30
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(128) %3, ptr noundef nonnull align 8 dereferenceable(128) %2, i64 128, i1 false)
  %34 = load i64, ptr %18, align 8
  %35 = and i64 %34, %17
  store i64 %35, ptr %18, align 8
  %36 = load ptr, ptr %11, align 16
  %37 = getelementptr inbounds nuw i64, ptr %36, i64 %20
  %38 = load i64, ptr %37, align 8
  %39 = call i32 @pthread_setaffinity_np(i64 noundef %38, i64 noundef 128, ptr noundef nonnull %3) #11
  %40 = load ptr, ptr %11, align 16
  %41 = getelementptr inbounds nuw i64, ptr %40, i64 %20
  %42 = load i64, ptr %41, align 8
  %43 = call i32 @pthread_setaffinity_np(i64 noundef %42, i64 noundef 128, ptr noundef nonnull %2) #11
  br label %44
44:                                               ; preds = %33, %30, %26, %19
  %45 = add nuw nsw i64 %20, 1
  %46 = load i32, ptr %7, align 32
  %47 = sext i32 %46 to i64
  %48 = icmp slt i64 %45, %47
  br i1 %48, label %19, label %49
49:                                               ; preds = %44, %6, %1
  ret void
}
define internal void @do_nothing(ptr readnone %0, i64 %1, i64 %2) #12 {
  ret void
}
define internal fastcc void @wait_for_workers(ptr noundef nonnull %0) unnamed_addr #0 {
  %2 = alloca %struct.timespec, align 8
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 272
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %6 = getelementptr inbounds nuw i8, ptr %2, i64 8
  br label %7
7:                                                ; preds = %45, %1
  %8 = phi i32 [ 0, %1 ], [ %31, %45 ]
  %9 = phi i64 [ 0, %1 ], [ %41, %45 ]
  br label %10
10:                                               ; preds = %7, %30
  %11 = phi i32 [ %31, %30 ], [ %8, %7 ]
  %12 = load i32, ptr %3, align 32
  %13 = icmp slt i32 %12, 1
  br i1 %13, label %26, label %14
14:                                               ; preds = %10, %14
  %15 = phi i64 [ %22, %14 ], [ 1, %10 ]
  %16 = phi i64 [ %21, %14 ], [ 0, %10 ]
  %17 = load ptr, ptr %5, align 8
  %18 = getelementptr inbounds nuw %struct.share, ptr %17, i64 %15
  %19 = getelementptr inbounds nuw i8, ptr %18, i64 64
  %20 = load atomic i64, ptr %19 seq_cst, align 64
  %21 = add nsw i64 %20, %16
  %22 = add nuw nsw i64 %15, 1
  %23 = load i32, ptr %3, align 32
  %24 = sext i32 %23 to i64
  %25 = icmp slt i64 %15, %24
  br i1 %25, label %14, label %26
26:                                               ; preds = %14, %10
  %27 = phi i64 [ 0, %10 ], [ %21, %14 ]
  %28 = load i64, ptr %4, align 16
  %29 = icmp eq i64 %27, %28
  br i1 %29, label %78, label %30
30:                                               ; preds = %26
  call void @llvm.x86.sse2.pause()
  %31 = add i32 %11, 1
  %32 = and i32 %31, 63
  %33 = icmp eq i32 %32, 0
  br i1 %33, label %34, label %10
34:                                               ; preds = %30
  %35 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %2) #11
  %36 = load i64, ptr %2, align 8
  %37 = mul nsw i64 %36, 1000000000
  %38 = load i64, ptr %6, align 8
  %39 = add nsw i64 %37, %38
  %40 = icmp ne i32 %31, 64
  %41 = select i1 %40, i64 %9, i64 %39
  %42 = sub i64 %39, %9
  %43 = icmp sgt i64 %42, 50000
  %44 = select i1 %40, i1 %43, i1 false
  br i1 %44, label %46, label %45
45:                                               ; preds = %34, %46
  br label %7
46:                                               ; preds = %34
  %47 = call i32 @sched_yield() #11
  %48 = sub nsw i64 %39, %41
  %49 = icmp sgt i64 %48, 999999
  br i1 %49, label %50, label %45
50:                                               ; preds = %46
  %51 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %52 = call i32 @pthread_mutex_lock(ptr noundef nonnull %51) #11
  %53 = getelementptr inbounds nuw i8, ptr %0, i64 68
  store atomic i32 1, ptr %53 seq_cst, align 4
  %54 = getelementptr inbounds nuw i8, ptr %0, i64 192
  br label %55
55:                                               ; preds = %74, %50
  %56 = load i32, ptr %3, align 32
  %57 = icmp slt i32 %56, 1
  br i1 %57, label %70, label %58
58:                                               ; preds = %55, %58
  %59 = phi i64 [ %66, %58 ], [ 1, %55 ]
  %60 = phi i64 [ %65, %58 ], [ 0, %55 ]
  %61 = load ptr, ptr %5, align 8
  %62 = getelementptr inbounds nuw %struct.share, ptr %61, i64 %59
  %63 = getelementptr inbounds nuw i8, ptr %62, i64 64
  %64 = load atomic i64, ptr %63 seq_cst, align 64
  %65 = add nsw i64 %64, %60
  %66 = add nuw nsw i64 %59, 1
  %67 = load i32, ptr %3, align 32
  %68 = sext i32 %67 to i64
  %69 = icmp slt i64 %59, %68
  br i1 %69, label %58, label %70
70:                                               ; preds = %58, %55
  %71 = phi i64 [ 0, %55 ], [ %65, %58 ]
  %72 = load i64, ptr %4, align 16
  %73 = icmp eq i64 %71, %72
  br i1 %73, label %76, label %74
74:                                               ; preds = %70
  %75 = call i32 @pthread_cond_wait(ptr noundef nonnull %54, ptr noundef nonnull %51) #11
  br label %55
76:                                               ; preds = %70
  store atomic i32 0, ptr %53 seq_cst, align 4
  %77 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %51) #11
  br label %78
78:                                               ; preds = %26, %76
  ret void
}
declare i32 @sched_getcpu() local_unnamed_addr #6
declare i32 @pthread_getaffinity_np(i64 noundef, i64 noundef, ptr noundef) local_unnamed_addr #6
declare i32 @__sched_cpucount(i64 noundef, ptr noundef) local_unnamed_addr #6
declare i32 @pthread_setaffinity_np(i64 noundef, i64 noundef, ptr noundef) local_unnamed_addr #6
declare i32 @clock_gettime(i32 noundef, ptr noundef) local_unnamed_addr #6
declare i32 @llvm.smin.i32(i32, i32) #13
declare i64 @llvm.smin.i64(i64, i64) #13
declare i64 @llvm.smax.i64(i64, i64) #13
declare i32 @llvm.umin.i32(i32, i32) #13
declare i64 @llvm.umin.i64(i64, i64) #13
declare void @llvm.assume(i1 noundef) #14
attributes #0 = { nounwind }
attributes #1 = { nounwind }
attributes #2 = { nounwind }
attributes #3 = { nounwind }
attributes #4 = { nounwind }
attributes #5 = { nounwind }
attributes #6 = { nounwind }
attributes #7 = { nounwind }
attributes #8 = { nounwind }
attributes #9 = { nounwind }
attributes #10 = { nounwind }
attributes #11 = { nounwind }
attributes #12 = { nounwind }
attributes #13 = { nounwind }
attributes #14 = { nounwind }
attributes #15 = { nounwind }
