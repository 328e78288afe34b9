; 7a5e80579ea6ff0d15105387afd375ece11345f740934e23376665e54cd38896
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
  %6 = call i32 @posix_memalign(ptr noundef nonnull %2, i64 noundef 64, i64 noundef 4480) #10
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %8, label %59
8:                                                ; preds = %4
  %9 = load ptr, ptr %2, align 8
  %10 = call i64 @sysconf(i32 noundef 30) #10
  %11 = call ptr @mmap(ptr noundef null, i64 noundef %10, i32 noundef 3, i32 noundef 34, i32 noundef -1, i64 noundef 0) #10
  %12 = icmp eq ptr %11, inttoptr (i64 -1 to ptr)
  br i1 %12, label %18, label %13
13:                                               ; preds = %8
  %14 = call i32 @madvise(ptr noundef %11, i64 noundef %10, i32 noundef 18) #10
  %15 = icmp eq i32 %14, 0
  br i1 %15, label %18, label %16
16:                                               ; preds = %13
  %17 = call i32 @munmap(ptr noundef %11, i64 noundef %10) #10
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
  %25 = call noalias ptr @calloc(i64 noundef %24, i64 noundef 8) #11
  %26 = load ptr, ptr %2, align 8
  %27 = getelementptr inbounds nuw i8, ptr %26, i64 248
  store ptr %25, ptr %27, align 8
  %28 = icmp eq ptr %25, null
  br i1 %28, label %36, label %29
29:                                               ; preds = %18
  %30 = getelementptr inbounds nuw i8, ptr %26, i64 72
  %31 = shl nuw nsw i64 %24, 7
  %32 = call i32 @posix_memalign(ptr noundef nonnull %30, i64 noundef 64, i64 noundef %31) #10
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
  %43 = call i64 @sysconf(i32 noundef 30) #10
  %44 = call i32 @munmap(ptr noundef nonnull %40, i64 noundef %43) #10
  br label %45
45:                                               ; preds = %36, %42
  %46 = getelementptr inbounds nuw i8, ptr %37, i64 248
  %47 = load ptr, ptr %46, align 8
  call void @free(ptr noundef %47) #10
  %48 = load ptr, ptr %38, align 8
  call void @free(ptr noundef %48) #10
  call void @free(ptr noundef nonnull %37) #10
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
  %6 = tail call i32 @getpid() #10
  %7 = icmp eq i32 %5, %6
  br i1 %7, label %8, label %35
8:                                                ; preds = %3
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 48
  store atomic i32 1, ptr %9 seq_cst, align 16
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %11 = tail call i32 @pthread_mutex_lock(ptr noundef nonnull %10) #10
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 152
  %13 = tail call i32 @pthread_cond_broadcast(ptr noundef nonnull %12) #10
  %14 = tail call i32 @pthread_mutex_unlock(ptr noundef nonnull %10) #10
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %16 = load i32, ptr %15, align 32
  %17 = icmp sgt i32 %16, 0
  br i1 %17, label %18, label %20
18:                                               ; preds = %8
  %19 = getelementptr inbounds nuw i8, ptr %0, i64 248
  br label %25
20:                                               ; preds = %25, %8
  %21 = getelementptr inbounds nuw i8, ptr %0, i64 200
  %22 = tail call i32 @pthread_cond_destroy(ptr noundef nonnull %21) #10
  %23 = tail call i32 @pthread_cond_destroy(ptr noundef nonnull %12) #10
  %24 = tail call i32 @pthread_mutex_destroy(ptr noundef nonnull %10) #10
  br label %35
25:                                               ; preds = %18, %25
  %26 = phi i64 [ 0, %18 ], [ %31, %25 ]
  %27 = load ptr, ptr %19, align 8
  %28 = getelementptr inbounds nuw i64, ptr %27, i64 %26
  %29 = load i64, ptr %28, align 8
  %30 = tail call i32 @pthread_join(i64 noundef %29, ptr noundef null) #10
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
  %40 = tail call i64 @sysconf(i32 noundef 30) #10
  %41 = tail call i32 @munmap(ptr noundef nonnull %37, i64 noundef %40) #10
  br label %42
42:                                               ; preds = %35, %39
  %43 = getelementptr inbounds nuw i8, ptr %0, i64 248
  %44 = load ptr, ptr %43, align 8
  tail call void @free(ptr noundef %44) #10
  %45 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %46 = load ptr, ptr %45, align 8
  tail call void @free(ptr noundef %46) #10
  tail call void @free(ptr noundef nonnull %0) #10
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
  br i1 %13, label %832, label %14
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
  tail call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #10
  br label %832
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
  %36 = tail call i32 @getpid() #10
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
  %47 = tail call i32 @pthread_mutex_init(ptr noundef nonnull %46, ptr noundef null) #10
  %48 = getelementptr inbounds nuw i8, ptr %0, i64 152
  %49 = tail call i32 @pthread_cond_init(ptr noundef nonnull %48, ptr noundef null) #10
  %50 = getelementptr inbounds nuw i8, ptr %0, i64 200
  %51 = tail call i32 @pthread_cond_init(ptr noundef nonnull %50, ptr noundef null) #10
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
  %63 = call i32 @pthread_attr_init(ptr noundef nonnull %10) #10
  %64 = call i32 @pthread_attr_setstacksize(ptr noundef nonnull %10, i64 noundef 4194304) #10
  %65 = call i32 @sigfillset(ptr noundef nonnull %11) #10
  %66 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %11, ptr noundef nonnull %12) #10
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
  %84 = call i32 @pthread_create(ptr noundef %83, ptr noundef nonnull %10, ptr noundef nonnull @work, ptr noundef nonnull %75) #10
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
  %94 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %12, ptr noundef null) #10
  %95 = call i32 @pthread_attr_destroy(ptr noundef nonnull %10) #10
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
  call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #10
  br label %832
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
  %151 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %9) #10
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
  %195 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %8) #10
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
  call void %1(ptr noundef %2, i64 noundef 0, i64 noundef range(i64 1, -9223372036854775808) %3) #10
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
  %240 = call i32 @pthread_mutex_lock(ptr noundef nonnull %239) #10
  %241 = getelementptr inbounds nuw i8, ptr %0, i64 100
  %242 = load i32, ptr %241, align 4
  %243 = add i32 %242, 1
  store i32 %243, ptr %241, align 4
  %244 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %239) #10
  %245 = getelementptr inbounds nuw i8, ptr %0, i64 152
  %246 = call i32 @pthread_cond_broadcast(ptr noundef nonnull %245) #10
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
  call void %1(ptr noundef %2, i64 noundef %278, i64 noundef %286) #10
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
  call void asm sideeffect "yield", ""() #10
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
  call void asm sideeffect "yield", ""() #10
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
  call void asm sideeffect "yield", ""() #10
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
  call void asm sideeffect "yield", ""() #10
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
  call void %1(ptr noundef %2, i64 noundef %435, i64 noundef %443) #10
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
  %478 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %7) #10
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
  call void %1(ptr noundef %2, i64 noundef 0, i64 noundef %3) #10
  br label %492
492:                                              ; preds = %477, %475, %491
  %493 = icmp eq i64 %158, 0
  br i1 %493, label %831, label %494
494:                                              ; preds = %492
  %495 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %6) #10
  %496 = load i64, ptr %6, align 8
  %497 = mul nsw i64 %496, 1000000000
  %498 = getelementptr inbounds nuw i8, ptr %6, i64 8
  %499 = load i64, ptr %498, align 8
  %500 = add nsw i64 %497, %499
  %501 = getelementptr inbounds nuw i8, ptr %0, i64 360
  %502 = load i32, ptr %501, align 8
  %503 = icmp slt i32 %502, 16
  br i1 %503, label %631, label %504
504:                                              ; preds = %494
  %505 = ptrtoint ptr %1 to i64
  %506 = lshr i64 %505, 4
  %507 = getelementptr inbounds nuw i8, ptr %0, i64 376
  %508 = and i64 %506, 63
  %509 = getelementptr inbounds nuw %struct.times, ptr %507, i64 %508
  %510 = load ptr, ptr %509, align 8
  %511 = icmp eq ptr %510, null
  br i1 %511, label %512, label %513
512:                                              ; preds = %504
  store ptr %1, ptr %509, align 8
  br label %610
513:                                              ; preds = %504
  %514 = icmp eq ptr %510, %1
  br i1 %514, label %515, label %519
515:                                              ; preds = %513
  %516 = getelementptr inbounds nuw i8, ptr %509, i64 8
  %517 = load i64, ptr %516, align 8
  %518 = icmp eq i64 %517, %3
  br i1 %518, label %613, label %519
519:                                              ; preds = %515, %513
  %520 = add nuw nsw i64 %506, 1
  %521 = and i64 %520, 63
  %522 = getelementptr inbounds nuw %struct.times, ptr %507, i64 %521
  %523 = load ptr, ptr %522, align 8
  %524 = icmp eq ptr %523, null
  br i1 %524, label %525, label %526
525:                                              ; preds = %519
  store ptr %1, ptr %522, align 8
  br label %610
526:                                              ; preds = %519
  %527 = icmp eq ptr %523, %1
  br i1 %527, label %528, label %532
528:                                              ; preds = %526
  %529 = getelementptr inbounds nuw i8, ptr %522, i64 8
  %530 = load i64, ptr %529, align 8
  %531 = icmp eq i64 %530, %3
  br i1 %531, label %613, label %532
532:                                              ; preds = %528, %526
  %533 = add nuw nsw i64 %506, 2
  %534 = and i64 %533, 63
  %535 = getelementptr inbounds nuw %struct.times, ptr %507, i64 %534
  %536 = load ptr, ptr %535, align 8
  %537 = icmp eq ptr %536, null
  br i1 %537, label %538, label %539
538:                                              ; preds = %532
  store ptr %1, ptr %535, align 8
  br label %610
539:                                              ; preds = %532
  %540 = icmp eq ptr %536, %1
  br i1 %540, label %541, label %545
541:                                              ; preds = %539
  %542 = getelementptr inbounds nuw i8, ptr %535, i64 8
  %543 = load i64, ptr %542, align 8
  %544 = icmp eq i64 %543, %3
  br i1 %544, label %613, label %545
545:                                              ; preds = %541, %539
  %546 = add nuw nsw i64 %506, 3
  %547 = and i64 %546, 63
  %548 = getelementptr inbounds nuw %struct.times, ptr %507, i64 %547
  %549 = load ptr, ptr %548, align 8
  %550 = icmp eq ptr %549, null
  br i1 %550, label %551, label %552
551:                                              ; preds = %545
  store ptr %1, ptr %548, align 8
  br label %610
552:                                              ; preds = %545
  %553 = icmp eq ptr %549, %1
  br i1 %553, label %554, label %558
554:                                              ; preds = %552
  %555 = getelementptr inbounds nuw i8, ptr %548, i64 8
  %556 = load i64, ptr %555, align 8
  %557 = icmp eq i64 %556, %3
  br i1 %557, label %613, label %558
558:                                              ; preds = %554, %552
  %559 = add nuw nsw i64 %506, 4
  %560 = and i64 %559, 63
  %561 = getelementptr inbounds nuw %struct.times, ptr %507, i64 %560
  %562 = load ptr, ptr %561, align 8
  %563 = icmp eq ptr %562, null
  br i1 %563, label %564, label %565
564:                                              ; preds = %558
  store ptr %1, ptr %561, align 8
  br label %610
565:                                              ; preds = %558
  %566 = icmp eq ptr %562, %1
  br i1 %566, label %567, label %571
567:                                              ; preds = %565
  %568 = getelementptr inbounds nuw i8, ptr %561, i64 8
  %569 = load i64, ptr %568, align 8
  %570 = icmp eq i64 %569, %3
  br i1 %570, label %613, label %571
571:                                              ; preds = %567, %565
  %572 = add nuw nsw i64 %506, 5
  %573 = and i64 %572, 63
  %574 = getelementptr inbounds nuw %struct.times, ptr %507, i64 %573
  %575 = load ptr, ptr %574, align 8
  %576 = icmp eq ptr %575, null
  br i1 %576, label %577, label %578
577:                                              ; preds = %571
  store ptr %1, ptr %574, align 8
  br label %610
578:                                              ; preds = %571
  %579 = icmp eq ptr %575, %1
  br i1 %579, label %580, label %584
580:                                              ; preds = %578
  %581 = getelementptr inbounds nuw i8, ptr %574, i64 8
  %582 = load i64, ptr %581, align 8
  %583 = icmp eq i64 %582, %3
  br i1 %583, label %613, label %584
584:                                              ; preds = %580, %578
  %585 = add nuw nsw i64 %506, 6
  %586 = and i64 %585, 63
  %587 = getelementptr inbounds nuw %struct.times, ptr %507, i64 %586
  %588 = load ptr, ptr %587, align 8
  %589 = icmp eq ptr %588, null
  br i1 %589, label %590, label %591
590:                                              ; preds = %584
  store ptr %1, ptr %587, align 8
  br label %610
591:                                              ; preds = %584
  %592 = icmp eq ptr %588, %1
  br i1 %592, label %593, label %597
593:                                              ; preds = %591
  %594 = getelementptr inbounds nuw i8, ptr %587, i64 8
  %595 = load i64, ptr %594, align 8
  %596 = icmp eq i64 %595, %3
  br i1 %596, label %613, label %597
597:                                              ; preds = %593, %591
  %598 = add nuw nsw i64 %506, 7
  %599 = and i64 %598, 63
  %600 = getelementptr inbounds nuw %struct.times, ptr %507, i64 %599
  %601 = load ptr, ptr %600, align 8
  %602 = icmp eq ptr %601, null
  br i1 %602, label %603, label %604
603:                                              ; preds = %597
  store ptr %1, ptr %600, align 8
  br label %610
604:                                              ; preds = %597
  %605 = icmp eq ptr %601, %1
  br i1 %605, label %606, label %629
606:                                              ; preds = %604
  %607 = getelementptr inbounds nuw i8, ptr %600, i64 8
  %608 = load i64, ptr %607, align 8
  %609 = icmp eq i64 %608, %3
  br i1 %609, label %613, label %629
610:                                              ; preds = %603, %590, %577, %564, %551, %538, %525, %512
  %611 = phi ptr [ %600, %603 ], [ %587, %590 ], [ %574, %577 ], [ %561, %564 ], [ %548, %551 ], [ %535, %538 ], [ %522, %525 ], [ %509, %512 ]
  %612 = getelementptr inbounds nuw i8, ptr %611, i64 8
  store i64 %3, ptr %612, align 8
  br label %613
613:                                              ; preds = %610, %606, %593, %580, %567, %554, %541, %528, %515
  %614 = phi ptr [ %561, %567 ], [ %587, %593 ], [ %548, %554 ], [ %574, %580 ], [ %535, %541 ], [ %600, %606 ], [ %522, %528 ], [ %509, %515 ], [ %611, %610 ]
  %615 = getelementptr inbounds nuw i8, ptr %614, i64 16
  %616 = load i32, ptr %125, align 4
  %617 = sext i32 %616 to i64
  %618 = getelementptr inbounds i64, ptr %615, i64 %617
  %619 = load i64, ptr %618, align 8
  %620 = add nsw i64 %619, 1
  store i64 %620, ptr %618, align 8
  %621 = sub i64 %500, %158
  %622 = getelementptr inbounds nuw i8, ptr %614, i64 40
  %623 = load i32, ptr %125, align 4
  %624 = sext i32 %623 to i64
  %625 = getelementptr inbounds i64, ptr %622, i64 %624
  %626 = load i64, ptr %625, align 8
  %627 = add nsw i64 %621, %626
  store i64 %627, ptr %625, align 8
  %628 = load i32, ptr %501, align 8
  br label %631
629:                                              ; preds = %606, %604
  %630 = add nuw nsw i32 %502, 1
  store i32 %630, ptr %501, align 8
  br label %638
631:                                              ; preds = %613, %494
  %632 = phi i32 [ %502, %494 ], [ %628, %613 ]
  %633 = add nsw i32 %632, 1
  store i32 %633, ptr %501, align 8
  %634 = icmp eq i32 %632, 0
  br i1 %634, label %635, label %638
635:                                              ; preds = %631
  %636 = add nsw i64 %158, 2000000
  %637 = getelementptr inbounds nuw i8, ptr %0, i64 368
  store i64 %636, ptr %637, align 16
  br label %644
638:                                              ; preds = %631, %629
  %639 = phi i32 [ %502, %629 ], [ %632, %631 ]
  %640 = icmp slt i32 %639, 63
  br i1 %640, label %641, label %647
641:                                              ; preds = %638
  %642 = getelementptr inbounds nuw i8, ptr %0, i64 368
  %643 = load i64, ptr %642, align 16
  br label %644
644:                                              ; preds = %641, %635
  %645 = phi i64 [ %643, %641 ], [ %636, %635 ]
  %646 = icmp slt i64 %500, %645
  br i1 %646, label %831, label %647
647:                                              ; preds = %644, %638
  store i32 0, ptr %501, align 8
  %648 = load i32, ptr %125, align 4
  %649 = icmp eq i32 %648, 0
  br i1 %649, label %650, label %655
650:                                              ; preds = %647
  %651 = getelementptr inbounds nuw i8, ptr %0, i64 288
  %652 = load i64, ptr %651, align 32
  %653 = icmp slt i64 %652, 3
  %654 = select i1 %653, i32 2, i32 1
  br label %655
655:                                              ; preds = %650, %647
  %656 = phi i32 [ 1, %647 ], [ %654, %650 ]
  %657 = add nsw i32 %656, %648
  store i32 %657, ptr %125, align 4
  %658 = icmp eq i32 %657, 3
  br i1 %658, label %659, label %831
659:                                              ; preds = %655
  %660 = getelementptr inbounds nuw i8, ptr %0, i64 288
  %661 = load i64, ptr %660, align 32
  %662 = icmp slt i64 %661, 3
  %663 = getelementptr inbounds nuw i8, ptr %0, i64 336
  %664 = load i32, ptr %663, align 16
  %665 = icmp eq i32 %664, 1
  %666 = select i1 %662, i1 %665, i1 false
  %667 = select i1 %666, i32 0, i32 %664
  %668 = getelementptr inbounds nuw i8, ptr %0, i64 376
  %669 = sext i32 %667 to i64
  br label %670
670:                                              ; preds = %695, %659
  %671 = phi i64 [ 0, %659 ], [ %697, %695 ]
  %672 = phi i64 [ 0, %659 ], [ %696, %695 ]
  %673 = getelementptr inbounds nuw %struct.times, ptr %668, i64 %671
  %674 = getelementptr inbounds nuw i8, ptr %673, i64 16
  %675 = load i64, ptr %674, align 8
  %676 = icmp sgt i64 %675, 0
  br i1 %676, label %677, label %695
677:                                              ; preds = %670
  %678 = getelementptr inbounds nuw i8, ptr %673, i64 32
  %679 = load i64, ptr %678, align 8
  %680 = icmp sgt i64 %679, 0
  br i1 %680, label %681, label %695
681:                                              ; preds = %677
  br i1 %662, label %686, label %682
682:                                              ; preds = %681
  %683 = getelementptr inbounds nuw i8, ptr %673, i64 24
  %684 = load i64, ptr %683, align 8
  %685 = icmp sgt i64 %684, 0
  br i1 %685, label %686, label %695
686:                                              ; preds = %682, %681
  %687 = getelementptr inbounds nuw i8, ptr %673, i64 40
  %688 = getelementptr inbounds i64, ptr %687, i64 %669
  %689 = load i64, ptr %688, align 8
  %690 = mul nsw i64 %689, %675
  %691 = getelementptr inbounds i64, ptr %674, i64 %669
  %692 = load i64, ptr %691, align 8
  %693 = sdiv i64 %690, %692
  %694 = add nsw i64 %693, %672
  br label %695
695:                                              ; preds = %686, %682, %677, %670
  %696 = phi i64 [ %694, %686 ], [ %672, %682 ], [ %672, %677 ], [ %672, %670 ]
  %697 = add nuw nsw i64 %671, 1
  %698 = icmp eq i64 %697, 64
  br i1 %698, label %699, label %670
699:                                              ; preds = %695
  %700 = sdiv i64 %696, -16
  %701 = add i64 %700, %696
  br label %702
702:                                              ; preds = %725, %699
  %703 = phi i64 [ %728, %725 ], [ 0, %699 ]
  %704 = phi i64 [ %727, %725 ], [ 0, %699 ]
  br label %705
705:                                              ; preds = %730, %702
  %706 = phi i64 [ %731, %730 ], [ %703, %702 ]
  %707 = getelementptr inbounds nuw %struct.times, ptr %668, i64 %706
  %708 = getelementptr inbounds nuw i8, ptr %707, i64 16
  %709 = load i64, ptr %708, align 8
  %710 = icmp sgt i64 %709, 0
  br i1 %710, label %711, label %725
711:                                              ; preds = %705
  %712 = getelementptr inbounds nuw i8, ptr %707, i64 32
  %713 = load i64, ptr %712, align 8
  %714 = icmp sgt i64 %713, 0
  br i1 %714, label %715, label %725
715:                                              ; preds = %711
  br i1 %662, label %720, label %716
716:                                              ; preds = %715
  %717 = getelementptr inbounds nuw i8, ptr %707, i64 24
  %718 = load i64, ptr %717, align 8
  %719 = icmp sgt i64 %718, 0
  br i1 %719, label %720, label %730
720:                                              ; preds = %716, %715
  %721 = phi i64 [ %706, %716 ], [ %703, %715 ]
  %722 = getelementptr inbounds nuw i8, ptr %707, i64 40
  %723 = load i64, ptr %722, align 8
  %724 = add nsw i64 %723, %704
  br label %725
725:                                              ; preds = %711, %705, %720
  %726 = phi i64 [ %721, %720 ], [ %706, %705 ], [ %706, %711 ]
  %727 = phi i64 [ %724, %720 ], [ %704, %705 ], [ %704, %711 ]
  %728 = add nuw nsw i64 %726, 1
  %729 = icmp eq i64 %728, 64
  br i1 %729, label %737, label %702
730:                                              ; preds = %716
  %731 = add nuw nsw i64 %706, 1
  %732 = icmp eq i64 %731, 64
  br i1 %732, label %733, label %705
733:                                              ; preds = %730
  %734 = icmp slt i64 %704, %701
  %735 = call i64 @llvm.smin.i64(i64 %704, i64 %701)
  %736 = select i1 %734, i32 0, i32 %667
  br label %741
737:                                              ; preds = %725
  %738 = icmp slt i64 %727, %701
  %739 = call i64 @llvm.smin.i64(i64 %727, i64 %701)
  %740 = select i1 %738, i32 0, i32 %667
  br i1 %662, label %769, label %741
741:                                              ; preds = %737, %733
  %742 = phi i32 [ %736, %733 ], [ %740, %737 ]
  %743 = phi i64 [ %735, %733 ], [ %739, %737 ]
  br label %744
744:                                              ; preds = %765, %741
  %745 = phi i64 [ 0, %741 ], [ %767, %765 ]
  %746 = phi i64 [ 0, %741 ], [ %766, %765 ]
  %747 = getelementptr inbounds nuw %struct.times, ptr %668, i64 %745
  %748 = getelementptr inbounds nuw i8, ptr %747, i64 16
  %749 = load i64, ptr %748, align 8
  %750 = icmp sgt i64 %749, 0
  br i1 %750, label %751, label %765
751:                                              ; preds = %744
  %752 = getelementptr inbounds nuw i8, ptr %747, i64 32
  %753 = load i64, ptr %752, align 8
  %754 = icmp sgt i64 %753, 0
  br i1 %754, label %755, label %765
755:                                              ; preds = %751
  %756 = getelementptr inbounds nuw i8, ptr %747, i64 24
  %757 = load i64, ptr %756, align 8
  %758 = icmp sgt i64 %757, 0
  br i1 %758, label %759, label %765
759:                                              ; preds = %755
  %760 = getelementptr inbounds nuw i8, ptr %747, i64 48
  %761 = load i64, ptr %760, align 8
  %762 = mul nsw i64 %761, %749
  %763 = sdiv i64 %762, %757
  %764 = add nsw i64 %763, %746
  br label %765
765:                                              ; preds = %759, %755, %751, %744
  %766 = phi i64 [ %764, %759 ], [ %746, %755 ], [ %746, %751 ], [ %746, %744 ]
  %767 = add nuw nsw i64 %745, 1
  %768 = icmp eq i64 %767, 64
  br i1 %768, label %769, label %744
769:                                              ; preds = %765, %737
  %770 = phi i32 [ %740, %737 ], [ %742, %765 ]
  %771 = phi i64 [ %739, %737 ], [ %743, %765 ]
  %772 = phi i64 [ %739, %737 ], [ %766, %765 ]
  br label %773
773:                                              ; preds = %795, %769
  %774 = phi i64 [ 0, %769 ], [ %797, %795 ]
  %775 = phi i64 [ 0, %769 ], [ %796, %795 ]
  %776 = getelementptr inbounds nuw %struct.times, ptr %668, i64 %774
  %777 = getelementptr inbounds nuw i8, ptr %776, i64 16
  %778 = load i64, ptr %777, align 8
  %779 = icmp sgt i64 %778, 0
  br i1 %779, label %780, label %795
780:                                              ; preds = %773
  %781 = getelementptr inbounds nuw i8, ptr %776, i64 32
  %782 = load i64, ptr %781, align 8
  %783 = icmp sgt i64 %782, 0
  br i1 %783, label %784, label %795
784:                                              ; preds = %780
  br i1 %662, label %789, label %785
785:                                              ; preds = %784
  %786 = getelementptr inbounds nuw i8, ptr %776, i64 24
  %787 = load i64, ptr %786, align 8
  %788 = icmp sgt i64 %787, 0
  br i1 %788, label %789, label %795
789:                                              ; preds = %785, %784
  %790 = getelementptr inbounds nuw i8, ptr %776, i64 56
  %791 = load i64, ptr %790, align 8
  %792 = mul nsw i64 %791, %778
  %793 = sdiv i64 %792, %782
  %794 = add nsw i64 %793, %775
  br label %795
795:                                              ; preds = %789, %785, %780, %773
  %796 = phi i64 [ %794, %789 ], [ %775, %785 ], [ %775, %780 ], [ %775, %773 ]
  %797 = add nuw nsw i64 %774, 1
  %798 = icmp eq i64 %797, 64
  br i1 %798, label %799, label %773
799:                                              ; preds = %795
  %800 = icmp slt i64 %772, %771
  %801 = call i64 @llvm.smin.i64(i64 %772, i64 %771)
  %802 = select i1 %800, i32 1, i32 %770
  %803 = icmp slt i64 %796, %801
  %804 = select i1 %803, i32 2, i32 %802
  store i32 3, ptr %125, align 4
  %805 = icmp eq i32 %804, %667
  br i1 %805, label %806, label %814
806:                                              ; preds = %799
  %807 = getelementptr inbounds nuw i8, ptr %0, i64 348
  store i32 0, ptr %807, align 4
  %808 = icmp eq i32 %667, 2
  %809 = select i1 %808, i32 4, i32 16
  %810 = getelementptr inbounds nuw i8, ptr %0, i64 352
  %811 = load i32, ptr %810, align 32
  %812 = shl nsw i32 %811, 1
  %813 = call i32 @llvm.smin.i32(i32 %812, i32 %809)
  store i32 %813, ptr %810, align 32
  br label %828
814:                                              ; preds = %799
  %815 = getelementptr inbounds nuw i8, ptr %0, i64 344
  %816 = load i32, ptr %815, align 8
  %817 = icmp eq i32 %804, %816
  %818 = getelementptr inbounds nuw i8, ptr %0, i64 348
  br i1 %817, label %821, label %819
819:                                              ; preds = %814
  store i32 1, ptr %818, align 4
  store i32 %804, ptr %815, align 8
  %820 = getelementptr inbounds nuw i8, ptr %0, i64 352
  store i32 1, ptr %820, align 32
  br label %826
821:                                              ; preds = %814
  %822 = load i32, ptr %818, align 4
  %823 = add nsw i32 %822, 1
  store i32 %823, ptr %818, align 4
  %824 = getelementptr inbounds nuw i8, ptr %0, i64 352
  store i32 1, ptr %824, align 32
  %825 = icmp slt i32 %822, 1
  br i1 %825, label %826, label %827
826:                                              ; preds = %821, %819
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(4096) %668, i8 0, i64 4096, i1 false)
  store i32 0, ptr %125, align 4
  store i32 0, ptr %501, align 8
  br label %828
827:                                              ; preds = %821
  store i32 %804, ptr %663, align 16
  store i32 0, ptr %818, align 4
  br label %828
828:                                              ; preds = %827, %826, %806
  %829 = phi i32 [ 1, %826 ], [ 1, %827 ], [ %813, %806 ]
  %830 = getelementptr inbounds nuw i8, ptr %0, i64 356
  store i32 %829, ptr %830, align 4
  br label %831
831:                                              ; preds = %828, %655, %644, %492
  store atomic i32 0, ptr %101 seq_cst, align 64
  br label %832
832:                                              ; preds = %27, %104, %831, %5
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
  %11 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %6) #10
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
  br label %261
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
  br label %261
60:                                               ; preds = %51
  %61 = getelementptr inbounds nuw i8, ptr %0, i64 308
  store i32 1, ptr %61, align 4
  %62 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %5) #10
  %63 = load i64, ptr %5, align 8
  %64 = mul nsw i64 %63, 1000000000
  %65 = getelementptr inbounds nuw i8, ptr %5, i64 8
  %66 = load i64, ptr %65, align 8
  %67 = add nsw i64 %64, %66
  %68 = getelementptr inbounds nuw i8, ptr %0, i64 320
  store i64 %67, ptr %68, align 64
  %69 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %70 = call i32 @pthread_mutex_lock(ptr noundef nonnull %69) #10
  %71 = getelementptr inbounds nuw i8, ptr %0, i64 100
  %72 = load i32, ptr %71, align 4
  %73 = add i32 %72, 1
  store i32 %73, ptr %71, align 4
  %74 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %69) #10
  %75 = getelementptr inbounds nuw i8, ptr %0, i64 152
  %76 = call i32 @pthread_cond_broadcast(ptr noundef nonnull %75) #10
  br label %261
77:                                               ; preds = %196
  %78 = icmp eq i64 %209, 9223372036854775807
  br i1 %78, label %214, label %215
79:                                               ; preds = %29, %196
  %80 = phi i64 [ 9223372036854775807, %29 ], [ %209, %196 ]
  %81 = phi i32 [ 0, %29 ], [ %210, %196 ]
  %82 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %4) #10
  %83 = load i64, ptr %4, align 8
  %84 = load i64, ptr %30, align 8
  %85 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %3) #10
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
  %96 = call i32 @pthread_mutex_lock(ptr noundef nonnull %41) #10
  %97 = load i32, ptr %42, align 4
  %98 = add i32 %97, 1
  store i32 %98, ptr %42, align 4
  %99 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %41) #10
  %100 = call i32 @pthread_cond_broadcast(ptr noundef nonnull %43) #10
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
  %150 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %2) #10
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
  call void asm sideeffect "yield", ""() #10
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
  %248 = getelementptr inbounds nuw i8, ptr %0, i64 356
  %249 = load i32, ptr %248, align 4
  %250 = add nsw i32 %249, -1
  store i32 %250, ptr %248, align 4
  %251 = icmp slt i32 %249, 2
  br i1 %251, label %252, label %256
252:                                              ; preds = %245
  %253 = getelementptr inbounds nuw i8, ptr %0, i64 376
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(4096) %253, i8 0, i64 4096, i1 false)
  %254 = getelementptr inbounds nuw i8, ptr %0, i64 340
  store i32 0, ptr %254, align 4
  %255 = getelementptr inbounds nuw i8, ptr %0, i64 360
  store i32 0, ptr %255, align 8
  br label %256
256:                                              ; preds = %252, %245
  %257 = getelementptr inbounds nuw i8, ptr %0, i64 328
  store i64 0, ptr %257, align 8
  %258 = getelementptr inbounds nuw i8, ptr %0, i64 304
  %259 = load i32, ptr %258, align 16
  %260 = getelementptr inbounds nuw i8, ptr %0, i64 308
  store i32 %259, ptr %260, align 4
  store i32 0, ptr %7, align 8
  br label %261
261:                                              ; preds = %56, %60, %256, %21
  ret void
}
declare i64 @sysconf(i32 noundef) local_unnamed_addr #0
declare ptr @mmap(ptr noundef, i64 noundef, i32 noundef, i32 noundef, i32 noundef, i64 noundef) local_unnamed_addr #0
declare i32 @madvise(ptr noundef, i64 noundef, i32 noundef) local_unnamed_addr #0
declare i32 @munmap(ptr noundef, i64 noundef) local_unnamed_addr #0
declare void @free(ptr noundef) local_unnamed_addr #7
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
  call void asm sideeffect "yield", ""() #10
  %38 = add i32 %33, 1
  %39 = and i32 %38, 63
  %40 = icmp eq i32 %39, 0
  br i1 %40, label %41, label %75
41:                                               ; preds = %37
  %42 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %2) #10
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
  %53 = call i32 @sched_yield() #10
  %54 = sub nsw i64 %46, %48
  %55 = icmp sgt i64 %54, 999999
  br i1 %55, label %56, label %75
56:                                               ; preds = %52
  %57 = call i32 @pthread_mutex_lock(ptr noundef nonnull %10) #10
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
  %69 = call i32 @pthread_cond_wait(ptr noundef nonnull %13, ptr noundef nonnull %10) #10
  %70 = load i32, ptr %12, align 4
  %71 = icmp eq i32 %70, %59
  br i1 %71, label %60, label %72
72:                                               ; preds = %60, %65, %68
  %73 = atomicrmw sub ptr %11, i32 1 seq_cst, align 64
  %74 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %10) #10
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
  call void %88(ptr noundef %90, i64 noundef %136, i64 noundef %144) #10
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
  call void %88(ptr noundef %90, i64 noundef %190, i64 noundef %198) #10
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
  %208 = call i32 @pthread_mutex_lock(ptr noundef nonnull %10) #10
  %209 = call i32 @pthread_cond_signal(ptr noundef nonnull %25) #10
  %210 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %10) #10
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
  %4 = tail call i32 @sched_getcpu() #10
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
  %24 = call i32 @pthread_getaffinity_np(i64 noundef %23, i64 noundef 128, ptr noundef nonnull %2) #10
  %25 = icmp eq i32 %24, 0
  br i1 %25, label %26, label %44
26:                                               ; preds = %19
  %27 = load i64, ptr %15, align 8
  %28 = and i64 %27, %16
  %29 = icmp eq i64 %28, 0
  br i1 %29, label %44, label %30
30:                                               ; preds = %26
  %31 = call i32 @__sched_cpucount(i64 noundef 128, ptr noundef nonnull %2) #10
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
  %39 = call i32 @pthread_setaffinity_np(i64 noundef %38, i64 noundef 128, ptr noundef nonnull %3) #10
  %40 = load ptr, ptr %11, align 8
  %41 = getelementptr inbounds nuw i64, ptr %40, i64 %20
  %42 = load i64, ptr %41, align 8
  %43 = call i32 @pthread_setaffinity_np(i64 noundef %42, i64 noundef 128, ptr noundef nonnull %2) #10
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
define internal void @do_nothing(ptr readnone %0, i64 %1, i64 %2) #8 {
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
  call void asm sideeffect "yield", ""() #10
  %31 = add i32 %11, 1
  %32 = and i32 %31, 63
  %33 = icmp eq i32 %32, 0
  br i1 %33, label %34, label %10
34:                                               ; preds = %30
  %35 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %2) #10
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
  %47 = call i32 @sched_yield() #10
  %48 = sub nsw i64 %39, %41
  %49 = icmp sgt i64 %48, 999999
  br i1 %49, label %50, label %45
50:                                               ; preds = %46
  %51 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %52 = call i32 @pthread_mutex_lock(ptr noundef nonnull %51) #10
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
  %75 = call i32 @pthread_cond_wait(ptr noundef nonnull %54, ptr noundef nonnull %51) #10
  br label %55
76:                                               ; preds = %70
  store atomic i32 0, ptr %53 seq_cst, align 4
  %77 = call i32 @pthread_mutex_unlock(ptr noundef nonnull %51) #10
  br label %78
78:                                               ; preds = %26, %76
  ret void
}
declare i32 @sched_getcpu() local_unnamed_addr #0
declare i32 @pthread_getaffinity_np(i64 noundef, i64 noundef, ptr noundef) local_unnamed_addr #0
declare i32 @__sched_cpucount(i64 noundef, ptr noundef) local_unnamed_addr #0
declare i32 @pthread_setaffinity_np(i64 noundef, i64 noundef, ptr noundef) local_unnamed_addr #0
declare i32 @clock_gettime(i32 noundef, ptr noundef) local_unnamed_addr #0
declare i32 @llvm.smin.i32(i32, i32) #9
declare i64 @llvm.smin.i64(i64, i64) #9
declare i32 @llvm.umin.i32(i32, i32) #9
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
