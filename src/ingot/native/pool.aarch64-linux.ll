; e33dfca802ceab89ff2d1f45b487a293fb52b4d54ae78f4014b6bbd6644b0935
; Made from pool.c, pool_loop.h, pool_costs.h, pool_ways.h, pool.h, which have that digest, by tools/make_pool_ir.py.

%struct.share = type { i64, [56 x i8], i64, i32, ptr, [40 x i8] }
%struct.timespec = type { i64, i64 }
%union.pthread_attr_t = type { i64, [56 x i8] }
%struct.__sigset_t = type { [16 x i64] }
%struct.times = type { ptr, i64, [3 x i64], [3 x i64] }
%struct.cpu_set_t = type { [16 x i64] }
define ptr @ingot_pool_create(i32 noundef %0) local_unnamed_addr #0 {
  %2 = alloca ptr, align 8
  %3 = icmp slt i32 %0, 1
  br i1 %3, label %61, label %4
4:                                                ; preds = %1
  %5 = tail call i32 @llvm.umin.i32(i32 %0, i32 1024)
  store ptr null, ptr %2, align 8
  %6 = call i32 @posix_memalign(ptr noundef nonnull %2, i64 noundef 64, i64 noundef 4480) #12
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %8, label %59
8:                                                ; preds = %4
  %9 = load ptr, ptr %2, align 8
  %10 = call i64 @sysconf(i32 noundef 30) #12
  %11 = call ptr @mmap(ptr noundef null, i64 noundef %10, i32 noundef 3, i32 noundef 34, i32 noundef -1, i64 noundef 0) #12
  %12 = icmp eq ptr %11, inttoptr (i64 -1 to ptr)
  br i1 %12, label %18, label %13
13:                                               ; preds = %8
  %14 = call i32 @madvise(ptr noundef %11, i64 noundef %10, i32 noundef 18) #12
  %15 = icmp eq i32 %14, 0
  br i1 %15, label %18, label %16
16:                                               ; preds = %13
  %17 = call i32 @munmap(ptr noundef %11, i64 noundef %10) #12
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
  %25 = call noalias ptr @calloc(i64 noundef %24, i64 noundef 8) #13
  %26 = load ptr, ptr %2, align 8
  %27 = getelementptr inbounds nuw i8, ptr %26, i64 248
  store ptr %25, ptr %27, align 8
  %28 = icmp eq ptr %25, null
  br i1 %28, label %36, label %29
29:                                               ; preds = %18
  %30 = getelementptr inbounds nuw i8, ptr %26, i64 72
  %31 = shl nuw nsw i64 %24, 7
  %32 = call i32 @posix_memalign(ptr noundef nonnull %30, i64 noundef 64, i64 noundef %31) #12
  %33 = icmp eq i32 %32, 0
  br i1 %33, label %51, label %34
34:                                               ; preds = %29
  %35 = load ptr, ptr %2, align 8
  br label %36
36:                                               ; preds = %34, %18
  %37 = phi ptr [ %35, %34 ], [ %26, %18 ]
  %38 = getelementptr inbounds nuw i8, ptr %37, i64 72
  store ptr null, ptr %38, align 8
  %39 = getelementptr inbounds nuw i8, ptr %37, i64 80
  %40 = load ptr, ptr %39, align 16
  %41 = icmp eq ptr %40, null
  br i1 %41, label %45, label %42
42:                                               ; preds = %36
  %43 = call i64 @sysconf(i32 noundef 30) #12
  %44 = call i32 @munmap(ptr noundef nonnull %40, i64 noundef %43) #12
  br label %45
45:                                               ; preds = %36, %42
  %46 = getelementptr inbounds nuw i8, ptr %37, i64 248
  %47 = load ptr, ptr %46, align 8
  call void @free(ptr noundef %47) #12
  %48 = load ptr, ptr %38, align 8
  call void @free(ptr noundef %48) #12
  call void @free(ptr noundef nonnull %37) #12
  br label %59
49:                                               ; preds = %51
  %50 = load ptr, ptr %2, align 8
  br label %59
51:                                               ; preds = %29, %51
  %52 = phi i64 [ %57, %51 ], [ 0, %29 ]
  %53 = load ptr, ptr %2, align 8
  %54 = getelementptr inbounds nuw i8, ptr %53, i64 72
  %55 = load ptr, ptr %54, align 8
  %56 = getelementptr inbounds nuw %struct.share, ptr %55, i64 %52
  store i64 0, ptr %56, align 8
  %57 = add nuw nsw i64 %52, 1
  %58 = icmp eq i64 %57, %24
  br i1 %58, label %49, label %51
59:                                               ; preds = %4, %49, %45
  %60 = phi ptr [ %50, %49 ], [ null, %45 ], [ null, %4 ]
  br label %61
61:                                               ; preds = %1, %59
  %62 = phi ptr [ %60, %59 ], [ null, %1 ]
  ret ptr %62
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
  %6 = tail call i32 @getpid() #12
  %7 = icmp eq i32 %5, %6
  br i1 %7, label %8, label %35
8:                                                ; preds = %3
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 48
  store atomic i32 1, ptr %9 seq_cst, align 16
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %11 = tail call i32 @pthread_mutex_lock(ptr noundef nonnull %10) #12
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 152
  %13 = tail call i32 @pthread_cond_broadcast(ptr noundef nonnull %12) #12
  %14 = tail call i32 @pthread_mutex_unlock(ptr noundef nonnull %10) #12
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %16 = load i32, ptr %15, align 32
  %17 = icmp sgt i32 %16, 0
  br i1 %17, label %18, label %20
18:                                               ; preds = %8
  %19 = getelementptr inbounds nuw i8, ptr %0, i64 248
  br label %25
20:                                               ; preds = %25, %8
  %21 = getelementptr inbounds nuw i8, ptr %0, i64 200
  %22 = tail call i32 @pthread_cond_destroy(ptr noundef nonnull %21) #12
  %23 = tail call i32 @pthread_cond_destroy(ptr noundef nonnull %12) #12
  %24 = tail call i32 @pthread_mutex_destroy(ptr noundef nonnull %10) #12
  br label %35
25:                                               ; preds = %18, %25
  %26 = phi i64 [ 0, %18 ], [ %31, %25 ]
  %27 = load ptr, ptr %19, align 8
  %28 = getelementptr inbounds nuw i64, ptr %27, i64 %26
  %29 = load i64, ptr %28, align 8
  %30 = tail call i32 @pthread_join(i64 noundef %29, ptr noundef null) #12
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
  %40 = tail call i64 @sysconf(i32 noundef 30) #12
  %41 = tail call i32 @munmap(ptr noundef nonnull %37, i64 noundef %40) #12
  br label %42
42:                                               ; preds = %35, %39
  %43 = getelementptr inbounds nuw i8, ptr %0, i64 248
  %44 = load ptr, ptr %43, align 8
  tail call void @free(ptr noundef %44) #12
  %45 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %46 = load ptr, ptr %45, align 8
  tail call void @free(ptr noundef %46) #12
  tail call void @free(ptr noundef nonnull %0) #12
  br label %47
47:                                               ; preds = %1, %42
  ret void
}
declare i32 @getpid() local_unnamed_addr #0
declare i32 @pthread_mutex_lock(ptr noundef) local_unnamed_addr #0
declare i32 @pthread_cond_broadcast(ptr noundef) local_unnamed_addr #0
declare i32 @pthread_mutex_unlock(ptr noundef) local_unnamed_addr #0
declare i32 @pthread_join(i64 noundef, ptr noundef) local_unnamed_addr #6
declare i32 @pthread_cond_destroy(ptr noundef) local_unnamed_addr #0
declare i32 @pthread_mutex_destroy(ptr noundef) local_unnamed_addr #0
define i32 @ingot_pool_threads(ptr noundef readonly captures(address_is_null) %0) local_unnamed_addr #7 {
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
  br i1 %13, label %599, label %14
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
  tail call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #12
  br label %599
28:                                               ; preds = %23
  %29 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %30 = load ptr, ptr %29, align 16
  %31 = icmp eq ptr %30, null
  br i1 %31, label %35, label %32
32:                                               ; preds = %28
  %33 = load atomic i32, ptr %30 acquire, align 4
  %34 = icmp eq i32 %33, 0
  br i1 %34, label %35, label %100
35:                                               ; preds = %32, %28
  %36 = tail call i32 @getpid() #12
  %37 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %38 = load atomic i32, ptr %37 seq_cst, align 8
  %39 = icmp eq i32 %38, %36
  br i1 %39, label %100, label %40
40:                                               ; preds = %35
  %41 = icmp eq i32 %38, -1
  br i1 %41, label %104, label %42
42:                                               ; preds = %40
  %43 = cmpxchg ptr %37, i32 %38, i32 -1 seq_cst seq_cst, align 8
  %44 = extractvalue { i32, i1 } %43, 1
  br i1 %44, label %45, label %104
45:                                               ; preds = %42
  %46 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %47 = tail call i32 @pthread_mutex_init(ptr noundef nonnull %46, ptr noundef null) #12
  %48 = getelementptr inbounds nuw i8, ptr %0, i64 152
  %49 = tail call i32 @pthread_cond_init(ptr noundef nonnull %48, ptr noundef null) #12
  %50 = getelementptr inbounds nuw i8, ptr %0, i64 200
  %51 = tail call i32 @pthread_cond_init(ptr noundef nonnull %50, ptr noundef null) #12
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
  store <2 x i32> splat (i32 1), ptr %62, align 32
  %63 = call i32 @pthread_attr_init(ptr noundef nonnull %10) #12
  %64 = call i32 @pthread_attr_setstacksize(ptr noundef nonnull %10, i64 noundef 4194304) #12
  %65 = call i32 @sigfillset(ptr noundef nonnull %11) #12
  %66 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %11, ptr noundef nonnull %12) #12
  %67 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %68 = load i32, ptr %24, align 4
  %69 = icmp sgt i32 %68, 1
  br i1 %69, label %70, label %93
70:                                               ; preds = %45
  %71 = getelementptr inbounds nuw i8, ptr %0, i64 248
  br label %72
72:                                               ; preds = %86, %70
  %73 = phi i64 [ 1, %70 ], [ %89, %86 ]
  %74 = load ptr, ptr %67, align 8
  %75 = getelementptr inbounds nuw %struct.share, ptr %74, i64 %73
  %76 = getelementptr inbounds nuw i8, ptr %75, i64 80
  store ptr %0, ptr %76, align 16
  %77 = getelementptr inbounds nuw i8, ptr %75, i64 72
  %78 = trunc nuw nsw i64 %73 to i32
  store i32 %78, ptr %77, align 8
  %79 = getelementptr inbounds nuw i8, ptr %75, i64 64
  store atomic i64 0, ptr %79 seq_cst, align 64
  %80 = load ptr, ptr %71, align 8
  %81 = load i32, ptr %55, align 32
  %82 = sext i32 %81 to i64
  %83 = getelementptr inbounds i64, ptr %80, i64 %82
  %84 = call i32 @pthread_create(ptr noundef %83, ptr noundef nonnull %10, ptr noundef nonnull @work, ptr noundef nonnull %75) #12
  %85 = icmp eq i32 %84, 0
  br i1 %85, label %86, label %93
86:                                               ; preds = %72
  %87 = load i32, ptr %55, align 32
  %88 = add nsw i32 %87, 1
  store i32 %88, ptr %55, align 32
  %89 = add nuw nsw i64 %73, 1
  %90 = load i32, ptr %24, align 4
  %91 = sext i32 %90 to i64
  %92 = icmp slt i64 %89, %91
  br i1 %92, label %72, label %93
93:                                               ; preds = %86, %72, %45
  %94 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %12, ptr noundef null) #12
  %95 = call i32 @pthread_attr_destroy(ptr noundef nonnull %10) #12
  store atomic i32 %36, ptr %37 seq_cst, align 8
  %96 = load ptr, ptr %29, align 16
  %97 = icmp eq ptr %96, null
  br i1 %97, label %99, label %98
98:                                               ; preds = %93
  store atomic i32 1, ptr %96 release, align 4
  br label %99
99:                                               ; preds = %98, %93
  br label %100
100:                                              ; preds = %32, %99, %35
  %101 = getelementptr inbounds nuw i8, ptr %0, i64 256
  %102 = atomicrmw xchg ptr %101, i32 1 seq_cst, align 64
  %103 = icmp eq i32 %102, 0
  br i1 %103, label %105, label %104
104:                                              ; preds = %42, %40, %100
  call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #12
  br label %599
105:                                              ; preds = %100
  %106 = getelementptr inbounds nuw i8, ptr %0, i64 308
  %107 = load i32, ptr %106, align 4
  %108 = add nsw i32 %107, -1
  store i32 %108, ptr %106, align 4
  %109 = icmp slt i32 %107, 2
  br i1 %109, label %110, label %111
110:                                              ; preds = %105
  call fastcc void @weigh(ptr noundef %0)
  br label %111
111:                                              ; preds = %110, %105
  %112 = icmp slt i64 %4, 0
  br i1 %112, label %113, label %119
113:                                              ; preds = %111
  %114 = sub nsw i64 0, %4
  %115 = udiv i64 9223372036854775807, %114
  %116 = icmp samesign ult i64 %3, %115
  %117 = mul nuw nsw i64 %3, %114
  %118 = select i1 %116, i64 %117, i64 9223372036854775807
  br label %123
119:                                              ; preds = %111
  %120 = icmp samesign ugt i64 %4, 1
  br i1 %120, label %121, label %123
121:                                              ; preds = %119
  %122 = udiv i64 %3, %4
  br label %123
123:                                              ; preds = %113, %119, %121
  %124 = phi i64 [ %118, %113 ], [ %19, %121 ], [ %19, %119 ]
  %125 = phi i64 [ %118, %113 ], [ %122, %121 ], [ 9223372036854775807, %119 ]
  %126 = getelementptr inbounds nuw i8, ptr %0, i64 340
  %127 = load i32, ptr %126, align 4
  %128 = icmp eq i32 %127, 3
  br i1 %128, label %129, label %132
129:                                              ; preds = %123
  %130 = getelementptr inbounds nuw i8, ptr %0, i64 336
  %131 = load i32, ptr %130, align 16
  br label %132
132:                                              ; preds = %129, %123
  %133 = phi i32 [ %131, %129 ], [ %127, %123 ]
  switch i32 %133, label %137 [
    i32 0, label %138
    i32 1, label %134
  ]
134:                                              ; preds = %132
  %135 = getelementptr inbounds nuw i8, ptr %0, i64 288
  %136 = load i64, ptr %135, align 32
  br label %138
137:                                              ; preds = %132
  br label %138
138:                                              ; preds = %132, %134, %137
  %139 = phi i64 [ 2, %132 ], [ %136, %134 ], [ 9223372036854775807, %137 ]
  %140 = icmp slt i64 %125, %139
  %141 = icmp samesign ugt i64 %125, 1
  %142 = select i1 %140, i1 %141, i1 false
  %143 = zext i1 %142 to i64
  %144 = getelementptr inbounds nuw i8, ptr %0, i64 328
  %145 = load i64, ptr %144, align 8
  %146 = add nsw i64 %145, %143
  store i64 %146, ptr %144, align 8
  %147 = icmp ne i32 %127, 3
  %148 = select i1 %147, i1 %141, i1 false
  %149 = icmp ne i64 %4, 1
  %150 = and i1 %149, %148
  br i1 %150, label %151, label %158
151:                                              ; preds = %138
  %152 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %9) #12
  %153 = load i64, ptr %9, align 8
  %154 = mul nsw i64 %153, 1000000000
  %155 = getelementptr inbounds nuw i8, ptr %9, i64 8
  %156 = load i64, ptr %155, align 8
  %157 = add nsw i64 %154, %156
  br label %158
158:                                              ; preds = %138, %151
  %159 = phi i64 [ %157, %151 ], [ 0, %138 ]
  br i1 %140, label %585, label %160
160:                                              ; preds = %158
  %161 = getelementptr inbounds nuw i8, ptr %0, i64 280
  %162 = load i64, ptr %161, align 8
  %163 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %164 = load i32, ptr %163, align 32
  %165 = add nsw i32 %164, 1
  %166 = sext i32 %165 to i64
  %167 = call i64 @llvm.smin.i64(i64 range(i64 2, -9223372036854775808) %19, i64 %166)
  %168 = trunc nsw i64 %167 to i32
  %169 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %170 = load atomic i32, ptr %169 seq_cst, align 64
  %171 = sub nsw i32 %165, %170
  %172 = icmp slt i32 %171, %168
  br i1 %172, label %174, label %173
173:                                              ; preds = %160
  store i64 0, ptr %161, align 8
  br label %187
174:                                              ; preds = %160
  %175 = sext i32 %171 to i64
  %176 = sdiv i64 %124, %175
  %177 = sdiv i64 %124, %167
  %178 = sub nsw i64 %176, %177
  %179 = icmp slt i64 %178, 64
  br i1 %179, label %181, label %180
180:                                              ; preds = %174
  store i64 64, ptr %161, align 8
  br label %187
181:                                              ; preds = %174
  %182 = load i64, ptr %161, align 8
  %183 = add nsw i64 %182, %178
  %184 = freeze i64 %183
  store i64 %184, ptr %161, align 8
  %185 = icmp slt i64 %184, 64
  %186 = select i1 %185, i32 %171, i32 %168
  br label %187
187:                                              ; preds = %181, %180, %173
  %188 = phi i64 [ 0, %173 ], [ 64, %180 ], [ %184, %181 ]
  %189 = phi i32 [ %168, %173 ], [ %168, %180 ], [ %186, %181 ]
  %190 = icmp ult i64 %4, 2
  br i1 %190, label %191, label %202
191:                                              ; preds = %187
  %192 = icmp sgt i64 %188, %162
  %193 = icmp slt i64 %188, 64
  %194 = and i1 %192, %193
  br i1 %194, label %195, label %202
195:                                              ; preds = %191
  %196 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %8) #12
  %197 = load i64, ptr %8, align 8
  %198 = mul nsw i64 %197, 1000000000
  %199 = getelementptr inbounds nuw i8, ptr %8, i64 8
  %200 = load i64, ptr %199, align 8
  %201 = add nsw i64 %198, %200
  br label %202
202:                                              ; preds = %195, %191, %187
  %203 = phi i64 [ %201, %195 ], [ 0, %187 ], [ 0, %191 ]
  %204 = icmp eq i32 %189, 1
  br i1 %204, label %205, label %206
205:                                              ; preds = %202
  call void %1(ptr noundef %2, i64 noundef 0, i64 noundef range(i64 1, -9223372036854775808) %3) #12
  br label %569
206:                                              ; preds = %202
  %207 = lshr i64 %125, 2
  %208 = call i64 @llvm.umin.i64(i64 range(i64 2, -9223372036854775808) %19, i64 %207)
  %209 = sext i32 %189 to i64
  %210 = sdiv i64 %208, %209
  %211 = call i64 @llvm.smax.i64(i64 %210, i64 1)
  %212 = call i64 @llvm.umin.i64(i64 %211, i64 8)
  %213 = trunc nuw nsw i64 %212 to i32
  %214 = mul nsw i32 %189, %213
  %215 = getelementptr inbounds nuw i8, ptr %0, i64 264
  %216 = load i64, ptr %215, align 8
  %217 = add i64 %216, 1
  store i64 %217, ptr %215, align 8
  %218 = sext i32 %214 to i64
  %219 = freeze i64 %218
  %220 = sdiv i64 %3, %219
  %221 = mul i64 %220, %219
  %222 = sub i64 %3, %221
  %223 = trunc nuw nsw i64 %222 to i32
  store atomic i64 0, ptr %0 monotonic, align 64
  %224 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %225 = ptrtoint ptr %1 to i64
  store atomic i64 %225, ptr %224 release, align 8
  %226 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %227 = ptrtoint ptr %2 to i64
  store atomic i64 %227, ptr %226 release, align 16
  %228 = getelementptr inbounds nuw i8, ptr %0, i64 24
  store atomic i64 %220, ptr %228 release, align 8
  %229 = getelementptr inbounds nuw i8, ptr %0, i64 32
  store atomic i32 %223, ptr %229 release, align 32
  %230 = getelementptr inbounds nuw i8, ptr %0, i64 36
  store atomic i32 %214, ptr %230 release, align 4
  %231 = getelementptr inbounds nuw i8, ptr %0, i64 40
  store atomic i32 %189, ptr %231 release, align 8
  %232 = getelementptr inbounds nuw i8, ptr %0, i64 44
  store atomic i32 %213, ptr %232 release, align 4
  store atomic i64 %217, ptr %0 release, align 64
  %233 = load i64, ptr %161, align 8
  %234 = icmp sgt i64 %233, 63
  br i1 %234, label %235, label %247
235:                                              ; preds = %206
  fence seq_cst
  %236 = load atomic i32, ptr %169 seq_cst, align 64
  %237 = icmp sgt i32 %236, 0
  br i1 %237, label %238, label %247
238:                                              ; preds = %235
  store i64 0, ptr %161, align 8
  %239 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %240 = call i32 @pthread_mutex_lock(ptr noundef nonnull %239) #12
  %241 = getelementptr inbounds nuw i8, ptr %0, i64 100
  %242 = load i32, ptr %241, align 4
  %243 = add i32 %242, 1
  store i32 %243, ptr %241, align 4
  %244 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %239) #12
  %245 = getelementptr inbounds nuw i8, ptr %0, i64 152
  %246 = call i32 @pthread_cond_broadcast(ptr noundef nonnull %245) #12
  br label %247
247:                                              ; preds = %238, %235, %206
  %248 = add i32 %214, -1
  %249 = udiv i32 %248, %214
  %250 = zext i32 %249 to i64
  %251 = add i32 %248, %223
  %252 = udiv i32 %251, %214
  %253 = zext i32 %252 to i64
  %254 = add nsw i64 %220, %253
  call void %1(ptr noundef %2, i64 noundef %250, i64 noundef %254) #12
  %255 = icmp slt i64 %210, 2
  br i1 %255, label %298, label %256
256:                                              ; preds = %247
  %257 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %258 = shl i64 %217, 16
  %259 = or disjoint i64 %258, 1
  br label %260
260:                                              ; preds = %280, %256
  %261 = phi i32 [ 0, %256 ], [ %295, %280 ]
  %262 = load ptr, ptr %257, align 8
  %263 = load atomic i64, ptr %262 monotonic, align 64
  br label %264
264:                                              ; preds = %274, %260
  %265 = phi i64 [ %263, %260 ], [ %279, %274 ]
  %266 = lshr i64 %265, 16
  %267 = icmp eq i64 %266, %217
  %268 = trunc i64 %265 to i32
  %269 = and i32 %268, 65535
  %270 = select i1 %267, i32 %269, i32 1
  %271 = icmp ule i64 %266, %217
  %272 = icmp samesign ult i32 %270, %213
  %273 = select i1 %271, i1 %272, i1 false
  br i1 %273, label %274, label %296
274:                                              ; preds = %264
  %275 = zext nneg i32 %270 to i64
  %276 = add nuw i64 %259, %275
  %277 = cmpxchg weak ptr %262, i64 %265, i64 %276 seq_cst seq_cst, align 64
  %278 = extractvalue { i64, i1 } %277, 1
  %279 = extractvalue { i64, i1 } %277, 0
  br i1 %278, label %280, label %264
280:                                              ; preds = %274
  %281 = mul nsw i64 %220, %275
  %282 = mul i32 %270, %223
  %283 = add i32 %282, %248
  %284 = udiv i32 %283, %214
  %285 = zext i32 %284 to i64
  %286 = add nsw i64 %281, %285
  %287 = add nuw nsw i32 %270, 1
  %288 = zext nneg i32 %287 to i64
  %289 = mul nsw i64 %220, %288
  %290 = mul i32 %287, %223
  %291 = add i32 %290, %248
  %292 = udiv i32 %291, %214
  %293 = zext i32 %292 to i64
  %294 = add nsw i64 %289, %293
  call void %1(ptr noundef %2, i64 noundef %286, i64 noundef %294) #12
  %295 = add nuw nsw i32 %261, 1
  br label %260
296:                                              ; preds = %264
  %297 = add nuw nsw i32 %261, 1
  br label %298
298:                                              ; preds = %296, %247
  %299 = phi i32 [ %297, %296 ], [ 1, %247 ]
  %300 = zext i32 %214 to i64
  %301 = sext i32 %299 to i64
  %302 = sub nsw i64 %300, %301
  %303 = getelementptr inbounds nuw i8, ptr %0, i64 272
  %304 = load i64, ptr %303, align 16
  %305 = add nsw i64 %302, %304
  store i64 %305, ptr %303, align 16
  %306 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %307 = load i32, ptr %163, align 32
  %308 = icmp slt i32 %307, 1
  br i1 %308, label %323, label %309
309:                                              ; preds = %298, %309
  %310 = phi i64 [ %317, %309 ], [ 1, %298 ]
  %311 = phi i64 [ %316, %309 ], [ 0, %298 ]
  %312 = load ptr, ptr %306, align 8
  %313 = getelementptr inbounds nuw %struct.share, ptr %312, i64 %310
  %314 = getelementptr inbounds nuw i8, ptr %313, i64 64
  %315 = load atomic i64, ptr %314 seq_cst, align 64
  %316 = add nsw i64 %315, %311
  %317 = add nuw nsw i64 %310, 1
  %318 = load i32, ptr %163, align 32
  %319 = sext i32 %318 to i64
  %320 = icmp slt i64 %310, %319
  br i1 %320, label %309, label %321
321:                                              ; preds = %309
  %322 = load i64, ptr %303, align 16
  br label %323
323:                                              ; preds = %321, %298
  %324 = phi i32 [ %307, %298 ], [ %318, %321 ]
  %325 = phi i64 [ %305, %298 ], [ %322, %321 ]
  %326 = phi i64 [ 0, %298 ], [ %316, %321 ]
  %327 = icmp eq i64 %326, %325
  br i1 %327, label %328, label %347
328:                                              ; preds = %487, %482, %462, %442, %422, %402, %382, %362, %323
  %329 = phi i32 [ %488, %487 ], [ %483, %482 ], [ %463, %462 ], [ %443, %442 ], [ %423, %422 ], [ %403, %402 ], [ %383, %382 ], [ %363, %362 ], [ %324, %323 ]
  %330 = icmp slt i32 %329, 1
  br i1 %330, label %343, label %331
331:                                              ; preds = %328, %331
  %332 = phi i64 [ %339, %331 ], [ 1, %328 ]
  %333 = phi i64 [ %338, %331 ], [ 0, %328 ]
  %334 = load ptr, ptr %306, align 8
  %335 = getelementptr inbounds nuw %struct.share, ptr %334, i64 %332
  %336 = getelementptr inbounds nuw i8, ptr %335, i64 64
  %337 = load atomic i64, ptr %336 seq_cst, align 64
  %338 = add nsw i64 %337, %333
  %339 = add nuw nsw i64 %332, 1
  %340 = load i32, ptr %163, align 32
  %341 = sext i32 %340 to i64
  %342 = icmp slt i64 %332, %341
  br i1 %342, label %331, label %343
343:                                              ; preds = %331, %328
  %344 = phi i64 [ 0, %328 ], [ %338, %331 ]
  %345 = load i64, ptr %303, align 16
  %346 = icmp eq i64 %344, %345
  br i1 %346, label %545, label %489
347:                                              ; preds = %323
  call void asm sideeffect "yield", ""() #12
  %348 = load i32, ptr %163, align 32
  %349 = icmp slt i32 %348, 1
  br i1 %349, label %362, label %350
350:                                              ; preds = %347, %350
  %351 = phi i64 [ %358, %350 ], [ 1, %347 ]
  %352 = phi i64 [ %357, %350 ], [ 0, %347 ]
  %353 = load ptr, ptr %306, align 8
  %354 = getelementptr inbounds nuw %struct.share, ptr %353, i64 %351
  %355 = getelementptr inbounds nuw i8, ptr %354, i64 64
  %356 = load atomic i64, ptr %355 seq_cst, align 64
  %357 = add nsw i64 %356, %352
  %358 = add nuw nsw i64 %351, 1
  %359 = load i32, ptr %163, align 32
  %360 = sext i32 %359 to i64
  %361 = icmp slt i64 %351, %360
  br i1 %361, label %350, label %362
362:                                              ; preds = %350, %347
  %363 = phi i32 [ %348, %347 ], [ %359, %350 ]
  %364 = phi i64 [ 0, %347 ], [ %357, %350 ]
  %365 = load i64, ptr %303, align 16
  %366 = icmp eq i64 %364, %365
  br i1 %366, label %328, label %367
367:                                              ; preds = %362
  call void asm sideeffect "yield", ""() #12
  %368 = load i32, ptr %163, align 32
  %369 = icmp slt i32 %368, 1
  br i1 %369, label %382, label %370
370:                                              ; preds = %367, %370
  %371 = phi i64 [ %378, %370 ], [ 1, %367 ]
  %372 = phi i64 [ %377, %370 ], [ 0, %367 ]
  %373 = load ptr, ptr %306, align 8
  %374 = getelementptr inbounds nuw %struct.share, ptr %373, i64 %371
  %375 = getelementptr inbounds nuw i8, ptr %374, i64 64
  %376 = load atomic i64, ptr %375 seq_cst, align 64
  %377 = add nsw i64 %376, %372
  %378 = add nuw nsw i64 %371, 1
  %379 = load i32, ptr %163, align 32
  %380 = sext i32 %379 to i64
  %381 = icmp slt i64 %371, %380
  br i1 %381, label %370, label %382
382:                                              ; preds = %370, %367
  %383 = phi i32 [ %368, %367 ], [ %379, %370 ]
  %384 = phi i64 [ 0, %367 ], [ %377, %370 ]
  %385 = load i64, ptr %303, align 16
  %386 = icmp eq i64 %384, %385
  br i1 %386, label %328, label %387
387:                                              ; preds = %382
  call void asm sideeffect "yield", ""() #12
  %388 = load i32, ptr %163, align 32
  %389 = icmp slt i32 %388, 1
  br i1 %389, label %402, label %390
390:                                              ; preds = %387, %390
  %391 = phi i64 [ %398, %390 ], [ 1, %387 ]
  %392 = phi i64 [ %397, %390 ], [ 0, %387 ]
  %393 = load ptr, ptr %306, align 8
  %394 = getelementptr inbounds nuw %struct.share, ptr %393, i64 %391
  %395 = getelementptr inbounds nuw i8, ptr %394, i64 64
  %396 = load atomic i64, ptr %395 seq_cst, align 64
  %397 = add nsw i64 %396, %392
  %398 = add nuw nsw i64 %391, 1
  %399 = load i32, ptr %163, align 32
  %400 = sext i32 %399 to i64
  %401 = icmp slt i64 %391, %400
  br i1 %401, label %390, label %402
402:                                              ; preds = %390, %387
  %403 = phi i32 [ %388, %387 ], [ %399, %390 ]
  %404 = phi i64 [ 0, %387 ], [ %397, %390 ]
  %405 = load i64, ptr %303, align 16
  %406 = icmp eq i64 %404, %405
  br i1 %406, label %328, label %407
407:                                              ; preds = %402
  call void asm sideeffect "yield", ""() #12
  %408 = load i32, ptr %163, align 32
  %409 = icmp slt i32 %408, 1
  br i1 %409, label %422, label %410
410:                                              ; preds = %407, %410
  %411 = phi i64 [ %418, %410 ], [ 1, %407 ]
  %412 = phi i64 [ %417, %410 ], [ 0, %407 ]
  %413 = load ptr, ptr %306, align 8
  %414 = getelementptr inbounds nuw %struct.share, ptr %413, i64 %411
  %415 = getelementptr inbounds nuw i8, ptr %414, i64 64
  %416 = load atomic i64, ptr %415 seq_cst, align 64
  %417 = add nsw i64 %416, %412
  %418 = add nuw nsw i64 %411, 1
  %419 = load i32, ptr %163, align 32
  %420 = sext i32 %419 to i64
  %421 = icmp slt i64 %411, %420
  br i1 %421, label %410, label %422
422:                                              ; preds = %410, %407
  %423 = phi i32 [ %408, %407 ], [ %419, %410 ]
  %424 = phi i64 [ 0, %407 ], [ %417, %410 ]
  %425 = load i64, ptr %303, align 16
  %426 = icmp eq i64 %424, %425
  br i1 %426, label %328, label %427
427:                                              ; preds = %422
  call void asm sideeffect "yield", ""() #12
  %428 = load i32, ptr %163, align 32
  %429 = icmp slt i32 %428, 1
  br i1 %429, label %442, label %430
430:                                              ; preds = %427, %430
  %431 = phi i64 [ %438, %430 ], [ 1, %427 ]
  %432 = phi i64 [ %437, %430 ], [ 0, %427 ]
  %433 = load ptr, ptr %306, align 8
  %434 = getelementptr inbounds nuw %struct.share, ptr %433, i64 %431
  %435 = getelementptr inbounds nuw i8, ptr %434, i64 64
  %436 = load atomic i64, ptr %435 seq_cst, align 64
  %437 = add nsw i64 %436, %432
  %438 = add nuw nsw i64 %431, 1
  %439 = load i32, ptr %163, align 32
  %440 = sext i32 %439 to i64
  %441 = icmp slt i64 %431, %440
  br i1 %441, label %430, label %442
442:                                              ; preds = %430, %427
  %443 = phi i32 [ %428, %427 ], [ %439, %430 ]
  %444 = phi i64 [ 0, %427 ], [ %437, %430 ]
  %445 = load i64, ptr %303, align 16
  %446 = icmp eq i64 %444, %445
  br i1 %446, label %328, label %447
447:                                              ; preds = %442
  call void asm sideeffect "yield", ""() #12
  %448 = load i32, ptr %163, align 32
  %449 = icmp slt i32 %448, 1
  br i1 %449, label %462, label %450
450:                                              ; preds = %447, %450
  %451 = phi i64 [ %458, %450 ], [ 1, %447 ]
  %452 = phi i64 [ %457, %450 ], [ 0, %447 ]
  %453 = load ptr, ptr %306, align 8
  %454 = getelementptr inbounds nuw %struct.share, ptr %453, i64 %451
  %455 = getelementptr inbounds nuw i8, ptr %454, i64 64
  %456 = load atomic i64, ptr %455 seq_cst, align 64
  %457 = add nsw i64 %456, %452
  %458 = add nuw nsw i64 %451, 1
  %459 = load i32, ptr %163, align 32
  %460 = sext i32 %459 to i64
  %461 = icmp slt i64 %451, %460
  br i1 %461, label %450, label %462
462:                                              ; preds = %450, %447
  %463 = phi i32 [ %448, %447 ], [ %459, %450 ]
  %464 = phi i64 [ 0, %447 ], [ %457, %450 ]
  %465 = load i64, ptr %303, align 16
  %466 = icmp eq i64 %464, %465
  br i1 %466, label %328, label %467
467:                                              ; preds = %462
  call void asm sideeffect "yield", ""() #12
  %468 = load i32, ptr %163, align 32
  %469 = icmp slt i32 %468, 1
  br i1 %469, label %482, label %470
470:                                              ; preds = %467, %470
  %471 = phi i64 [ %478, %470 ], [ 1, %467 ]
  %472 = phi i64 [ %477, %470 ], [ 0, %467 ]
  %473 = load ptr, ptr %306, align 8
  %474 = getelementptr inbounds nuw %struct.share, ptr %473, i64 %471
  %475 = getelementptr inbounds nuw i8, ptr %474, i64 64
  %476 = load atomic i64, ptr %475 seq_cst, align 64
  %477 = add nsw i64 %476, %472
  %478 = add nuw nsw i64 %471, 1
  %479 = load i32, ptr %163, align 32
  %480 = sext i32 %479 to i64
  %481 = icmp slt i64 %471, %480
  br i1 %481, label %470, label %482
482:                                              ; preds = %470, %467
  %483 = phi i32 [ %468, %467 ], [ %479, %470 ]
  %484 = phi i64 [ 0, %467 ], [ %477, %470 ]
  %485 = load i64, ptr %303, align 16
  %486 = icmp eq i64 %484, %485
  br i1 %486, label %328, label %487
487:                                              ; preds = %482
  call void asm sideeffect "yield", ""() #12
  %488 = load i32, ptr %163, align 32
  br label %328
489:                                              ; preds = %343
  %490 = icmp sgt i32 %189, 1
  br i1 %490, label %491, label %545
491:                                              ; preds = %489
  %492 = shl i64 %217, 16
  %493 = or disjoint i64 %492, 1
  %494 = zext nneg i32 %189 to i64
  br label %495
495:                                              ; preds = %539, %491
  %496 = phi i64 [ 1, %491 ], [ %541, %539 ]
  %497 = phi i32 [ 0, %491 ], [ %540, %539 ]
  %498 = mul nuw nsw i64 %496, %212
  %499 = trunc nsw i64 %498 to i32
  br label %500
500:                                              ; preds = %521, %495
  %501 = phi i32 [ 0, %495 ], [ %538, %521 ]
  %502 = load ptr, ptr %306, align 8
  %503 = getelementptr inbounds nuw %struct.share, ptr %502, i64 %496
  %504 = load atomic i64, ptr %503 monotonic, align 64
  br label %505
505:                                              ; preds = %515, %500
  %506 = phi i64 [ %504, %500 ], [ %520, %515 ]
  %507 = lshr i64 %506, 16
  %508 = icmp eq i64 %507, %217
  %509 = trunc i64 %506 to i32
  %510 = and i32 %509, 65535
  %511 = select i1 %508, i32 %510, i32 0
  %512 = icmp ule i64 %507, %217
  %513 = icmp samesign ult i32 %511, %213
  %514 = select i1 %512, i1 %513, i1 false
  br i1 %514, label %515, label %539
515:                                              ; preds = %505
  %516 = zext nneg i32 %511 to i64
  %517 = add nuw i64 %493, %516
  %518 = cmpxchg weak ptr %503, i64 %506, i64 %517 seq_cst seq_cst, align 64
  %519 = extractvalue { i64, i1 } %518, 1
  %520 = extractvalue { i64, i1 } %518, 0
  br i1 %519, label %521, label %505
521:                                              ; preds = %515
  %522 = add nsw i32 %511, %499
  %523 = zext i32 %522 to i64
  %524 = mul nuw nsw i64 %220, %523
  %525 = mul i32 %522, %223
  %526 = add i32 %525, %248
  %527 = udiv i32 %526, %214
  %528 = zext i32 %527 to i64
  %529 = add nuw nsw i64 %524, %528
  %530 = add i32 %522, 1
  %531 = zext i32 %530 to i64
  %532 = mul nuw nsw i64 %220, %531
  %533 = mul i32 %530, %223
  %534 = add i32 %533, %248
  %535 = udiv i32 %534, %214
  %536 = zext i32 %535 to i64
  %537 = add nuw nsw i64 %532, %536
  call void %1(ptr noundef %2, i64 noundef %529, i64 noundef %537) #12
  %538 = add nuw nsw i32 %501, 1
  br label %500
539:                                              ; preds = %505
  %540 = add nuw nsw i32 %501, %497
  %541 = add nuw nsw i64 %496, 1
  %542 = icmp eq i64 %541, %494
  br i1 %542, label %543, label %495
543:                                              ; preds = %539
  %544 = load i64, ptr %303, align 16
  br label %545
545:                                              ; preds = %543, %489, %343
  %546 = phi i64 [ %344, %343 ], [ %345, %489 ], [ %544, %543 ]
  %547 = phi i32 [ 0, %343 ], [ 0, %489 ], [ %540, %543 ]
  %548 = sext i32 %547 to i64
  %549 = sub nsw i64 %546, %548
  store i64 %549, ptr %303, align 16
  %550 = add nsw i32 %547, %299
  %551 = icmp ult i32 %550, %214
  %552 = getelementptr inbounds nuw i8, ptr %0, i64 296
  br i1 %551, label %553, label %559
553:                                              ; preds = %545
  store i32 0, ptr %552, align 8
  %554 = getelementptr inbounds nuw i8, ptr %0, i64 300
  %555 = load i32, ptr %554, align 4
  %556 = icmp sgt i32 %555, 4
  %557 = sext i1 %556 to i32
  %558 = add i32 %555, %557
  store i32 %558, ptr %554, align 4
  br label %568
559:                                              ; preds = %545
  %560 = load i32, ptr %552, align 8
  %561 = add nsw i32 %560, 1
  store i32 %561, ptr %552, align 8
  %562 = getelementptr inbounds nuw i8, ptr %0, i64 300
  %563 = load i32, ptr %562, align 4
  %564 = icmp slt i32 %561, %563
  br i1 %564, label %568, label %565
565:                                              ; preds = %559
  store i32 0, ptr %552, align 8
  %566 = call i32 @llvm.smin.i32(i32 %563, i32 32)
  %567 = shl i32 %566, 1
  store i32 %567, ptr %562, align 4
  call fastcc void @send_away(ptr noundef nonnull %0)
  br label %568
568:                                              ; preds = %565, %559, %553
  call fastcc void @wait_for_workers(ptr noundef nonnull %0)
  br label %569
569:                                              ; preds = %568, %205
  %570 = icmp eq i64 %203, 0
  br i1 %570, label %586, label %571
571:                                              ; preds = %569
  %572 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %7) #12
  %573 = load i64, ptr %7, align 8
  %574 = mul nsw i64 %573, 1000000000
  %575 = getelementptr inbounds nuw i8, ptr %7, i64 8
  %576 = load i64, ptr %575, align 8
  %577 = sub i64 %576, %203
  %578 = add i64 %577, %574
  %579 = sdiv i64 %578, 1000
  %580 = add nsw i64 %579, %162
  %581 = load i64, ptr %161, align 8
  %582 = icmp slt i64 %580, %581
  %583 = call i64 @llvm.smin.i64(i64 %580, i64 64)
  %584 = select i1 %582, i64 %581, i64 %583
  store i64 %584, ptr %161, align 8
  br label %586
585:                                              ; preds = %158
  call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #12
  br label %586
586:                                              ; preds = %571, %569, %585
  %587 = icmp eq i64 %159, 0
  br i1 %587, label %598, label %588
588:                                              ; preds = %586
  %589 = load i32, ptr %126, align 4
  %590 = icmp eq i32 %589, 3
  br i1 %590, label %598, label %591
591:                                              ; preds = %588
  %592 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %6) #12
  %593 = load i64, ptr %6, align 8
  %594 = mul nsw i64 %593, 1000000000
  %595 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %596 = load i64, ptr %595, align 8
  %597 = add nsw i64 %594, %596
  call fastcc void @note_time(ptr noundef %0, ptr noundef %1, i64 noundef %3, i64 noundef %159, i64 noundef %597)
  br label %598
598:                                              ; preds = %591, %588, %586
  store atomic i32 0, ptr %101 release, align 64
  br label %599
599:                                              ; preds = %27, %104, %598, %5
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
  %11 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %6) #12
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
  br label %242
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
  %43 = getelementptr inbounds nuw i8, ptr %0, i64 152
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
  br label %242
60:                                               ; preds = %51
  %61 = getelementptr inbounds nuw i8, ptr %0, i64 308
  store i32 1, ptr %61, align 4
  %62 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %5) #12
  %63 = load i64, ptr %5, align 8
  %64 = mul nsw i64 %63, 1000000000
  %65 = getelementptr inbounds nuw i8, ptr %5, i64 8
  %66 = load i64, ptr %65, align 8
  %67 = add nsw i64 %64, %66
  %68 = getelementptr inbounds nuw i8, ptr %0, i64 320
  store i64 %67, ptr %68, align 64
  %69 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %70 = call i32 @pthread_mutex_lock(ptr noundef nonnull %69) #12
  %71 = getelementptr inbounds nuw i8, ptr %0, i64 100
  %72 = load i32, ptr %71, align 4
  %73 = add i32 %72, 1
  store i32 %73, ptr %71, align 4
  %74 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %69) #12
  %75 = getelementptr inbounds nuw i8, ptr %0, i64 152
  %76 = call i32 @pthread_cond_broadcast(ptr noundef nonnull %75) #12
  br label %242
77:                                               ; preds = %174
  %78 = icmp eq i64 %187, 9223372036854775807
  br i1 %78, label %192, label %193
79:                                               ; preds = %29, %174
  %80 = phi i64 [ 9223372036854775807, %29 ], [ %187, %174 ]
  %81 = phi i32 [ 0, %29 ], [ %188, %174 ]
  %82 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %4) #12
  %83 = load i64, ptr %4, align 8
  %84 = load i64, ptr %30, align 8
  %85 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %3) #12
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
  %96 = call i32 @pthread_mutex_lock(ptr noundef nonnull %41) #12
  %97 = load i32, ptr %42, align 4
  %98 = add i32 %97, 1
  store i32 %98, ptr %42, align 4
  %99 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %41) #12
  %100 = call i32 @pthread_cond_broadcast(ptr noundef nonnull %43) #12
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
  %126 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %2) #12
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
  call void asm sideeffect "yield", ""() #12
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
  br i1 %209, label %210, label %223
210:                                              ; preds = %207
  %211 = shl nsw i32 %208, 1
  store i32 %211, ptr %206, align 16
  br label %223
212:                                              ; preds = %201
  store i32 64, ptr %206, align 16
  br label %218
213:                                              ; preds = %193
  %214 = getelementptr inbounds nuw i8, ptr %0, i64 304
  store i32 1024, ptr %214, align 16
  %215 = getelementptr inbounds nuw i8, ptr %0, i64 288
  %216 = load i64, ptr %215, align 32
  %217 = icmp slt i64 %216, 3
  br i1 %217, label %223, label %218
218:                                              ; preds = %212, %213
  %219 = phi ptr [ %203, %212 ], [ %215, %213 ]
  %220 = phi i64 [ %202, %212 ], [ 2, %213 ]
  %221 = getelementptr inbounds nuw i8, ptr %0, i64 336
  store <4 x i32> <i32 1, i32 3, i32 1, i32 0>, ptr %221, align 16
  %222 = getelementptr inbounds nuw i8, ptr %0, i64 352
  store <2 x i32> splat (i32 1), ptr %222, align 32
  br label %223
223:                                              ; preds = %210, %207, %218, %213
  %224 = phi ptr [ %215, %213 ], [ %219, %218 ], [ %203, %207 ], [ %203, %210 ]
  %225 = phi i64 [ 2, %213 ], [ %220, %218 ], [ %202, %207 ], [ %202, %210 ]
  store i64 %225, ptr %224, align 32
  %226 = getelementptr inbounds nuw i8, ptr %0, i64 340
  %227 = load i32, ptr %226, align 4
  %228 = icmp eq i32 %227, 3
  br i1 %228, label %229, label %237
229:                                              ; preds = %223
  %230 = getelementptr inbounds nuw i8, ptr %0, i64 356
  %231 = load i32, ptr %230, align 4
  %232 = add nsw i32 %231, -1
  store i32 %232, ptr %230, align 4
  %233 = icmp slt i32 %231, 2
  br i1 %233, label %234, label %237
234:                                              ; preds = %229
  %235 = getelementptr inbounds nuw i8, ptr %0, i64 376
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(4096) %235, i8 0, i64 4096, i1 false)
  store i32 0, ptr %226, align 4
  %236 = getelementptr inbounds nuw i8, ptr %0, i64 360
  store i32 0, ptr %236, align 8
  br label %237
237:                                              ; preds = %234, %229, %223
  %238 = getelementptr inbounds nuw i8, ptr %0, i64 328
  store i64 0, ptr %238, align 8
  %239 = getelementptr inbounds nuw i8, ptr %0, i64 304
  %240 = load i32, ptr %239, align 16
  %241 = getelementptr inbounds nuw i8, ptr %0, i64 308
  store i32 %240, ptr %241, align 4
  store i32 0, ptr %7, align 8
  br label %242
242:                                              ; preds = %56, %60, %237, %21
  ret void
}
define internal fastcc void @note_time(ptr noundef nonnull %0, ptr noundef %1, i64 noundef range(i64 1, -9223372036854775808) %2, i64 noundef range(i64 1, 0) %3, i64 noundef %4) unnamed_addr #8 {
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
declare i64 @sysconf(i32 noundef) local_unnamed_addr #0
declare ptr @mmap(ptr noundef, i64 noundef, i32 noundef, i32 noundef, i32 noundef, i64 noundef) local_unnamed_addr #0
declare i32 @madvise(ptr noundef, i64 noundef, i32 noundef) local_unnamed_addr #0
declare i32 @munmap(ptr noundef, i64 noundef) local_unnamed_addr #0
declare void @free(ptr noundef) local_unnamed_addr #9
declare i32 @pthread_mutex_init(ptr noundef, ptr noundef) local_unnamed_addr #0
declare i32 @pthread_cond_init(ptr noundef, ptr noundef) local_unnamed_addr #0
declare i32 @pthread_attr_init(ptr noundef) local_unnamed_addr #0
declare i32 @pthread_attr_setstacksize(ptr noundef, i64 noundef) local_unnamed_addr #0
declare i32 @sigfillset(ptr noundef) local_unnamed_addr #0
declare i32 @pthread_sigmask(i32 noundef, ptr noundef, ptr noundef) local_unnamed_addr #0
declare i32 @pthread_create(ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #0
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
  %13 = getelementptr inbounds nuw i8, ptr %4, i64 152
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
  %25 = getelementptr inbounds nuw i8, ptr %4, i64 200
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
  call void asm sideeffect "yield", ""() #12
  %38 = add i32 %33, 1
  %39 = and i32 %38, 63
  %40 = icmp eq i32 %39, 0
  br i1 %40, label %41, label %75
41:                                               ; preds = %37
  %42 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %2) #12
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
  %53 = call i32 @sched_yield() #12
  %54 = sub nsw i64 %46, %48
  %55 = icmp sgt i64 %54, 999999
  br i1 %55, label %56, label %75
56:                                               ; preds = %52
  %57 = call i32 @pthread_mutex_lock(ptr noundef nonnull %10) #12
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
  %69 = call i32 @pthread_cond_wait(ptr noundef nonnull %13, ptr noundef nonnull %10) #12
  %70 = load i32, ptr %12, align 4
  %71 = icmp eq i32 %70, %59
  br i1 %71, label %60, label %72
72:                                               ; preds = %60, %65, %68
  %73 = atomicrmw sub ptr %11, i32 1 seq_cst, align 64
  %74 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %10) #12
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
  call void %88(ptr noundef %90, i64 noundef %138, i64 noundef %146) #12
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
  call void %88(ptr noundef %90, i64 noundef %193, i64 noundef %201) #12
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
  %211 = call i32 @pthread_mutex_lock(ptr noundef nonnull %10) #12
  %212 = call i32 @pthread_cond_signal(ptr noundef nonnull %25) #12
  %213 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %10) #12
  br label %214
214:                                              ; preds = %85, %207, %210, %97, %82
  %215 = phi i64 [ %27, %82 ], [ %27, %97 ], [ %86, %210 ], [ %86, %207 ], [ %27, %85 ]
  %216 = load atomic i32, ptr %5 seq_cst, align 16
  %217 = icmp eq i32 %216, 0
  br i1 %217, label %26, label %218
218:                                              ; preds = %214, %1
  ret ptr null
}
declare i32 @pthread_attr_destroy(ptr noundef) local_unnamed_addr #0
declare i32 @pthread_cond_signal(ptr noundef) local_unnamed_addr #0
declare i32 @sched_yield() local_unnamed_addr #0
declare i32 @pthread_cond_wait(ptr noundef, ptr noundef) local_unnamed_addr #6
define internal fastcc void @send_away(ptr noundef nonnull readonly %0) unnamed_addr #0 {
  %2 = alloca %struct.cpu_set_t, align 8
  %3 = alloca %struct.cpu_set_t, align 8
  %4 = tail call i32 @sched_getcpu() #12
  %5 = icmp ugt i32 %4, 1023
  br i1 %5, label %49, label %6
6:                                                ; preds = %1
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %8 = load i32, ptr %7, align 32
  %9 = icmp sgt i32 %8, 0
  br i1 %9, label %10, label %49
10:                                               ; preds = %6
  %11 = getelementptr inbounds nuw i8, ptr %0, i64 248
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
  %21 = load ptr, ptr %11, align 8
  %22 = getelementptr inbounds nuw i64, ptr %21, i64 %20
  %23 = load i64, ptr %22, align 8
  %24 = call i32 @pthread_getaffinity_np(i64 noundef %23, i64 noundef 128, ptr noundef nonnull %2) #12
  %25 = icmp eq i32 %24, 0
  br i1 %25, label %26, label %44
26:                                               ; preds = %19
  %27 = load i64, ptr %15, align 8
  %28 = and i64 %27, %16
  %29 = icmp eq i64 %28, 0
  br i1 %29, label %44, label %30
30:                                               ; preds = %26
  %31 = call i32 @__sched_cpucount(i64 noundef 128, ptr noundef nonnull %2) #12
  %32 = icmp sgt i32 %31, 1
  br i1 %32, label %33, label %44
33:                                               ; preds = %30
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(128) %3, ptr noundef nonnull align 8 dereferenceable(128) %2, i64 128, i1 false)
  %34 = load i64, ptr %18, align 8
  %35 = and i64 %34, %17
  store i64 %35, ptr %18, align 8
  %36 = load ptr, ptr %11, align 8
  %37 = getelementptr inbounds nuw i64, ptr %36, i64 %20
  %38 = load i64, ptr %37, align 8
  %39 = call i32 @pthread_setaffinity_np(i64 noundef %38, i64 noundef 128, ptr noundef nonnull %3) #12
  %40 = load ptr, ptr %11, align 8
  %41 = getelementptr inbounds nuw i64, ptr %40, i64 %20
  %42 = load i64, ptr %41, align 8
  %43 = call i32 @pthread_setaffinity_np(i64 noundef %42, i64 noundef 128, ptr noundef nonnull %2) #12
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
define internal void @do_nothing(ptr readnone %0, i64 %1, i64 %2) #10 {
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
  call void asm sideeffect "yield", ""() #12
  %31 = add i32 %11, 1
  %32 = and i32 %31, 63
  %33 = icmp eq i32 %32, 0
  br i1 %33, label %34, label %10
34:                                               ; preds = %30
  %35 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %2) #12
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
  %47 = call i32 @sched_yield() #12
  %48 = sub nsw i64 %39, %41
  %49 = icmp sgt i64 %48, 999999
  br i1 %49, label %50, label %45
50:                                               ; preds = %46
  %51 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %52 = call i32 @pthread_mutex_lock(ptr noundef nonnull %51) #12
  %53 = getelementptr inbounds nuw i8, ptr %0, i64 68
  store atomic i32 1, ptr %53 seq_cst, align 4
  %54 = getelementptr inbounds nuw i8, ptr %0, i64 200
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
  %75 = call i32 @pthread_cond_wait(ptr noundef nonnull %54, ptr noundef nonnull %51) #12
  br label %55
76:                                               ; preds = %70
  store atomic i32 0, ptr %53 seq_cst, align 4
  %77 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %51) #12
  br label %78
78:                                               ; preds = %26, %76
  ret void
}
declare i32 @sched_getcpu() local_unnamed_addr #0
declare i32 @pthread_getaffinity_np(i64 noundef, i64 noundef, ptr noundef) local_unnamed_addr #0
declare i32 @__sched_cpucount(i64 noundef, ptr noundef) local_unnamed_addr #0
declare i32 @pthread_setaffinity_np(i64 noundef, i64 noundef, ptr noundef) local_unnamed_addr #0
declare i32 @clock_gettime(i32 noundef, ptr noundef) local_unnamed_addr #0
declare i32 @llvm.smin.i32(i32, i32) #11
declare i64 @llvm.smin.i64(i64, i64) #11
declare i64 @llvm.smax.i64(i64, i64) #11
declare i32 @llvm.umin.i32(i32, i32) #11
declare i64 @llvm.umin.i64(i64, i64) #11
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
