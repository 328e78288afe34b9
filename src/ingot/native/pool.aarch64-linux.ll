; 2f9bef560d72aab6ad079a0f5a6a5e22fd82990d51a50c5bf176210fddd5fe3c
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
  %6 = call i32 @posix_memalign(ptr noundef nonnull %2, i64 noundef 64, i64 noundef 4480) #11
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %8, label %59
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
  %25 = call noalias ptr @calloc(i64 noundef %24, i64 noundef 8) #12
  %26 = load ptr, ptr %2, align 8
  %27 = getelementptr inbounds nuw i8, ptr %26, i64 248
  store ptr %25, ptr %27, align 8
  %28 = icmp eq ptr %25, null
  br i1 %28, label %36, label %29
29:                                               ; preds = %18
  %30 = getelementptr inbounds nuw i8, ptr %26, i64 72
  %31 = shl nuw nsw i64 %24, 7
  %32 = call i32 @posix_memalign(ptr noundef nonnull %30, i64 noundef 64, i64 noundef %31) #11
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
  %43 = call i64 @sysconf(i32 noundef 30) #11
  %44 = call i32 @munmap(ptr noundef nonnull %40, i64 noundef %43) #11
  br label %45
45:                                               ; preds = %36, %42
  %46 = getelementptr inbounds nuw i8, ptr %37, i64 248
  %47 = load ptr, ptr %46, align 8
  call void @free(ptr noundef %47) #11
  %48 = load ptr, ptr %38, align 8
  call void @free(ptr noundef %48) #11
  call void @free(ptr noundef nonnull %37) #11
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
  %6 = tail call i32 @getpid() #11
  %7 = icmp eq i32 %5, %6
  br i1 %7, label %8, label %35
8:                                                ; preds = %3
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 48
  store atomic i32 1, ptr %9 seq_cst, align 16
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %11 = tail call i32 @pthread_mutex_lock(ptr noundef nonnull %10) #11
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 152
  %13 = tail call i32 @pthread_cond_broadcast(ptr noundef nonnull %12) #11
  %14 = tail call i32 @pthread_mutex_unlock(ptr noundef nonnull %10) #11
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %16 = load i32, ptr %15, align 32
  %17 = icmp sgt i32 %16, 0
  br i1 %17, label %18, label %20
18:                                               ; preds = %8
  %19 = getelementptr inbounds nuw i8, ptr %0, i64 248
  br label %25
20:                                               ; preds = %25, %8
  %21 = getelementptr inbounds nuw i8, ptr %0, i64 200
  %22 = tail call i32 @pthread_cond_destroy(ptr noundef nonnull %21) #11
  %23 = tail call i32 @pthread_cond_destroy(ptr noundef nonnull %12) #11
  %24 = tail call i32 @pthread_mutex_destroy(ptr noundef nonnull %10) #11
  br label %35
25:                                               ; preds = %18, %25
  %26 = phi i64 [ 0, %18 ], [ %31, %25 ]
  %27 = load ptr, ptr %19, align 8
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
  %43 = getelementptr inbounds nuw i8, ptr %0, i64 248
  %44 = load ptr, ptr %43, align 8
  tail call void @free(ptr noundef %44) #11
  %45 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %46 = load ptr, ptr %45, align 8
  tail call void @free(ptr noundef %46) #11
  tail call void @free(ptr noundef nonnull %0) #11
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
define void @ingot_pool_for(ptr noundef %0, ptr noundef %1, ptr noundef %2, i64 noundef %3, i64 noundef %4) local_unnamed_addr #0 {
  %6 = alloca %struct.timespec, align 8
  %7 = alloca %struct.timespec, align 8
  %8 = alloca %struct.timespec, align 8
  %9 = alloca %struct.timespec, align 8
  %10 = alloca %union.pthread_attr_t, align 8
  %11 = alloca %struct.__sigset_t, align 8
  %12 = alloca %struct.__sigset_t, align 8
  %13 = icmp slt i64 %3, 1
  br i1 %13, label %505, label %14
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
  br label %505
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
  %36 = tail call i32 @getpid() #11
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
  %47 = tail call i32 @pthread_mutex_init(ptr noundef nonnull %46, ptr noundef null) #11
  %48 = getelementptr inbounds nuw i8, ptr %0, i64 152
  %49 = tail call i32 @pthread_cond_init(ptr noundef nonnull %48, ptr noundef null) #11
  %50 = getelementptr inbounds nuw i8, ptr %0, i64 200
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
  store <2 x i32> splat (i32 1), ptr %62, align 32
  %63 = call i32 @pthread_attr_init(ptr noundef nonnull %10) #11
  %64 = call i32 @pthread_attr_setstacksize(ptr noundef nonnull %10, i64 noundef 4194304) #11
  %65 = call i32 @sigfillset(ptr noundef nonnull %11) #11
  %66 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %11, ptr noundef nonnull %12) #11
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
  %84 = call i32 @pthread_create(ptr noundef %83, ptr noundef nonnull %10, ptr noundef nonnull @work, ptr noundef nonnull %75) #11
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
  %94 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %12, ptr noundef null) #11
  %95 = call i32 @pthread_attr_destroy(ptr noundef nonnull %10) #11
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
  call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #11
  br label %505
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
  %124 = phi i64 [ %118, %113 ], [ %122, %121 ], [ 9223372036854775807, %119 ]
  %125 = getelementptr inbounds nuw i8, ptr %0, i64 340
  %126 = load i32, ptr %125, align 4
  %127 = icmp eq i32 %126, 3
  br i1 %127, label %128, label %131
128:                                              ; preds = %123
  %129 = getelementptr inbounds nuw i8, ptr %0, i64 336
  %130 = load i32, ptr %129, align 16
  br label %131
131:                                              ; preds = %128, %123
  %132 = phi i32 [ %130, %128 ], [ %126, %123 ]
  switch i32 %132, label %136 [
    i32 0, label %137
    i32 1, label %133
  ]
133:                                              ; preds = %131
  %134 = getelementptr inbounds nuw i8, ptr %0, i64 288
  %135 = load i64, ptr %134, align 32
  br label %137
136:                                              ; preds = %131
  br label %137
137:                                              ; preds = %131, %133, %136
  %138 = phi i64 [ 2, %131 ], [ %135, %133 ], [ 9223372036854775807, %136 ]
  %139 = icmp slt i64 %124, %138
  %140 = icmp samesign ugt i64 %124, 1
  %141 = select i1 %139, i1 %140, i1 false
  %142 = zext i1 %141 to i64
  %143 = getelementptr inbounds nuw i8, ptr %0, i64 328
  %144 = load i64, ptr %143, align 8
  %145 = add nsw i64 %144, %142
  store i64 %145, ptr %143, align 8
  %146 = icmp ne i32 %126, 3
  %147 = select i1 %146, i1 %140, i1 false
  %148 = icmp ne i64 %4, 1
  %149 = and i1 %148, %147
  br i1 %149, label %150, label %157
150:                                              ; preds = %137
  %151 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %9) #11
  %152 = load i64, ptr %9, align 8
  %153 = mul nsw i64 %152, 1000000000
  %154 = getelementptr inbounds nuw i8, ptr %9, i64 8
  %155 = load i64, ptr %154, align 8
  %156 = add nsw i64 %153, %155
  br label %157
157:                                              ; preds = %137, %150
  %158 = phi i64 [ %156, %150 ], [ 0, %137 ]
  br i1 %139, label %491, label %159
159:                                              ; preds = %157
  %160 = getelementptr inbounds nuw i8, ptr %0, i64 280
  %161 = load i64, ptr %160, align 8
  %162 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %163 = load i32, ptr %162, align 32
  %164 = add nsw i32 %163, 1
  %165 = sext i32 %164 to i64
  %166 = call i64 @llvm.smin.i64(i64 range(i64 2, -9223372036854775808) %19, i64 %165)
  %167 = trunc nsw i64 %166 to i32
  %168 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %169 = load atomic i32, ptr %168 seq_cst, align 64
  %170 = sub nsw i32 %164, %169
  %171 = icmp slt i32 %170, %167
  br i1 %171, label %173, label %172
172:                                              ; preds = %159
  store i64 0, ptr %160, align 8
  br label %186
173:                                              ; preds = %159
  %174 = sext i32 %170 to i64
  %175 = sdiv i64 %19, %174
  %176 = sdiv i64 %19, %166
  %177 = sub nsw i64 %175, %176
  %178 = icmp slt i64 %177, 64
  br i1 %178, label %180, label %179
179:                                              ; preds = %173
  store i64 64, ptr %160, align 8
  br label %186
180:                                              ; preds = %173
  %181 = load i64, ptr %160, align 8
  %182 = add nsw i64 %181, %177
  %183 = freeze i64 %182
  store i64 %183, ptr %160, align 8
  %184 = icmp slt i64 %183, 64
  %185 = select i1 %184, i32 %170, i32 %167
  br label %186
186:                                              ; preds = %180, %179, %172
  %187 = phi i64 [ 0, %172 ], [ 64, %179 ], [ %183, %180 ]
  %188 = phi i32 [ %167, %172 ], [ %167, %179 ], [ %185, %180 ]
  %189 = icmp slt i64 %4, 2
  br i1 %189, label %190, label %201
190:                                              ; preds = %186
  %191 = icmp sgt i64 %187, %161
  %192 = icmp slt i64 %187, 64
  %193 = and i1 %191, %192
  br i1 %193, label %194, label %201
194:                                              ; preds = %190
  %195 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %8) #11
  %196 = load i64, ptr %8, align 8
  %197 = mul nsw i64 %196, 1000000000
  %198 = getelementptr inbounds nuw i8, ptr %8, i64 8
  %199 = load i64, ptr %198, align 8
  %200 = add nsw i64 %197, %199
  br label %201
201:                                              ; preds = %194, %190, %186
  %202 = phi i64 [ %200, %194 ], [ 0, %186 ], [ 0, %190 ]
  %203 = icmp eq i32 %188, 1
  br i1 %203, label %204, label %205
204:                                              ; preds = %201
  call void %1(ptr noundef %2, i64 noundef 0, i64 noundef range(i64 1, -9223372036854775808) %3) #11
  br label %475
205:                                              ; preds = %201
  %206 = sext i32 %188 to i64
  %207 = shl nsw i64 %206, 3
  %208 = icmp slt i64 %19, %207
  br i1 %208, label %209, label %212
209:                                              ; preds = %205
  %210 = trunc i64 %19 to i32
  %211 = sdiv i32 %210, %188
  br label %212
212:                                              ; preds = %209, %205
  %213 = phi i32 [ %211, %209 ], [ 8, %205 ]
  %214 = mul nsw i32 %213, %188
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
  store atomic i32 %188, ptr %231 release, align 8
  %232 = getelementptr inbounds nuw i8, ptr %0, i64 44
  store atomic i32 %213, ptr %232 release, align 4
  store atomic i64 %217, ptr %0 seq_cst, align 64
  %233 = load i64, ptr %160, align 8
  %234 = icmp sgt i64 %233, 63
  br i1 %234, label %235, label %247
235:                                              ; preds = %212
  %236 = load atomic i32, ptr %168 seq_cst, align 64
  %237 = icmp sgt i32 %236, 0
  br i1 %237, label %238, label %247
238:                                              ; preds = %235
  store i64 0, ptr %160, align 8
  %239 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %240 = call i32 @pthread_mutex_lock(ptr noundef nonnull %239) #11
  %241 = getelementptr inbounds nuw i8, ptr %0, i64 100
  %242 = load i32, ptr %241, align 4
  %243 = add i32 %242, 1
  store i32 %243, ptr %241, align 4
  %244 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %239) #11
  %245 = getelementptr inbounds nuw i8, ptr %0, i64 152
  %246 = call i32 @pthread_cond_broadcast(ptr noundef nonnull %245) #11
  br label %247
247:                                              ; preds = %238, %235, %212
  %248 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %249 = shl i64 %217, 16
  %250 = or disjoint i64 %249, 1
  %251 = add i32 %214, -1
  br label %252
252:                                              ; preds = %272, %247
  %253 = phi i32 [ 0, %247 ], [ %287, %272 ]
  %254 = load ptr, ptr %248, align 8
  %255 = load atomic i64, ptr %254 monotonic, align 64
  br label %256
256:                                              ; preds = %266, %252
  %257 = phi i64 [ %255, %252 ], [ %271, %266 ]
  %258 = lshr i64 %257, 16
  %259 = icmp eq i64 %258, %217
  %260 = trunc i64 %257 to i32
  %261 = and i32 %260, 65535
  %262 = select i1 %259, i32 %261, i32 0
  %263 = icmp ule i64 %258, %217
  %264 = icmp slt i32 %262, %213
  %265 = select i1 %263, i1 %264, i1 false
  br i1 %265, label %266, label %288
266:                                              ; preds = %256
  %267 = zext nneg i32 %262 to i64
  %268 = add i64 %250, %267
  %269 = cmpxchg weak ptr %254, i64 %257, i64 %268 seq_cst seq_cst, align 64
  %270 = extractvalue { i64, i1 } %269, 1
  %271 = extractvalue { i64, i1 } %269, 0
  br i1 %270, label %272, label %256
272:                                              ; preds = %266
  %273 = mul nsw i64 %220, %267
  %274 = mul i32 %262, %223
  %275 = add i32 %274, %251
  %276 = udiv i32 %275, %214
  %277 = zext i32 %276 to i64
  %278 = add nsw i64 %273, %277
  %279 = add nuw nsw i32 %262, 1
  %280 = zext nneg i32 %279 to i64
  %281 = mul nsw i64 %220, %280
  %282 = mul i32 %279, %223
  %283 = add i32 %282, %251
  %284 = udiv i32 %283, %214
  %285 = zext i32 %284 to i64
  %286 = add nsw i64 %281, %285
  call void %1(ptr noundef %2, i64 noundef %278, i64 noundef %286) #11
  %287 = add nuw nsw i32 %253, 1
  br label %252
288:                                              ; preds = %256
  %289 = zext i32 %214 to i64
  %290 = zext nneg i32 %253 to i64
  %291 = sub nsw i64 %289, %290
  %292 = getelementptr inbounds nuw i8, ptr %0, i64 272
  %293 = load i64, ptr %292, align 16
  %294 = add nsw i64 %293, %291
  store i64 %294, ptr %292, align 16
  %295 = load i32, ptr %162, align 32
  %296 = icmp slt i32 %295, 1
  br i1 %296, label %311, label %297
297:                                              ; preds = %288, %297
  %298 = phi i64 [ %305, %297 ], [ 1, %288 ]
  %299 = phi i64 [ %304, %297 ], [ 0, %288 ]
  %300 = load ptr, ptr %248, align 8
  %301 = getelementptr inbounds nuw %struct.share, ptr %300, i64 %298
  %302 = getelementptr inbounds nuw i8, ptr %301, i64 64
  %303 = load atomic i64, ptr %302 seq_cst, align 64
  %304 = add nsw i64 %303, %299
  %305 = add nuw nsw i64 %298, 1
  %306 = load i32, ptr %162, align 32
  %307 = sext i32 %306 to i64
  %308 = icmp slt i64 %298, %307
  br i1 %308, label %297, label %309
309:                                              ; preds = %297
  %310 = load i64, ptr %292, align 16
  br label %311
311:                                              ; preds = %309, %288
  %312 = phi i32 [ %295, %288 ], [ %306, %309 ]
  %313 = phi i64 [ %294, %288 ], [ %310, %309 ]
  %314 = phi i64 [ 0, %288 ], [ %304, %309 ]
  %315 = icmp eq i64 %314, %313
  br i1 %315, label %316, label %335
316:                                              ; preds = %395, %390, %370, %350, %311
  %317 = phi i32 [ %396, %395 ], [ %391, %390 ], [ %371, %370 ], [ %351, %350 ], [ %312, %311 ]
  %318 = icmp slt i32 %317, 1
  br i1 %318, label %331, label %319
319:                                              ; preds = %316, %319
  %320 = phi i64 [ %327, %319 ], [ 1, %316 ]
  %321 = phi i64 [ %326, %319 ], [ 0, %316 ]
  %322 = load ptr, ptr %248, align 8
  %323 = getelementptr inbounds nuw %struct.share, ptr %322, i64 %320
  %324 = getelementptr inbounds nuw i8, ptr %323, i64 64
  %325 = load atomic i64, ptr %324 seq_cst, align 64
  %326 = add nsw i64 %325, %321
  %327 = add nuw nsw i64 %320, 1
  %328 = load i32, ptr %162, align 32
  %329 = sext i32 %328 to i64
  %330 = icmp slt i64 %320, %329
  br i1 %330, label %319, label %331
331:                                              ; preds = %319, %316
  %332 = phi i64 [ 0, %316 ], [ %326, %319 ]
  %333 = load i64, ptr %292, align 16
  %334 = icmp eq i64 %332, %333
  br i1 %334, label %451, label %397
335:                                              ; preds = %311
  call void asm sideeffect "yield", ""() #11
  %336 = load i32, ptr %162, align 32
  %337 = icmp slt i32 %336, 1
  br i1 %337, label %350, label %338
338:                                              ; preds = %335, %338
  %339 = phi i64 [ %346, %338 ], [ 1, %335 ]
  %340 = phi i64 [ %345, %338 ], [ 0, %335 ]
  %341 = load ptr, ptr %248, align 8
  %342 = getelementptr inbounds nuw %struct.share, ptr %341, i64 %339
  %343 = getelementptr inbounds nuw i8, ptr %342, i64 64
  %344 = load atomic i64, ptr %343 seq_cst, align 64
  %345 = add nsw i64 %344, %340
  %346 = add nuw nsw i64 %339, 1
  %347 = load i32, ptr %162, align 32
  %348 = sext i32 %347 to i64
  %349 = icmp slt i64 %339, %348
  br i1 %349, label %338, label %350
350:                                              ; preds = %338, %335
  %351 = phi i32 [ %336, %335 ], [ %347, %338 ]
  %352 = phi i64 [ 0, %335 ], [ %345, %338 ]
  %353 = load i64, ptr %292, align 16
  %354 = icmp eq i64 %352, %353
  br i1 %354, label %316, label %355
355:                                              ; preds = %350
  call void asm sideeffect "yield", ""() #11
  %356 = load i32, ptr %162, align 32
  %357 = icmp slt i32 %356, 1
  br i1 %357, label %370, label %358
358:                                              ; preds = %355, %358
  %359 = phi i64 [ %366, %358 ], [ 1, %355 ]
  %360 = phi i64 [ %365, %358 ], [ 0, %355 ]
  %361 = load ptr, ptr %248, align 8
  %362 = getelementptr inbounds nuw %struct.share, ptr %361, i64 %359
  %363 = getelementptr inbounds nuw i8, ptr %362, i64 64
  %364 = load atomic i64, ptr %363 seq_cst, align 64
  %365 = add nsw i64 %364, %360
  %366 = add nuw nsw i64 %359, 1
  %367 = load i32, ptr %162, align 32
  %368 = sext i32 %367 to i64
  %369 = icmp slt i64 %359, %368
  br i1 %369, label %358, label %370
370:                                              ; preds = %358, %355
  %371 = phi i32 [ %356, %355 ], [ %367, %358 ]
  %372 = phi i64 [ 0, %355 ], [ %365, %358 ]
  %373 = load i64, ptr %292, align 16
  %374 = icmp eq i64 %372, %373
  br i1 %374, label %316, label %375
375:                                              ; preds = %370
  call void asm sideeffect "yield", ""() #11
  %376 = load i32, ptr %162, align 32
  %377 = icmp slt i32 %376, 1
  br i1 %377, label %390, label %378
378:                                              ; preds = %375, %378
  %379 = phi i64 [ %386, %378 ], [ 1, %375 ]
  %380 = phi i64 [ %385, %378 ], [ 0, %375 ]
  %381 = load ptr, ptr %248, align 8
  %382 = getelementptr inbounds nuw %struct.share, ptr %381, i64 %379
  %383 = getelementptr inbounds nuw i8, ptr %382, i64 64
  %384 = load atomic i64, ptr %383 seq_cst, align 64
  %385 = add nsw i64 %384, %380
  %386 = add nuw nsw i64 %379, 1
  %387 = load i32, ptr %162, align 32
  %388 = sext i32 %387 to i64
  %389 = icmp slt i64 %379, %388
  br i1 %389, label %378, label %390
390:                                              ; preds = %378, %375
  %391 = phi i32 [ %376, %375 ], [ %387, %378 ]
  %392 = phi i64 [ 0, %375 ], [ %385, %378 ]
  %393 = load i64, ptr %292, align 16
  %394 = icmp eq i64 %392, %393
  br i1 %394, label %316, label %395
395:                                              ; preds = %390
  call void asm sideeffect "yield", ""() #11
  %396 = load i32, ptr %162, align 32
  br label %316
397:                                              ; preds = %331
  %398 = icmp sgt i32 %188, 1
  br i1 %398, label %399, label %451
399:                                              ; preds = %397
  %400 = zext nneg i32 %188 to i64
  br label %401
401:                                              ; preds = %445, %399
  %402 = phi i64 [ 1, %399 ], [ %447, %445 ]
  %403 = phi i32 [ 0, %399 ], [ %446, %445 ]
  %404 = trunc i64 %402 to i32
  %405 = mul i32 %213, %404
  br label %406
406:                                              ; preds = %427, %401
  %407 = phi i32 [ 0, %401 ], [ %444, %427 ]
  %408 = load ptr, ptr %248, align 8
  %409 = getelementptr inbounds nuw %struct.share, ptr %408, i64 %402
  %410 = load atomic i64, ptr %409 monotonic, align 64
  br label %411
411:                                              ; preds = %421, %406
  %412 = phi i64 [ %410, %406 ], [ %426, %421 ]
  %413 = lshr i64 %412, 16
  %414 = icmp eq i64 %413, %217
  %415 = trunc i64 %412 to i32
  %416 = and i32 %415, 65535
  %417 = select i1 %414, i32 %416, i32 0
  %418 = icmp ule i64 %413, %217
  %419 = icmp slt i32 %417, %213
  %420 = select i1 %418, i1 %419, i1 false
  br i1 %420, label %421, label %445
421:                                              ; preds = %411
  %422 = zext nneg i32 %417 to i64
  %423 = add i64 %250, %422
  %424 = cmpxchg weak ptr %409, i64 %412, i64 %423 seq_cst seq_cst, align 64
  %425 = extractvalue { i64, i1 } %424, 1
  %426 = extractvalue { i64, i1 } %424, 0
  br i1 %425, label %427, label %411
427:                                              ; preds = %421
  %428 = add nsw i32 %417, %405
  %429 = zext i32 %428 to i64
  %430 = mul nsw i64 %220, %429
  %431 = mul i32 %428, %223
  %432 = add i32 %431, %251
  %433 = udiv i32 %432, %214
  %434 = zext i32 %433 to i64
  %435 = add nsw i64 %430, %434
  %436 = add i32 %428, 1
  %437 = zext i32 %436 to i64
  %438 = mul nsw i64 %220, %437
  %439 = mul i32 %436, %223
  %440 = add i32 %439, %251
  %441 = udiv i32 %440, %214
  %442 = zext i32 %441 to i64
  %443 = add nsw i64 %438, %442
  call void %1(ptr noundef %2, i64 noundef %435, i64 noundef %443) #11
  %444 = add nuw nsw i32 %407, 1
  br label %406
445:                                              ; preds = %411
  %446 = add nuw nsw i32 %407, %403
  %447 = add nuw nsw i64 %402, 1
  %448 = icmp eq i64 %447, %400
  br i1 %448, label %449, label %401
449:                                              ; preds = %445
  %450 = load i64, ptr %292, align 16
  br label %451
451:                                              ; preds = %449, %397, %331
  %452 = phi i64 [ %332, %331 ], [ %333, %397 ], [ %450, %449 ]
  %453 = phi i32 [ 0, %331 ], [ 0, %397 ], [ %446, %449 ]
  %454 = sext i32 %453 to i64
  %455 = sub nsw i64 %452, %454
  store i64 %455, ptr %292, align 16
  %456 = add nsw i32 %453, %253
  %457 = icmp ult i32 %456, %214
  %458 = getelementptr inbounds nuw i8, ptr %0, i64 296
  br i1 %457, label %459, label %465
459:                                              ; preds = %451
  store i32 0, ptr %458, align 8
  %460 = getelementptr inbounds nuw i8, ptr %0, i64 300
  %461 = load i32, ptr %460, align 4
  %462 = icmp sgt i32 %461, 4
  %463 = sext i1 %462 to i32
  %464 = add i32 %461, %463
  store i32 %464, ptr %460, align 4
  br label %474
465:                                              ; preds = %451
  %466 = load i32, ptr %458, align 8
  %467 = add nsw i32 %466, 1
  store i32 %467, ptr %458, align 8
  %468 = getelementptr inbounds nuw i8, ptr %0, i64 300
  %469 = load i32, ptr %468, align 4
  %470 = icmp slt i32 %467, %469
  br i1 %470, label %474, label %471
471:                                              ; preds = %465
  store i32 0, ptr %458, align 8
  %472 = call i32 @llvm.smin.i32(i32 %469, i32 32)
  %473 = shl i32 %472, 1
  store i32 %473, ptr %468, align 4
  call fastcc void @send_away(ptr noundef nonnull %0)
  br label %474
474:                                              ; preds = %471, %465, %459
  call fastcc void @wait_for_workers(ptr noundef nonnull %0)
  br label %475
475:                                              ; preds = %474, %204
  %476 = icmp eq i64 %202, 0
  br i1 %476, label %492, label %477
477:                                              ; preds = %475
  %478 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %7) #11
  %479 = load i64, ptr %7, align 8
  %480 = mul nsw i64 %479, 1000000000
  %481 = getelementptr inbounds nuw i8, ptr %7, i64 8
  %482 = load i64, ptr %481, align 8
  %483 = sub i64 %482, %202
  %484 = add i64 %483, %480
  %485 = sdiv i64 %484, 1000
  %486 = add nsw i64 %485, %161
  %487 = load i64, ptr %160, align 8
  %488 = icmp slt i64 %486, %487
  %489 = call i64 @llvm.smin.i64(i64 %486, i64 64)
  %490 = select i1 %488, i64 %487, i64 %489
  store i64 %490, ptr %160, align 8
  br label %492
491:                                              ; preds = %157
  call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #11
  br label %492
492:                                              ; preds = %477, %475, %491
  %493 = icmp eq i64 %158, 0
  br i1 %493, label %504, label %494
494:                                              ; preds = %492
  %495 = load i32, ptr %125, align 4
  %496 = icmp eq i32 %495, 3
  br i1 %496, label %504, label %497
497:                                              ; preds = %494
  %498 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %6) #11
  %499 = load i64, ptr %6, align 8
  %500 = mul nsw i64 %499, 1000000000
  %501 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %502 = load i64, ptr %501, align 8
  %503 = add nsw i64 %500, %502
  call fastcc void @note_time(ptr noundef %0, ptr noundef %1, i64 noundef %3, i64 noundef %158, i64 noundef %503)
  br label %504
504:                                              ; preds = %497, %494, %492
  store atomic i32 0, ptr %101 seq_cst, align 64
  br label %505
505:                                              ; preds = %27, %104, %504, %5
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
  br label %264
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
  %44 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %45 = getelementptr inbounds nuw i8, ptr %0, i64 272
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
  br label %264
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
  %75 = getelementptr inbounds nuw i8, ptr %0, i64 152
  %76 = call i32 @pthread_cond_broadcast(ptr noundef nonnull %75) #11
  br label %264
77:                                               ; preds = %196
  %78 = icmp eq i64 %209, 9223372036854775807
  br i1 %78, label %214, label %215
79:                                               ; preds = %29, %196
  %80 = phi i64 [ 9223372036854775807, %29 ], [ %209, %196 ]
  %81 = phi i32 [ 0, %29 ], [ %210, %196 ]
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
  store atomic i64 %89, ptr %0 seq_cst, align 64
  %90 = load i64, ptr %40, align 8
  %91 = icmp sgt i64 %90, 63
  br i1 %91, label %92, label %101
92:                                               ; preds = %79
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
  %102 = shl i64 %89, 16
  %103 = or disjoint i64 %102, 1
  br label %104
104:                                              ; preds = %121, %101
  %105 = phi i32 [ 0, %101 ], [ %122, %121 ]
  %106 = load ptr, ptr %44, align 8
  %107 = load atomic i64, ptr %106 monotonic, align 64
  br label %108
108:                                              ; preds = %117, %104
  %109 = phi i64 [ %107, %104 ], [ %120, %117 ]
  %110 = lshr i64 %109, 16
  %111 = icmp ne i64 %110, %89
  %112 = icmp ule i64 %110, %89
  %113 = and i64 %109, 65535
  %114 = icmp eq i64 %113, 0
  %115 = or i1 %111, %114
  %116 = and i1 %112, %115
  br i1 %116, label %117, label %123
117:                                              ; preds = %108
  %118 = cmpxchg weak ptr %106, i64 %109, i64 %103 seq_cst seq_cst, align 64
  %119 = extractvalue { i64, i1 } %118, 1
  %120 = extractvalue { i64, i1 } %118, 0
  br i1 %119, label %121, label %108
121:                                              ; preds = %117
  %122 = add nuw nsw i32 %105, 1
  br label %104
123:                                              ; preds = %108
  %124 = zext nneg i32 %105 to i64
  %125 = load i64, ptr %45, align 16
  %126 = sub i64 %125, %124
  %127 = add i64 %126, 2
  store i64 %127, ptr %45, align 16
  %128 = load i32, ptr %26, align 32
  %129 = icmp slt i32 %128, 1
  br i1 %129, label %144, label %130
130:                                              ; preds = %123, %130
  %131 = phi i64 [ %138, %130 ], [ 1, %123 ]
  %132 = phi i64 [ %137, %130 ], [ 0, %123 ]
  %133 = load ptr, ptr %44, align 8
  %134 = getelementptr inbounds nuw %struct.share, ptr %133, i64 %131
  %135 = getelementptr inbounds nuw i8, ptr %134, i64 64
  %136 = load atomic i64, ptr %135 seq_cst, align 64
  %137 = add nsw i64 %136, %132
  %138 = add nuw nsw i64 %131, 1
  %139 = load i32, ptr %26, align 32
  %140 = sext i32 %139 to i64
  %141 = icmp slt i64 %131, %140
  br i1 %141, label %130, label %142
142:                                              ; preds = %130
  %143 = load i64, ptr %45, align 16
  br label %144
144:                                              ; preds = %142, %123
  %145 = phi i64 [ %127, %123 ], [ %143, %142 ]
  %146 = phi i64 [ 0, %123 ], [ %137, %142 ]
  %147 = icmp eq i64 %146, %145
  br i1 %147, label %148, label %173
148:                                              ; preds = %189, %144
  %149 = phi i1 [ true, %144 ], [ %192, %189 ]
  %150 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %2) #11
  %151 = load i64, ptr %2, align 8
  %152 = load i64, ptr %46, align 8
  br label %153
153:                                              ; preds = %171, %148
  %154 = phi i32 [ 0, %148 ], [ %172, %171 ]
  %155 = load ptr, ptr %44, align 8
  %156 = getelementptr inbounds nuw i8, ptr %155, i64 128
  %157 = load atomic i64, ptr %156 monotonic, align 64
  br label %158
158:                                              ; preds = %167, %153
  %159 = phi i64 [ %157, %153 ], [ %170, %167 ]
  %160 = lshr i64 %159, 16
  %161 = icmp ne i64 %160, %89
  %162 = icmp ule i64 %160, %89
  %163 = and i64 %159, 65535
  %164 = icmp eq i64 %163, 0
  %165 = or i1 %161, %164
  %166 = and i1 %162, %165
  br i1 %166, label %167, label %196
167:                                              ; preds = %158
  %168 = cmpxchg weak ptr %156, i64 %159, i64 %103 seq_cst seq_cst, align 64
  %169 = extractvalue { i64, i1 } %168, 1
  %170 = extractvalue { i64, i1 } %168, 0
  br i1 %169, label %171, label %158
171:                                              ; preds = %167
  %172 = add nuw nsw i32 %154, 1
  br label %153
173:                                              ; preds = %144, %189
  %174 = phi i32 [ %193, %189 ], [ 0, %144 ]
  call void asm sideeffect "yield", ""() #11
  %175 = load i32, ptr %26, align 32
  %176 = icmp slt i32 %175, 1
  br i1 %176, label %189, label %177
177:                                              ; preds = %173, %177
  %178 = phi i64 [ %185, %177 ], [ 1, %173 ]
  %179 = phi i64 [ %184, %177 ], [ 0, %173 ]
  %180 = load ptr, ptr %44, align 8
  %181 = getelementptr inbounds nuw %struct.share, ptr %180, i64 %178
  %182 = getelementptr inbounds nuw i8, ptr %181, i64 64
  %183 = load atomic i64, ptr %182 seq_cst, align 64
  %184 = add nsw i64 %183, %179
  %185 = add nuw nsw i64 %178, 1
  %186 = load i32, ptr %26, align 32
  %187 = sext i32 %186 to i64
  %188 = icmp slt i64 %178, %187
  br i1 %188, label %177, label %189
189:                                              ; preds = %177, %173
  %190 = phi i64 [ 0, %173 ], [ %184, %177 ]
  %191 = load i64, ptr %45, align 16
  %192 = icmp eq i64 %190, %191
  %193 = add nuw nsw i32 %174, 1
  %194 = icmp samesign ugt i32 %174, 126
  %195 = select i1 %194, i1 true, i1 %192
  br i1 %195, label %148, label %173
196:                                              ; preds = %158
  %197 = zext nneg i32 %154 to i64
  %198 = mul i64 %86, 9223372035854775808
  %199 = sub i64 %198, %87
  %200 = load i64, ptr %45, align 16
  %201 = sub nsw i64 %200, %197
  store i64 %201, ptr %45, align 16
  call fastcc void @wait_for_workers(ptr noundef nonnull %0)
  %202 = shl i64 %199, 1
  %203 = add i64 %151, %83
  %204 = mul i64 %203, 1000000000
  %205 = add i64 %202, %84
  %206 = add i64 %205, %152
  %207 = add i64 %206, %204
  %208 = select i1 %149, i64 %207, i64 9223372036854775807
  %209 = call i64 @llvm.smin.i64(i64 %208, i64 %80)
  %210 = add nuw nsw i32 %81, 1
  %211 = icmp samesign ult i32 %81, 3
  %212 = icmp sgt i64 %209, 300
  %213 = select i1 %211, i1 %212, i1 false
  br i1 %213, label %79, label %77
214:                                              ; preds = %77
  call fastcc void @send_away(ptr noundef %0)
  br label %223
215:                                              ; preds = %77
  br i1 %212, label %216, label %235
216:                                              ; preds = %215
  %217 = icmp samesign ult i64 %209, 895
  br i1 %217, label %218, label %223
218:                                              ; preds = %216
  %219 = trunc nuw nsw i64 %209 to i16
  %220 = mul nuw nsw i16 %219, 24
  %221 = udiv i16 %220, 500
  %222 = zext nneg i16 %221 to i64
  br label %223
223:                                              ; preds = %218, %216, %214
  %224 = phi i64 [ 43, %214 ], [ 43, %216 ], [ %222, %218 ]
  %225 = getelementptr inbounds nuw i8, ptr %0, i64 288
  %226 = load i64, ptr %225, align 32
  %227 = icmp slt i64 %226, 3
  %228 = getelementptr inbounds nuw i8, ptr %0, i64 304
  br i1 %227, label %234, label %229
229:                                              ; preds = %223
  %230 = load i32, ptr %228, align 16
  %231 = icmp slt i32 %230, 1024
  br i1 %231, label %232, label %245
232:                                              ; preds = %229
  %233 = shl nsw i32 %230, 1
  store i32 %233, ptr %228, align 16
  br label %245
234:                                              ; preds = %223
  store i32 64, ptr %228, align 16
  br label %240
235:                                              ; preds = %215
  %236 = getelementptr inbounds nuw i8, ptr %0, i64 304
  store i32 1024, ptr %236, align 16
  %237 = getelementptr inbounds nuw i8, ptr %0, i64 288
  %238 = load i64, ptr %237, align 32
  %239 = icmp slt i64 %238, 3
  br i1 %239, label %245, label %240
240:                                              ; preds = %234, %235
  %241 = phi ptr [ %225, %234 ], [ %237, %235 ]
  %242 = phi i64 [ %224, %234 ], [ 2, %235 ]
  %243 = getelementptr inbounds nuw i8, ptr %0, i64 336
  store <4 x i32> <i32 1, i32 3, i32 1, i32 0>, ptr %243, align 16
  %244 = getelementptr inbounds nuw i8, ptr %0, i64 352
  store <2 x i32> splat (i32 1), ptr %244, align 32
  br label %245
245:                                              ; preds = %232, %229, %240, %235
  %246 = phi ptr [ %237, %235 ], [ %241, %240 ], [ %225, %229 ], [ %225, %232 ]
  %247 = phi i64 [ 2, %235 ], [ %242, %240 ], [ %224, %229 ], [ %224, %232 ]
  store i64 %247, ptr %246, align 32
  %248 = getelementptr inbounds nuw i8, ptr %0, i64 340
  %249 = load i32, ptr %248, align 4
  %250 = icmp eq i32 %249, 3
  br i1 %250, label %251, label %259
251:                                              ; preds = %245
  %252 = getelementptr inbounds nuw i8, ptr %0, i64 356
  %253 = load i32, ptr %252, align 4
  %254 = add nsw i32 %253, -1
  store i32 %254, ptr %252, align 4
  %255 = icmp slt i32 %253, 2
  br i1 %255, label %256, label %259
256:                                              ; preds = %251
  %257 = getelementptr inbounds nuw i8, ptr %0, i64 376
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(4096) %257, i8 0, i64 4096, i1 false)
  store i32 0, ptr %248, align 4
  %258 = getelementptr inbounds nuw i8, ptr %0, i64 360
  store i32 0, ptr %258, align 8
  br label %259
259:                                              ; preds = %256, %251, %245
  %260 = getelementptr inbounds nuw i8, ptr %0, i64 328
  store i64 0, ptr %260, align 8
  %261 = getelementptr inbounds nuw i8, ptr %0, i64 304
  %262 = load i32, ptr %261, align 16
  %263 = getelementptr inbounds nuw i8, ptr %0, i64 308
  store i32 %262, ptr %263, align 4
  store i32 0, ptr %7, align 8
  br label %264
264:                                              ; preds = %56, %60, %259, %21
  ret void
}
define internal fastcc void @note_time(ptr noundef nonnull %0, ptr noundef %1, i64 noundef range(i64 1, -9223372036854775808) %2, i64 noundef range(i64 1, 0) %3, i64 noundef %4) unnamed_addr #7 {
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
declare void @free(ptr noundef) local_unnamed_addr #8
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
  br i1 %7, label %8, label %215
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
26:                                               ; preds = %8, %211
  %27 = phi i64 [ 0, %8 ], [ %212, %211 ]
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
  call void asm sideeffect "yield", ""() #11
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
  br i1 %84, label %85, label %211
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
  br i1 %96, label %211, label %97
97:                                               ; preds = %85
  %98 = load atomic i64, ptr %4 monotonic, align 64
  %99 = icmp eq i64 %98, %86
  br i1 %99, label %100, label %211
100:                                              ; preds = %97
  %101 = load i32, ptr %21, align 8
  %102 = srem i32 %101, %94
  %103 = sext i32 %102 to i64
  %104 = shl i64 %86, 16
  %105 = or disjoint i64 %104, 1
  %106 = mul nsw i32 %102, %95
  %107 = add i32 %93, -1
  br label %108
108:                                              ; preds = %128, %100
  %109 = load ptr, ptr %23, align 8
  %110 = getelementptr inbounds %struct.share, ptr %109, i64 %103
  %111 = load atomic i64, ptr %110 monotonic, align 64
  br label %112
112:                                              ; preds = %122, %108
  %113 = phi i64 [ %111, %108 ], [ %127, %122 ]
  %114 = lshr i64 %113, 16
  %115 = icmp eq i64 %114, %86
  %116 = trunc i64 %113 to i32
  %117 = and i32 %116, 65535
  %118 = select i1 %115, i32 %117, i32 0
  %119 = icmp ule i64 %114, %86
  %120 = icmp slt i32 %118, %95
  %121 = select i1 %119, i1 %120, i1 false
  br i1 %121, label %122, label %147
122:                                              ; preds = %112
  %123 = zext nneg i32 %118 to i64
  %124 = add i64 %105, %123
  %125 = cmpxchg weak ptr %110, i64 %113, i64 %124 seq_cst seq_cst, align 64
  %126 = extractvalue { i64, i1 } %125, 1
  %127 = extractvalue { i64, i1 } %125, 0
  br i1 %126, label %128, label %112
128:                                              ; preds = %122
  %129 = add nsw i32 %118, %106
  %130 = zext i32 %129 to i64
  %131 = mul nsw i64 %91, %130
  %132 = mul i32 %129, %92
  %133 = add i32 %132, %107
  %134 = udiv i32 %133, %93
  %135 = zext i32 %134 to i64
  %136 = add nsw i64 %131, %135
  %137 = add i32 %129, 1
  %138 = zext i32 %137 to i64
  %139 = mul nsw i64 %91, %138
  %140 = mul i32 %137, %92
  %141 = add i32 %140, %107
  %142 = udiv i32 %141, %93
  %143 = zext i32 %142 to i64
  %144 = add nsw i64 %139, %143
  call void %88(ptr noundef %90, i64 noundef %136, i64 noundef %144) #11
  %145 = load atomic i64, ptr %22 monotonic, align 8
  %146 = add nsw i64 %145, 1
  store atomic i64 %146, ptr %22 seq_cst, align 8
  br label %108
147:                                              ; preds = %112
  %148 = icmp sgt i32 %94, 1
  br i1 %148, label %149, label %204
149:                                              ; preds = %147
  %150 = icmp sgt i32 %95, 1
  br label %151
151:                                              ; preds = %149, %201
  %152 = phi i32 [ %202, %201 ], [ 1, %149 ]
  %153 = add nsw i32 %152, %102
  %154 = icmp slt i32 %153, %94
  %155 = select i1 %154, i32 0, i32 %94
  %156 = icmp ne i32 %153, %155
  %157 = select i1 %156, i1 true, i1 %150
  br i1 %157, label %158, label %201
158:                                              ; preds = %151
  %159 = sub nsw i32 %153, %155
  %160 = sext i32 %159 to i64
  %161 = mul nsw i32 %159, %95
  br label %162
162:                                              ; preds = %182, %158
  %163 = load ptr, ptr %23, align 8
  %164 = getelementptr inbounds %struct.share, ptr %163, i64 %160
  %165 = load atomic i64, ptr %164 monotonic, align 64
  br label %166
166:                                              ; preds = %176, %162
  %167 = phi i64 [ %165, %162 ], [ %181, %176 ]
  %168 = lshr i64 %167, 16
  %169 = icmp eq i64 %168, %86
  %170 = trunc i64 %167 to i32
  %171 = and i32 %170, 65535
  %172 = select i1 %169, i32 %171, i32 0
  %173 = icmp ule i64 %168, %86
  %174 = icmp slt i32 %172, %95
  %175 = select i1 %173, i1 %174, i1 false
  br i1 %175, label %176, label %201
176:                                              ; preds = %166
  %177 = zext nneg i32 %172 to i64
  %178 = add i64 %105, %177
  %179 = cmpxchg weak ptr %164, i64 %167, i64 %178 seq_cst seq_cst, align 64
  %180 = extractvalue { i64, i1 } %179, 1
  %181 = extractvalue { i64, i1 } %179, 0
  br i1 %180, label %182, label %166
182:                                              ; preds = %176
  %183 = add nsw i32 %172, %161
  %184 = zext i32 %183 to i64
  %185 = mul nsw i64 %91, %184
  %186 = mul i32 %183, %92
  %187 = add i32 %186, %107
  %188 = udiv i32 %187, %93
  %189 = zext i32 %188 to i64
  %190 = add nsw i64 %185, %189
  %191 = add i32 %183, 1
  %192 = zext i32 %191 to i64
  %193 = mul nsw i64 %91, %192
  %194 = mul i32 %191, %92
  %195 = add i32 %194, %107
  %196 = udiv i32 %195, %93
  %197 = zext i32 %196 to i64
  %198 = add nsw i64 %193, %197
  call void %88(ptr noundef %90, i64 noundef %190, i64 noundef %198) #11
  %199 = load atomic i64, ptr %22 monotonic, align 8
  %200 = add nsw i64 %199, 1
  store atomic i64 %200, ptr %22 seq_cst, align 8
  br label %162
201:                                              ; preds = %166, %151
  %202 = add nuw nsw i32 %152, 1
  %203 = icmp eq i32 %202, %94
  br i1 %203, label %204, label %151
204:                                              ; preds = %201, %147
  %205 = load atomic i32, ptr %24 seq_cst, align 4
  %206 = icmp eq i32 %205, 0
  br i1 %206, label %211, label %207
207:                                              ; preds = %204
  %208 = call i32 @pthread_mutex_lock(ptr noundef nonnull %10) #11
  %209 = call i32 @pthread_cond_signal(ptr noundef nonnull %25) #11
  %210 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %10) #11
  br label %211
211:                                              ; preds = %85, %204, %207, %97, %82
  %212 = phi i64 [ %27, %82 ], [ %27, %97 ], [ %86, %207 ], [ %86, %204 ], [ %27, %85 ]
  %213 = load atomic i32, ptr %5 seq_cst, align 16
  %214 = icmp eq i32 %213, 0
  br i1 %214, label %26, label %215
215:                                              ; preds = %211, %1
  ret ptr null
}
declare i32 @pthread_attr_destroy(ptr noundef) local_unnamed_addr #0
declare i32 @pthread_cond_signal(ptr noundef) local_unnamed_addr #0
declare i32 @sched_yield() local_unnamed_addr #0
declare i32 @pthread_cond_wait(ptr noundef, ptr noundef) local_unnamed_addr #6
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
  %36 = load ptr, ptr %11, align 8
  %37 = getelementptr inbounds nuw i64, ptr %36, i64 %20
  %38 = load i64, ptr %37, align 8
  %39 = call i32 @pthread_setaffinity_np(i64 noundef %38, i64 noundef 128, ptr noundef nonnull %3) #11
  %40 = load ptr, ptr %11, align 8
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
define internal void @do_nothing(ptr readnone %0, i64 %1, i64 %2) #9 {
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
  call void asm sideeffect "yield", ""() #11
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
  %75 = call i32 @pthread_cond_wait(ptr noundef nonnull %54, ptr noundef nonnull %51) #11
  br label %55
76:                                               ; preds = %70
  store atomic i32 0, ptr %53 seq_cst, align 4
  %77 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %51) #11
  br label %78
78:                                               ; preds = %26, %76
  ret void
}
declare i32 @sched_getcpu() local_unnamed_addr #0
declare i32 @pthread_getaffinity_np(i64 noundef, i64 noundef, ptr noundef) local_unnamed_addr #0
declare i32 @__sched_cpucount(i64 noundef, ptr noundef) local_unnamed_addr #0
declare i32 @pthread_setaffinity_np(i64 noundef, i64 noundef, ptr noundef) local_unnamed_addr #0
declare i32 @clock_gettime(i32 noundef, ptr noundef) local_unnamed_addr #0
declare i32 @llvm.smin.i32(i32, i32) #10
declare i64 @llvm.smin.i64(i64, i64) #10
declare i32 @llvm.umin.i32(i32, i32) #10
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
